// A unit of a raced run in words: who asked whom for what, and what came back.
#pragma once

#include <cstddef>
#include <string>

#include "heddle/race_finding.h"
#include "report/text/layout.h"

namespace heddle {

// "payments -> accounts-db".
std::string edge_text(const RaceRunStep& step);

// "payments -> accounts-db: UPDATE wallet ..." on one line; of a long text the middle is left out.
StyledLine asked_line(const RaceRunStep& step);

// What came back: none for a BEGIN or COMMIT that did just that.
StyledCell outcome_lines(const RaceRunStep& step);

// The same for an answer that has a row of its own.
StyledCell answered_lines(const RaceRunStep& step);

// The text without its middle, where it is wider. REQUIRES: printable text.
std::string without_middle(const std::string& text, std::size_t width);

}  // namespace heddle
