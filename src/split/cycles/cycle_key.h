// Cycles by their statements, so that those of differently chopped programs can be told to be one.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "heddle/find.h"

namespace heddle::chopping {

// What a statement of a functionality is called; none: the cut has added it.
using StatementNumbers =
    std::function<std::optional<std::size_t>(std::size_t functionality, std::size_t statement)>;

// A dependency of a cycle.
struct KeyEdge {
  std::size_t from_functionality = 0;
  std::size_t from_statement = 0;
  DependencyKind kind = DependencyKind::wr;
  std::size_t to_functionality = 0;
  std::size_t to_statement = 0;
  std::string table;
};

// The same whatever the cycle begins with.
std::string cycle_key(const std::vector<KeyEdge>& edges, const StatementNumbers& number);
std::string cycle_key(const FoundCycle& cycle, const StatementNumbers& number);

}  // namespace heddle::chopping
