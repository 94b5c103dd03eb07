// What a run leaves: the rows, and whether the invariants hold of them.
#include <algorithm>
#include <iterator>
#include <utility>

#include "heddle/schedule.h"
#include "replay/asked_rows.h"
#include "replay/block_trouble.h"
#include "replay/runner.h"

namespace heddle {

namespace {

TableState to_state(const CatalogueTable& table, std::vector<Row> rows) {
  TableState state;
  state.name = table.name;
  for (const CatalogueColumn& column : table.columns) {
    state.columns.push_back({column.name, table.name, column.name, false});
  }
  state.rows = std::move(rows);
  std::sort(state.rows.begin(), state.rows.end());
  return state;
}

}  // namespace

Result<std::vector<TableState>> Runner::read_tables() {
  std::vector<const CatalogueTable*> read;
  for (const CatalogueTable& table : catalogue_) {
    if (!table.partition && !table.columns.empty()) read.push_back(&table);
  }
  auto rows = database_->read_rows(read, options_.step_timeout_ms);
  if (!rows) {
    Diagnostic trouble = rows.error();
    if (trouble.file.empty()) trouble.file = scenario_.file;
    return trouble;
  }
  std::vector<TableState> states;
  for (std::size_t i = 0; i < read.size(); ++i) {
    states.push_back(to_state(*read[i], std::move((*rows)[i])));
  }
  return states;
}

// What it asks about beside the tables is put into its text.
Result<std::vector<Reply>> Runner::ask(const SqlBlock& block, const Run& run) {
  StoreDatabase& store = database_->part(block.store);
  AskedFrom from{.scenario = scenario_, .tables = initial_tables_, .dialect = store.dialect()};
  if (from.dialect == Dialect::redis) return execute(block);
  std::ranges::copy_if(initial_catalogue_, std::back_inserter(from.catalogue),
                       [&](const CatalogueTable& table) { return table.store == block.store; });
  auto text = text_with_asked_rows(block, from, run);
  if (!text) return text.error();
  return store.execute(*text, options_.step_timeout_ms);
}

Result<std::vector<InvariantOutcome>> Runner::check_invariants(const Run& run) {
  std::vector<InvariantOutcome> outcomes;
  for (const Invariant& invariant : scenario_.invariants) {
    auto replies = ask(invariant.sql, run);
    if (!replies) return replies.error();
    if (const StepError* error = first_error(*replies)) {
      return block_trouble(scenario_, invariant.sql, "invariant \"" + invariant.name + "\"",
                           *error);
    }
    const StoreDatabase& store = database_->part(invariant.sql.store);
    InvariantOutcome outcome;
    outcome.name = invariant.name;
    for (const Reply& reply : *replies) {
      for (const Row& row : reply.result->rows) {
        if (std::ranges::all_of(row, [&](const Cell& cell) { return store.is_true(cell); }))
          continue;
        outcome.holds = false;
        outcome.counterexample.push_back(row);
      }
      outcome.columns.clear();
      for (const Column& column : reply.result->columns) outcome.columns.push_back(column.name);
    }
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace heddle
