// Where the statements of a run execute on a store with copies of its rows, and what has to come
// there first, so that each sees just what the run says.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "find/realize/realize.h"

namespace heddle::find {

// Whether what it writes takes effect when it commits, and whether all its statements see the same
// of others.
struct PlacedTransaction {
  std::string session;
  bool at_commit = false;
  bool keeps_view = false;
};

struct Placement {
  std::size_t replicas = 1;
  // Commands of the replicated store (docs/stores.md) that come before each step; empty: none.
  std::vector<std::string> before;
};

// A session stays where it is as long as that can be. `transactions`: as RunStep numbers them.
Placement place_statements(const std::vector<RunStep>& steps,
                           const std::vector<PlacedTransaction>& transactions);

}  // namespace heddle::find
