// The sub-transactions of a chopped functionality.
#pragma once

#include <vector>

#include "heddle/split.h"
#include "split/services.h"

namespace heddle::chopping {

// Statements of which one may follow the other with nothing that ends a transaction in between are
// of one sub-transaction. In the order of their first statements.
std::vector<SubTransaction> sub_transactions_of(const Functionality& functionality,
                                                const TableServices& services);

}  // namespace heddle::chopping
