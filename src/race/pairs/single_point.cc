#include "race/pairs/single_point.h"

#include <algorithm>
#include <cstdint>
#include <set>

namespace heddle::race {
namespace {

using NameSet = std::set<std::string>;

const NameSet& names_in(const std::map<std::string, NameSet>& all, const std::string& key) {
  static const NameSet kNone;
  const auto found = all.find(key);
  return found == all.end() ? kNone : found->second;
}

bool share_name(const NameSet& one, const NameSet& other) {
  return std::ranges::any_of(one, [&](const std::string& name) { return other.contains(name); });
}

// Whether both only make rows, each of its own.
bool make_rows_apart(const EndpointDeeds& own, const EndpointDeeds& other,
                     const std::string& table) {
  if (own.touched.contains(table) || other.touched.contains(table)) return false;
  return own.keyless.contains(table) ||
         share_name(names_in(own.drawn, table), names_in(other.drawn, table));
}

// Whether statements of the shape name rows by a value that the client sends, and that the store
// makes up for each row which the other endpoint makes: it is sent only when it has been told.
bool names_told_rows(const EndpointDeeds& own, const EndpointDeeds& other, const std::string& table,
                     const std::string& shape) {
  if (other.changes.contains(table)) return false;
  const auto sent = own.sent.find({table, shape});
  return sent != own.sent.end() && share_name(sent->second, names_in(other.drawn, table));
}

// The shapes with which an endpoint uses what the other one writes, or writes what it uses.
NameSet meeting_shapes(const EndpointDeeds& own, const EndpointDeeds& other) {
  NameSet shapes;
  for (const auto& [table, used] : own.used) {
    const bool is_met = other.written.contains(table) ||
                        (own.written.contains(table) && other.used.contains(table));
    if (!is_met || make_rows_apart(own, other, table)) continue;
    for (const std::string& shape : used) {
      if (!names_told_rows(own, other, table, shape)) shapes.insert(shape);
    }
  }
  return shapes;
}

// What one of the two does in all of the conflicts.
struct Side {
  std::set<std::uint64_t> units;
  std::set<TransactionName> transactions;
  bool only_reads = true;
  bool only_writes = true;
  bool is_simple = true;   // statements on one table, without subqueries on it
  bool only_makes = true;  // rows, without a look at others
  bool has_snapshot = true;
  bool is_one_look = true;  // no triggers and functions that look later than their statement
  bool is_known = true;     // not from memory, not any table
};

Side side_of(const FlowAccesses& all, const std::vector<MetAccesses>& conflicts, bool is_first) {
  Side side;
  for (const MetAccesses& met : conflicts) {
    const std::size_t index = is_first ? met.accesses.first : met.accesses.second;
    const FlowAccess& each = all.accesses[index];
    const bool writes = is_first ? met.meeting.first_writes : met.meeting.second_writes;
    side.units.insert(each.access.unit);
    side.transactions.insert(each.transaction);
    side.only_reads = side.only_reads && !each.access.writes();
    side.only_writes = side.only_writes && writes;
    side.is_simple = side.is_simple && each.access.uses == 1;
    side.is_one_look = side.is_one_look && !each.access.takes_snapshots;
    side.only_makes = side.only_makes && each.access.inserts && !each.access.reads;
    side.has_snapshot = side.has_snapshot && all.transactions.at(each.transaction).has_snapshot;
    side.is_known = side.is_known && !each.access.is_from_memory && each.access.table != kAnyTable;
  }
  return side;
}

bool reads_at_one_point(const Side& side, const NameSet& shapes) {
  if (!side.only_reads || side.transactions.size() != 1) return false;
  return side.has_snapshot || (side.units.size() == 1 && shapes.size() == 1 && side.is_one_look);
}

bool writes_at_one_point(const Side& side) {
  return side.only_writes && side.transactions.size() == 1;
}

}  // namespace

std::string single_point(const FlowAccesses& all, const PatternReader& deeds,
                         const std::vector<MetAccesses>& conflicts) {
  const Side first = side_of(all, conflicts, true);
  const Side second = side_of(all, conflicts, false);
  const std::size_t one = all.accesses[conflicts.front().accesses.first].flow;
  const std::size_t other = all.accesses[conflicts.front().accesses.second].flow;
  const EndpointDeeds& own = deeds.deeds_of_flow(one);
  const EndpointDeeds& others = deeds.deeds_of_flow(other);
  const bool is_known =
      first.is_known && second.is_known && own.has_succeeded && others.has_succeeded;
  if (one == other || !is_known) return {};
  const NameSet shapes = meeting_shapes(own, others);
  const NameSet other_shapes = meeting_shapes(others, own);
  const bool is_read =
      (!own.writes && reads_at_one_point(first, shapes) && writes_at_one_point(second)) ||
      (!others.writes && reads_at_one_point(second, other_shapes) && writes_at_one_point(first));
  if (is_read) return "one of them only reads, at one point, what the other writes at one";
  const bool are_single = first.units.size() == 1 && second.units.size() == 1 &&
                          shapes.size() == 1 && other_shapes.size() == 1;
  // What looks several times at rows that others change may see each look differently.
  const bool are_atomic =
      (first.is_simple && second.is_simple) || first.only_makes || second.only_makes;
  return are_single && are_atomic ? "they meet in one statement of each: one comes first" : "";
}

}  // namespace heddle::race
