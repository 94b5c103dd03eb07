// What 0 means in the formats of Plume and dbcop.
#pragma once

#include "heddle/recorded_history.h"

namespace heddle {

// Removes each session whose only transaction writes nothing but zeros: it is the initial state.
void drop_initial_sessions(TransactionHistory& history);

// Decides which reads are of the initial value. Every register holds 0 before it is written, but
// some tools also write the zeros down. REQUIRES: a read of kNil means "before any write".
// Afterwards:
// - if no transaction that may have committed writes 0, the initial value is 0;
// - else a read of 0 is from such a write where its key has one. Where none has, the read is of the
//   initial value, which then is kNil; without such reads there is no initial value.
void settle_zeros(TransactionHistory& history);

// Whether some transaction that may have committed writes 0, and one does so to each key of which 0
// is read.
bool zeros_are_written(const TransactionHistory& history);

// Whether drop_initial_sessions would remove something.
bool has_initial_sessions(const TransactionHistory& history);

}  // namespace heddle
