// Cuts, and what several of them cost, as JSON documents; docs/formats/split.md describes them.
#pragma once

#include <string>

#include "heddle/coverage.h"
#include "heddle/cut_search.h"

namespace heddle {

// A cut as parse_cut() reads it.
std::string to_json(const Cut& cut);
// The document "heddle": "cuts/1".
std::string to_json(const CutComparison& comparison, const Coverage& coverage);
std::string to_json(const CutSearchReport& report, const Coverage& coverage);

}  // namespace heddle
