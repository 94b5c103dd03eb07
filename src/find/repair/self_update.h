// Updates that write what the client computed from an earlier read of the same row, and the same
// updates computing it themselves: SELECT balance INTO b ...; UPDATE ... SET balance = b - 10
// becomes UPDATE ... SET balance = balance - 10. What the client then uses no more is not read.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heddle/program.h"

namespace heddle::find {

// Numbers of the statements, in the order of list_statements(), that can be made so: the read and
// the update name the same row by its primary key, nothing in between writes its table, and what is
// computed is a sum, difference or product.
std::vector<std::size_t> possible_self_updates(const Functionality& functionality,
                                               const Schema& schema);

// How such an update reads then, with the client's names.
std::string self_updated_text(const Functionality& functionality, std::size_t statement,
                              const Schema& schema);

// Statements keep their numbers. REQUIRES: it is one of the possible ones.
void make_self_update(Functionality& functionality, std::size_t statement, const Schema& schema);

}  // namespace heddle::find
