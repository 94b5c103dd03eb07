// Other orders of a functionality's statements that mean the same.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "heddle/split.h"
#include "split/services.h"

namespace heddle::chopping {

struct Reordered {
  Functionality functionality;
  std::vector<std::size_t> order;  // the old numbers (list_statements()) in the new order
};

// With fewer changes of the service from each action of a block to the next. What one action needs
// of another, what either writes that the other reads or writes, and what leaves the block early
// stay as they are, so that it does the same when it runs alone. None: no order has fewer.
std::optional<Reordered> reorder_statements(const Functionality& functionality,
                                            const Schema& schema, const TableServices& services);

}  // namespace heddle::chopping
