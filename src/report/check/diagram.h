// The transactions of a counterexample side by side.
#pragma once

#include <string>

#include "heddle/check.h"
#include "report/check/names.h"
#include "report/text/layout.h"

namespace heddle {

// One column per session, one row per operation, in an order in which it can have happened as far
// as the counterexample tells.
std::string render_check_diagram(const Counterexample& counterexample, const CheckNames& names,
                                 const TextOptions& options);

// The times of the transactions, or nothing where the counterexample does not need real time.
std::string render_check_times(const Counterexample& counterexample, const CheckNames& names,
                               const TextOptions& options);

}  // namespace heddle
