#include "cli/exit_code.h"

#include <array>
#include <optional>
#include <string>

#include "base/bounds.h"
#include "cli/suppressions/suppression_list.h"

namespace heddle {

namespace {

constexpr std::array kFromGravest = {ExitCode::interrupted, ExitCode::trouble, ExitCode::found,
                                     ExitCode::unknown, ExitCode::nothing_found};

// What one cause or failure says.
ExitCode exit_code_of_execution(const std::optional<FoundExecution>& execution, FailOn what) {
  const FindingStatus status = execution ? execution->status : FindingStatus::possible;
  if (what == FailOn::any) {
    return status == FindingStatus::refuted ? ExitCode::nothing_found : ExitCode::found;
  }
  if (status == FindingStatus::confirmed) return ExitCode::found;
  const bool is_left = status != FindingStatus::refuted && (!execution || execution->is_cut_short);
  return is_left ? ExitCode::unknown : ExitCode::nothing_found;
}

ExitCode exit_code_of_bound(const std::string& bound) {
  return bound.empty() ? ExitCode::nothing_found : ExitCode::unknown;
}

}  // namespace

ExitCode exit_code_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::satisfied:
      return ExitCode::nothing_found;
    case Verdict::violated:
      return ExitCode::found;
    case Verdict::unknown:
      break;
  }
  return ExitCode::unknown;
}

ExitCode exit_code_of(const Diagnostic& diagnostic) {
  switch (diagnostic.trouble) {
    case Trouble::bound:
      return ExitCode::unknown;
    case Trouble::interrupted:
      return ExitCode::interrupted;
    case Trouble::bad_input:
    case Trouble::environment:
      break;
  }
  return ExitCode::trouble;
}

// Suppressed findings count as none.
ExitCode exit_code_of(const LevelReport& level) {
  if (level.verdict != Verdict::violated || !all_suppressed(level)) {
    return exit_code_of(level.verdict);
  }
  return level.bound.empty() ? ExitCode::nothing_found : ExitCode::unknown;
}

ExitCode exit_code_of(const ExploreReport& report) {
  ExitCode code = ExitCode::nothing_found;
  for (const LevelReport& level : report.levels) code = graver(code, exit_code_of(level));
  return code;
}

FailOn fail_on(const Arguments& arguments) {
  return arguments.text("--fail-on") == "confirmed" ? FailOn::confirmed : FailOn::any;
}

Result<void> check_fail_on(const Arguments& arguments) {
  if (fail_on(arguments) == FailOn::any || arguments.has("--on")) return {};
  return Diagnostic{.what = "--fail-on=confirmed is about what is executed",
                    .what_to_do = "say where to execute it: --on=postgres"};
}

ExitCode exit_code_of(const FindReport& report, FailOn what) {
  ExitCode code = exit_code_of_bound(report.bound);
  if (report.external_left_out > 0) code = graver(code, ExitCode::found);
  for (const FoundCause& cause : report.causes) {
    if (!cause.suppressed) code = graver(code, exit_code_of_execution(cause.execution, what));
  }
  return code;
}

// Causes with one of fewer functionalities in them are not executed.
ExitCode exit_code_of(const SplitReport& report, const FailureReport* failures, FailOn what) {
  ExitCode code = exit_code_of_bound(report.bound);
  for (const SplitCause& cause : report.causes) {
    const bool is_asked = what == FailOn::any || cause.is_core;
    if (is_asked) code = graver(code, exit_code_of_execution(cause.execution, what));
  }
  if (failures == nullptr) return code;
  code = graver(code, exit_code_of_bound(failures->bound));
  for (const SplitFailure& failure : failures->failures) {
    code = graver(code, exit_code_of_execution(failure.execution, what));
  }
  return code;
}

ExitCode exit_code_of_print() { return exit_code_of_bound(stop_reason()); }

ExitCode graver(ExitCode a, ExitCode b) {
  for (const ExitCode code : kFromGravest) {
    if (code == a || code == b) return code;
  }
  return a;
}

}  // namespace heddle
