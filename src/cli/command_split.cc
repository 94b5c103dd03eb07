// heddle split: which anomalies a program gains when its tables are divided among services.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cli/command_bounds.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/options/command.h"
#include "cli/options/deadline.h"
#include "cli/options/options.h"
#include "cli/options/shared_options.h"
#include "cli/output/detail_option.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/output/warnings.h"
#include "cli/program/chosen_functionalities.h"
#include "cli/program/coverage_check.h"
#include "cli/program/find_program.h"
#include "cli/program_files.h"
#include "cli/settings_file.h"
#include "cli/split_cuts.h"
#include "cli/split_failures.h"
#include "format/split_json.h"
#include "heddle/cut_search.h"
#include "heddle/split.h"
#include "program/connections.h"
#include "report/find/find_reports.h"
#include "report/split/split_reports.h"
#include "store/open/store_profiles.h"

namespace heddle {

namespace {

constexpr std::string_view kCut =
    "A cut assigns each table to a service. Consecutive statements of a functionality on tables of "
    "one service become a sub-transaction, which that service runs alone; nothing holds those of "
    "one functionality together any more.";
constexpr std::string_view kAdds =
    "heddle says which anomalies that adds to those that the program has as a whole: between which "
    "functionalities, on which tables, and of which kind. Sub-transactions that meet in one are "
    "one cause; a cause is a core if no other has some of its sub-transactions alone.";

Result<SplitOptions> split_options(const Arguments& arguments) {
  SplitOptions options;
  if (arguments.has("--length")) options.find.max_length = arguments.number("--length");
  options.find.max_instances = arguments.number("--instances");
  options.find.rounds = arguments.number("--rounds");
  options.find.jobs = jobs_of(arguments);
  if (arguments.has("--prefix")) options.find.max_prefix = arguments.number("--prefix");
  options.find.refusals = arguments.texts("--refusal");
  std::optional<IsolationLevel> within;
  for (const std::string& text : arguments.texts("--isolation")) {
    if (Result<void> added = add_level(text, within, options.levels); !added) return added.error();
  }
  options.within = within.value_or(options.within);
  options.finds_needs = arguments.has("--needs");
  options.only_cores = arguments.has("--only-cores");
  options.counts_all = arguments.text("--baseline") == "none";
  options.max_calls = arguments.number("--sessions");
  options.is_chopped = arguments.has("--chopped");
  if (arguments.has("--constraints")) {
    Result<Constraints> constraints = read_constraints(arguments.text("--constraints"));
    if (!constraints) return constraints.error();
    options.find.constraints = *std::move(constraints);
  }
  if (arguments.has("--across")) {
    options.find.across = find_isolation_level(arguments.text("--across"));
  }
  return options;
}

Result<ExitCode> show_chopping(const Program& program, const Cut& cut, const Arguments& arguments,
                               Output& output) {
  const Result<Cut> matched = match_cut(cut, program.schema);
  if (!matched) return matched.error();
  const Result<ChoppedProgram> chopped = chop_program(program, *matched);
  if (!chopped) return chopped.error();
  print_warnings(chopped->notes, arguments);
  if (Result<void> written = output.write_whole(print_program(chopped->program)); !written) {
    return written.error();
  }
  return exit_code_of_print();
}

Result<void> execute(const Arguments& arguments, const SplitOptions& options,
                     const CommandDeadline& deadline, SplitReport& report) {
  Result<ExecuteOptions> execution = split_execution(arguments, deadline, report.chopped.program);
  if (!execution) return execution.error();
  Progress progress("causes", progress_is_watched() && !arguments.has("--no-progress"));
  execution->progress = [&progress](std::size_t done, std::size_t known) {
    progress.show(done, known);
  };
  return execute_split(options, *execution, report);
}

// `failures`: null where nobody asked for them.
std::string printed(const Arguments& arguments, const SplitReport& report,
                    const FailureReport* failures, const DetailChoice& choice,
                    const Output& output) {
  const std::string format = arguments.text("--format");
  if (format == "sarif") return render_sarif(report);
  if (format == "junit") return render_junit(report);
  if (format == "json") return to_json(report, failures);
  if (format == "svg") return render_svg(report);
  if (format == "html") return render_html(report);
  const TextOptions how = text_options(arguments, output);
  std::string text = render_text(report, how, choice);
  if (failures != nullptr) text += "\n" + render_text(*failures, report, how, choice);
  return text;
}

Result<void> check_split_options(const Arguments& arguments) {
  if (Result<void> checked = check_cut_options(arguments); !checked) return checked;
  const bool is_one = !arguments.has("--compare") && !arguments.has("--search");
  if (is_one && !arguments.has("--services") && !arguments.has("--chopped")) {
    return Diagnostic{.what = "heddle split needs a cut",
                      .what_to_do = "name its file: --services=cut.json"};
  }
  if (arguments.has("--step-timeout") && !arguments.has("--on")) {
    return Diagnostic{.what = "--step-timeout is about what is executed",
                      .what_to_do = "say where to execute it: --on=postgres"};
  }
  const std::string& on = arguments.text("--on");
  const StoreProfile* const profile = find_store_profile(on);
  if (!on.empty() && (profile == nullptr || !profile->executes_cuts)) {
    return Diagnostic{
        .what = fmt::format("--on={}: heddle split executes on PostgreSQL, MariaDB and the "
                            "replicated store only",
                            on),
        .what_to_do = "use --on=postgres, --on=mariadb or --on=replicated"};
  }
  if (!on.empty() && arguments.has("--failures") && profile->kind != StoreKind::postgres) {
    return Diagnostic{.what = "--failures executes on PostgreSQL only",
                      .what_to_do = "use --on=postgres"};
  }
  if (program_inputs(arguments).empty() && !arguments.has("--schema")) {
    return Diagnostic{.what = "heddle split needs FILE...",
                      .what_to_do = "name the program, as for heddle find"};
  }
  if (Result<void> checked = check_fail_on(arguments); !checked) return checked;
  return check_failure_options(arguments);
}

Result<ExitCode> split_one(const Arguments& arguments, const Program& program, const Cut& cut,
                           SplitOptions& options, const CommandDeadline& deadline, Output& output) {
  const Result<DetailChoice> choice = details_of(arguments);
  if (!choice) return choice.error();
  Result<SavedRuns> runs = SavedRuns::open(arguments);
  if (!runs) return runs.error();
  Progress progress("sets of functionalities",
                    progress_is_watched() && !arguments.has("--no-progress"));
  options.find.progress = [&progress](std::size_t done, std::size_t known) {
    progress.show(done, known);
  };
  const Result<std::vector<std::string>> only = chosen(arguments, "--only", program);
  if (!only) return only.error();
  // What is executed needs time, too.
  constexpr std::uint32_t kSearchPercent = 60;
  const std::optional<std::uint32_t> all = options.find.timeout_ms;
  if (all && arguments.has("--on")) options.find.timeout_ms = *all / 100 * kSearchPercent + 1;
  Result<SplitReport> report = split_program(program, cut, options);
  if (!report) return report.error();
  keep_only(*only, *report);
  options.find.timeout_ms = deadline.left_ms();
  const Program whole = options.is_chopped ? unchopped(program) : program;
  weigh_merges(whole, options, *report);
  Result<void> executed;
  if (arguments.has("--on")) executed = execute(arguments, options, deadline, *report);
  std::optional<FailureReport> failures;
  if (arguments.has("--failures") && executed) {
    Result<FailureReport> examined = examine_failures(arguments, options, deadline, *report);
    if (examined) failures = std::move(*examined);
    if (examined) {
      const FailureOptions how{.split = options};
      if (auto weighed = weigh_failures(whole, how, *report); !weighed) return weighed.error();
    }
    if (!examined) executed = examined.error();
  }
  for (const SplitCause& cause : report->causes) {
    if (!cause.execution) continue;
    if (auto saved = runs->add(*cause.execution); !saved) return saved.error();
  }
  // What is wrong with a file of the user's comes alone.
  const bool is_in_file = !executed && !executed.error().file.empty();
  if (is_in_file) return executed.error();
  print_warnings(report->chopped.notes, arguments);
  const std::string text =
      printed(arguments, *report, failures ? &*failures : nullptr, *choice, output);
  if (Result<void> written = output.write_whole(text); !written) return written.error();
  runs->say_what_is_missing();
  if (is_signalled()) return ExitCode::interrupted;
  // What was found until then has been printed.
  if (!executed) return executed.error();
  return graver(exit_code_of(*report, failures ? &*failures : nullptr, fail_on(arguments)),
                exit_code_of(program.coverage));
}

// A service has one connection.
void join_all_connections(Program& program) {
  for (Functionality& functionality : program.functionalities) {
    if (!program::join_connections(functionality)) continue;
    program.notes.push_back(
        {.what =
             functionality.name + " has transactions open on several connections at the same time",
         .what_to_do = "they are taken for one, which ends with each of them; heddle find tells "
                       "them apart",
         .file = functionality.source.file,
         .position = functionality.source.position});
  }
}

Result<ExitCode> run_split(const Arguments& arguments) {
  const CommandDeadline deadline(arguments);
  if (Result<void> begun = begin_bounds(arguments); !begun) return begun.error();
  if (Result<void> checked = check_split_options(arguments); !checked) return checked.error();
  const bool compares = arguments.has("--compare");
  const bool searches = arguments.has("--search");
  Cut cut;
  const bool is_read = arguments.has("--services") && !searches;
  if (!compares && is_read) {
    Result<Cut> read = read_cut(arguments.text("--services"));
    if (!read) return read.error();
    cut = std::move(*read);
  }
  Result<Program> program = read_program(arguments, program_inputs(arguments), false);
  if (!program) return program.error();
  join_all_connections(*program);
  // The parts of a chopping may be all that there is.
  if (!compares && !searches && !is_read) cut = undivided_cut(program->schema);
  const Result<std::string> entries = keep_entries(arguments, *program);
  if (!entries) return entries.error();
  if (arguments.has("--strict")) {
    if (!program->notes.empty()) return program->notes.front();
    if (const auto inexact = refuse_inexact(program->coverage)) return *inexact;
  }
  print_warnings(program->notes, arguments);
  Result<Output> output = Output::open(arguments.text("--output"));
  if (!output) return output.error();
  announce_settings(arguments, *entries, *output);
  if (arguments.has("--show-chopping")) return show_chopping(*program, cut, arguments, *output);
  Result<SplitOptions> asked = split_options(arguments);
  if (!asked) return asked.error();
  SplitOptions options = *std::move(asked);
  options.find.timeout_ms = deadline.left_ms();
  if (compares) return compare_cuts(arguments, *program, options, deadline, *output);
  if (searches) return search_cuts(arguments, *program, options, deadline, *output);
  return split_one(arguments, *program, cut, options, deadline, *output);
}

std::vector<OptionDefinition> tasks_of_split() {
  constexpr std::string_view kWhat = "What to do";
  return {
      {.name = "--services",
       .value = "FILE",
       .kind = ValueKind::file,
       .group = kWhat,
       .meaning = "The cut, as JSON or YAML: {\"SERVICE\": [\"TABLE\", ...], ...}. Each table of "
                  "the program is in one service. With --search the most services."},
      {.name = "--isolation",
       .value = "LEVEL",
       .kind = ValueKind::text,
       .group = kWhat,
       .meaning = "At which each service runs its sub-transactions, and the program as a whole "
                  "its transactions; SERVICE=LEVEL is for that service alone, and with --search "
                  "for that of a table. Without it serializable.",
       .repeatable = true},
      {.name = "--across",
       .value = "LEVEL",
       .kind = ValueKind::level,
       .group = kWhat,
       .meaning = "What is guaranteed across services: this abstract level, if each functionality "
                  "is taken for one transaction. Without it nothing but the order of a "
                  "functionality's own sub-transactions."},
      {.name = "--needs",
       .group = kWhat,
       .meaning = "Also say of each core what would remove it if it were guaranteed across "
                  "services: causal, transactional-causal, snapshot or serializable. That is three "
                  "more searches."},
      {.name = "--baseline",
       .value = "WHAT",
       .kind = ValueKind::choice,
       .group = kWhat,
       .meaning = "What does not count: what the program as a whole allows at that level, or none.",
       .fallback = "whole",
       .choices = {"whole", "none"}},
      {.name = "--only-cores",
       .group = kWhat,
       .meaning = "Leave out what has a cause of fewer functionalities in it, without asking "
                  "whether it can happen: the same cores, sooner."},
      {.name = "--on",
       .value = "STORE",
       .kind = ValueKind::text,
       .group = kWhat,
       .meaning =
           "Execute the cores: \"postgres\" and \"mariadb\" start a private throwaway server, "
           "\"postgres://user@host:port/\" and \"mysql://user@host:port/\" use a given one, "
           "\"replicated\" is a store of heddle's own."},
      fail_on_option(kWhat),
      constraints_option(kWhat),
      {.name = "--show-chopping",
       .group = kWhat,
       .meaning = "Print the program as the services run it, in PL/pgSQL: a COMMIT wherever one "
                  "hands over to another. It can be edited, and read by heddle find and, with "
                  "--chopped, by heddle split."},
      {.name = "--chopped",
       .group = kWhat,
       .meaning = "The program is such a chopping: each of its COMMITs is one of the cut, and what "
                  "counts is what the program without them does not allow. Without --services its "
                  "parts are taken as they stand, whatever tables they use."},
      {.name = "--strict", .group = kWhat, .meaning = "Refuse what cannot be read exactly."},
  };
}

std::vector<OptionDefinition> other_options() {
  constexpr std::string_view kLimits = "Limits";
  return {
      step_timeout_option(),
      {.name = "--length",
       .value = "N",
       .kind = ValueKind::count,
       .group = kLimits,
       .meaning = "Search for cycles of at most N operations. Without it 4."},
      {.name = "--instances",
       .value = "N",
       .kind = ValueKind::count,
       .group = kLimits,
       .meaning = "Search for cycles of at most N functionalities.",
       .fallback = "3"},
      {.name = "--rounds",
       .value = "N",
       .kind = ValueKind::count,
       .group = kLimits,
       .meaning = "Look at the first N rounds of each loop.",
       .fallback = "2"},
      sessions_option(),
      prefix_option(),
      {.name = "--timeout",
       .value = "DURATION",
       .kind = ValueKind::duration,
       .group = kLimits,
       .meaning = "Stop after this time, counted from the beginning, and say what was found and "
                  "executed until then."},
      memory_option(),
      jobs_option("Search N sets of functionalities side by side. Without it, as many as there are "
                  "processors. What is printed does not depend on it."),
      format_option({"text", "json", "svg", "html", "sarif", "junit"},
                    "How to print what the cut adds: svg is a graph of the tables and of how many "
                    "causes join them, html a page with everything, sarif and junit are for build "
                    "servers."),
      details_option(),
      warnings_option(),
      output_option(),
      color_option(),
      no_progress_option(),
  };
}

std::vector<OptionDefinition> options_of_split() {
  std::vector<OptionDefinition> table = tasks_of_split();
  for (const auto& options : {failure_options(), cut_options(), table_options(), choice_options(),
                              settings_options(), other_options()}) {
    table.insert(table.end(), options.begin(), options.end());
  }
  return table;
}

}  // namespace

const CommandDefinition& split_command() {
  static const CommandDefinition definition = {
      .word = "split",
      .summary = "say what a cut into services breaks",
      .arguments = "FILE...",
      .most_arguments = kMostFiles,
      .description = {kCut, kAdds, "The program is read as heddle find reads it."},
      .examples = {{"heddle split --services=cut.json bank.sql",
                    "the anomalies that the cut adds to those of the program"},
                   {"heddle split --services=cut.json --failures --on=postgres bank.sql",
                    "also what is left where a functionality stops half-way, executed"},
                   {"heddle split --services=cut.json --show-chopping bank.sql",
                    "the program as the services run it"},
                   {"heddle split --compare cut.json other.json bank.sql",
                    "what two cuts cost, side by side"},
                   {"heddle split --search --services=3 bank.sql",
                    "the best cuts into at most three services"}},
      .options = options_of_split(),
      .exit_codes = {{ExitCode::nothing_found,
                      "the cut adds nothing within the bounds, or all that it adds is refuted, and "
                      "every place that uses a store was read; or the chopping was printed"},
                     {ExitCode::found,
                      "a cause or failure is not refuted; with --fail-on=confirmed one is "
                      "confirmed"},
                     {ExitCode::trouble, "a file, the cut or an option is at fault"},
                     {ExitCode::unknown,
                      "nothing that counts was found, and a place that uses a store was not read, "
                      "or a bound was hit: --timeout or --memory; with --fail-on=confirmed also "
                      "where something was left unexecuted"},
                     {ExitCode::interrupted, "interrupted"}},
      .run = run_split};
  return definition;
}

}  // namespace heddle
