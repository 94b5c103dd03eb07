// What the executions of a property were like: which commands they called, and which of these ran
// at once. A property that passes because nothing overlaps has shown nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sched/property/program_run.h"

namespace heddle::sched::runtime {

class CallStatistics {
 public:
  explicit CallStatistics(const PropertyTest& property);

  // An execution of these calls, each made as `made` says.
  void add(const std::vector<PropertyCall>& calls, const std::vector<MadeCall>& made);

  // What was counted, as so many numbers that depend on the property alone; and what another
  // process has counted.
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  void add_counts(const std::uint64_t* counts);

  // "calls: add 52 %, get 48 %", a line each; empty: there was none.
  std::string text() const;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // commands, the lower number first

  // Where numbers stand.
  static constexpr std::size_t kExecutions = 0;
  static constexpr std::size_t kCalls = 1;
  static constexpr std::size_t kWithOverlaps = 2;  // executions
  std::size_t made(std::uint32_t command) const { return 3 + command; }
  // Executions in which calls of the two overlapped.
  std::size_t overlapping(const Pair& pair) const {
    return 3 + commands_ + std::size_t{pair.first} * commands_ + pair.second;
  }

  const PropertyTest& property_;
  std::size_t commands_;
  std::vector<std::uint64_t> counts_;
  std::vector<Pair> met_;  // of the execution that is added
};

}  // namespace heddle::sched::runtime
