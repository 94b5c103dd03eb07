#include "replay/observe/store_statements.h"

#include "store/combined.h"

namespace heddle {

std::string display_name(const std::string& table) {
  constexpr std::string_view kPublic = "public.";
  return table.starts_with(kPublic) ? table.substr(kPublic.size()) : table;
}

Result<std::vector<Statement>> statements_for(const std::string& text, std::size_t store,
                                              const Scenario& scenario, Dialect dialect) {
  auto statements = parse_statements(text, dialect);
  if (!statements || scenario.stores.size() < 2) return statements;
  const std::string& name = scenario.stores[store].name;
  for (Statement& statement : *statements) {
    for (TableUse& use : statement.tables) {
      const bool is_public = use.schema.empty() || use.schema == "public";
      use.schema = is_public ? name : name_in_store(name, use.schema);
    }
    for (WrittenValue& value : statement.values) {
      if (!value.table.empty()) value.table = name_in_store(name, display_name(value.table));
    }
  }
  return statements;
}

}  // namespace heddle
