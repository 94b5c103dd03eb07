// PostgreSQL's built-in types by their numbers (pg_type.dat).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace heddle::postgres {

struct NumberedType {
  std::uint32_t number = 0;  // 0: none of these
  std::int32_t modifier = -1;
};

// Of a type as the catalogue writes it: numeric(12,2), character varying(40), integer.
NumberedType numbered_type(std::string_view name);

// "integer", without what stands in parentheses; empty: none of these.
std::string_view type_name(std::uint32_t number);

}  // namespace heddle::postgres
