// Names and values as SQL text.
#pragma once

#include <string>

namespace heddle {

// a"b -> "a""b"
std::string quote_identifier(const std::string& name);

// a'b -> 'a''b', with E'' where a backslash needs it.
std::string quote_literal(const std::string& text);

}  // namespace heddle
