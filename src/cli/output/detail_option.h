// --details: which causes are told in full.
#pragma once

#include "cli/options/options.h"
#include "heddle/result.h"
#include "report/find/detail_choice.h"

namespace heddle {

OptionDefinition details_option();

// Numbers, ranges of numbers and ids with commas between them, "all" or "none"; what is given
// several times adds up. REQUIRES: the option is the command's.
Result<DetailChoice> details_of(const Arguments& arguments);

// Says which of the choice there is not.
void warn_of_unknown(const DetailChoice& choice, const std::vector<FoundCause>& causes);

}  // namespace heddle
