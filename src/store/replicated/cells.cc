#include "store/replicated/cells.h"

#include <utility>

namespace heddle::replicated {

GroupId CellStore::add(EffectGroup group) {
  const GroupId id = groups_.size();
  groups_.push_back(std::move(group));
  for (const RowName& row : rows_of(id)) writers_[row].push_back(id);
  return id;
}

void CellStore::truncate(std::size_t size) {
  while (groups_.size() > size) {
    for (const RowName& row : rows_of(groups_.size() - 1)) {
      std::vector<GroupId>& writers = writers_[row];
      writers.pop_back();
      if (writers.empty()) writers_.erase(row);
    }
    groups_.pop_back();
  }
}

void CellStore::forget(const std::string& table) {
  for (EffectGroup& group : groups_) {
    std::erase_if(group.writes, [&](const CellWrite& write) { return write.row.table == table; });
  }
  std::erase_if(writers_, [&](const auto& entry) { return entry.first.table == table; });
}

std::set<RowName> CellStore::rows_of(GroupId id) const {
  std::set<RowName> rows;
  for (const CellWrite& write : groups_[id].writes) rows.insert(write.row);
  return rows;
}

const std::vector<GroupId>& CellStore::writers(const RowName& name) const {
  static const std::vector<GroupId> kNone;
  const auto found = writers_.find(name);
  return found == writers_.end() ? kNone : found->second;
}

std::optional<RowImage> CellStore::row(const RowName& name, const std::set<GroupId>& seen) const {
  struct Winner {
    Stamp stamp = 0;
    const std::string* value = nullptr;
  };
  std::map<std::string, Winner> winners;
  for (const GroupId id : writers(name)) {
    const EffectGroup& group = groups_[id];
    if (!group.everywhere && !seen.contains(id)) continue;
    for (const CellWrite& write : group.writes) {
      if (write.row != name) continue;
      Winner& winner = winners[write.column];
      if (winner.value == nullptr || group.stamp > winner.stamp)
        winner = {group.stamp, &write.value};
    }
  }
  const auto liveness = winners.find(kLiveness);
  if (liveness == winners.end() || *liveness->second.value != "1") return std::nullopt;
  RowImage image;
  for (const auto& [column, winner] : winners) {
    if (column != kLiveness) image[column] = *winner.value;
  }
  return image;
}

}  // namespace heddle::replicated
