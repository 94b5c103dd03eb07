// A statement with parameters, as drivers of PostgreSQL send it, with the values in their places,
// since the replicated store takes texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"

namespace heddle::replicated {

struct BoundValue {
  std::optional<std::string> text;  // none: NULL
  std::string type;                 // PostgreSQL's name of it; empty: the client did not say
};

// The text with a literal for each $1, $2, ... What stands in literals and comments is left alone.
// A point in time that has a zone loses it, as PostgreSQL takes it for a column without one; error:
// the zone is another one than UTC, or a parameter has no value.
Result<std::string> with_values(std::string_view text, const std::vector<BoundValue>& values);

}  // namespace heddle::replicated
