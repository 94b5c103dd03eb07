// What PostgreSQL calls the types of columns, and how it writes their values.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "heddle/outcome.h"

namespace heddle::replicated {

// The catalogue's word for the type of a column, as a schema declares it.
std::string type_name(const std::string& declared);

// How many digits numeric(10,2) has behind the point; none: any number, or it is no such type.
std::optional<std::size_t> scale_of(const std::string& type);

// Gives numbers as many digits behind the point as their columns have, since SQLite keeps no zeros
// there. What has more stays as it is. REQUIRES: the columns have types.
void write_scales(ResultSet& result);

}  // namespace heddle::replicated
