// In which order rows go into their tables: each after those that its foreign keys name.
#pragma once

#include <cstddef>
#include <vector>

#include "find/search/filled_row.h"
#include "heddle/schema.h"

namespace heddle::find {

// The numbers of the rows, in groups. A group of several are rows that refer to each other in a
// circle: no order of statements will do, and one statement has to make them all. Rows that refer
// to no later ones stay in their order.
std::vector<std::vector<std::size_t>> insertion_order(const Schema& schema,
                                                      const std::vector<FilledRow>& rows);

}  // namespace heddle::find
