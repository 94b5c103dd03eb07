// Waits that end with EINTR when a handler of a signal has run in them.
#pragma once

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

// While this lives what the running task waits for may end so.
class Interruptible {
 public:
  explicit Interruptible(Interruption kind)
      : task_(engine().running()), before_(task_.signals.interrupted) {
    engine().forget_left_handlers();
    task_.signals.interruption = kind;
  }
  ~Interruptible() { task_.signals.interruption = Interruption::no; }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  bool came() const { return task_.signals.interrupted != before_; }

 private:
  Task& task_;
  std::uint32_t before_;
};

}  // namespace heddle::sched::runtime
