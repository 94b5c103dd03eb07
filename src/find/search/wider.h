// Which cycles are searched for where it is too much to ask about all: those of a small program
// beyond the usual bounds, and those through many transactions.
#pragma once

#include <cstddef>
#include <vector>

#include "find/terms/search_input.h"
#include "heddle/find.h"

namespace heddle::find {

// Lets larger cycles be asked about whose statements are not all those of a known one, or more:
// where something smaller is wrong with these already, whatever the arguments, what is longer says
// little, and there is a great deal of it. `input`: of the search that has found the known ones; it
// outlives what is returned.
Admission beyond(const SearchInput& input, std::vector<FoundCycle> known);

// From now on `input` admits no cycle with all statements of a known one, or more.
void leave_out(SearchInput& input, const std::vector<FoundCycle>& known);

// Sets of so many functionalities through which `input` admits a cycle, by their conflicts alone.
struct CycleSets {
  std::vector<std::vector<std::size_t>> sets;  // each sorted, in order
  bool is_complete = true;                     // false: it was late
};
CycleSets sets_with_cycles(const SearchInput& input, std::size_t size);

}  // namespace heddle::find
