#include "find/terms/conflict_table.h"

#include <algorithm>
#include <string>

namespace heddle::find {

namespace {

constexpr std::size_t kBits = 64;

bool meet(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if ((a[i] & b[i]) != 0) return true;
  }
  return false;
}

void add(std::vector<std::uint64_t>& set, std::size_t number) {
  if (set.size() <= number / kBits) set.resize(number / kBits + 1);
  set[number / kBits] |= std::uint64_t{1} << (number % kBits);
}

}  // namespace

ConflictTable::ConflictTable(std::vector<const std::vector<FormedStatement>*> functionalities,
                             AmongUnknown among_unknown)
    : statements_(std::move(functionalities)),
      among_unknown_(among_unknown),
      used_(statements_.size()),
      written_(statements_.size()) {
  std::map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < statements_.size(); ++i) {
    const RowSources* last = nullptr;
    for (const FormedStatement& formed : *statements_[i]) {
      const RowSources& sources = formed.form.sources;
      if (last != nullptr && sources.is_shared_with(*last)) continue;
      last = &sources;
      for (const RowSource& source : sources) {
        const std::size_t table = numbers.try_emplace(source.name, numbers.size()).first->second;
        add(used_[i], table);
        if (source.is_written) add(written_[i], table);
      }
    }
  }
}

bool ConflictTable::may_conflict(std::size_t from, std::size_t to) const {
  return meet(used_[from], written_[to]) || meet(written_[from], used_[to]);
}

std::shared_ptr<const ConflictList> ConflictTable::between(
    std::size_t from, std::size_t to, const std::function<bool()>& is_late) const {
  if (!may_conflict(from, to)) {
    static const auto kNone = std::make_shared<const ConflictList>();
    return kNone;
  }
  {
    const std::scoped_lock lock(mutex_);
    const auto known = kept_.find({from, to});
    if (known != kept_.end()) return known->second;
  }
  auto list = std::make_shared<ConflictList>();
  bool was_late = false;
  const auto goes_on = [&](std::size_t conflicts) {
    was_late = was_late || is_late();
    return conflicts < kMostConflicts && !was_late;
  };
  list->is_complete =
      find_conflicts(*statements_[from], *statements_[to],
                     {.among_unknown = among_unknown_, .goes_on = goes_on}, list->all);
  const std::scoped_lock lock(mutex_);
  if (!was_late && kept_conflicts_ + list->all.size() <= kMostKept) {
    if (kept_.emplace(std::pair(from, to), list).second) kept_conflicts_ += list->all.size();
  }
  return list;
}

}  // namespace heddle::find
