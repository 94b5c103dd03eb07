// The test framework that the program uses, if it has told of one.
#pragma once

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

// Tells of a failure, once: the framework, if it can, else standard error.
void report_failure(const Answer& answer);

}  // namespace heddle::sched::runtime
