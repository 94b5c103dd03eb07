// Which sub-transactions a cycle goes through: what makes it part of a cause.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "find/terms/search_input.h"
#include "heddle/split.h"

namespace heddle::chopping {

// Of each functionality that runs, its sub-transactions in the cycle. All sorted.
using Parts = std::vector<std::vector<SplitPart>>;

class CycleParts {
 public:
  explicit CycleParts(const ChoppedProgram& chopped);

  Parts of(const FoundCycle& cycle) const;
  // Of the cycles that the skeleton stands for. `members`: functionalities of its transactions.
  Parts of(const find::Skeleton& skeleton, const std::vector<std::size_t>& members) const;

 private:
  using ByInstance = std::map<std::size_t, std::vector<SplitPart>>;
  void add(std::size_t instance, std::size_t functionality, std::size_t statement,
           ByInstance& parts) const;

  std::vector<std::map<std::size_t, std::size_t>> sub_of_;  // by functionality and statement
};

}  // namespace heddle::chopping
