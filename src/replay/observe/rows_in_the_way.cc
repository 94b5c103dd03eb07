#include "replay/observe/rows_in_the_way.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "store/quote.h"
#include "store/refusal_state.h"

namespace heddle {

namespace {

constexpr std::string_view kUniqueViolation = "23505";
constexpr std::string_view kForeignKeyViolation = "23503";
constexpr std::string_view kRestrictViolation = "23001";

// Column by column what a new row is given, where the statement says it.
using GivenValues = std::map<std::string, std::string>;

std::optional<std::string> column_of(const WrittenValue& value, const CatalogueTable& table) {
  if (!value.column.empty()) return value.column;
  if (value.position >= table.columns.size()) return std::nullopt;
  return table.columns[value.position].name;
}

std::map<std::size_t, GivenValues> new_rows(const Statement& statement,
                                            const CatalogueTable& table) {
  std::map<std::size_t, GivenValues> rows;
  for (const WrittenValue& value : statement.values) {
    const bool is_known = !value.generated && !value.on_conflict && value.columns_read.empty();
    const auto column = is_known ? column_of(value, table) : std::nullopt;
    if (column) rows[value.row][*column] = value.expression;
  }
  return rows;
}

std::string equality(const std::string& column, const std::string& expression, Dialect dialect) {
  const std::string name =
      dialect == Dialect::mysql ? quote_with(column, '`') : quote_identifier(column);
  return fmt::format("{} = ({})", name, expression);
}

}  // namespace

bool met_a_row(const Statement& statement, const Reply& reply) {
  if (statement.kind != StatementKind::insert) return false;
  if (reply.error) return refusal_state(reply.error->code) == kUniqueViolation;
  const bool has_made_none = reply.result && (reply.result->command_tag == "INSERT 0 0" ||
                                              reply.result->command_tag == "0 rows");
  return statement.on_conflict && has_made_none;
}

RowsInTheWay rows_in_the_way(const Statement& statement, const CatalogueTable& table,
                             Dialect dialect) {
  std::vector<std::string> with_key;
  std::vector<std::string> with_values;
  for (const auto& [number, given] : new_rows(statement, table)) {
    std::vector<std::string> equalities;
    for (const std::string& column : table.key) {
      const auto value = given.find(column);
      if (value != given.end()) equalities.push_back(equality(column, value->second, dialect));
    }
    const bool has_key = !equalities.empty() && equalities.size() == table.key.size();
    if (has_key) with_key.push_back(fmt::format("({})", join(equalities, " AND ")));
    for (const auto& [column, expression] : given) {
      with_values.push_back(equality(column, expression, dialect));
    }
  }
  return {.by_key = join(with_key, " OR "), .by_values = join(with_values, " OR ")};
}

bool met_a_reference(const Reply& reply) {
  if (!reply.error) return false;
  const std::string state = refusal_state(reply.error->code);
  return state == kForeignKeyViolation || state == kRestrictViolation;
}

std::string referred_rows(const Statement& statement, const CatalogueTable& table,
                          const ForeignKey& key, Dialect dialect) {
  std::vector<std::string> rows;
  for (const auto& [number, given] : new_rows(statement, table)) {
    std::vector<std::string> equalities;
    for (std::size_t i = 0; i < key.columns.size() && i < key.referenced.size(); ++i) {
      const auto value = given.find(key.columns[i]);
      if (value == given.end()) continue;
      equalities.push_back(equality(key.referenced[i], value->second, dialect));
    }
    const bool is_known = !equalities.empty() && equalities.size() == key.columns.size();
    if (is_known) rows.push_back(fmt::format("({})", join(equalities, " AND ")));
  }
  return join(rows, " OR ");
}

bool takes_away(const Statement& statement, const ForeignKey& key) {
  if (statement.kind != StatementKind::update) return statement.kind != StatementKind::insert;
  return std::ranges::any_of(statement.values, [&](const WrittenValue& value) {
    return std::ranges::find(key.referenced, value.column) != key.referenced.end();
  });
}

}  // namespace heddle
