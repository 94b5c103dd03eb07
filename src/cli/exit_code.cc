#include "cli/exit_code.h"

#include <array>

#include "cli/suppression_list.h"

namespace heddle {

namespace {

constexpr std::array kFromGravest = {ExitCode::interrupted, ExitCode::trouble, ExitCode::found,
                                     ExitCode::unknown, ExitCode::nothing_found};

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

ExitCode graver(ExitCode a, ExitCode b) {
  for (const ExitCode code : kFromGravest) {
    if (code == a || code == b) return code;
  }
  return a;
}

}  // namespace heddle
