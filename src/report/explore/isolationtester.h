// What PostgreSQL's isolationtester prints, byte for byte, so that heddle can stand in for it.
#pragma once

#include <string>

#include "heddle/outcome.h"
#include "heddle/scenario.h"

namespace heddle {

// The first line of standard output, once per scenario.
std::string isolationtester_head(const Scenario& scenario);

// What one permutation adds to standard output.
std::string isolationtester_permutation(const Scenario& scenario, const Run& run);

// What one permutation adds to standard error: setup and teardown blocks that failed.
std::string isolationtester_errors(const Scenario& scenario, const Run& run);

// A result in the layout of libpq's PQprint with header, alignment and `|` between the fields.
// Widths count bytes, as there. Nothing when the result has no columns.
std::string pqprint(const ResultSet& result);

}  // namespace heddle
