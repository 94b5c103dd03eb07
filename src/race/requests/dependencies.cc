#include "race/requests/dependencies.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "race/requests/row_uses.h"
#include "race/requests/service_memory.h"

namespace heddle {
namespace {

// A column as the value that it holds: `order_id` of payments may be the `id` of orders.
MessageValue column_value(const RowUse& use, const std::string& column) {
  MessageValue value;
  value.field = column;
  value.entity = use.table;
  return value;
}

bool are_disjoint(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::ranges::none_of(a, [&](const std::string& each) { return b.contains(each); });
}

// Whether a row may be among those of both.
bool may_share_rows(const RowUse& a, const RowUse& b) {
  return std::ranges::none_of(a.values, [&](const auto& known) {
    const auto other = b.values.find(known.first);
    return other != b.values.end() && are_disjoint(known.second, other->second);
  });
}

// Whether a row that one inserts may be in the way of the other's.
bool may_share_key(const RowUse& a, const RowUse& b, const TableKeys& keys) {
  return std::ranges::any_of(keys, [&](const std::vector<std::string>& key) {
    return std::ranges::all_of(key, [&](const std::string& column) {
      const auto one = a.values.find(column);
      const auto other = b.values.find(column);
      return one != a.values.end() && other != b.values.end() &&
             !are_disjoint(one->second, other->second);
    });
  });
}

std::string shown_rows(const RowUse& use) {
  std::string conditions;
  for (const auto& [column, values] : use.values) {
    if (values.size() != 1 || !conditions.empty()) continue;
    conditions = fmt::format("({}={})", column, *values.begin());
  }
  return fmt::format("{}{} of {}", use.table.empty() ? "anything" : use.table, conditions,
                     use.store);
}

// Rows of all requests, in time.
class RowSearch {
 public:
  RowSearch(const Trace& trace, const RaceSettings& settings,
            const std::map<std::uint64_t, std::uint64_t>& outer_of)
      : keys_(table_keys(trace, settings)) {
    std::map<std::uint64_t, std::vector<std::uint64_t>> outer_of_flow;
    for (const TraceRequest& each : trace.requests) {
      if (trace.head.edges[each.edge].is_outer && each.flow.number != 0) {
        outer_of_flow[each.flow.number].push_back(each.unit);
      }
    }
    for (const auto& [flow, uses] : row_uses(trace, settings)) {
      for (const RowUse& use : uses) {
        const auto known = outer_of.find(use.unit);
        std::vector<std::uint64_t> units = outer_of_flow[flow];
        if (known != outer_of.end()) units = {known->second};
        for (const std::uint64_t unit : units) uses_[unit].push_back(use);
      }
    }
    for (const auto& [unit, uses] : uses_) remember(unit, uses);
  }

  std::vector<std::uint64_t> writers_of(std::uint64_t unit, const std::string& value) const {
    std::set<std::uint64_t> writers;
    const auto used = used_.find({unit, value});
    if (used == used_.end()) return {};
    for (const std::string& name : used->second) {
      const auto known = key_writers_.find(name + '\n' + value);
      if (known == key_writers_.end()) continue;
      for (const std::uint64_t writer : known->second) {
        if (writer < unit) writers.insert(writer);
      }
    }
    return {writers.begin(), writers.end()};
  }

  void find(std::vector<RequestDependency>& found) const {
    for (const auto& [unit, uses] : uses_) {
      Needed on;
      for (const RowUse& use : uses) {
        add_writers(unit, use, on);
        add_references(unit, use, on);
      }
      for (auto& [other, row] : on) {
        found.push_back({.unit = unit,
                         .on = other,
                         .kind = RequestDependencyKind::row,
                         .what = std::move(row.what),
                         .is_sure = row.is_made});
      }
    }
  }

  const std::map<std::uint64_t, std::vector<RowUse>>& uses() const { return uses_; }
  const std::map<std::pair<std::string, std::string>, TableKeys>& keys() const { return keys_; }

