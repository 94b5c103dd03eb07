#include "sched/property/statistics.h"

#include <algorithm>

namespace heddle::sched::runtime {

namespace {

// A call that did not come back is under way for ever.
bool have_overlapped(const MadeCall& one, const MadeCall& other) {
  if (one.begun == 0 || other.begun == 0 || one.task == other.task) return false;
  return (other.returned == 0 || one.begun < other.returned) &&
         (one.returned == 0 || other.begun < one.returned);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  return std::to_string((part * 100 + whole / 2) / whole) + " %";
}

}  // namespace

CallStatistics::CallStatistics(const PropertyTest& property)
    : property_(property),
      commands_(property.commands()),
      counts_(3 + commands_ + commands_ * commands_) {}

void CallStatistics::add(const std::vector<PropertyCall>& calls,
                         const std::vector<MadeCall>& made_calls) {
  ++counts_[kExecutions];
  counts_[kCalls] += calls.size();
  met_.clear();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    ++counts_[made(calls[i].command)];
    for (std::size_t k = 0; k < i; ++k) {
      if (!have_overlapped(made_calls[i], made_calls[k])) continue;
      met_.push_back(std::minmax(calls[i].command, calls[k].command));
    }
  }
  if (met_.empty()) return;
  ++counts_[kWithOverlaps];
  std::sort(met_.begin(), met_.end());
  met_.erase(std::unique(met_.begin(), met_.end()), met_.end());
  for (const Pair& pair : met_) ++counts_[overlapping(pair)];
}

void CallStatistics::add_counts(const std::uint64_t* counts) {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += counts[i];
}

std::string CallStatistics::text() const {
  if (counts_[kCalls] == 0) return "";
  const auto commands = static_cast<std::uint32_t>(commands_);
  std::string text = "calls:";
  const char* separator = " ";
  for (std::uint32_t command = 0; command < commands; ++command) {
    const std::uint64_t count = counts_[made(command)];
    if (count == 0) continue;
    text += separator + property_.name(command) + " " + percent(count, counts_[kCalls]);
    separator = ", ";
  }
  const std::uint64_t executions = counts_[kExecutions];
  text += "\nat once: in " + percent(counts_[kWithOverlaps], executions) + " of the executions";
  separator = "; ";
  for (std::uint32_t one = 0; one < commands; ++one) {
    for (std::uint32_t other = one; other < commands; ++other) {
      const std::uint64_t count = counts_[overlapping({one, other})];
      if (count == 0) continue;
      text += separator + property_.name(one) + " and " + property_.name(other) + " " +
              percent(count, executions);
      separator = ", ";
    }
  }
  return text + "\n";
}

}  // namespace heddle::sched::runtime
