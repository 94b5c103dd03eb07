#include "split/services.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace chopping {

TableServices::TableServices(const Cut& cut, const Schema& schema) : cut_(cut), schema_(schema) {
  for (std::size_t i = 0; i < cut.services.size(); ++i) {
    for (const CutTable& table : cut.services[i].tables) services_[table.name] = i;
  }
}

std::optional<std::size_t> TableServices::of(const TableUse& use) const {
  const Table* table = find_table(schema_, use.table, schema_.dialect, use.schema);
  const auto service = services_.find(table == nullptr ? use.table : table->name);
  return service == services_.end() ? std::nullopt : std::optional(service->second);
}

std::set<std::size_t> TableServices::of(const Statement& statement) const {
  std::set<std::size_t> services;
  for (const TableUse& use : statement.tables) {
    if (const auto service = of(use)) services.insert(*service);
  }
  if (may_use_any_table(statement)) {
    for (std::size_t i = 0; i < cut_.services.size(); ++i) services.insert(i);
  }
  return services;
}

bool may_use_any_table(const Statement& statement) {
  return statement.kind == StatementKind::other || statement.kind == StatementKind::call ||
         statement.calls_unknown_function;
}

const Table* table_named(const std::string& name, const Schema& schema) {
  const Table* exact = find_table(schema, name, schema.dialect);
  return exact != nullptr ? exact : find_table(schema, to_lower(name), schema.dialect);
}

}  // namespace chopping

namespace {

Diagnostic trouble(const Cut& cut, const SourcePosition& position, std::string what,
                   std::string what_to_do) {
  return {.what = std::move(what),
          .what_to_do = std::move(what_to_do),
          .file = cut.file,
          .position = position};
}

std::string unknown_table(const std::string& name, const Schema& schema) {
  std::vector<std::string> names;
  for (const Table& table : schema.tables) names.push_back(table.name);
  const std::string closest = closest_word(name, names);
  if (!closest.empty()) return fmt::format("did you mean \"{}\"?", closest);
  return "its tables are: " + join(names, ", ");
}

}  // namespace

Result<Cut> match_cut(const Cut& cut, const Schema& schema) {
  Cut matched = cut;
  std::map<std::string, std::string> owners;
  for (Service& service : matched.services) {
    for (CutTable& table : service.tables) {
      const Table* known = chopping::table_named(table.name, schema);
      if (known == nullptr) {
        return trouble(cut, table.position,
                       fmt::format("the program has no table \"{}\"", table.name),
                       unknown_table(table.name, schema));
      }
      table.name = known->name;
      const auto [owner, is_new] = owners.emplace(known->name, service.name);
      if (!is_new) {
        return trouble(
            cut, table.position,
            fmt::format("the table \"{}\" is in \"{}\" already", known->name, owner->second),
            "a table belongs to one service");
      }
    }
  }
  std::vector<std::string> missing;
  for (const Table& table : schema.tables) {
    if (!owners.contains(table.name)) missing.push_back("\"" + table.name + "\"");
  }
  if (!missing.empty()) {
    return trouble(cut, {}, fmt::format("no service owns {}", join(missing, ", ")),
                   "add each to the list of one service");
  }
  return matched;
}

Cut undivided_cut(const Schema& schema) {
  Cut cut{.file = "the chopping", .services = {{.name = "store", .position = {}, .tables = {}}}};
  std::vector<CutTable>& tables = cut.services.front().tables;
  for (const Table& table : schema.tables) {
    const bool is_known = std::ranges::find(tables, table.name, &CutTable::name) != tables.end();
    if (!is_known) tables.push_back({.name = table.name, .position = {}});
  }
  return cut;
}

}  // namespace heddle
