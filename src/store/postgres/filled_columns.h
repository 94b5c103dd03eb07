// Which columns a database fills by itself: with the next number of a sequence, an identity of
// chance, the time.
#pragma once

#include <string>
#include <vector>

#include "heddle/outcome.h"
#include "store/store.h"

namespace heddle {

// The columns of each table, marked. A key without a default is taken to be numbered by the program
// where one of the `sequences` is called after its table, as object-relational mappers do. A column
// that refers to a marked one by a foreign key holds its values and shares its domain. The domain
// of columns with the time is "clock".
std::vector<std::vector<Column>> mark_filled_columns(const std::vector<CatalogueTable>& tables,
                                                     const std::vector<std::string>& sequences);

}  // namespace heddle
