#include "race/pairs/met_accesses.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/parallel.h"

namespace heddle::race {
namespace {

constexpr std::size_t kPairsPerPiece = 256;

using Numbers = std::vector<std::size_t>;

// The values of the column that every row it is about has one of; none: it may be any.
std::optional<std::set<std::string>> values_of(const Access& access, const std::string& column) {
  std::set<std::string> values;
  if (access.reads) {
    const Bindings bindings = bindings_of(access.looks);
    const auto bound = bindings.find(column);
    if (bound == bindings.end()) return std::nullopt;
    for (const KnownValue& value : bound->second) values.insert(comparable_text(value.text));
  }
  for (const KnownRow& row : access.new_rows) {
    const auto value = row.find(column);
    if (value == row.end() || !value->second.has_text()) return std::nullopt;
    values.insert(comparable_text(value->second.text));
  }
  return values;
}

std::set<std::string> bound_columns(const Access& access) {
  std::set<std::string> columns;
  for (const auto& [column, values] : bindings_of(access.looks)) columns.insert(column);
  for (const KnownRow& row : access.new_rows) {
    for (const auto& [column, value] : row) columns.insert(column);
  }
  return columns;
}

// The values of all columns that tell rows apart, in WHERE, SET, VALUES and what came back.
std::set<std::string> key_values(const Access& access, const std::vector<std::string>& identities) {
  std::set<std::string> values;
  const auto add = [&](const KnownRow& row) {
    for (const auto& [column, value] : row) {
      const bool is_key = value.has_text() && is_identity(access.definition, column, identities);
      if (is_key) values.insert(comparable_text(value.text));
    }
  };
  for (const auto& [column, bound] : bindings_of(access.looks)) {
    for (const KnownValue& value : bound) add({{column, value}});
  }
  for (const KnownRow& row : access.new_rows) add(row);
  for (const KnownRow& row : access.seen) add(row);
  add(access.assigned);
  return values;
}

bool share_value(const Access& one, const Access& other,
                 const std::vector<std::string>& identities) {
  const std::set<std::string> values = key_values(one, identities);
  return std::ranges::any_of(key_values(other, identities),
                             [&](const std::string& value) { return values.contains(value); });
}

std::optional<MetAccesses> try_pair(const FlowAccesses& all, AccessPair pair,
                                    const std::vector<std::string>& identities) {
  const FlowAccess& one = all.accesses[pair.first];
  const FlowAccess& other = all.accesses[pair.second];
  const bool is_one_statement = one.access.unit == other.access.unit;
  if (is_one_statement || (!one.access.writes() && !other.access.writes())) return std::nullopt;
  const bool is_one_store = one.store == other.store;
  const bool is_any = one.access.table == kAnyTable || other.access.table == kAnyTable;
  if (is_any && !is_one_store) return std::nullopt;
  if (!is_any && bare_table(one.access.table) != bare_table(other.access.table)) {
    return std::nullopt;
  }
  Meeting meeting = meet(one.access, other.access, identities);
  if (!meeting.is_met && !share_value(one.access, other.access, identities)) return std::nullopt;
  return MetAccesses{.accesses = pair, .meeting = std::move(meeting), .is_one_store = is_one_store};
}

// Pairs worth a look: of tables of one name, by the values of the column that most of them bind.
class PairChooser {
 public:
  PairChooser(const FlowAccesses& all, const std::vector<std::string>& identities)
      : all_(all), identities_(identities) {}

  std::vector<AccessPair> choose() {
    std::map<std::string, Numbers> by_table;
    Numbers any;
    for (std::size_t i = 0; i < all_.accesses.size(); ++i) {
      const std::string& table = all_.accesses[i].access.table;
      if (table == kAnyTable) {
        any.push_back(i);
      } else {
        by_table[std::string(bare_table(table))].push_back(i);
      }
    }
    for (const auto& [table, accesses] : by_table) {
      choose_in(accesses);
      choose_equal_values(accesses);
    }
    for (const std::size_t one : any) {
      for (std::size_t other = 0; other < all_.accesses.size(); ++other) add(one, other);
    }
    std::ranges::sort(pairs_, {},
                      [](const AccessPair& pair) { return std::pair(pair.first, pair.second); });
    const auto same = std::ranges::unique(pairs_, [](const AccessPair& a, const AccessPair& b) {
      return a.first == b.first && a.second == b.second;
    });
    pairs_.erase(same.begin(), same.end());
    return std::move(pairs_);
  }

