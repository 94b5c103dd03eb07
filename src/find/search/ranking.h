// What people look at first: by status, and of one status what breaks an invariant, then what
// leaves wrong rows, then what is read wrongly; of these first what needs no equal arguments, and
// no rows that were made up where calls would have made them.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "heddle/find.h"

namespace heddle::find {

// Lower comes first.
int rank(const FoundExecution& execution);
// None: nobody tried, so that it is possible.
int rank(const std::optional<FoundExecution>& execution);

// Puts the causes into that order; equal ones stay as they are.
void rank_causes(std::vector<FoundCause>& causes);

// Of causes that nobody tried: a limit, such as "--timeout", came first.
void say_untried(std::vector<FoundCause>& causes, std::string_view limit);

// What was proved of the cycles that are known is not proved of a cause that may have others: `why`
// says so.
void withdraw_proof(std::optional<FoundExecution>& execution, std::string_view why);

}  // namespace heddle::find
