// Which rows keep an INSERT out: they have what it gives to a unique key.
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

}  // namespace heddle
