// What a program reads from standard input, when it is executed again and again.
#pragma once

#include <cstdint>

namespace heddle::sched::runtime {

class ProgramInput {
 public:
  // Reads what comes from a pipe to its end, or as long as something comes: at a terminal, and
  // where nobody writes, there is nothing to read.
  ProgramInput();

  // Called by the process of an execution: standard input begins where it did at first.
  void begin_execution() const;

 private:
  int file_ = -1;  // -1: standard input is left as it is
  std::int64_t begin_ = 0;
};

}  // namespace heddle::sched::runtime
