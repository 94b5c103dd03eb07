// Which branches of \if, \elif and \else run, as the instructions of a step are gone through.
#pragma once

#include <vector>

#include "heddle/scenario.h"

namespace heddle {

class Branches {
 public:
  // Whether what stands here runs.
  bool is_running() const;
  // Whether the value of the instruction's condition decides. REQUIRES: not a query.
  bool asks(Instruction::Kind kind) const;
  // Goes past an instruction. `condition`: its value, where it is asked for.
  void pass(Instruction::Kind kind, bool condition);

 private:
  // Of each open \if.
  struct Level {
    bool runs = false;   // this branch, and those that it is in
    bool taken = false;  // one of its branches was
  };
  std::vector<Level> levels_;
};

}  // namespace heddle
