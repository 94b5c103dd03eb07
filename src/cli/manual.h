// The manual page, heddle(1), printed from the tables of commands and options.
#pragma once

#include <string>

namespace heddle {

// In the roff language of man.
std::string manual_page(const std::string& version);

}  // namespace heddle
