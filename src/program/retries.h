// Loops whose rounds may be attempts at one thing: what a round did comes to nothing, and then the
// next one finds the client as the round before had found it. Such a round may be left out of what
// the functionality does.
//
// Let the last round of a loop be the one that ends it. A round before it of which the store keeps
// nothing, and after which all variables that a round may read from before it (`kept`) have their
// old values, but for those that do nothing but count (`counters`), is one that the functionality
// might as well not have made: alone, in the place of the last round, all of them would have gone
// the same way. Who wants to leave a round out has to look at the first two conditions; the third
// one, what the counters do, is decided here, from the text.
#pragma once

#include <map>
#include <set>
#include <string>

#include "heddle/program.h"

namespace heddle::program {

struct Retry {
  std::set<std::string> kept;
  // They decide nothing but whether there is another round.
  std::set<std::string> counters;
  bool gives_up_inside = false;  // the body asks them, not the condition of the loop alone
};

// By the body of each loop, which is a Loop or a CountLoop, into the functionality. A loop that is
// not there has rounds that differ by their number, or that share what is no variable, such as a
// cursor.
using Retries = std::map<const Block*, Retry>;
Retries retries(const Functionality& functionality);

}  // namespace heddle::program
