// What is wrong with the machine or the server rather than with what a user wrote, and what to do.
#pragma once

#include <string>
#include <string_view>

#include "heddle/result.h"

namespace heddle {

// A text of several lines as one: without its indented lines, in which libpq guesses at what "this
// probably means".
std::string in_one_line(std::string_view text);

// What to do about a reason in the words of the server or of the operating system; may be empty.
std::string advice_for(std::string_view reason);

Diagnostic store_trouble(std::string what, std::string what_to_do = "");

}  // namespace heddle
