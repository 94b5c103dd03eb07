// The escapes of addresses: %2F for a slash.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle {

// "%2F" -> "/"; none where a % has no two hexadecimal digits behind it.
std::optional<std::string> percent_decoded(std::string_view text);

// Escapes whatever means something in an address, but for the slash.
std::string percent_encoded(std::string_view text);

}  // namespace heddle
