#include "split/cycles/uncut_cycles.h"

#include <optional>

#include "split/cycles/cycle_key.h"

namespace heddle::chopping {

Result<UncutCycles> find_uncut_cycles(const Program& program, const FindOptions& options) {
  FindOptions whole = options;
  whole.across.reset();
  // The program with the cut is searched after this.
  if (whole.timeout_ms) whole.timeout_ms = *whole.timeout_ms / 2 + 1;
  const Result<FindReport> report = find_anomalies(program, whole);
  if (!report) return report.error();
  UncutCycles uncut{.keys = {}, .bound = report->bound};
  if (!uncut.bound.empty()) uncut.bound = "of the program without the cut: " + uncut.bound;
  const auto number = [](std::size_t /*functionality*/, std::size_t statement) {
    return std::optional(statement);
  };
  for_each_cycle(*report,
                 [&](const FoundCycle& cycle) { uncut.keys.insert(cycle_key(cycle, number)); });
  return uncut;
}

}  // namespace heddle::chopping
