// Which rows a statement meets, or misses, that is refused: for unique keys and foreign keys.
#pragma once

#include <string>

#include "heddle/outcome.h"
#include "heddle/statement.h"
#include "store/store.h"

namespace heddle {

// Whether the INSERT met a row in its way, and has made none: it was refused, or does nothing then.
bool met_a_row(const Statement& statement, const Reply& reply);

// Predicates over the table's rows, as `Statement::predicate` is one. Empty: not known.
struct RowsInTheWay {
  std::string by_key;     // they have the key of a new row
  std::string by_values;  // one of the values of a new row: for unique keys that nobody knows
};

RowsInTheWay rows_in_the_way(const Statement& statement, const CatalogueTable& table,
                             Dialect dialect);

// Whether the statement was refused for a foreign key.
bool met_a_reference(const Reply& reply);

// The rows to which new rows, or new values, of the table refer by the key. Empty: not known, or it
// gives that key no values.
std::string referred_rows(const Statement& statement, const CatalogueTable& table,
                          const ForeignKey& key, Dialect dialect);

// Whether rows to which others refer by the key may go, or get another key.
bool takes_away(const Statement& statement, const ForeignKey& key);

}  // namespace heddle
