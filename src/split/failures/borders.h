// Where a functionality can stop: behind each of its sub-transactions.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "find/terms/search_input.h"
#include "heddle/split.h"

namespace heddle::failures {

// A statement as it runs: in which rounds of the loops around it.
struct PlacedStatement {
  std::size_t statement = 0;  // in the order of list_statements()
  std::vector<std::size_t> rounds;
};

// The border behind a sub-transaction: a COMMIT as it runs, or the end of the functionality.
struct Border {
  std::optional<PlacedStatement> commit;  // none: the end
  std::size_t sub_transaction = 0;        // that commits here
  bool is_in_uncut = false;               // so it does in the uncut program
  std::vector<PlacedStatement> before;    // statements on tables that may have run, in their order
  std::vector<PlacedStatement> after;     // and that may be to come
};

// Of a functionality of the chopped program, in the order in which they may come; the end is the
// last one. `input` was prepared for the chopped program. Rounds of loops beyond the bound of the
// input's options are left out.
std::vector<Border> borders_of(std::size_t functionality, const ChoppedProgram& chopped,
                               const find::SearchInput& input);

}  // namespace heddle::failures
