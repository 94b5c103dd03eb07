// Writers that a history does not show.
#pragma once

#include "heddle/recorded_history.h"

namespace heddle {

// A register's value that somebody read and nobody wrote was written by somebody else, before the
// recording or beside it, where the history is partial: Jepsen's own checkers leave such reads
// alone. One transaction for each such value is added, with an unknown outcome, in a session of its
// own called "outside". Nothing is added to a history that is not partial.
void add_outside_writers(TransactionHistory& history);

}  // namespace heddle
