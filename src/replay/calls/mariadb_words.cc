#include "replay/calls/mariadb_words.h"

#include <memory>
#include <string>
#include <utility>

#include "base/text.h"
#include "heddle/schema.h"
#include "heddle/statement.h"

namespace heddle {

namespace {

// A program's text went the same way when it was read and called: what a driver writes and what is
// printed of what was read meet there.
std::string said_by_way_of_postgres(const std::string& text, const Schema& schema) {
  const auto read = print_statement(text, Dialect::mysql, Dialect::postgres, &schema);
  if (!read) return text;
  const auto said = print_statement(read->text, Dialect::postgres, Dialect::mysql);
  return said ? said->text : text;
}

}  // namespace

MariadbWords mariadb_words(const Scenario& scenario, const std::vector<CatalogueTable>& catalogue) {
  std::string tables;
  for (const SqlBlock& setup : scenario.setups) tables += setup.text + "\n";
  const auto schema = std::make_shared<const Schema>(parse_schema(tables, Dialect::mysql).schema);
  const auto generated_column = [&catalogue](const std::string& name) {
    for (const CatalogueTable& table : catalogue) {
      if (to_lower(table.name) != to_lower(name)) continue;
      for (const CatalogueColumn& column : table.columns) {
        if (column.identity) return column.name;
      }
    }
    return std::string();
  };
  return {.canonical =
              [schema](const std::string& text) { return said_by_way_of_postgres(text, *schema); },
          .generated_column = generated_column};
}

}  // namespace heddle
