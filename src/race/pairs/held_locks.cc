#include "race/pairs/held_locks.h"

#include <algorithm>
#include <map>
#include <utility>

namespace heddle::race {
namespace {

// The values of one row that tell it apart from all others; empty: they are not known.
KnownRow key_of(const KnownRow& row, const TraceTable* table) {
  const auto values = [&](const std::vector<std::string>& columns) {
    KnownRow key;
    for (const std::string& column : columns) {
      const auto value = row.find(column);
      if (value != row.end() && value->second.has_text()) key[column] = value->second;
    }
    return key.size() == columns.size() ? key : KnownRow{};
  };
  if (table != nullptr && !table->keys.empty()) {
    for (const std::vector<std::string>& columns : table->keys) {
      if (KnownRow key = values(columns); !key.empty()) return key;
    }
    return {};
  }
  // Without a catalogue only a column called id is taken for a key of its own.
  return values({"id"});
}

bool are_one_row(const KnownRow& one, const KnownRow& other) {
  return !one.empty() && one.size() == other.size() &&
         std::ranges::equal(one, other, [](const auto& a, const auto& b) {
           return a.first == b.first &&
                  comparable_text(a.second.text) == comparable_text(b.second.text);
         });
}

// The keys of the rows that the access has locked.
std::vector<KnownRow> locked_rows(const Access& access) {
  std::vector<KnownRow> keys;
  const std::vector<KnownRow> conditions = partial_rows(access.looks);
  const bool is_one = conditions.size() == 1;
  const std::vector<KnownRow> rows =
      access.has_seen_all && !access.seen.empty() ? access.seen : conditions;
  for (KnownRow row : rows) {
    if (is_one) row.insert(conditions.front().begin(), conditions.front().end());
    KnownRow key = key_of(row, access.definition);
    if (!key.empty()) keys.push_back(std::move(key));
  }
  return keys;
}

bool locks_rows(const Access& access) {
  if (access.rows == 0 || access.inserts) return false;
  return access.locking != LockingClause::none || access.updates || access.deletes;
}

class LockGatherer {
 public:
  LockGatherer(const FlowAccesses& all, std::size_t flows) : all_(all), locks_(flows) {}

  std::vector<std::vector<HeldLock>> gather() {
    for (std::size_t i = 0; i < all_.accesses.size(); ++i) add_rows(i);
    for (const FlowLockStep& each : all_.locks) {
      if (each.step.is_given_back) {
        give_back(each);
      } else {
        add_named(each);
      }
    }
    for (auto& each : locks_) std::ranges::stable_sort(each, {}, &HeldLock::begun);
    return std::move(locks_);
  }

 private:
  void add_rows(std::size_t index) {
    const FlowAccess& each = all_.accesses[index];
    if (!locks_rows(each.access)) return;
    const TransactionEnd& end = all_.transactions.at(each.transaction);
    std::vector<KnownRow> rows = locked_rows(each.access);
    if (rows.empty() || end.goes_back) return;
    const bool is_shared = each.access.locking == LockingClause::share ||
                           each.access.locking == LockingClause::key_share;
    HeldLock lock{.rows = std::move(rows),
                  .table = each.store + " " + each.access.table,
                  .definition = each.access.definition,
                  .is_shared = is_shared && !each.access.writes(),
                  .is_passed_over = each.access.wait_policy == WaitPolicy::skip_locked,
                  .begun = each.ended,
                  .ended = end.ended,
                  .has_snapshot = end.has_snapshot};
    // What FOR UPDATE reads it reads under the lock. An UPDATE that stands alone holds none before.
    if (each.access.locking != LockingClause::none) lock.access = index;
    locks_[each.flow].push_back(std::move(lock));
  }

  void add_named(const FlowLockStep& each) {
    if (each.step.name.empty()) return;
    const TransactionEnd& end = all_.transactions.at(each.transaction);
    if (end.goes_back && !each.step.is_of_session) return;
    HeldLock lock{.name = each.store + " " + each.step.name,
                  .is_shared = each.step.is_shared,
                  .begun = each.ended,
                  .ended = each.step.is_of_session ? kEndOfTime : end.ended,
                  .has_snapshot = end.has_snapshot};
    if (each.step.is_of_session) {
      open_[{each.transaction.connection, lock.name}].emplace_back(each.flow,
                                                                   locks_[each.flow].size());
    }
    locks_[each.flow].push_back(std::move(lock));
  }

