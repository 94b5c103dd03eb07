// The search of one set of functionalities as the CLOTHO paper describes it: one formula for each
// length of cycles, whose solver chooses the cycle.
#pragma once

#include <cstddef>
#include <vector>

#include "find/terms/search_input.h"

namespace heddle::find {

// `members` are functionalities, sorted; one may come several times. An answer that the solver did
// not give makes the result incomplete. REQUIRES: unsupported_axiom() has none of the levels.
GroupResult search_group_by_formula(const SearchInput& input,
                                    const std::vector<std::size_t>& members);

}  // namespace heddle::find
