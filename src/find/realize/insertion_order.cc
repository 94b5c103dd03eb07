#include "find/realize/insertion_order.h"

#include <algorithm>
#include <string>
#include <utility>

#include "graph/components.h"

namespace heddle::find {

namespace {

// A row that leaves a column of the key open, or null, refers to nothing.
bool refers(const FilledRow& row, const ForeignKeyConstraint& foreign, const FilledRow& to) {
  const std::vector<std::string>& columns =
      foreign.referenced_columns.empty() ? to.table->primary_key : foreign.referenced_columns;
  if (columns.size() != foreign.columns.size()) return false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto value = row.cells.find(foreign.columns[i]);
    const auto named = to.cells.find(columns[i]);
    if (value == row.cells.end() || named == to.cells.end()) return false;
    if (!value->second || value->second != named->second) return false;
  }
  return true;
}

// An arc goes from a row to each other one that it refers to.
Digraph references(const Schema& schema, const std::vector<FilledRow>& rows) {
  std::vector<Arc> arcs;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const ForeignKeyConstraint& foreign : rows[i].table->foreign_keys) {
      const Table* target =
          find_table(schema, foreign.referenced_table, schema.dialect, foreign.referenced_schema);
      for (std::size_t j = 0; j < rows.size(); ++j) {
        if (i == j || rows[j].table != target || !refers(rows[i], foreign, rows[j])) continue;
        arcs.push_back({static_cast<NodeIndex>(i), static_cast<NodeIndex>(j)});
      }
    }
  }
  return {rows.size(), std::move(arcs)};
}

}  // namespace

std::vector<std::vector<std::size_t>> insertion_order(const Schema& schema,
                                                      const std::vector<FilledRow>& rows) {
  const Digraph graph = references(schema, rows);
  const std::vector<std::vector<NodeIndex>> groups = strong_components(graph);
  std::vector<bool> is_there(rows.size());
  std::vector<bool> is_done(groups.size());
  const auto is_ready = [&](const std::vector<NodeIndex>& group) {
    return std::ranges::all_of(group, [&](NodeIndex row) {
      return std::ranges::all_of(graph.successors(row), [&](NodeIndex named) {
        return is_there[named] || std::ranges::binary_search(group, named);
      });
    });
  };
  std::vector<std::vector<std::size_t>> order;
  while (order.size() < groups.size()) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (is_done[i] || !is_ready(groups[i])) continue;
      is_done[i] = true;
      for (const NodeIndex row : groups[i]) is_there[row] = true;
      order.emplace_back(groups[i].begin(), groups[i].end());
    }
  }
  return order;
}

}  // namespace heddle::find
