// What statements wrote, cell by cell, and what the writes that a reader sees add up to.
//
// A cell is a column of a row, or the row's being there. Of the writes of a cell that a reader
// sees, the one with the latest stamp counts (last writer wins). A replica is the set of the groups
// of writes that have come to it, and its rows follow from the set alone: merging is a union of
// sets, so that the order of delivery cannot matter, nor how often something is delivered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "store/replicated/level_rules.h"

namespace heddle::replicated {

using GroupId = std::size_t;
using ReplicaId = std::size_t;

// The place of an effect in the order of arbitration, which is that of execution.
using Stamp = std::uint64_t;

// Effects that are not committed come after all others in the eyes of their own transaction.
constexpr Stamp kHeld = Stamp{1} << 62U;

// A row by its primary key, or by its number where it has none: values as SQL literals.
struct RowName {
  std::string table;
  std::vector<std::string> key;

  friend auto operator<=>(const RowName&, const RowName&) = default;
};

// Cells that are no columns: whether the row is there ("1" or "0"), and where a table has a primary
// key that is not the number of the row, that number.
inline const std::string kLiveness;
inline const std::string kRowNumber = "\n";

struct CellWrite {
  RowName row;
  std::string column;  // lower case
  std::string value;   // an SQL literal
};

// Columns and their values, with the number of the row where that is a cell.
using RowImage = std::map<std::string, std::string>;

enum class Phase : std::uint8_t {
  held,       // seen by its own transaction only, until that commits
  open,       // takes effect; its transaction may still roll back
  committed,  // for good
  withdrawn,  // rolled back
};

// What one statement wrote.
struct EffectGroup {
  std::string name;  // "s1.2"
  std::size_t transaction = 0;
  const LevelRule* rule = nullptr;
  Stamp stamp = 0;
  Phase phase = Phase::committed;
  ReplicaId origin = 0;
  bool everywhere = false;  // initial contents: all replicas have had it from the start
  std::vector<CellWrite> writes;
  std::set<GroupId> saw;  // the groups whose effects its statement saw
};

class CellStore {
 public:
  GroupId add(EffectGroup group);
  EffectGroup& group(GroupId id) { return groups_[id]; }
  const EffectGroup& group(GroupId id) const { return groups_[id]; }
  std::size_t size() const { return groups_.size(); }
  // Forgets the groups from that one on.
  void truncate(std::size_t size);
  // Forgets what was written to a table.
  void forget(const std::string& table);

  // The row as who sees these groups (and those that are everywhere) sees it; none: it is not
  // there.
  std::optional<RowImage> row(const RowName& name, const std::set<GroupId>& seen) const;
  // The groups that write to the row, in the order in which they were added.
  const std::vector<GroupId>& writers(const RowName& name) const;
  std::set<RowName> rows_of(GroupId id) const;

 private:
  std::vector<EffectGroup> groups_;
  std::map<RowName, std::vector<GroupId>> writers_;
};

}  // namespace heddle::replicated
