#include "replay/branches.h"

namespace heddle {

bool Branches::is_running() const { return levels_.empty() || levels_.back().runs; }

bool Branches::asks(Instruction::Kind kind) const {
  if (kind == Instruction::Kind::if_begin) return is_running();
  return kind == Instruction::Kind::elif && !levels_.back().taken;
}

void Branches::pass(Instruction::Kind kind, bool condition) {
  switch (kind) {
    case Instruction::Kind::query:
      return;
    case Instruction::Kind::if_begin:
      // What does not run as a whole has no branch to take.
      levels_.push_back({.runs = condition, .taken = condition || !is_running()});
      return;
    case Instruction::Kind::elif:
      levels_.back().runs = !levels_.back().taken && condition;
      levels_.back().taken = levels_.back().taken || levels_.back().runs;
      return;
    case Instruction::Kind::else_begin:
      levels_.back().runs = !levels_.back().taken;
      levels_.back().taken = true;
      return;
    case Instruction::Kind::if_end:
      levels_.pop_back();
      return;
  }
}

}  // namespace heddle
