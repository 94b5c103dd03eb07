// A read meets a write where the row that was there satisfies the conditions of both, or where the
// row that the write makes (an INSERT's, or an updated one) satisfies the condition of the read.
// Rows are known in part: what is not known may be anything, so that a meeting too many is possible
// and one too few is not.
#include "race/pairs/meeting.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace heddle::race {
namespace {

using Names = std::vector<std::string>;

bool has_name(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool has_all(const Names& names) { return has_name(names, "*"); }

Names shared_names(const Names& one, const Names& other) {
  if (one.empty() || other.empty()) return {};
  if (has_all(one)) return other;
  if (has_all(other)) return one;
  Names both;
  for (const std::string& name : one) {
    if (has_name(other, name)) both.push_back(name);
  }
  return both;
}

// The row that both describe; none: they contradict each other.
std::optional<KnownRow> merged(const KnownRow& one, const KnownRow& other) {
  KnownRow row = one;
  for (const auto& [column, value] : other) {
    const auto [place, is_new] = row.try_emplace(column, value);
    if (is_new) continue;
    KnownValue& known = place->second;
    if (!known.is_known()) {
      known = value;
    } else if (value.is_known() && known != value) {
      const bool may_be_one =
          known.has_text() && value.has_text() && may_hold(are_equal(known, value));
      if (!may_be_one) return std::nullopt;
    }
  }
  return row;
}

// What both know of one row.
KnownRow common_part(const KnownRow& one, const KnownRow& other) {
  KnownRow row;
  for (const auto& [column, value] : one) {
    const auto found = other.find(column);
    if (found == other.end() || !value.is_known() || !found->second.is_known()) continue;
    row[column] = value;
  }
  return row;
}

// The columns of the row that the condition asks about.
KnownRow asked_part(const KnownRow& row, const Condition& condition) {
  KnownRow part;
  for (const std::string& column : columns_of(condition)) {
    const auto found = row.find(column);
    if (found != row.end() && found->second.is_known()) part[column] = found->second;
  }
  return part;
}

bool changes_any(const Access& write, const Names& columns) {
  if (!write.updates) return false;
  return !shared_names(write.columns_written, columns).empty();
}

// The rows that an access looks at, as they were.
std::vector<KnownRow> looked_at(const Access& access) {
  const std::vector<KnownRow>& rows = access.there;
  if (!access.has_seen_all || access.seen.size() > kMostPartialRows) return rows;
  std::vector<KnownRow> known;
  for (const KnownRow& row : rows) {
    for (const KnownRow& seen : access.seen) {
      if (auto both = merged(row, seen)) known.push_back(std::move(*both));
    }
  }
  return known.empty() || known.size() > kMostPartialRows ? rows : known;
}

class Meet {
 public:
  Meet(const Access& first, const Access& second, const std::vector<std::string>& identities)
      : first_(first), second_(second), identities_(identities) {}

  Meeting find() {
    if (first_.table == kAnyTable || second_.table == kAnyTable) return any_table();
    if (second_.writes() && first_.reads) read_and_write(first_, second_);
    if (first_.writes() && second_.reads) read_and_write(second_, first_);
    if (first_.inserts && second_.inserts) insert_twice();
    if (first_.updates && second_.updates) update_twice();
    if (!meeting_.columns.empty()) {
      const bool is_row = has_all(meeting_.columns);
      const auto writes = [&](const Access& access) {
        if (is_row) return access.writes();
        return !shared_names(access.columns_written, meeting_.columns).empty();
      };
      meeting_.first_writes = writes(first_);
      meeting_.second_writes = writes(second_);
    }
    return std::move(meeting_);
  }

 private:
  Meeting any_table() const {
    const bool first_is_any = first_.table == kAnyTable;
    const Access& named = first_is_any ? second_ : first_;
    Names columns = named.columns_read;
    columns.insert(columns.end(), named.columns_written.begin(), named.columns_written.end());
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    if (columns.empty()) columns.emplace_back("*");
    return {.is_met = true,
            .columns = std::move(columns),
            .first_writes = first_.writes(),
            .second_writes = second_.writes()};
  }

  void note(const Names& columns, const KnownRow& row) {
    if (!meeting_.is_met || meeting_.row.empty()) meeting_.row = row;
    meeting_.is_met = true;
    meeting_.columns.insert(meeting_.columns.end(), columns.begin(), columns.end());
    std::ranges::sort(meeting_.columns);
    meeting_.columns.erase(std::unique(meeting_.columns.begin(), meeting_.columns.end()),
                           meeting_.columns.end());
    if (has_all(meeting_.columns)) meeting_.columns = {"*"};
  }

  void read_and_write(const Access& read, const Access& write) {
    if (write.inserts) {
      for (const KnownRow& row : write.new_rows) {
        if (!may_hold(evaluate(read.looks, row))) continue;
        note({"*"}, asked_part(row, read.looks));
        break;
      }
    }
    if (write.deletes || write.updates) existing_rows(read, write);
  }

  // Whether the write may change which rows the read finds, and so what the read has seen is not
  // all that it may see.
  void existing_rows(const Access& read, const Access& write) {
    const bool decides = write.deletes || changes_any(write, read.deciding_columns);
    const std::vector<KnownRow> read_rows = decides ? read.there : looked_at(read);
    Names columns =
        write.deletes ? Names{"*"} : shared_names(read.columns_read, write.columns_written);
    for (const KnownRow& there : looked_at(write)) {
      for (const KnownRow& row : read_rows) {
        const auto both = merged(there, row);
        const bool is_found =
            both && may_hold(evaluate(read.looks, *both)) && may_hold(evaluate(write.looks, *both));
        if (is_found) note(columns, common_part(there, row));
        if (!meeting_.row.empty()) return;
      }
      if (!changes_any(write, read.deciding_columns)) continue;
      KnownRow after = there;
      for (const auto& [column, value] : write.assigned) after[column] = value;
      if (may_hold(evaluate(read.looks, after))) note(columns, asked_part(after, read.looks));
      if (!meeting_.row.empty()) return;
    }
  }

  void update_twice() {
    const Names columns = shared_names(first_.columns_written, second_.columns_written);
    for (const KnownRow& one : looked_at(first_)) {
      for (const KnownRow& other : looked_at(second_)) {
        const auto both = merged(one, other);
        const bool is_met = both && may_hold(evaluate(first_.looks, *both)) &&
                            may_hold(evaluate(second_.looks, *both));
        if (is_met) return note(columns, common_part(one, other));
      }
    }
  }

  // Two rows are one where they agree on a key: a unique one of the catalogue, or, where it has
  // none, whatever looks like one. A value that the store draws is new each time.
  void insert_twice() {
    for (const KnownRow& one : first_.new_rows) {
      for (const KnownRow& other : second_.new_rows) {
        const KnownRow key = common_key(one, other);
        if (!key.empty()) return note({"*"}, key);
      }
    }
  }

  KnownRow common_key(const KnownRow& one, const KnownRow& other) const {
    const TraceTable* const table = first_.definition;
    if (table != nullptr && !table->keys.empty()) {
      for (const Names& key : table->keys) {
        const KnownRow common = common_values(one, other, key);
        if (common.size() == key.size()) return common;
      }
      return {};
    }
    Names identities;
    for (const auto& [column, value] : one) {
      if (is_identity(table, column, identities_)) identities.push_back(column);
    }
    const KnownRow common = common_values(one, other, identities);
    return common.size() == identities.size() ? common : KnownRow{};
  }

  static KnownRow common_values(const KnownRow& one, const KnownRow& other, const Names& columns) {
    KnownRow common;
    for (const std::string& column : columns) {
      const auto first = one.find(column);
      const auto second = other.find(column);
      if (first == one.end() || second == other.end()) continue;
      if (may_hold(are_equal(first->second, second->second))) common[column] = first->second;
    }
    return common;
  }

  const Access& first_;
  const Access& second_;
  const std::vector<std::string>& identities_;
  Meeting meeting_;
};

}  // namespace

Meeting meet(const Access& first, const Access& second,
             const std::vector<std::string>& identities) {
  return Meet(first, second, identities).find();
}

}  // namespace heddle::race
