#include "split/search/partition.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "split/services.h"

namespace heddle::chopping {

Partition in_order(const Partition& services) {
  std::vector<std::optional<std::size_t>> numbers;
  std::size_t next = 0;
  Partition ordered;
  for (const std::size_t service : services) {
    if (service >= numbers.size()) numbers.resize(service + 1);
    if (!numbers[service]) numbers[service] = next++;
    ordered.push_back(*numbers[service]);
  }
  return ordered;
}

std::size_t services_of(const Partition& partition) {
  return partition.empty() ? 0 : *std::ranges::max_element(partition) + 1;
}

Partition partition_of(const Cut& cut, const Schema& schema) {
  Partition partition(schema.tables.size());
  for (std::size_t i = 0; i < schema.tables.size(); ++i) {
    for (std::size_t service = 0; service < cut.services.size(); ++service) {
      const std::vector<CutTable>& tables = cut.services[service].tables;
      if (std::ranges::find(tables, schema.tables[i].name, &CutTable::name) != tables.end()) {
        partition[i] = service;
      }
    }
  }
  return in_order(partition);
}

Cut cut_of(const Partition& partition, const Schema& schema) {
  Cut cut;
  cut.services.resize(services_of(partition));
  for (std::size_t i = 0; i < partition.size(); ++i) {
    Service& service = cut.services[partition[i]];
    service.name = fmt::format("S{}", partition[i] + 1);
    service.tables.push_back({.name = schema.tables[i].name, .position = {}});
  }
  return cut;
}

Partition Units::of_tables(const Partition& services) const {
  std::size_t count = 0;
  for (const std::vector<std::size_t>& unit : tables) count += unit.size();
  Partition partition(count);
  for (std::size_t i = 0; i < tables.size(); ++i) {
    for (const std::size_t table : tables[i]) partition[table] = services[i];
  }
  return in_order(partition);
}

bool Units::keeps_rules(const Partition& services) const {
  std::vector<std::size_t> sizes(services_of(services));
  for (std::size_t i = 0; i < services.size(); ++i) {
    sizes[services[i]] += tables[i].size();
    for (std::size_t j = 0; j < i; ++j) {
      if (services[i] == services[j] && apart[i][j]) return false;
    }
  }
  return std::ranges::all_of(sizes, [&](std::size_t size) { return size >= least_tables; });
}

namespace {

Result<std::size_t> table_of(const std::string& name, const Schema& schema) {
  const Table* table = table_named(name, schema);
  if (table != nullptr) return static_cast<std::size_t>(table - schema.tables.data());
  std::vector<std::string> names;
  for (const Table& known : schema.tables) names.push_back(known.name);
  const std::string closest = closest_word(name, names);
  return Diagnostic{.what = fmt::format("the program has no table \"{}\"", name),
                    .what_to_do = closest.empty() ? "its tables are: " + join(names, ", ")
                                                  : fmt::format("did you mean \"{}\"?", closest)};
}

Result<std::vector<std::size_t>> tables_of(const std::vector<std::string>& names,
                                           const Schema& schema) {
  std::vector<std::size_t> tables;
  for (const std::string& name : names) {
    const Result<std::size_t> table = table_of(name, schema);
    if (!table) return table.error();
    tables.push_back(*table);
  }
  return tables;
}

}  // namespace

Result<Units> make_units(const CutRules& rules, const Schema& schema) {
  std::vector<std::size_t> unit_of(schema.tables.size());
  std::iota(unit_of.begin(), unit_of.end(), std::size_t{0});
  for (const std::vector<std::string>& names : rules.together) {
    const Result<std::vector<std::size_t>> tables = tables_of(names, schema);
    if (!tables) return tables.error();
    for (const std::size_t table : *tables) {
      const std::size_t from = unit_of[table];
      const std::size_t to = unit_of[tables->front()];
      std::ranges::replace(unit_of, from, to);
    }
  }
  unit_of = in_order(unit_of);
  Units units{.tables = {}, .apart = {}, .least_tables = rules.least_tables};
  units.tables.resize(services_of(unit_of));
  for (std::size_t i = 0; i < unit_of.size(); ++i) units.tables[unit_of[i]].push_back(i);
  units.apart.assign(units.tables.size(), std::vector<bool>(units.tables.size()));
  for (const std::vector<std::string>& names : rules.apart) {
    const Result<std::vector<std::size_t>> tables = tables_of(names, schema);
    if (!tables) return tables.error();
    for (const std::size_t a : *tables) {
      for (const std::size_t b : *tables) {
        if (a == b) continue;
        if (unit_of[a] == unit_of[b]) {
          return Diagnostic{.what = fmt::format("\"{}\" and \"{}\" must be apart and together",
                                                schema.tables[a].name, schema.tables[b].name),
                            .what_to_do = "leave one of the rules out"};
        }
        units.apart[unit_of[a]][unit_of[b]] = true;
      }
    }
  }
  return units;
}

void for_each_partition(std::size_t units, std::size_t most,
                        const std::function<bool(const Partition&)>& see) {
  if (units == 0 || most == 0) return;
  Partition partition(units);
  std::vector<std::size_t> used(units, 1);  // services of those up to here
  for (;;) {
    if (!see(partition)) return;
    std::size_t at = units;
    // The last one that can go to a higher service.
    while (--at > 0) {
      if (partition[at] < used[at - 1] && partition[at] + 1 < most) break;
    }
    if (at == 0) return;
    ++partition[at];
    for (std::size_t i = at; i < units; ++i) {
      if (i > at) partition[i] = 0;
      used[i] = std::max(used[i - 1], partition[i] + 1);
    }
  }
}

std::vector<Partition> neighbours_of(const Partition& partition, std::size_t most) {
  const std::size_t services = services_of(partition);
  std::set<Partition> found;
  Partition changed = partition;
  for (std::size_t i = 0; i < partition.size(); ++i) {
    for (std::size_t to = 0; to < std::min(services + 1, most); ++to) {
      changed[i] = to;
      found.insert(in_order(changed));
    }
    changed[i] = partition[i];
    for (std::size_t j = 0; j < i; ++j) {
      std::swap(changed[i], changed[j]);
      found.insert(in_order(changed));
      std::swap(changed[i], changed[j]);
    }
  }
  for (std::size_t from = 1; from < services; ++from) {
    for (std::size_t to = 0; to < from; ++to) {
      std::ranges::replace(changed, from, to);
      found.insert(in_order(changed));
      changed = partition;
    }
  }
  found.erase(partition);
  return {found.begin(), found.end()};
}

}  // namespace heddle::chopping
