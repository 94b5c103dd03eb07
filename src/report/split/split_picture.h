// The graph of a cut for a page.
#pragma once

#include <string>

#include "heddle/split.h"

namespace heddle {

// The graph with its legend as an <svg> element without a style sheet, to be put into a page that
// has `svg_style` and `graph_style`.
std::string picture_of(const SplitReport& report);

}  // namespace heddle
