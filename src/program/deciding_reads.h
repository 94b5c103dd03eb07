// Which queries have a say in the rows that a functionality leaves: CLOTHO (Rahmani et al., OOPSLA
// 2019, section 4.2) calls an anomaly internal where what was read goes into what is written.
#pragma once

#include <functional>
#include <set>

#include "heddle/program.h"

namespace heddle::program {

// Of the statements that are queries alone those whose rows go into something else that the
// functionality sends to the store, or decide whether it does, or whether it ends in an error after
// which nothing stays of what it sent. Any other query may give other rows, and the functionality
// writes what it would have written. A value that was not understood may be of each query.
// The pointers are into the functionality.
//
// `is_query`: whether the statement does nothing but to read.
std::set<const ProgramStatement*> deciding_reads(
    const Functionality& functionality,
    const std::function<bool(const ProgramStatement&)>& is_query);

}  // namespace heddle::program
