// What is wrong with the machine or the server rather than with what a user wrote, and what to do.
#pragma once

#include <string>
#include <string_view>

#include "heddle/outcome.h"
#include "heddle/result.h"

namespace heddle {

// The store failed, not the statement: no room, no memory, files that cannot be read or written,
// damaged data, a connection that ended. Such an error says nothing about a scenario.
bool is_store_trouble(const StepError& error);

// A text of several lines as one: without its indented lines, in which libpq guesses at what "this
// probably means".
std::string in_one_line(std::string_view text);

// What to do about a reason in the words of the server or of the operating system; may be empty.
std::string advice_for(std::string_view reason);

Diagnostic store_trouble(std::string what, std::string what_to_do = "");

// The connection is gone. What libpq says of it depends on who noticed first, so that it is not
// quoted.
Diagnostic lost_connection();

// REQUIRES: is_store_trouble(error). `doing` names what failed: "step w1", "the setup".
Diagnostic trouble_with(const std::string& doing, const StepError& error);

}  // namespace heddle