  // Steps come by flow; of one connection they are in order where one flow has it.
  void give_back(const FlowLockStep& each) {
    const std::string prefix = each.store + " " + each.step.name;
    for (auto& [key, places] : open_) {
      if (key.first != each.transaction.connection || !key.second.starts_with(prefix)) continue;
      for (const auto& [flow, place] : places) {
        HeldLock& lock = locks_[flow][place];
        if (lock.begun <= each.ended) lock.ended = std::min(lock.ended, each.ended);
      }
    }
  }

  const FlowAccesses& all_;
  std::vector<std::vector<HeldLock>> locks_;
  std::map<std::pair<std::uint64_t, std::string>, std::vector<std::pair<std::size_t, std::size_t>>>
      open_;  // of sessions, by connection and name
};

bool are_one_lock(const HeldLock& one, const HeldLock& other) {
  if (one.is_shared && other.is_shared) return false;
  if (one.is_passed_over || other.is_passed_over) return false;
  if (!one.name.empty()) return one.name == other.name;
  if (!other.name.empty() || one.table != other.table) return false;
  return std::ranges::any_of(one.rows, [&](const KnownRow& row) {
    return std::ranges::any_of(other.rows,
                               [&](const KnownRow& each) { return are_one_row(row, each); });
  });
}

bool is_held(const FlowAccesses& all, const HeldLock& lock, std::size_t access) {
  const FlowAccess& used = all.accesses[access];
  const bool is_under_it = lock.access == access || lock.begun <= used.begun;
  return is_under_it && all.transactions.at(used.transaction).ended <= lock.ended;
}

// After a wait at repeatable read what is read is as old as the transaction, unless the wait was
// for a row that the other has changed, which is an error: only such rows are protected.
bool is_about_locked_rows(const FlowAccesses& all, const HeldLock& lock, std::size_t access) {
  const FlowAccess& used = all.accesses[access];
  return lock.name.empty() && lock.table == used.store + " " + used.access.table &&
         lock.rows.size() == 1;
}

// Whether each does all of it in one statement that passes over the rows which the other has
// locked: they find different ones.
bool pass_each_other(const FlowAccesses& all, const std::vector<AccessPair>& pairs) {
  const auto passes = [&](std::size_t access, std::size_t first) {
    const Access& each = all.accesses[access].access;
    return each.locking == LockingClause::update && each.wait_policy == WaitPolicy::skip_locked &&
           each.unit == all.accesses[first].access.unit;
  };
  return std::ranges::all_of(pairs, [&](const AccessPair& pair) {
    return passes(pair.first, pairs.front().first) && passes(pair.second, pairs.front().second);
  });
}

std::string lock_text(const HeldLock& lock) {
  if (!lock.name.empty()) return lock.name;
  const std::size_t blank = lock.table.find(' ');
  return shown_table(lock.table.substr(blank + 1)) + "(" + row_text(lock.rows.front()) + ")";
}

}  // namespace

std::vector<std::vector<HeldLock>> read_held_locks(const FlowAccesses& all, const Flows& flows) {
  return LockGatherer(all, flows.flows.size()).gather();
}

std::string common_lock(const FlowAccesses& all, const std::vector<HeldLock>& first,
                        const std::vector<HeldLock>& second, const std::vector<AccessPair>& pairs) {
  const auto protects = [&](const HeldLock& one, const HeldLock& other) {
    return std::ranges::all_of(pairs, [&](const AccessPair& pair) {
      if (!is_held(all, one, pair.first) || !is_held(all, other, pair.second)) return false;
      if (!one.has_snapshot && !other.has_snapshot) return true;
      return is_about_locked_rows(all, one, pair.first) &&
             is_about_locked_rows(all, other, pair.second);
    });
  };
  if (pass_each_other(all, pairs)) return "that SKIP LOCKED passes over";
  for (const HeldLock& one : first) {
    for (const HeldLock& other : second) {
      const bool are_two = &one != &other && are_one_lock(one, other);
      if (are_two && protects(one, other)) return lock_text(one);
    }
  }
  return {};
}

}  // namespace heddle::race