 private:
  struct NeededRow {
    std::string what;
    bool is_made = false;  // by the other request
  };
  using Needed = std::map<std::uint64_t, NeededRow>;  // by the other request
  struct Write {
    std::uint64_t unit = 0;
    const RowUse* use = nullptr;
  };
  // Writes of a table by what they say of one of its columns, each in time.
  struct ColumnWrites {
    std::string column;
    std::unordered_map<std::string, std::vector<Write>> by_value = {};
    std::vector<Write> unknown = {};
  };
  struct TableWrites {
    std::vector<Write> all = {};
    std::vector<ColumnWrites> columns = {};  // of its keys
  };

  bool tells_apart(const RowUse& use, const std::string& column) const {
    const auto known = keys_.find({use.store, use.table});
    if (known == keys_.end()) return column == "id" || column.ends_with("_id");
    return std::ranges::any_of(known->second,
                               [&](const auto& key) { return is_one_of(column, key); });
  }

  // Names with the store.
  static std::vector<std::string> in_store(std::vector<std::string> names, const RowUse& use) {
    for (std::string& name : names) name += '\n' + use.store;
    return names;
  }

  void remember(std::uint64_t unit, const std::vector<RowUse>& uses) {
    for (const RowUse& use : uses) {
      if (use.is_write) remember_write(unit, use);
      for (const ColumnValues* columns : {&use.values, &use.written, &use.seen}) {
        for (const auto& [column, values] : *columns) remember_column(unit, use, column, values);
      }
    }
  }

  void remember_column(std::uint64_t unit, const RowUse& use, const std::string& column,
                       const std::set<std::string>& values) {
    const MessageValue as_value = column_value(use, column);
    for (const std::string& value : values) {
      for (const std::string& name : in_store(origin_names(as_value), use)) {
        used_[{unit, value}].insert(name);
      }
      if (!use.is_write || !tells_apart(use, column)) continue;
      for (const std::string& name : in_store(names_of(as_value), use)) {
        key_writers_[name + '\n' + value].insert(unit);
        if (use.is_insert) key_makers_[name + '\n' + value].insert(unit);
      }
    }
  }

  void add_writers(std::uint64_t unit, const RowUse& use, Needed& on) const {
    const auto add = [&](const std::vector<Write>& writes) {
      for (const Write& each : writes) {
        if (each.unit >= unit) break;
        if (each.use->arrived > use.arrived) continue;
        const auto known = on.find(each.unit);
        const bool is_new = known == on.end() || (each.use->is_insert && !known->second.is_made);
        if (!is_new || !needs(use, *each.use)) continue;
        on[each.unit] = {.what = shown_rows(*each.use), .is_made = each.use->is_insert};
      }
    };
    for (const auto& [place, table] : writes_) {
      const bool may_meet =
          place.first == use.store &&
          (use.table.empty() || place.second.empty() || place.second == use.table);
      if (!may_meet) continue;
      const ColumnWrites* const index = index_for(table, use);
      if (index == nullptr) {
        add(table.all);
        continue;
      }
      add(index->unknown);
      for (const std::string& value : use.values.at(index->column)) {
        const auto known = index->by_value.find(value);
        if (known != index->by_value.end()) add(known->second);
      }
    }
  }

  // Of the table's columns one whose values the use says; null: there is none.
  static const ColumnWrites* index_for(const TableWrites& table, const RowUse& use) {
    for (const ColumnWrites& each : table.columns) {
      if (use.values.contains(each.column)) return &each;
    }
    return nullptr;
  }

  void remember_write(std::uint64_t unit, const RowUse& use) {
    TableWrites& table = writes_[{use.store, use.table}];
    if (table.all.empty()) {
      const auto keys = keys_.find({use.store, use.table});
      for (const auto& key : keys == keys_.end() ? TableKeys() : keys->second) {
        for (const std::string& column : key) table.columns.push_back({.column = column});
      }
    }
    const Write write{unit, &use};
    table.all.push_back(write);
    for (ColumnWrites& each : table.columns) {
      const auto values = use.values.find(each.column);
      if (values == use.values.end()) {
        each.unknown.push_back(write);
        continue;
      }
      for (const std::string& value : values->second) each.by_value[value].push_back(write);
    }
  }

