// Well-formed UTF-8, as RFC 3629 defines it. Databases may answer with any bytes.
#pragma once

#include <cstddef>
#include <string_view>

namespace heddle {

// The length of the well-formed character that starts at `at`, or 0 where there is none.
std::size_t utf8_length(std::string_view text, std::size_t at);

bool is_utf8(std::string_view text);

}  // namespace heddle
