// Arguments of one call that name rows of one table, such as the two accounts of a transfer. What
// happens only where they are equal, many callers exclude.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "find/terms/group.h"
#include "heddle/find.h"

namespace heddle::find {

struct ArgumentPair {
  std::size_t instance = 0;
  std::string first;  // parameters
  std::string second;
  Term are_equal;
};

// Of all calls of the group.
std::vector<ArgumentPair> argument_pairs(Group& group, const Program& program);

// Those that have to be equal, where not all pairs can differ; or all, where no single one has to
// be.
std::vector<EqualArguments> needed_equalities(const std::vector<ArgumentPair>& pairs, Terms& terms,
                                              const std::function<bool(Term)>& is_possible);

}  // namespace heddle::find
