// What a statement has read that was refused, as far as unique and foreign keys tell.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "replay/observe/observer.h"
#include "replay/observe/rows_in_the_way.h"

namespace heddle {

// What keeps it out is what is committed by now, whatever its snapshot is.
void Observer::note_met(const Statement& statement, const Reply& reply, std::size_t record,
                        bool waited, const OpenTransaction& transaction) {
  const bool in_the_way = met_a_row(statement, reply);
  const bool by_reference = met_a_reference(reply);
  if (!in_the_way && !by_reference) return;
  for (const TableUse& use : statement.tables) {
    const CatalogueTable* const table = use.written ? find_table(use) : nullptr;
    if (table == nullptr) continue;
    PendingRead read;
    read.transaction = transaction.id;
    read.record = record;
    read.state = state_at_launch_.at(record);
    if (waited) {
      read.after_wait = true;
      read.state = states_.size();
    }
    if (in_the_way) note_rows_in_the_way(statement, *table, read);
    if (by_reference) note_referred(statement, *table, read);
    if (by_reference) note_referring(statement, *table, read);
  }
}

void Observer::note_rows_in_the_way(const Statement& statement, const CatalogueTable& table,
                                    PendingRead read) {
  RowsInTheWay rows = rows_in_the_way(statement, table, database_.part(table.store).dialect());
  if (rows.by_values.empty()) return;
  read.table = &table;
  read.alias = table.name;
  read.predicate = rows.by_key.empty() ? rows.by_values : std::move(rows.by_key);
  read.otherwise = std::move(rows.by_values);
  read.by_rows = true;
  pending_.push_back(std::move(read));
}

// It has missed one of these.
void Observer::note_referred(const Statement& statement, const CatalogueTable& table,
                             PendingRead read) {
  for (const ForeignKey& key : table.foreign_keys) {
    const auto parent = std::ranges::find_if(catalogue_, [&](const CatalogueTable& other) {
      return other.name == key.table && other.store == table.store;
    });
    if (parent == catalogue_.end()) continue;
    std::string predicate =
        referred_rows(statement, table, key, database_.part(table.store).dialect());
    if (predicate.empty()) continue;
    read.table = &*parent;
    read.alias = parent->name;
    read.predicate = std::move(predicate);
    pending_.push_back(read);
  }
}

// It has met one of these; which ones refer to its rows is not looked at.
void Observer::note_referring(const Statement& statement, const CatalogueTable& table,
                              PendingRead read) {
  for (const CatalogueTable& other : catalogue_) {
    const bool is_met = std::ranges::any_of(other.foreign_keys, [&](const ForeignKey& key) {
      return key.table == table.name && other.store == table.store && takes_away(statement, key);
    });
    if (!is_met) continue;
    read.table = &other;
    read.alias = other.name;
    read.by_rows = true;
    pending_.push_back(read);
  }
}

}  // namespace heddle
