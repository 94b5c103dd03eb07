// weigh_failures(): the tables are moved one after the other, and failures looked for anew. That is
// quick, since none is executed.
#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/interrupt.h"
#include "heddle/split_failures.h"

namespace heddle {

namespace failures {
namespace {

// Not refuted.
Result<std::size_t> count_failures(const Program& program, const Cut& cut,
                                   const FailureOptions& options, const SplitReport& like) {
  Result<ChoppedProgram> chopped = chop_program(program, cut);
  if (!chopped) return chopped.error();
  SplitReport report;
  report.chopped = std::move(*chopped);
  report.cut = cut;
  report.within = like.within;
  report.levels = like.levels;
  const Result<FailureReport> found = find_failures(report, options);
  if (!found) return found.error();
  return static_cast<std::size_t>(
      std::ranges::count_if(found->failures, [](const SplitFailure& failure) {
        return failure.execution.status != FindingStatus::refuted;
      }));
}

Cut moved(const TableMerge& merge, Cut cut) {
  for (Service& service : cut.services) {
    std::erase_if(service.tables, [&](const CutTable& table) { return table.name == merge.table; });
  }
  cut.services[merge.service].tables.push_back({.name = merge.table, .position = {}});
  return cut;
}

}  // namespace
}  // namespace failures

Result<void> weigh_failures(const Program& program, const FailureOptions& options,
                            SplitReport& split) {
  if (split.merges.empty()) return {};
  const FailureOptions alone{.split = options.split};
  const Result<std::size_t> all = failures::count_failures(program, split.cut, alone, split);
  if (!all) return all.error();
  for (TableMerge& merge : split.merges) {
    if (interrupted()) return {};
    const Result<std::size_t> left =
        failures::count_failures(program, failures::moved(merge, split.cut), alone, split);
    if (!left) return left.error();
    merge.failures = *all - std::min(*all, *left);
  }
  return {};
}

}  // namespace heddle
