// Functionalities that have transactions open on several connections at the same time.
#pragma once

#include <cstddef>
#include <functional>

#include "heddle/program.h"

namespace heddle::program {

// A functionality can have no more of them where it is read from SQL.
inline constexpr std::size_t kMostConnections = 16;

// Whether its statements run on more than one connection (ProgramStatement::connection).
bool uses_several_connections(const Functionality& functionality);

// Whether, in the order of the text, a transaction of one connection ends while one of another has
// begun that goes on behind it: something more runs there, or the caller ends it. Connection 0 may
// be any of them. What is done by Redis is on none.
bool are_open_together(const Functionality& functionality,
                       const std::function<bool(std::size_t)>& is_ended_by_caller);

// How many connections it needs: one, or up to the last one on which a statement runs.
std::size_t connection_count(const Functionality& functionality);

// Whether a statement of the block runs on that connection, also within what the block contains.
bool runs_on(const Block& block, std::size_t connection);

// Whether the last statement that runs there, in the order of the text, ends no transaction.
bool leaves_open(const Functionality& functionality, std::size_t connection);

// What runs on the first connection runs on that one.
void move_to_connection(Block& block, std::size_t connection);

// Numbers the connections 0, 1, ... in the order in which the text has them; 0 stays what it is
// where it occurs.
void number_connections(Functionality& functionality);

// All statements run on one connection, so that each COMMIT ends all that is open. Returns whether
// there were several.
bool join_connections(Functionality& functionality);

}  // namespace heddle::program
