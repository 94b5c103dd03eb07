// Bytes choose a small history; the engine must agree with the brute force on it.
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/assert.h"
#include "check/dependencies/brute_force.h"
#include "check/dependencies/sample_history.h"
#include "heddle/dependency.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using namespace heddle;
  std::size_t next = 0;
  const History history = sample_history([&](std::uint32_t below) {
    return next < size ? static_cast<std::uint32_t>(bytes[next++]) % below : 0u;
  });
  HEDDLE_ASSERT(!find_flaw(history));
  const DependencyGraph graph = dependency_graph(history);
  for (const Unit unit : {Unit::session, Unit::transaction}) {
    const std::vector<Cycle> found = find_anomalies(history, graph, unit);
    bool illegal_reads = false;
    for (const Cycle& cycle : found) {
      HEDDLE_ASSERT(!find_flaw(cycle, history));
      HEDDLE_ASSERT(!to_string(cycle, history).empty() && !definition(cycle.kind).name.empty());
      illegal_reads = illegal_reads || cycle.illegal_read.has_value();
    }
    HEDDLE_ASSERT(illegal_reads || found.empty() == has_serial_order(history, unit));
  }
  return 0;
}