 private:
  void add(std::size_t one, std::size_t other) {
    if (one == other) return;
    const bool is_written =
        all_.accesses[one].access.writes() || all_.accesses[other].access.writes();
    if (is_written) pairs_.push_back({std::min(one, other), std::max(one, other)});
  }

  void choose_in(const Numbers& accesses) {
    const std::string column = telling_column(accesses);
    std::map<std::string, Numbers> by_value;
    Numbers others;
    for (const std::size_t each : accesses) {
      const auto values =
          column.empty() ? std::nullopt : values_of(all_.accesses[each].access, column);
      if (!values) others.push_back(each);
      if (!values) continue;
      for (const std::string& value : *values) by_value[value].push_back(each);
    }
    for (const auto& [value, equal] : by_value) add_all(equal);
    for (const std::size_t other : others) {
      for (const std::size_t each : accesses) add(other, each);
    }
  }

  void choose_equal_values(const Numbers& accesses) {
    std::map<std::string, Numbers> by_value;
    for (const std::size_t each : accesses) {
      for (const std::string& value : key_values(all_.accesses[each].access, identities_)) {
        by_value[value].push_back(each);
      }
    }
    for (const auto& [value, equal] : by_value) add_all(equal);
  }

  void add_all(const Numbers& equal) {
    for (std::size_t i = 0; i < equal.size(); ++i) {
      for (std::size_t j = i + 1; j < equal.size(); ++j) add(equal[i], equal[j]);
    }
  }

  // The column that most accesses bind to values and none changes; empty: none.
  std::string telling_column(const Numbers& accesses) const {
    std::map<std::string, std::size_t> count;
    std::set<std::string> changed;
    for (const std::size_t each : accesses) {
      const Access& access = all_.accesses[each].access;
      for (const std::string& column : bound_columns(access)) {
        if (values_of(access, column)) ++count[column];
      }
      for (const auto& [column, value] : access.assigned) changed.insert(column);
      const bool is_any = access.updates && std::ranges::find(access.columns_written, "*") !=
                                                access.columns_written.end();
      if (is_any) return {};
    }
    std::string best;
    for (const auto& [column, bound] : count) {
      if (!changed.contains(column) && (best.empty() || bound > count[best])) best = column;
    }
    return best;
  }

  const FlowAccesses& all_;
  const std::vector<std::string>& identities_;
  std::vector<AccessPair> pairs_;
};

}  // namespace

std::vector<MetAccesses> find_met_accesses(const FlowAccesses& all,
                                           const std::vector<std::string>& identities,
                                           std::size_t jobs) {
  const std::vector<AccessPair> pairs = PairChooser(all, identities).choose();
  const std::size_t pieces = (pairs.size() + kPairsPerPiece - 1) / kPairsPerPiece;
  std::vector<std::vector<MetAccesses>> found(pieces);
  run_parallel(pieces, jobs, [&](std::size_t piece) {
    const std::size_t end = std::min(pairs.size(), (piece + 1) * kPairsPerPiece);
    for (std::size_t i = piece * kPairsPerPiece; i < end; ++i) {
      if (auto met = try_pair(all, pairs[i], identities)) found[piece].push_back(std::move(*met));
    }
  });
  std::vector<MetAccesses> whole;
  for (auto& piece : found) std::ranges::move(piece, std::back_inserter(whole));
  return whole;
}

std::vector<MetAccesses> find_met_accesses_slowly(const FlowAccesses& all,
                                                  const std::vector<std::string>& identities) {
  std::vector<MetAccesses> found;
  for (std::size_t i = 0; i < all.accesses.size(); ++i) {
    for (std::size_t j = i + 1; j < all.accesses.size(); ++j) {
      if (auto met = try_pair(all, {i, j}, identities)) found.push_back(std::move(*met));
    }
  }
  return found;
}

}  // namespace heddle::race
