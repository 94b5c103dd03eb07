// What bounds the reading of one functionality, and what stands where it was cut.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "frontend/java/classes/classes.h"
#include "heddle/program.h"

namespace heddle::java {

struct ReadLimits {
  std::size_t depth = 24;      // of methods that are followed, one in another
  std::size_t nesting = 200;   // of expressions and statements
  std::size_t steps = 20'000;  // for one functionality, besides those for each byte of its method
  std::size_t steps_per_byte = 1;
  // Whether calls are cut where the steps are used up, and there are as many again for the rest;
  // else the functionality is given up.
  bool cuts_when_late = true;
  // Whether all calls are cut but those of a few steps: the method is read alone.
  bool cuts_always = false;
  // JavaOptions::autocommit.
  std::optional<bool> autocommit = {};
};

// What a failed attempt at reading must not leave behind.
struct ReadingMark {
  std::size_t variables = 0;
  std::size_t notes = 0;
  bool states_boundaries = false;
};

// A call that is not followed in its place, because there would be too much. In the body stands an
// assignment of its number to call_place(), for which outline.h puts what the method does.
struct CutCall {
  const Method* method = nullptr;
  bool is_in_try = false;  // what the method throws may be caught by the caller
};

Expression call_place();

// A statement that may read and write anything.
ProgramStatement anything_statement(const std::string& what, const SourceLocation& source);

}  // namespace heddle::java
