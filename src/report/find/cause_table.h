// Causes on a terminal: the table of all, and one in full.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/find/cause_summary.h"
#include "report/text/text_options.h"

namespace heddle {

// The first `most` of the rows, each with its places below it. Those of one group are one, with
// their ways below it.
std::string cause_table_text(const std::vector<CauseRow>& rows, std::size_t most,
                             const TextOptions& options);

// How many causes these are.
std::size_t rows_shown(const std::vector<CauseRow>& rows, std::size_t most);

// One cause: its statements with their places, why they depend on each other, what became of it,
// and the run that shows it.
std::string cause_details_text(const CauseDetails& details, const TextOptions& options);

}  // namespace heddle
