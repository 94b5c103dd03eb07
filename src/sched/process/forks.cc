// Processes that a test forks itself: of its threads only the one that forks goes on there, and
// heddle does not control it any more.
#include <sys/types.h>

#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<pid_t()> real_fork("fork");

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names are the C library's.
extern "C" {
#pragma GCC visibility push(default)

pid_t fork() {
  const bool by_task = runtime::is_on_task();
  const pid_t child = runtime::real_fork();
  if (child == 0 && by_task) runtime::hooked = nullptr;
  return child;
}

// A child that shares the memory of its parent would change what heddle knows of the parent.
pid_t vfork() { return fork(); }

#pragma GCC visibility pop
}
// NOLINTEND
