// heddle explore: scenarios in every interleaving on a real store.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/printable.h"
#include "cli/command_bounds.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/explore_reports.h"
#include "cli/explore_why_not.h"
#include "cli/options/combinations.h"
#include "cli/options/command.h"
#include "cli/options/deadline.h"
#include "cli/options/options.h"
#include "cli/options/shared_options.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/suppressions/suppression_list.h"
#include "explore/permutations.h"
#include "explore/shared_server.h"
#include "heddle/explore.h"
#include "heddle/scenario.h"
#include "report/explore/isolationtester.h"

namespace heddle {

namespace {

constexpr std::string_view kWhatToRun = "What to run";

std::vector<OptionDefinition> stated_order_options() {
  return {
      {.name = "--explain",
       .value = "WHAT",
       .kind = ValueKind::choice,
       .group = kWhatToRun,
       .meaning = "why-not runs the orders that the file or --schedule states, once each, and says "
                  "which step the store made wait, ended or let read otherwise, and why the order "
                  "does no harm at this level, if so.",
       .choices = {"why-not"}},
      {.name = "--schedule",
       .value = "STEPS",
       .kind = ValueKind::text,
       .group = kWhatToRun,
       .meaning = "An order of steps to run instead of those that the file states: their names, "
                  "with spaces between them."},
  };
}

std::vector<OptionDefinition> search_options() {
  constexpr std::string_view kLimits = "Limits";
  return {
      on_option(),
      {.name = "--isolation",
       .value = "LEVEL",
       .kind = ValueKind::level,
       .group = "Where to run",
       .meaning = "Run all transactions at this isolation level, such as read-committed, "
                  "repeatable-read or serializable. Given several times, it answers with a table "
                  "of levels. Without it, levels are as the file says.",
       .repeatable = true},
      {.name = "--unit",
       .value = "UNIT",
       .kind = ValueKind::choice,
       .group = kWhatToRun,
       .meaning = "What must look as if it ran alone: a whole session (one user's action, also "
                  "where it commits in the middle) or each transaction.",
       .fallback = "session",
       .choices = {"session", "transaction"}},
      {.name = "--preemptions",
       .value = "N",
       .kind = ValueKind::number,
       .group = kWhatToRun,
       .meaning = "Run only the interleavings that leave an unfinished session at most N times."},
      {.name = "--reduce",
       .value = "HOW",
       .kind = ValueKind::choice,
       .group = kWhatToRun,
       .meaning = "conflicts tries two steps side by side that cannot make a difference to each "
                  "other in one order only: fewer interleavings, the same outcomes. Where that "
                  "cannot be known all are run.",
       .fallback = "none",
       .choices = {"none", "conflicts"}},
      {.name = "--repair",
       .group = kWhatToRun,
       .meaning = "Look for the smallest change of the scenario under which nothing goes wrong any "
                  "more, by running the changed scenarios, and say what an application that runs "
                  "ended sessions again would have."},
      {.name = "--all",
       .group = kWhatToRun,
       .meaning = "Run all interleavings even where the file names permutations."},
      jobs_option("Run N interleavings at a time, each in its own copy of the database. Without "
                  "it, as many as there are processors."),
      {.name = "--seed",
       .value = "N",
       .kind = ValueKind::seed,
       .group = kLimits,
       .meaning = "The same input and seed give the same output.",
       .fallback = "0"},
      {.name = "--timeout",
       .value = "DURATION",
       .kind = ValueKind::duration,
       .group = kLimits,
       .meaning = "Stop after this time and say what was found until then."},
      step_timeout_option(),
  };
}

std::vector<OptionDefinition> report_options() {
  return {
      format_option({"text", "markdown", "json", "html", "mermaid", "svg", "sarif", "junit", "spec",
                     "isolationtester"},
                    "text, markdown, json and html report everything (json: one line per file "
                    "where there are several files); mermaid and svg draw each cause; sarif is for "
                    "editors and code hosts, junit for build servers; spec prints the smallest "
                    "anomaly as a spec file with exactly that permutation; isolationtester looks "
                    "for nothing and prints what PostgreSQL's isolationtester prints."),
      output_option(),
      {.name = "--save",
       .value = "DIR",
       .kind = ValueKind::directory,
       .group = kOutputGroup,
       .meaning =
           "Write each finding to DIR/SCENARIO-KIND-ID.json for heddle replay, and with "
           "--format=spec, mermaid or svg also to a file of that kind beside it, and with --repair "
           "the scenario with the cheapest repair to DIR/SCENARIO-repaired.spec. The directory is "
           "made if need be."},
      suppress_option(),
      write_suppressions_option(),
      color_option(),
      no_progress_option(),
  };
}

std::vector<OptionDefinition> options_of_explore() {
  std::vector<OptionDefinition> options = search_options();
  for (const auto& more : {stated_order_options(), report_options()}) {
    options.insert(options.end(), more.begin(), more.end());
  }
  return options;
}

// Options that shape a search for anomalies; isolationtester's output has none.
constexpr std::array<std::string_view, 13> kSearchOptions = {"--explain",
                                                             "--schedule",
                                                             "--isolation",
                                                             "--unit",
                                                             "--preemptions",
                                                             "--reduce",
                                                             "--repair",
                                                             "--all",
                                                             "--seed",
                                                             "--timeout",
                                                             "--save",
                                                             "--suppress",
                                                             "--write-suppressions"};

constexpr std::array kIsolationtesterCombinations =
    idle_with("--format", "isolationtester", kSearchOptions);

constexpr std::array kExploreCombinations = {
    Combination{.option = "--preemptions",
                .other = "--reduce",
                .other_value = "conflicts",
                .what = "--preemptions does not go with --reduce=conflicts, which may keep "
                        "of equal interleavings the one with more preemptions"},
};

Result<void> check_explore_options(const Arguments& arguments) {
  Result<void> checked = check_combinations(arguments, kExploreCombinations);
  if (checked) checked = check_why_not(arguments);
  if (checked) checked = check_combinations(arguments, kIsolationtesterCombinations);
  return checked;
}

// The order that the user states instead of the file.
Result<void> state_schedule(const std::string& names, Scenario& scenario) {
  Scenario bare = scenario;
  bare.permutations.clear();
  const Result<Scenario> read =
      parse_scenario(fmt::format("{}permutation {}\n", to_spec(bare), names), scenario.file);
  if (!read) {
    Diagnostic trouble = read.error();
    trouble.what = fmt::format("--schedule=\"{}\": {}", names, trouble.what);
    trouble.position = {};
    return trouble;
  }
  scenario.permutations = read->permutations;
  return {};
}

// All files are read before the first run, so that a slip in the last one costs nothing.
Result<std::vector<Scenario>> read_scenarios(const Arguments& arguments) {
  const bool as_isolationtester = arguments.text("--format") == "isolationtester";
  std::vector<Scenario> scenarios;
  for (const std::string& path : arguments.inputs()) {
    const Result<std::string> text = read_input(path);
    if (!text) return text.error();
    Result<Scenario> scenario = parse_scenario(*text, input_name(path));
    if (!scenario) return scenario.error();
    if (arguments.has("--schedule")) {
      Result<void> stated = state_schedule(arguments.text("--schedule"), *scenario);
      if (!stated) return stated.error();
    }
    if (as_isolationtester && scenario->program) {
      return Diagnostic{.what = "isolationtester knows no calls of functionalities",
                        .what_to_do = "choose another --format",
                        .file = scenario->file,
                        .position = scenario->program->text.position,
                        .trouble = Trouble::bad_input};
    }
    for (const Diagnostic& warning : scenario->warnings) {
      as_isolationtester ? print_message(warning.what + "\n") : print_warning(warning);
    }
    scenarios.push_back(std::move(*scenario));
  }
  return scenarios;
}

ExploreOptions explore_options(const Arguments& arguments) {
  ExploreOptions options;
  options.on.texts = arguments.texts("--on");
  options.levels = arguments.levels("--isolation");
  options.unit = arguments.text("--unit") == "transaction" ? Unit::transaction : Unit::session;
  if (arguments.text("--reduce") == "conflicts") options.reduce = Reduction::conflicts;
  if (arguments.has("--preemptions")) {
    options.preemptions = static_cast<std::uint32_t>(arguments.number("--preemptions"));
  }
  options.repair = arguments.has("--repair");
  options.all = arguments.has("--all");
  options.jobs = static_cast<std::uint32_t>(jobs_of(arguments));
  options.seed = arguments.number("--seed");
  options.step_timeout_ms = arguments.duration_ms("--step-timeout");
  return options;
}

Result<ExploreReport> explore_one(const Scenario& scenario, const Arguments& arguments,
                                  const CommandDeadline& deadline) {
  ExploreOptions options = explore_options(arguments);
  options.timeout_ms = deadline.left_ms();
  Progress progress(scenario.file + ": interleavings",
                    progress_is_watched() && !arguments.has("--no-progress"));
  options.progress = [&progress](std::size_t done, std::size_t known) {
    progress.show(done, known);
  };
  return explore(scenario, options);
}

bool is_complete(const ExploreReport& report) {
  return std::all_of(report.levels.begin(), report.levels.end(), [](const LevelReport& level) {
    return level.verdict != Verdict::unknown && level.bound.empty();
  });
}

// A file that cannot be run does not keep the others from running, but it decides the exit code.
Result<ExitCode> explore_all(const std::vector<Scenario>& scenarios, const Arguments& arguments,
                             const CommandDeadline& deadline, SuppressionList& suppressions,
                             ExploreReports& reports) {
  ExitCode code = ExitCode::nothing_found;
  bool complete = true;
  SharedServer server({arguments.texts("--on")});
  for (const Scenario& scenario : scenarios) {
    if (Result<void> ready = server.prepare_for(scenario); !ready) {
      const Diagnostic trouble = naming_bound(ready.error());
      if (trouble.trouble != Trouble::interrupted) {
        print_diagnostic(trouble);
        reports.add_trouble(trouble, scenario);
      }
      code = graver(code, exit_code_of(trouble));
      break;
    }
    Result<ExploreReport> report = explore_one(scenario, arguments, deadline);
    server.conclude(scenario, !report || report->trouble);
    if (report) {
      if (report->trouble) {
        print_diagnostic(*report->trouble);
        code = graver(code, exit_code_of(*report->trouble));
      }
      suppressions.apply(*report, scenario);
      complete = complete && is_complete(*report);
      if (Result<void> added = reports.add(*report, scenario); !added) return added.error();
      code = graver(code, exit_code_of(*report));
    } else if (const Diagnostic trouble = naming_bound(report.error());
               trouble.trouble != Trouble::interrupted) {
      print_diagnostic(trouble);
      reports.add_trouble(trouble, scenario);
      code = graver(code, exit_code_of(trouble));
    }
    if (is_signalled()) {
      code = ExitCode::interrupted;
      break;
    }
  }
  if (Result<void> finished = reports.finish(); !finished) return finished.error();
  complete = complete && code != ExitCode::trouble && code != ExitCode::interrupted;
  if (Result<void> finished = suppressions.finish(complete); !finished) return finished.error();
  return code;
}

PermutationOptions permutation_options(const Arguments& arguments) {
  PermutationOptions options;
  options.on.texts = arguments.texts("--on");
  options.jobs = static_cast<std::uint32_t>(jobs_of(arguments));
  // Without the option, isolationtester's own limit stays.
  if (arguments.has("--step-timeout")) {
    options.step_timeout_ms = arguments.duration_ms("--step-timeout");
  }
  return options;
}

ExitCode exit_code_of_permutations(const PermutationsReport& report) {
  if (report.failed) return ExitCode::trouble;
  return report.timed_out ? ExitCode::unknown : ExitCode::nothing_found;
}

Result<ExitCode> print_permutations(const std::vector<Scenario>& scenarios,
                                    const Arguments& arguments, Output& output) {
  Result<void> written;
  std::size_t heads = 0;
  // A file's head is due before its first run, and also when it has none.
  const auto write_heads = [&](std::size_t end) {
    for (; heads < end && written; ++heads) {
      written = output.write(printable_lines(isolationtester_head(scenarios[heads])));
    }
  };
  const auto receive = [&](std::size_t file, const Run& run) {
    write_heads(file + 1);
    if (written)
      written = output.write(printable_lines(isolationtester_permutation(scenarios[file], run)));
    print_message(isolationtester_errors(scenarios[file], run));
    if (run.end == RunEnd::connection_lost) {
      print_message(fmt::format("{}: {}\n", scenarios[file].file, run.trouble));
    }
    return written.has_value();
  };
  const Result<PermutationsReport> report =
      run_permutations(scenarios, permutation_options(arguments), receive);
  if (!report && report.error().trouble != Trouble::interrupted) return report.error();
  if (report) write_heads(scenarios.size());
  if (written) written = output.finish();
  if (!written) return written.error();
  return !report || interrupted() ? ExitCode::interrupted : exit_code_of_permutations(*report);
}

Result<ExitCode> run_explore(const Arguments& arguments) {
  const CommandDeadline deadline(arguments);
  if (Result<void> begun = begin_bounds(arguments); !begun) return begun.error();
  if (Result<void> checked = check_explore_options(arguments); !checked) return checked.error();
  const Result<std::vector<Scenario>> scenarios = read_scenarios(arguments);
  if (!scenarios) return scenarios.error();
  Result<SuppressionList> suppressions = SuppressionList::open(arguments);
  if (!suppressions) return suppressions.error();
  Result<Output> output = Output::open(arguments.text("--output"));
  if (!output) return output.error();

  if (arguments.text("--format") == "isolationtester") {
    return print_permutations(*scenarios, arguments, *output);
  }
  if (arguments.has("--explain")) {
    return print_why_not(*scenarios, arguments, explore_options(arguments), *output);
  }
  Result<ExploreReports> reports =
      ExploreReports::open(arguments, scenarios->size(), std::move(*output));
  if (!reports) return reports.error();
  return explore_all(*scenarios, arguments, deadline, *suppressions, *reports);
}

}  // namespace

const CommandDefinition& explore_command() {
  static const CommandDefinition definition = {
      .word = "explore",
      .summary = "run a scenario in every interleaving on a real database",
      .arguments = "FILE.spec...",
      .fewest_arguments = 1,
      .most_arguments = 100'000,
      .pattern = "*.spec",
      .description =
          {"A scenario is a file in PostgreSQL's isolation spec format: the rows there are, and "
           "sessions with the steps that each of them takes. heddle runs the steps in every order "
           "(or in the orders that the file names), compares what each run read and left behind "
           "with every serial order of the sessions on the same database, and draws the smallest "
           "run of each cause that no serial order explains.",
           "Several files are reported in the order given; - reads a file from standard input."},
      .examples = {{"heddle explore lost_update.spec",
                    "all interleavings on a throwaway PostgreSQL server"},
                   {"heddle explore --isolation=read-committed --isolation=serializable bank.spec",
                    "which level keeps the anomaly away"},
                   {"heddle explore --on=postgres://me@db.example/ --preemptions=2 bank.spec",
                    "on a given server, only the simpler interleavings"},
                   {"heddle explore --save=findings bank.spec",
                    "keep each finding for heddle replay"}},
      .options = options_of_explore(),
      .exit_codes = {{ExitCode::nothing_found,
                      "no anomaly in any interleaving, or suppressed ones only"},
                     {ExitCode::found, "an anomaly was found"},
                     {ExitCode::trouble, "a file, an option or the database is at fault"},
                     {ExitCode::unknown, "nothing was found before a time limit was hit"},
                     {ExitCode::interrupted, "interrupted; what was found so far is printed"}},
      .run = run_explore};
  return definition;
}

}  // namespace heddle
