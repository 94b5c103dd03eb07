// Which rows of two patterns have no partner, when no renaming makes the patterns equal: for
// people, who want to see the few rows that differ and not the many that are equal but for a key.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "compare/renaming.h"

namespace heddle {

// By name of `from`: its partner in `to`, where known.
using PartialRenaming = std::vector<std::optional<std::size_t>>;

// Rows without a partner, ascending.
struct UnmatchedRows {
  std::vector<std::size_t> from;
  std::vector<std::size_t> to;
};

// One entry per block. Begins with the partners in `known` and finds further ones greedily: a good
// answer, not always the smallest. Empty lists everywhere imply that a renaming exists. REQUIRES:
// the same number of blocks, the same label and ordering in each; known.size() == from.names, no
// partner twice.
std::vector<UnmatchedRows> match_rows(const Pattern& from, const Pattern& to,
                                      const PartialRenaming& known);

}  // namespace heddle
