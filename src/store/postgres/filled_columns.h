// Which columns a database fills by itself: with the next number of a sequence, an identity of
// chance, the time.
#pragma once

#include <vector>

#include "heddle/outcome.h"
#include "store/store.h"

namespace heddle {

// The columns of each table, marked. A column that refers to a marked one by a foreign key holds
// its values and shares its domain. The domain of columns with the time is "clock".
std::vector<std::vector<Column>> mark_filled_columns(const std::vector<CatalogueTable>& tables);

}  // namespace heddle
