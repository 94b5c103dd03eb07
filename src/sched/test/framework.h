// The test framework that the program uses, if it has told of one.
#pragma once

#include <string>

#include "heddle/sched.h"

namespace heddle::sched::runtime {

// As long as this lives, the framework's failed assertions fail the execution that makes them.
class InFramework {
 public:
  InFramework();
  ~InFramework();
  InFramework(const InFramework&) = delete;
  InFramework& operator=(const InFramework&) = delete;
};

// What reports call a test that begins now: what it says itself, what the framework calls it, or
// the program's name, with a number where there are several. Asked once for each.
std::string test_name(const Options& options);

// Tells of a failure, once: the framework, if it can, else standard error.
void report_failure(const Answer& answer);

}  // namespace heddle::sched::runtime
