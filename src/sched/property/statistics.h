// What the executions of a property were like: which commands they called, and which of these ran
// at once. A property that passes because nothing overlaps has shown nothing.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sched/property/program_run.h"

namespace heddle::sched::runtime {

class CallStatistics {
 public:
  explicit CallStatistics(const PropertyTest& property) : property_(property) {}

  // An execution of these calls, each made as `made` says.
  void add(const std::vector<PropertyCall>& calls, const std::vector<MadeCall>& made);

  // "calls: add 52 %, get 48 %", a line each; empty: there was none.
  std::string text() const;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;  // commands, the lower number first

  std::string name_of(std::uint32_t command) const;

  const PropertyTest& property_;
  std::uint64_t executions_ = 0;
  std::uint64_t calls_ = 0;
  std::uint64_t with_overlaps_ = 0;              // executions
  std::map<std::uint32_t, std::uint64_t> made_;  // calls by command
  std::map<Pair, std::uint64_t> overlapping_;    // executions by commands of which calls overlapped
  std::vector<Pair> met_;                        // of the execution that is added
};

}  // namespace heddle::sched::runtime
