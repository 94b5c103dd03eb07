#include "race/accesses/views.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/text.h"

namespace heddle::race {
namespace {

// By the view's columns: those of the table; without a plain column: nothing.
struct ViewColumns {
  std::map<std::string, std::string> plain;
  std::map<std::string, std::vector<std::string>> read;
};

ViewColumns columns_of_view(const Statement& query) {
  ViewColumns columns;
  for (const OutputColumn& output : query.output) {
    columns.read[output.name] = output.columns_read;
    const std::size_t dot = output.expression.rfind('.');
    const std::string last =
        dot == std::string::npos ? output.expression : output.expression.substr(dot + 1);
    const bool is_plain = output.columns_read.size() == 1 && output.columns_read.front() == last;
    if (is_plain) columns.plain[output.name] = last;
  }
  return columns;
}

void rename(Operand& operand, const ViewColumns& columns) {
  if (operand.column.empty()) return;
  const auto found = columns.plain.find(operand.column);
  operand.column = found == columns.plain.end() ? std::string() : found->second;
}

Condition renamed(Condition condition, const ViewColumns& columns) {
  rename(condition.left, columns);
  rename(condition.right, columns);
  for (Condition& part : condition.parts) part = renamed(std::move(part), columns);
  return condition;
}

KnownRow renamed(const KnownRow& row, const ViewColumns& columns) {
  KnownRow table_row;
  for (const auto& [column, value] : row) {
    const auto found = columns.plain.find(column);
    if (found != columns.plain.end()) table_row[found->second] = value;
  }
  return table_row;
}

void add_used(const std::vector<std::string>& used, const ViewColumns& columns,
              std::vector<std::string>& names) {
  for (const std::string& column : used) {
    if (column == "*") {
      for (const auto& [name, read] : columns.read)
        names.insert(names.end(), read.begin(), read.end());
    } else if (const auto found = columns.read.find(column); found != columns.read.end()) {
      names.insert(names.end(), found->second.begin(), found->second.end());
    }
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

void keep_existing(const TraceTable* table, std::vector<std::string>& names) {
  if (table == nullptr) return;
  std::erase_if(names, [&](const std::string& name) { return !has_column(*table, name); });
}

}  // namespace

std::vector<Access> accesses_through_view(const Access& access, const StoreTables& tables) {
  const TraceTable& view = *access.definition;
  const ParsedText parsed = parse_text(view.view);
  TraceStatement query{.unit = access.unit};
  query.kind = "query";
  query.text = view.view;
  query.text_size = view.view.size();
  std::vector<Access> all = read_accesses(query, parsed, tables);
  if (!parsed.is_read || parsed.statements.size() != 1) return all;
  const Statement& statement = parsed.statements.front();
  const ViewColumns columns = columns_of_view(statement);
  const bool is_row_by_row =
      all.size() == 1 && all.front().uses == 1 && !statement.aggregate && !statement.limited;
  for (Access& each : all) {
    each.place = access.place;
    each.kind = access.kind;
    each.columns_read = each.deciding_columns;
    add_used(access.columns_read, columns, each.columns_read);
    keep_existing(each.definition, each.columns_read);
    add_used(access.columns_written, columns, each.columns_written);
    keep_existing(each.definition, each.columns_written);
    each.updates = access.updates;
    each.deletes = access.deletes;
    each.inserts = access.inserts;
    each.locking = access.locking;
    each.wait_policy = access.wait_policy;
    each.rows = access.rows;
    if (!is_row_by_row) {
      if (access.inserts) each.new_rows.emplace_back();
      continue;
    }
    add_used(access.deciding_columns, columns, each.deciding_columns);
    keep_existing(each.definition, each.deciding_columns);
    each.looks = all_of({std::move(each.looks), renamed(access.looks, columns)});
    each.there = partial_rows(each.looks);
    each.assigned = renamed(access.assigned, columns);
    for (const KnownRow& row : access.new_rows) each.new_rows.push_back(renamed(row, columns));
  }
  return all;
}

}  // namespace heddle::race
