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

void CallStatistics::add(const std::vector<PropertyCall>& calls,
                         const std::vector<MadeCall>& made) {
  ++executions_;
  calls_ += calls.size();
  met_.clear();
  for (std::size_t i = 0; i < calls.size(); ++i) {
    ++made_[calls[i].command];
    for (std::size_t k = 0; k < i; ++k) {
      if (!have_overlapped(made[i], made[k])) continue;
      met_.push_back(std::minmax(calls[i].command, calls[k].command));
    }
  }
  if (met_.empty()) return;
  ++with_overlaps_;
  std::sort(met_.begin(), met_.end());
  met_.erase(std::unique(met_.begin(), met_.end()), met_.end());
  for (const Pair& pair : met_) ++overlapping_[pair];
}

std::string CallStatistics::name_of(std::uint32_t command) const {
  const std::string shown = property_.show({.command = command});
  return shown.substr(0, shown.find('('));
}

std::string CallStatistics::text() const {
  if (calls_ == 0) return "";
  std::string text = "calls:";
  const char* separator = " ";
  for (const auto& [command, count] : made_) {
    text += separator + name_of(command) + " " + percent(count, calls_);
    separator = ", ";
  }
  text += "\nat once: in " + percent(with_overlaps_, executions_) + " of the executions";
  separator = "; ";
  for (const auto& [pair, count] : overlapping_) {
    text += separator + name_of(pair.first) + " and " + name_of(pair.second) + " " +
            percent(count, executions_);
    separator = ", ";
  }
  return text + "\n";
}

}  // namespace heddle::sched::runtime
