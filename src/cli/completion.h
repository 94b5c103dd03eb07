// Completion scripts for shells, printed from the tables of commands and options.
#pragma once

#include <string>

namespace heddle {

std::string bash_completion();
std::string zsh_completion();

}  // namespace heddle
