// Uses of views as uses of the tables that they select from.
#pragma once

#include <vector>

#include "race/accesses/access.h"

namespace heddle::race {

// REQUIRES: the access is of a view. A view that shows columns of one table, row by row, keeps what
// is known of rows; of any other only its own conditions remain.
std::vector<Access> accesses_through_view(const Access& access, const StoreTables& tables);

}  // namespace heddle::race
