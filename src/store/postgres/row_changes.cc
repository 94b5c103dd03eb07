#include "store/postgres/row_changes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "store/quote.h"

namespace heddle {

namespace {

// Rows that one statement inserts or deletes, and bytes after which it ends.
constexpr std::size_t kMostRowsAtOnce = 500;
constexpr std::size_t kMostBytesAtOnce = 1U << 20U;

std::string text_key(const Row& row) {
  std::string key;
  for (const Cell& cell : row) {
    key += cell ? 'v' + std::to_string(cell->size()) + ':' + *cell : "n";
  }
  return key;
}

std::string literal_of(const Cell& cell) { return cell ? quote_literal(*cell) : "NULL"; }

// The values of the table's key; none: it has no key.
std::optional<Row> key_of(const CatalogueTable& table, const Row& row) {
  if (table.key.empty()) return std::nullopt;
  Row key;
  for (const std::string& name : table.key) {
    const auto found = std::ranges::find(table.columns, name, &CatalogueColumn::name);
    if (found == table.columns.end()) return std::nullopt;
    key.push_back(row.at(static_cast<std::size_t>(found - table.columns.begin())));
  }
  return key;
}

std::string update_text(const CatalogueTable& table, const PlacedRow& present, const Row& wanted) {
  std::vector<std::string> assignments;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].computed || present.row[i] == wanted[i]) continue;
    assignments.push_back(quote_identifier(table.columns[i].name) + " = " + literal_of(wanted[i]));
  }
  // Only what the database computes differs, and it will compute that again.
  if (assignments.empty()) return "";
  return fmt::format("UPDATE ONLY {} SET {} WHERE ctid = '{}'", present.part,
                     join(assignments, ", "), present.place);
}

void add_deletes(const std::vector<const PlacedRow*>& rows, RowChanges& changes) {
  std::map<std::string, std::vector<std::string>> places;
  for (const PlacedRow* row : rows) places[row->part].push_back('"' + row->place + '"');
  for (const auto& [part, all] : places) {
    for (std::size_t begin = 0; begin < all.size(); begin += kMostRowsAtOnce) {
      const std::vector<std::string> some(
          all.begin() + static_cast<std::ptrdiff_t>(begin),
          all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), begin + kMostRowsAtOnce)));
      changes.deletes.push_back(fmt::format(
          "DELETE FROM ONLY {} WHERE ctid = ANY ('{{{}}}'::tid[])", part, join(some, ",")));
    }
  }
}

void add_inserts(const CatalogueTable& table, const std::vector<const Row*>& rows,
                 RowChanges& changes) {
  std::vector<std::string> names;
  for (const CatalogueColumn& column : table.columns) {
    if (!column.computed) names.push_back(quote_identifier(column.name));
  }
  if (names.empty()) {
    const std::string one = fmt::format("INSERT INTO {} DEFAULT VALUES", table.quoted);
    changes.inserts.insert(changes.inserts.end(), rows.size(), one);
    return;
  }
  const std::string begin = fmt::format("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES ",
                                        table.quoted, join(names, ", "));
  std::string text;
  std::size_t count = 0;
  for (const Row* row : rows) {
    std::vector<std::string> values;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!table.columns[i].computed) values.push_back(literal_of(row->at(i)));
    }
    text += (text.empty() ? begin : ", ") + '(' + join(values, ", ") + ')';
    if (++count % kMostRowsAtOnce != 0 && text.size() < kMostBytesAtOnce) continue;
    changes.inserts.push_back(std::exchange(text, ""));
  }
  if (!text.empty()) changes.inserts.push_back(std::move(text));
}

}  // namespace

std::string placed_rows_text(const CatalogueTable& table) {
  std::string text = "SELECT heddle_row.tableoid::pg_catalog.regclass, heddle_row.ctid";
  for (const CatalogueColumn& column : table.columns) {
    text += ", heddle_row." + quote_identifier(column.name);
  }
  return text + " FROM " + table.rows + " heddle_row";
}

std::vector<std::string> fill_texts(const CatalogueTable& table, const std::vector<Row>& rows) {
  std::vector<const Row*> all;
  for (const Row& row : rows) all.push_back(&row);
  RowChanges changes;
  add_inserts(table, all, changes);
  return std::move(changes.inserts);
}

RowChanges changes_of(const CatalogueTable& table, const std::vector<PlacedRow>& present,
                      const std::vector<Row>& wanted, bool is_free) {
  std::unordered_map<std::string, std::vector<const Row*>> missing;
  for (const Row& row : wanted) missing[text_key(row)].push_back(&row);
  std::vector<const PlacedRow*> extra;
  for (const PlacedRow& row : present) {
    const auto found = missing.find(text_key(row.row));
    if (found == missing.end() || found->second.empty()) {
      extra.push_back(&row);
    } else {
      found->second.pop_back();
    }
  }
  // In the order of what was, so that the same rows are put back in the same way.
  std::vector<const Row*> absent;
  for (const Row& row : wanted) {
    std::vector<const Row*>& left = missing[text_key(row)];
    if (left.empty()) continue;
    absent.push_back(left.back());
    left.pop_back();
  }
  RowChanges changes;
  if (!is_free) {
    std::map<Row, const PlacedRow*> by_key;
    for (const PlacedRow* row : extra) {
      if (auto key = key_of(table, row->row)) by_key.emplace(std::move(*key), row);
    }
    std::erase_if(absent, [&](const Row* row) {
      const auto key = key_of(table, *row);
      const auto found = key ? by_key.find(*key) : by_key.end();
      if (found == by_key.end()) return false;
      const std::string text = update_text(table, *found->second, *row);
      if (!text.empty()) changes.updates.push_back(text);
      std::erase(extra, found->second);
      by_key.erase(found);
      return true;
    });
  }
  add_deletes(extra, changes);
  add_inserts(table, absent, changes);
  return changes;
}

}  // namespace heddle
