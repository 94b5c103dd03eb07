// How names of table rows are compared: case, and which of '-', '_' and white space separates the
// words, make no difference.
#pragma once

#include <string>
#include <string_view>

namespace heddle {

// "Read  Committed", "read_committed" and "read-committed" all give "read-committed".
std::string same_spelling(std::string_view name);

}  // namespace heddle
