// Names and values as SQL text.
#pragma once

#include <string>

namespace heddle {

// a"b -> "a""b"
std::string quote_identifier(const std::string& name);

// The same with another mark: a`b -> `a``b`
std::string quote_with(const std::string& name, char mark);

// a'b -> 'a''b', with E'' where a backslash needs it.
std::string quote_literal(const std::string& text);

// As MariaDB and MySQL read it: a'b\ -> 'a''b\\'
std::string quote_mariadb_literal(const std::string& text);

}  // namespace heddle
