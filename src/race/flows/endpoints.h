// Endpoints: what requests have in common that differ in their values alone.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/trace.h"

namespace heddle::race {

// For each request of the trace its endpoint, "POST payments/tills/*/cash": method, service, and
// the path with a star for each value. A value has a digit, is long, or stands where requests that
// are otherwise equal have many different words.
std::vector<std::string> endpoints_of(const Trace& trace);

// Whether the pattern, `GET /trains/*/departure`, is for the endpoint, whatever its service is. The
// method may be left out.
bool matches_endpoint(std::string_view pattern, std::string_view endpoint);

// The path without its query, split at slashes; percent-encoding is undone.
std::vector<std::string> path_segments(std::string_view target);
std::string percent_decoded(std::string_view text);

}  // namespace heddle::race
