// The search of one set of functionalities.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "find/conflicts.h"
#include "find/rows.h"
#include "find/unfold.h"
#include "heddle/find.h"

namespace heddle::find {

// A functionality and what does not depend on the group that it is in.
struct Prepared {
  std::vector<FormedStatement> statements;
  std::vector<bool> in_loop;
  Changes changes;
};

// What was found of shapes, by all groups together. The answers do not depend on who asks first.
class Shapes {
 public:
  std::optional<bool> find(const std::string& shape) const {
    const std::scoped_lock lock(mutex_);
    const auto known = answers_.find(shape);
    return known == answers_.end() ? std::nullopt : std::optional(known->second);
  }
  void add(const std::string& shape, bool possible) {
    const std::scoped_lock lock(mutex_);
    answers_.emplace(shape, possible);
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, bool> answers_;
};

using Clock = std::chrono::steady_clock;

// What all groups share; nobody changes it while they are searched.
struct SearchInput {
  const Program& program;
  const FindOptions& options;
  std::vector<FunctionalityLevel> levels = {};
  std::vector<Prepared> prepared = {};
  std::vector<std::vector<std::vector<Conflict>>> conflicts = {};  // by functionality
  Changes changes = {};
  std::size_t max_length = 4;
  std::optional<Clock::time_point> deadline = {};
};

struct GroupResult {
  std::vector<FoundCycle> cycles;
  FindCounts counts;
  bool is_complete = true;
};

// `members` are functionalities, sorted; one may come several times.
GroupResult search_group(const SearchInput& input, Shapes& shapes,
                         const std::vector<std::size_t>& members);

}  // namespace heddle::find
