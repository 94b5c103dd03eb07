#include "store/sql_database.h"

#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/control.h"

namespace heddle {

namespace {

std::string first_error(const std::vector<Reply>& replies) {
  for (const Reply& reply : replies) {
    if (reply.error) return reply.error->message;
  }
  return "no answer";
}

Diagnostic unreadable(const std::string& what, const std::vector<Reply>& replies) {
  return Diagnostic{.what = fmt::format("cannot read {}: {}", what, first_error(replies)),
                    .what_to_do = "",
                    .file = "",
                    .position = {},
                    .trouble = Trouble::environment};
}

}  // namespace

Result<std::vector<std::vector<Row>>> SqlDatabase::query(const std::string& text) {
  auto replies = execute(text, kOwnQueryTimeoutMs);
  if (!replies) return replies.error();
  std::vector<std::vector<Row>> results;
  for (Reply& reply : *replies) {
    if (reply.error) return own_query_trouble(*reply.error);
    results.push_back(std::move(reply.result->rows));
  }
  return results;
}

Result<std::vector<Reply>> SqlDatabase::read_each(
    const std::vector<const CatalogueTable*>& /*tables*/, const std::vector<std::string>& texts,
    std::uint32_t timeout_ms) {
  return execute(join(texts, ";"), timeout_ms);
}

Result<std::vector<std::vector<Row>>> SqlDatabase::select(
    const std::vector<const CatalogueTable*>& tables, const std::vector<std::string>& texts,
    std::uint32_t timeout_ms) {
  std::vector<std::vector<Row>> rows;
  if (texts.empty()) return rows;
  auto replies = read_each(tables, texts, timeout_ms);
  if (!replies) return replies.error();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (i >= replies->size() || !(*replies)[i].result) {
      return unreadable("the rows of " + tables[i]->name, *replies);
    }
    rows.push_back(std::move((*replies)[i].result->rows));
  }
  return rows;
}

Result<std::vector<std::vector<Row>>> SqlDatabase::read_rows(
    const std::vector<const CatalogueTable*>& tables, std::uint32_t timeout_ms) {
  std::vector<std::string> texts;
  for (const CatalogueTable* table : tables) texts.push_back("SELECT * FROM " + table->rows);
  return select(tables, texts, timeout_ms);
}

Result<std::vector<std::vector<WatchedRow>>> SqlDatabase::watch_rows(
    const std::vector<const CatalogueTable*>& tables) {
  std::vector<std::string> texts;
  for (const CatalogueTable* table : tables) texts.push_back(watching_text(*table));
  auto selected = select(tables, texts, kOwnQueryTimeoutMs);
  if (!selected) return selected.error();
  std::vector<std::vector<WatchedRow>> watched;
  for (const std::vector<Row>& rows : *selected) {
    std::vector<WatchedRow>& of_table = watched.emplace_back();
    for (const Row& row : rows) {
      of_table.push_back({row.at(0).value_or(""), row.at(1).value_or(""), row.at(2).value_or(""),
                          std::vector<Cell>(row.begin() + 3, row.end())});
    }
  }
  return watched;
}

Result<std::vector<std::size_t>> SqlDatabase::matching(
    const CatalogueTable& table, const std::string& alias, const std::string& predicate,
    const std::vector<WatchedVersion>& versions) {
  auto replies = execute(matching_text(table, alias, predicate, versions), kOwnQueryTimeoutMs);
  if (!replies) return replies.error();
  std::vector<std::size_t> numbers;
  // A predicate that cannot be evaluated alone (a parameter of the session) may match every row.
  if (replies->empty() || !replies->front().result) {
    for (const WatchedVersion& version : versions) numbers.push_back(version.number);
    return numbers;
  }
  for (const Row& row : replies->front().result->rows) numbers.push_back(std::stoul(*row.at(0)));
  return numbers;
}

Result<std::vector<std::optional<std::string>>> SqlDatabase::writers(
    const std::vector<int>& backends) {
  std::vector<std::optional<std::string>> numbers(backends.size());
  const std::string text = writers_text(backends);
  if (text.empty()) return numbers;
  auto replies = execute(text, kOwnQueryTimeoutMs);
  if (!replies) return replies.error();
  if (replies->empty() || !replies->front().result) {
    return unreadable("the numbers of transactions", *replies);
  }
  const std::vector<Row>& rows = replies->front().result->rows;
  for (std::size_t i = 0; i < rows.size() && i < numbers.size(); ++i) numbers[i] = rows[i].at(0);
  return numbers;
}

}  // namespace heddle
