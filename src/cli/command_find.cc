// heddle find: what the transactions of a program do, and which anomalies they allow.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/printable.h"
#include "cli/command_bounds.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/find_option_table.h"
#include "cli/find_reports.h"
#include "cli/options/combinations.h"
#include "cli/options/command.h"
#include "cli/options/deadline.h"
#include "cli/options/options.h"
#include "cli/options/shared_options.h"
#include "cli/options/values.h"
#include "cli/output/detail_option.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/output/warnings.h"
#include "cli/program/chosen_functionalities.h"
#include "cli/program/coverage_check.h"
#include "cli/program/find_program.h"
#include "cli/program/invariant_file.h"
#include "cli/program_files.h"
#include "cli/settings_file.h"
#include "cli/suppressions/suppression_list.h"
#include "heddle/find.h"
#include "heddle/find_and_execute.h"
#include "heddle/program.h"
#include "heddle/program_repair.h"
#include "heddle/scenario.h"
#include "heddle/session_program.h"
#include "jvm/java_program.h"
#include "report/find/find_reports.h"
#include "store/open/store_profiles.h"

namespace heddle {

namespace {

constexpr std::string_view kPrograms =
    "A program is what the code around a database does. heddle reads files of CREATE TABLE "
    "statements, procedures in PL/pgSQL or SQL, and classes in Java that use JDBC; all files "
    "together are one program, and a folder stands for those below it. Each procedure or public "
    "method is a functionality: one action of a user.";
constexpr std::string_view kApproximation =
    "What cannot be read exactly is taken for more than it may do, with a warning that names the "
    "place.";
constexpr std::string_view kTables =
    "Tables come from the files, or with --schema from a database that exists, which is only read.";
constexpr std::string_view kSearch =
    "heddle looks for cycles of dependencies between the transactions of up to three "
    "functionalities, at the isolation level they run at, and reports what causes them. What it "
    "reports is possible; with --on it is executed on a real database, and then confirmed or not.";

Result<FindOptions> find_options(const Arguments& arguments, const Program& program) {
  FindOptions options;
  Result<std::vector<std::string>> only = chosen(arguments, "--only", program);
  if (!only) return only.error();
  options.only = *std::move(only);
  if (Result<void> read = read_levels(arguments, program, options); !read) return read.error();
  if (arguments.has("--length")) options.max_length = arguments.number("--length");
  options.max_instances = arguments.number("--instances");
  options.rounds = arguments.number("--rounds");
  if (arguments.has("--prefix")) options.max_prefix = arguments.number("--prefix");
  // Who says how far means just that far.
  options.widens =
      std::ranges::none_of(std::array{"--length", "--instances", "--rounds", "--prefix"},
                           [&](std::string_view bound) { return arguments.has(bound); });
  options.jobs = jobs_of(arguments);
  if (arguments.text("--engine") == "reference") {
    options.engine = FindEngine::reference;
    options.widens = false;
  }
  // What is executed says itself what it leaves.
  options.internal_only = arguments.has("--internal") && !arguments.has("--on");
  options.groups_by_structure = arguments.text("--engine") != "ungrouped";
  options.refusals = arguments.texts("--refusal");
  if (arguments.text("--unit") == "transaction") options.unit = Unit::transaction;
  if (arguments.has("--constraints")) {
    Result<Constraints> constraints = read_constraints(arguments.text("--constraints"));
    if (!constraints) return constraints.error();
    options.constraints = *std::move(constraints);
  }
  if (arguments.has("--reachable")) {
    begin_with_own_rows(program, options.constraints);
    options.least_prefix = 1;
  }
  return options;
}

Result<ExecuteOptions> options_of_execution(const Program& program, const Arguments& arguments) {
  ExecuteOptions execution;
  execution.on.texts = arguments.texts("--on");
  execution.jobs = jobs_of(arguments);
  execution.step_timeout_ms = arguments.duration_ms("--step-timeout");
  execution.program = java_program(arguments.text("--classes"), autocommit_of(arguments));
  execution.keep_unconfirmed = arguments.has("--save-unconfirmed");
  if (arguments.has("--invariants")) {
    const InvariantUse use{.dialect = dialect_of_store(arguments.texts("--on").front())};
    auto invariants = read_invariants(arguments.text("--invariants"), program, use);
    if (!invariants) return invariants.error();
    execution.invariants = std::move(*invariants);
  }
  if (arguments.has("--rows")) {
    Result<SourceText> rows = read_source(arguments.text("--rows"));
    if (!rows) return rows.error();
    execution.rows = *std::move(rows);
  }
  return execution;
}

// Without a store nothing is executed.
Result<ExecutedSearch> search_and_execute(const Program& program, FindOptions& options,
                                          const Arguments& arguments) {
  const bool is_shown = progress_is_watched() && !arguments.has("--no-progress");
  Progress sets("sets of functionalities", is_shown);
  options.progress = [&sets](std::size_t done, std::size_t known) { sets.show(done, known); };
  if (!arguments.has("--on")) {
    Result<FindReport> report = find_anomalies(program, options);
    if (!report) return report.error();
    return ExecutedSearch{.report = std::move(*report)};
  }
  Result<ExecuteOptions> execution = options_of_execution(program, arguments);
  if (!execution) return execution.error();
  Progress causes("causes", is_shown);
  execution->progress = [&causes](std::size_t done, std::size_t known) {
    causes.show(done, known);
  };
  Result<ExecutedSearch> done = find_and_execute(program, options, *execution);
  options.progress = {};
  return done;
}

Result<void> save(const FindReport& report, SavedRuns& runs) {
  for (const FoundCause& cause : report.causes) {
    if (!cause.execution) continue;
    if (Result<void> saved = runs.add(*cause.execution); !saved) return saved;
  }
  return {};
}

// Whether there is something to repair.
bool has_open_cause(const FindReport& report) {
  return std::ranges::any_of(report.causes, [](const FoundCause& cause) {
    return !cause.execution || cause.execution->status != FindingStatus::refuted;
  });
}

// With a store what helps is run on it. What leaves the right rows needs no repair with --internal.
Result<ProgramRepairReport> repair(const Program& program, FindOptions options,
                                   const FindReport& report, const Arguments& arguments) {
  options.internal_only = arguments.has("--internal");
  if (!arguments.has("--on")) return repair_program(program, options, report);
  const Result<ExecuteOptions> execution = options_of_execution(program, arguments);
  if (!execution) return execution.error();
  return repair_program(program, options, report,
                        make_repair_trial(program, report, options, *execution));
}

// The program with its sessions of several calls, if there are some, and how it is searched.
Result<SessionProgram> searched(const Program& program, const Arguments& arguments) {
  Result<FindOptions> options = find_options(arguments, program);
  if (!options) return options.error();
  const std::size_t calls = arguments.number("--sessions");
  return with_sessions(program, *options, calls);
}

Result<ExitCode> search(const Program& original, const Arguments& arguments,
                        const CommandDeadline& deadline, Output& output) {
  Result<SessionProgram> whole = searched(original, arguments);
  if (!whole) return whole.error();
  const Program& program = whole->program;
  FindOptions* const options = &whole->options;
  Result<SavedRuns> runs = SavedRuns::open(arguments);
  if (!runs) return runs.error();
  Result<SuppressionList> suppressions = SuppressionList::open(arguments);
  if (!suppressions) return suppressions.error();
  const Result<DetailChoice> choice = details_of(arguments);
  if (!choice) return choice.error();
  options->timeout_ms = deadline.left_ms();
  Result<ExecutedSearch> done = search_and_execute(program, *options, arguments);
  if (!done) return done.error();
  FindReport* const report = &done->report;
  if (arguments.has("--internal") && arguments.has("--on")) keep_internal(program, *report);
  suppressions->apply(*report, program);
  if (Result<void> saved = save(*report, *runs); !saved) return saved.error();
  std::optional<ProgramRepairReport> repairs;
  if (arguments.has("--repair") && has_open_cause(*report) && !done->trouble) {
    options->timeout_ms = deadline.left_ms();
    Result<ProgramRepairReport> found = repair(program, *options, *report, arguments);
    if (!found) return found.error();
    repairs = std::move(*found);
  }
  const FindResults results{
      .report = *report, .program = program, .repairs = repairs ? &*repairs : nullptr};
  const std::string text = find_report_text(results, arguments.text("--format"), *choice,
                                            text_options(arguments, output));
  if (Result<void> written = output.write_whole(text); !written) return written.error();
  warn_of_unknown(*choice, report->causes);
  runs->say_what_is_missing();
  const bool is_complete = report->bound.empty() && !interrupted();
  if (Result<void> kept = suppressions->finish(is_complete); !kept) return kept.error();
  if (is_signalled()) return ExitCode::interrupted;
  // What was found until then has been printed.
  if (done->trouble) return *done->trouble;
  return graver(exit_code_of(*report, fail_on(arguments)), exit_code_of(program.coverage));
}

// What the levels remove, and by what.
Result<ExitCode> explain(const Program& original, const Arguments& arguments,
                         const CommandDeadline& deadline, Output& output) {
  Result<SessionProgram> whole = searched(original, arguments);
  if (!whole) return whole.error();
  const Program& program = whole->program;
  FindOptions* const options = &whole->options;
  options->timeout_ms = deadline.left_ms();
  const Result<RemovedReport> report = explain_removed(program, *options);
  if (!report) return report.error();
  const std::string text = arguments.text("--format") == "json"
                               ? render_json(*report, program)
                               : render_text(*report, program, text_options(arguments, output));
  if (Result<void> written = output.write_whole(text); !written) return written.error();
  if (is_signalled()) return ExitCode::interrupted;
  if (report->left > 0) return ExitCode::found;
  return report->bound.empty() ? exit_code_of(program.coverage) : ExitCode::unknown;
}

constexpr std::string_view kSayWhere = "say where to execute it: --on=postgres";

constexpr std::array kFindCombinations = {
    Combination{.option = "--reachable",
                .other = "--rows",
                .what = "--reachable is about rows that calls make, and --rows gives them"},
    Combination{.option = "--reachable", .other = "--engine", .other_value = "reference"},
    needs_option("--save", "--on", "--save is about what is executed", kSayWhere),
    needs_option("--save-unconfirmed", "--on", "--save-unconfirmed is about what is executed",
                 kSayWhere),
    needs_option("--invariants", "--on", "--invariants is about what is executed", kSayWhere),
    needs_option("--rows", "--on", "--rows is about what is executed", kSayWhere),
    needs_option("--step-timeout", "--on", "--step-timeout is about what is executed", kSayWhere),
    needs_option("--classes", "--on", "--classes is about what is executed", kSayWhere),
    Combination{.option = "--explain",
                .other = "--on",
                .what = "--explain is about what does not happen, and --on executes"},
    Combination{.option = "--repair",
                .other = "--explain",
                .what = "--repair is about what happens, and --explain about what does not"},
    Combination{.option = "--unit",
                .value = "transaction",
                .other = "--engine",
                .other_value = "reference"},
    Combination{.option = "--repair", .other = "--engine", .other_value = "reference"},
    Combination{.option = "--explain", .other = "--engine", .other_value = "reference"},
};

Result<void> check_prefix(const Arguments& arguments) {
  const bool is_known = arguments.has("--constraints") || arguments.has("--reachable");
  if (!arguments.has("--prefix") || is_known) return {};
  return Diagnostic{.what = "--prefix is about what follows from the rows at the beginning",
                    .what_to_do = "say what is known of these: --reachable or --constraints=FILE"};
}

Result<void> check_find_store(const Arguments& arguments) {
  const std::string& store = arguments.text("--on");
  const StoreProfile* const profile = find_store_profile(store);
  if (profile != nullptr && !profile->executes_causes) {
    return Diagnostic{
        .what = fmt::format("--on={}: heddle find executes on PostgreSQL, MariaDB and the "
                            "replicated store only",
                            store),
        .what_to_do = "use --on=postgres, --on=mariadb, --on=mariadb:ring or --on=replicated"};
  }
  return {};
}

Result<void> check_find_options(const Arguments& arguments) {
  if (Result<void> checked = check_combinations(arguments, kFindCombinations); !checked) {
    return checked;
  }
  for (const auto& check : {check_fail_on, check_prefix, check_find_store, check_find_format}) {
    if (Result<void> checked = check(arguments); !checked) return checked;
  }
  return {};
}

Result<ExitCode> run_find(const Arguments& arguments) {
  const CommandDeadline deadline(arguments);
  if (Result<void> begun = begin_bounds(arguments); !begun) return begun.error();
  if (arguments.inputs().empty() && !arguments.has("--schema")) {
    return Diagnostic{.what = "heddle find needs FILE...",
                      .what_to_do = "or the tables of a database: --schema=ADDRESS"};
  }
  if (Result<void> checked = check_find_options(arguments); !checked) return checked.error();
  Result<Program> program = read_program(arguments, arguments.inputs());
  if (!program) return program.error();
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
  if (arguments.has("--explain")) {
    return explain(*program, arguments, deadline, *output);
  }
  const bool prints = arguments.has("--print-program");
  if (!prints && !arguments.has("--list-statements")) {
    return search(*program, arguments, deadline, *output);
  }
  const std::string text = prints ? printable_lines(print_program(*program))
                           : arguments.text("--format") == "json"
                               ? render_json(*program)
                               : render_text(*program, text_options(arguments, *output));
  if (Result<void> written = output->write_whole(text); !written) return written.error();
  return exit_code_of_print();
}

}  // namespace

const CommandDefinition& find_command_definition() {
  static const CommandDefinition definition = {
      .word = "find",
      .summary = "find the anomalies that a database program allows",
      .arguments = "FILE...",
      .most_arguments = kMostFiles,
      .description = {kPrograms, kSearch, kApproximation, kTables, "- reads from standard input."},
      .examples = {{"heddle find bank.sql",
                    "the anomalies that it allows at the level that it sets"},
                   {"heddle find --isolation=snapshot schema.sql src/main",
                    "what is left of them at snapshot isolation"},
                   {"heddle find --on=postgres bank.sql",
                    "the same, made to happen on a private PostgreSQL"},
                   {"heddle find --on=postgres --classes=build/classes schema.sql src/main/java",
                    "and by the compiled methods themselves"},
                   {"heddle find --list-statements bank.sql",
                    "what each statement reads and writes, and when it runs"},
                   {"heddle find --print-program --output=read.sql bank.sql",
                    "the program as heddle understood it"},
                   {"heddle find --list-statements --schema=mysql://me@localhost/shop src/main",
                    "code in Java, held against the tables of a database"}},
      .options = find_option_table(),
      .exit_codes =
          {{ExitCode::nothing_found,
            "there is no anomaly within the bounds, or all are refuted, and every place "
            "that uses a store was read; or the program was only read"},
           {ExitCode::found,
            "there are anomalies that are not refuted, also such as --internal leaves "
            "out; with --fail-on=confirmed one is confirmed"},
           {ExitCode::trouble,
            "a file or an option is at fault, a file that is named has no reader, or with "
            "--strict something was not read exactly"},
           {ExitCode::unknown,
            "nothing that counts was found, and a place that uses a store was not read, "
            "or a bound was hit: --timeout, --memory, or something that is nested too "
            "deeply; with --fail-on=confirmed also where an anomaly was left unexecuted"},
           {ExitCode::interrupted, "interrupted"}},
      .run = run_find};
  return definition;
}

}  // namespace heddle
