// What of the schema needs no reading: names.
#include "heddle/schema.h"

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "schema/builder.h"

namespace heddle {
namespace {

template <class Objects>
void clear_positions(Objects& objects) {
  for (auto& one : objects) one.position = {};
}

}  // namespace

const Table* find_table(const Schema& schema, std::string_view name, Dialect dialect,
                        std::string_view in_schema) {
  const Table* found = nullptr;
  for (const Table& table : schema.tables) {
    if (!sql::is_same_name(table.name, name, dialect)) continue;
    if (sql::is_exactly_schema(table.schema, in_schema, dialect)) return &table;
    const bool may_be = sql::is_same_schema(table.schema, in_schema, dialect);
    if (may_be && found == nullptr) found = &table;
  }
  return found;
}

const View* find_view(const Schema& schema, std::string_view name, std::string_view in_schema) {
  const Dialect dialect = schema.dialect;
  const View* found = nullptr;
  for (const View& view : schema.views) {
    if (!sql::is_same_name(view.name, name, dialect)) continue;
    if (sql::is_exactly_schema(view.schema, in_schema, dialect)) return &view;
    const bool may_be = sql::is_same_schema(view.schema, in_schema, dialect);
    if (may_be && found == nullptr) found = &view;
  }
  return find_table(schema, name, dialect, in_schema) == nullptr ? found : nullptr;
}

const TableColumn* find_column(const Table& table, std::string_view name, Dialect dialect) {
  for (const TableColumn& column : table.columns) {
    if (sql::is_same_name(column.name, name, dialect)) return &column;
  }
  return nullptr;
}

std::string fold_name(std::string_view written, Dialect dialect) {
  if (written.empty()) return {};
  const char opening = written[0];
  const bool is_quoted = opening == '"' || (dialect != Dialect::postgres && opening == '`') ||
                         (dialect == Dialect::sqlite && (opening == '[' || opening == '\''));
  if (!is_quoted) {
    return dialect == Dialect::postgres ? to_lower(written) : std::string(written);
  }
  const char closing = opening == '[' ? ']' : opening;
  std::string name;
  for (std::size_t at = 1; at < written.size(); ++at) {
    const bool is_last = at + 1 == written.size();
    if (written[at] == closing && (is_last || closing == ']')) break;
    name += written[at];
    if (written[at] == closing) ++at;
  }
  return name;
}

Schema without_positions(Schema schema) {
  clear_positions(schema.enumerations);
  clear_positions(schema.domains);
  clear_positions(schema.sequences);
  clear_positions(schema.tables);
  clear_positions(schema.views);
  for (Domain& domain : schema.domains) clear_positions(domain.checks);
  for (Table& table : schema.tables) {
    clear_positions(table.columns);
    clear_positions(table.unique_constraints);
    clear_positions(table.foreign_keys);
    clear_positions(table.checks);
  }
  return schema;
}

}  // namespace heddle
