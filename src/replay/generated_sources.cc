#include "replay/generated_sources.h"

#include <fmt/format.h>

#include "replay/feeding.h"
#include "replay/observe/store_statements.h"

namespace heddle {

std::string column_source(const std::string& table, const std::string& column) {
  return table + "." + column;
}

std::string variable_source(SessionId session, const std::string& name) {
  return fmt::format(":{} {}", session.value, name);
}

bool is_all(std::string_view expression) { return expression == "*" || expression.ends_with(".*"); }

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('.') + 1); }

std::vector<std::string> find_tables(const GeneratedColumns& generated, const std::string& name) {
  const std::string display = display_name(name);
  if (generated.columns_of.contains(display)) return {display};
  std::vector<std::string> found;
  if (display.find('.') != std::string::npos) return found;
  for (const auto& [table, columns] : generated.columns_of) {
    if (last_part(table) == display) found.push_back(table);
  }
  return found;
}

std::vector<std::string> find_tables(const GeneratedColumns& generated, const TableUse& use) {
  return find_tables(generated, use.schema.empty() ? use.table : use.schema + "." + use.table);
}

std::vector<std::string> tables_read(const GeneratedColumns& generated, const Statement& statement,
                                     std::string_view qualifier) {
  const auto collect = [&](auto is_wanted) {
    std::vector<std::string> found;
    for (const TableUse& use : statement.tables) {
      if (!is_wanted(use)) continue;
      for (std::string& table : find_tables(generated, use)) found.push_back(std::move(table));
    }
    return found;
  };
  if (!qualifier.empty()) {
    auto named = collect([&](const TableUse& use) {
      return use.alias.empty() ? use.table == last_part(qualifier) : use.alias == qualifier;
    });
    if (!named.empty()) return named;
  }
  auto read = collect([](const TableUse& use) { return use.read; });
  return read.empty() ? collect([](const TableUse&) { return true; }) : read;
}

namespace {

// The known sources of generated values among the columns that `mention` means.
void append_columns(const GeneratedColumns& generated, const Statement& statement,
                    const std::string& mention, std::vector<std::string>& sources) {
  const std::string column(last_part(mention));
  const std::string_view qualifier =
      std::string_view(mention).substr(0, mention.size() - column.size());
  for (const std::string& table :
       tables_read(generated, statement, qualifier.substr(0, qualifier.rfind('.')))) {
    for (const std::string& known : generated.columns_of.at(table)) {
      const std::string source = column_source(table, known);
      const bool is_meant = column == "*" || column == known;
      if (is_meant && generated.domains.contains(source)) sources.push_back(source);
    }
  }
}

}  // namespace

std::vector<std::string> sources_of(const GeneratedColumns& generated, const Fed& fed) {
  const FeedingParts parts = feeding_parts(fed.expression);
  std::vector<std::string> sources;
  for (const std::string& mention : fed.columns_read) {
    const bool feeds = fed.expression.empty() || parts.columns.contains("*") ||
                       parts.columns.contains(std::string(last_part(mention)));
    if (feeds) append_columns(generated, fed.statement, mention, sources);
  }
  if (is_all(fed.expression) && fed.columns_read.empty()) {
    append_columns(generated, fed.statement, fed.expression, sources);
  }
  for (const std::string& name : parts.variables) {
    const std::string source = variable_source(fed.session, name);
    if (generated.domains.contains(source)) sources.push_back(source);
  }
  sources.insert(sources.end(), parts.generators.begin(), parts.generators.end());
  if (fed.generated && !parts.mentions_generator) sources.emplace_back("random");
  return sources;
}

}  // namespace heddle
