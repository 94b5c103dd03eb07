// A cycle asked about with everything that its transactions read and find.
//
// A formula about some operations of a cycle leaves open what the rest of their transactions see.
// This closes it (closed_world.h), and asks again: without a solution there are no rows and no
// arguments with which the cycle happens, whatever other transactions do meanwhile
// (other_writes.h). That is a proof only where the formula says no more of stores and clients than
// is so everywhere. Values are therefore read cautiously, and functionalities whose statements the
// closed world knows in part alone are not asked about at all (left_open.h).
#pragma once

#include <string>
#include <vector>

#include "find/search/other_writes.h"
#include "find/terms/search_input.h"
#include "heddle/find.h"

namespace heddle::find {

class WholeCheck {
 public:
  // `input` outlives it. REQUIRES: no cycle is asked about at levels above those that matter.
  explicit WholeCheck(const SearchInput& input);

  // Whether the cycle is proved impossible. False also where nobody knows. The search does not ask
  // so of each cycle: it takes ten times as long.
  bool is_impossible(const FoundCycle& cycle) const;
  // What is not said exactly of its transactions, for people; empty: nothing.
  std::string left_open(const FoundCycle& cycle) const;

 private:
  bool has_no_solution(const FoundCycle& cycle) const;

  const SearchInput& input_;
  OtherWrites others_;
  std::vector<std::string> left_open_;  // of each functionality
};

}  // namespace heddle::find
