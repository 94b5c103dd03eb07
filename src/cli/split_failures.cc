#include "cli/split_failures.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "cli/options/shared_options.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/program/invariant_file.h"
#include "cli/program_files.h"

namespace heddle {

Result<void> check_failure_options(const Arguments& arguments) {
  if (arguments.has("--compensations") && !arguments.has("--failures")) {
    return Diagnostic{.what = "--compensations is about functionalities that fail",
                      .what_to_do = "ask for them: --failures"};
  }
  for (const std::string_view option : {"--invariants", "--rows"}) {
    if (!arguments.has(option) || arguments.has("--on")) continue;
    return Diagnostic{.what = fmt::format("{} is about what is executed", option),
                      .what_to_do = "say where to execute it: --on=postgres"};
  }
  return {};
}

Result<ExecuteOptions> split_execution(const Arguments& arguments, const CommandDeadline& deadline,
                                       const Program& program) {
  ExecuteOptions execution;
  execution.on.texts = arguments.texts("--on");
  execution.jobs = jobs_of(arguments);
  execution.step_timeout_ms = arguments.duration_ms("--step-timeout");
  execution.timeout_ms = deadline.left_ms();
  execution.keep_unconfirmed = arguments.has("--save-unconfirmed");
  if (arguments.has("--invariants")) {
    const InvariantUse use{.dialect = dialect_of_store(arguments.texts("--on").front()),
                           .has_calls = !arguments.has("--failures")};
    auto invariants = read_invariants(arguments.text("--invariants"), program, use);
    if (!invariants) return invariants.error();
    execution.invariants = std::move(*invariants);
  }
  if (arguments.has("--rows")) {
    Result<SourceText> rows = read_source(arguments.text("--rows"));
    if (!rows) return rows.error();
    execution.rows = std::move(*rows);
  }
  return execution;
}

Result<FailureReport> examine_failures(const Arguments& arguments, const SplitOptions& options,
                                       const CommandDeadline& deadline, const SplitReport& split) {
  FailureOptions failures{.split = options};
  if (arguments.has("--compensations")) {
    Result<SourceText> file = read_source(arguments.text("--compensations"));
    if (!file) return file.error();
    failures.compensations = std::move(*file);
  }
  Progress progress("failures", progress_is_watched() && !arguments.has("--no-progress"));
  if (arguments.has("--on")) {
    Result<ExecuteOptions> execution = split_execution(arguments, deadline, split.chopped.program);
    if (!execution) return execution.error();
    execution->progress = [&progress](std::size_t done, std::size_t known) {
      progress.show(done, known);
    };
    failures.execution = std::move(*execution);
  }
  return find_failures(split, failures);
}

std::vector<OptionDefinition> failure_options() {
  constexpr std::string_view kGroup = "Partial failure";
  constexpr std::string_view kExecution = "Execution";
  return {
      {.name = "--failures",
       .group = kGroup,
       .meaning = "Also examine what is left where a functionality stops between two of its "
                  "sub-transactions, or the answer of one is lost and it is called again."},
      {.name = "--compensations",
       .value = "FILE",
       .kind = ValueKind::file,
       .group = kGroup,
       .meaning = "What undoes sub-transactions of a functionality that has stopped, as routines "
                  "in PL/pgSQL: compensate_FUNCTIONALITY_NUMBER, with parameters of the "
                  "functionality."},
      {.name = "--invariants",
       .value = "FILE",
       .kind = ValueKind::file,
       .group = kExecution,
       .meaning = "What must hold when all is done, as items of a spec file: invariant NAME "
                  "{ SELECT ... }. Each executed core and failure names those that it breaks."},
      {.name = "--rows",
       .value = "FILE",
       .kind = ValueKind::file,
       .group = kExecution,
       .meaning = "SQL that fills the tables before anything is executed. Without it each core and "
                  "failure has rows made up for it, which need not keep the invariants."},
  };
}

}  // namespace heddle
