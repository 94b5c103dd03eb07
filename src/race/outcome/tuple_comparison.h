// Whether two outcomes are equal under the rules of their pair, and which rows differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "race/outcome/outcome_rules.h"
#include "race/outcome/outcome_tuple.h"

namespace heddle {

// What of two outcomes is compared: all rows, and the answers but for those to some requests.
struct ComparedPart {
  bool has_answers = true;
  std::set<std::uint64_t> without = {};
};

// Under one renaming. Where the bound on the search for it is hit, they are taken as equal.
bool are_equal(const OutcomeTuple& one, const OutcomeTuple& other, const OutcomeRules& rules,
               const ComparedPart& part);

// Rows of a block that have no partner in the other outcome.
struct DifferingRows {
  BlockKind kind = BlockKind::answer;
  std::string title = {};
  std::vector<const TupleRow*> one = {};
  std::vector<const TupleRow*> other = {};
};

// Empty where the outcomes are equal. Pointers are into the outcomes.
std::vector<DifferingRows> differing_rows(const OutcomeTuple& one, const OutcomeTuple& other,
                                          const OutcomeRules& rules, const ComparedPart& part);

// A row without its names: equal texts may be equal rows.
std::string outline_text(const OutcomeTuple& tuple, const TupleRow& row, const OutcomeRules& rules);

}  // namespace heddle