  bool needs(const RowUse& use, const RowUse& write) const {
    if (use.table.empty() || write.table.empty()) return true;
    if (use.table != write.table || !may_share_rows(use, write)) return false;
    if (!use.is_insert) return true;
    // What is inserted meets only rows with its key.
    const auto keys = keys_.find({use.store, use.table});
    return keys != keys_.end() && may_share_key(use, write, keys->second);
  }

  // A row that names one of another table, which has to be there.
  void add_references(std::uint64_t unit, const RowUse& use, Needed& on) const {
    if (!use.is_write) return;
    for (const auto& [column, values] : use.written) {
      for (const std::string& name : in_store(origin_names(column_value(use, column)), use)) {
        for (const std::string& value : values) {
          const auto known = key_writers_.find(name + '\n' + value);
          if (known == key_writers_.end()) continue;
          for (const std::uint64_t writer : known->second) {
            if (writer >= unit) break;
            const auto makers = key_makers_.find(known->first);
            const bool is_made = makers != key_makers_.end() && makers->second.contains(writer);
            NeededRow& row = on.try_emplace(writer).first->second;
            if (!row.what.empty() && (row.is_made || !is_made)) continue;
            row = {.what = fmt::format("{}={} of {}", column, value, use.store),
                   .is_made = is_made};
          }
        }
      }
    }
  }

  std::map<std::pair<std::string, std::string>, TableKeys> keys_;
  std::map<std::uint64_t, std::vector<RowUse>> uses_ = {};
  std::map<std::pair<std::string, std::string>, TableWrites> writes_ = {};  // by store and table
  std::map<std::pair<std::uint64_t, std::string>, std::set<std::string>> used_ = {};
  std::unordered_map<std::string, std::set<std::uint64_t>> key_writers_ = {};
  std::unordered_map<std::string, std::set<std::uint64_t>> key_makers_ = {};
};

}  // namespace

RequestDependencies find_dependencies(const Trace& trace, const RaceSettings& settings) {
  const std::map<std::uint64_t, ReadRequest> requests = read_requests(trace);
  const std::map<std::uint64_t, std::uint64_t> outer_of = outer_requests(trace);
  const RowSearch rows(trace, settings, outer_of);
  RequestDependencies found;
  found.links = find_links(requests, [&](std::uint64_t unit, const std::string& value) {
    return rows.writers_of(unit, value);
  });
  found.client_secrets = find_client_secrets(requests);
  found.created = find_created_names(requests, rows.uses(), rows.keys());
  for (const auto& [unit, uses] : rows.uses()) {
    if (std::ranges::any_of(uses, &RowUse::is_write)) found.writers.insert(unit);
  }
  for (const ValueLink& each : found.links) {
    const MessageValue& value = requests.at(each.unit).values[each.value];
    found.each.push_back({.unit = each.unit,
                          .on = each.from,
                          .kind = RequestDependencyKind::value,
                          .what = fmt::format("{} ({}) of the answer", each.path,
                                              value.text().substr(each.begin, each.size))});
  }
  rows.find(found.each);
  for (MemoryDependency& each : find_memory_dependencies(trace, outer_of)) {
    if (each.on < each.unit) {
      found.each.push_back({.unit = each.unit,
                            .on = each.on,
                            .kind = RequestDependencyKind::memory,
                            .what = std::move(each.what)});
    }
  }
  const auto key = [](const RequestDependency& each) {
    return std::tuple(each.unit, each.on, each.kind);
  };
  std::ranges::stable_sort(found.each, {}, key);
  const auto same = std::ranges::unique(found.each, {}, key);
  found.each.erase(same.begin(), same.end());
  return found;
}

}  // namespace heddle
