// Which functionalities may depend on each other, and by what: found when somebody asks, since all
// of them together fill the memory where a program has a thousand functionalities.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "find/terms/conflicts.h"

namespace heddle::find {

// From a functionality to another one or to itself.
struct ConflictList {
  std::vector<Conflict> all;
  // All that there are; false: there are more than kMostConflicts, or `is_late` said to stop.
  bool is_complete = true;
};

class ConflictTable {
 public:
  // More of one functionality to another are not listed.
  static constexpr std::size_t kMostConflicts = 250'000;
  // So many are kept for who asks again.
  static constexpr std::size_t kMostKept = 1'000'000;

  // Of each functionality its statements, which outlive the table.
  ConflictTable(std::vector<const std::vector<FormedStatement>*> functionalities,
                AmongUnknown among_unknown);

  std::size_t size() const { return statements_.size(); }
  // Whether one uses a table that the other writes: false, and there is no conflict in either
  // direction.
  bool may_conflict(std::size_t from, std::size_t to) const;
  // Any thread. `is_late`: asked now and then.
  std::shared_ptr<const ConflictList> between(std::size_t from, std::size_t to,
                                              const std::function<bool()>& is_late) const;

 private:
  // The numbers of tables, as bits.
  using TableSet = std::vector<std::uint64_t>;

  std::vector<const std::vector<FormedStatement>*> statements_;
  AmongUnknown among_unknown_;
  std::vector<TableSet> used_;     // by functionality
  std::vector<TableSet> written_;  // by functionality
  mutable std::mutex mutex_;       // guards what follows
  mutable std::map<std::pair<std::size_t, std::size_t>, std::shared_ptr<const ConflictList>> kept_;
  mutable std::size_t kept_conflicts_ = 0;
};

}  // namespace heddle::find
