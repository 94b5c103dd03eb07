// How much of a program was read, as the first lines of a report.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "heddle/coverage.h"
#include "report/text/text_options.h"

namespace heddle {

// A line with its indentation.
struct CoverageLine {
  std::size_t indent = 0;
  std::string text;
  bool is_whole = false;  // must not be wrapped: it names a place, or is the first one
};

// The first one says how much was read; then come what was not, by technology, with the first
// places of each, and what is left out by name. Texts are printable. None where nobody has looked.
std::vector<CoverageLine> coverage_lines(const Coverage& coverage);

// These lines as text.
std::string render_coverage(const Coverage& coverage, const TextOptions& options);

// "nothing found", with the reservation that is due.
std::string nothing_found_text(const Coverage& coverage);

}  // namespace heddle
