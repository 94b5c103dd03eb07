// Keys that texts are appended to.
#pragma once

#include <string>

#include "check/calls/quick.h"

namespace heddle {

// What a key holds with that value: nil is the empty text.
std::string text_of(const ObjectHistory& history, Value value);

// As order_quickly, where nothing is put and something is appended; else it does not know.
QuickOutcome order_appends(const CallProblem& problem);

}  // namespace heddle
