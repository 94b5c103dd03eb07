#include "cli/examined_cuts.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "cli/output/progress.h"
#include "cli/split_failures.h"
#include "heddle/split.h"

namespace heddle {

namespace {

constexpr std::array<std::string_view, 3> kExamining = {"--needs", "--on", "--failures"};

void add_bound(const std::string& of, const std::string& name, std::string& bound) {
  if (of.empty()) return;
  bound += fmt::format("{}{}: {}", bound.empty() ? "" : "; ", name, of);
}

void count(const SplitReport& report, CutScore& score) {
  for (const SplitCause& cause : report.causes) {
    if (!cause.is_core) continue;
    if (cause.needs) ++score.needs[*cause.needs];
    if (cause.execution) ++score.executed[cause.execution->status];
  }
}

class CutExaminer {
 public:
  CutExaminer(const Arguments& arguments, const Program& program, const SplitOptions& options,
              const CommandDeadline& deadline)
      : arguments_(arguments), program_(program), options_(options), deadline_(deadline) {}

  // `left`: cuts that are still to be examined, with this one. They share the time.
  Result<void> examine(ScoredCut& scored, std::size_t left, const ExaminedCuts& examined) {
    SplitOptions options = options_;
    options.levels = scored.levels;
    // What is executed needs time, too.
    options.find.timeout_ms = share(left * (arguments_.has("--on") ? 2 : 1));
    Result<SplitReport> report = split_program(program_, scored.cut, options);
    if (!report) return report.error();
    Result<void> done;
    if (arguments_.has("--on")) done = execute(options, left, *report);
    for (const SplitCause& cause : report->causes) {
      if (!cause.execution) continue;
      if (auto saved = examined.runs.add(*cause.execution); !saved) return saved;
    }
    count(*report, scored.score);
    add_bound(report->bound, name_of(scored), examined.bound);
    if (!done || !arguments_.has("--failures")) return done;
    const Result<FailureReport> failures =
        examine_failures(arguments_, options, deadline_, *report);
    if (!failures) return failures.error();
    scored.score.failures = static_cast<std::size_t>(
        std::ranges::count_if(failures->failures, [](const SplitFailure& failure) {
          return failure.execution.status != FindingStatus::refuted;
        }));
    add_bound(failures->bound, name_of(scored), examined.bound);
    return {};
  }

 private:
  static std::string name_of(const ScoredCut& scored) {
    return scored.cut.file.empty() ? "a cut" : scored.cut.file;
  }

  std::optional<std::uint32_t> share(std::size_t among) const {
    const std::optional<std::uint32_t> all = deadline_.left_ms();
    if (!all) return std::nullopt;
    return *all / static_cast<std::uint32_t>(among) + 1;
  }

  Result<void> execute(const SplitOptions& options, std::size_t left, SplitReport& report) const {
    Result<ExecuteOptions> execution =
        split_execution(arguments_, deadline_, report.chopped.program);
    if (!execution) return execution.error();
    execution->timeout_ms = share(left);
    return execute_split(options, *execution, report);
  }

  const Arguments& arguments_;
  const Program& program_;
  const SplitOptions& options_;
  const CommandDeadline& deadline_;
};

}  // namespace

bool examines_cuts(const Arguments& arguments) {
  return std::ranges::any_of(kExamining,
                             [&](std::string_view option) { return arguments.has(option); });
}

Result<void> examine_cuts(const Arguments& arguments, const Program& program,
                          const SplitOptions& options, const CommandDeadline& deadline,
                          const ExaminedCuts& examined) {
  std::vector<ScoredCut>& cuts = examined.cuts;
  Progress progress("cuts", progress_is_watched() && !arguments.has("--no-progress"));
  CutExaminer examiner(arguments, program, options, deadline);
  for (std::size_t i = 0; i < cuts.size() && !interrupted(); ++i) {
    progress.show(i, cuts.size());
    Result<void> done = examiner.examine(cuts[i], cuts.size() - i, examined);
    if (!done) return done;
  }
  return {};
}

}  // namespace heddle
