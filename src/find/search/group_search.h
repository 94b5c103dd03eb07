// The search of one set of functionalities.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "find/terms/search_input.h"

namespace heddle::find {

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

// `members` are functionalities, sorted; one may come several times.
GroupResult search_group(const SearchInput& input, Shapes& shapes,
                         const std::vector<std::size_t>& members);

}  // namespace heddle::find
