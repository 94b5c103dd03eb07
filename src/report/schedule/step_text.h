// What a step sent and what came back, in a few lines.
#pragma once

#include <cstddef>
#include <string>

#include "heddle/finding.h"
#include "report/text/layout.h"

namespace heddle {

// The statements for one of the finding's stores without comments; commands of Redis, of which each
// is on a line, with semicolons between them.
std::string text_on_one_line(const Finding& finding, std::size_t store, const std::string& text);

// The store that the step is for, or that its command went to.
std::size_t store_of_step(const Scenario& scenario, const StepRecord& record);
// What was sent to the server, with its variables filled in, on one line.
StyledLine describe_sent(const Finding& finding, const StepRecord& record);

// Rows read, rows written, errors: one line each, long results cut.
StyledCell describe_outcome(const Finding& finding, std::size_t record);

// "(1, 110)", NULL for nothing.
std::string describe_values(const Row& row);

}  // namespace heddle
