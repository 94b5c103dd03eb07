// What a predicate says of single columns: `id = $1 AND state IN ('a', 'b')` leaves one value for
// the one and two for the other. Whatever is not of this form says nothing.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/trace.h"

namespace heddle {

// The column as it is written, "id" or "o.id", and the values that it may have.
using ColumnValues = std::map<std::string, std::set<std::string>>;

ColumnValues predicate_values(std::string_view predicate,
                              const std::vector<TraceParameter>& parameters);

// The value of an expression that is a parameter or a literal, perhaps with a cast; none: it is
// something else, or NULL.
std::optional<std::string> constant_value(std::string_view expression,
                                          const std::vector<TraceParameter>& parameters);

// A value so that equal ones are equal texts: 7.00 is 7, t is true. None: it may be written in many
// ways, as times are.
std::optional<std::string> comparable_value(const TraceValue& value);

}  // namespace heddle
