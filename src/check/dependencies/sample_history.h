// Small made-up histories for tests and fuzzers: an in-memory multi-version store runs random
// sessions under one of several visibility rules, most of which let anomalies arise.
#pragma once

#include <cstdint>
#include <functional>

#include "heddle/history.h"

namespace heddle {

// Returns a number below the given bound (at least 1). All choices are drawn from it.
using Choose = std::function<std::uint32_t(std::uint32_t below)>;

// Two to four sessions of one or two transactions over up to three rows of table "t". Transactions
// see their own writes; some abort, so that reads may be illegal.
History sample_history(const Choose& choose);

}  // namespace heddle
