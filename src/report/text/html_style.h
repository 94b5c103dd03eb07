// The style sheet of HTML reports.
#pragma once

#include <string>

namespace heddle {

// Light colours, and dark ones for those who asked their system for them.
std::string html_style();

}  // namespace heddle
