// Values as PostgreSQL sends and takes them in binary (format 1), as the text that it has for them.
//
// Source: the *_send functions of PostgreSQL's src/backend/utils/adt.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::postgres {

// In the notation of a session with the usual settings (DateStyle ISO, IntervalStyle postgres,
// bytea_output hex) in UTC. Of a type that somebody has made, enumerations above all, what is
// printable is its text. None: the type is not known, or these are no bytes of it.
std::optional<std::string> binary_value_text(std::string_view bytes, std::uint32_t type);

}  // namespace heddle::postgres
