// Errors that say: nothing happened, try again. Whoever gets one knows that the transaction had no
// effect, so that it is left out where outcomes are compared (docs/programs.md, "Errors").
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/program.h"

namespace heddle::interpreter {

// What a Raise ends with, P0001 where it says nothing. REQUIRES: it is not the error at hand.
std::string state_of(const Raise& raise);

// An error as its user sees it.
struct UserError {
  std::string_view sqlstate;
  std::string_view exception;  // class of a program in Java, without its package; empty: none
  std::string_view message;
};

// Whether the error is of SQLSTATE class 40, or is named. `names`: SQLSTATEs and their classes
// ("23", "23505"), names of conditions, of classes of exceptions, or messages, in which `*` stands
// for anything.
bool is_refusal(const UserError& error, const std::vector<std::string>& names);

// The same of what a Raise ends with, whatever its values are.
bool is_refusal(const Raise& raise, const std::vector<std::string>& names);

}  // namespace heddle::interpreter
