#include "sched/test/build_check.h"

#include <algorithm>

#include "sched/runtime/libc.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

namespace {

bool has_event(const Execution& execution, OperationKind kind) {
  return std::any_of(execution.recorded.begin(), execution.recorded.end(),
                     [kind](const Event& event) { return event.kind == kind; });
}

}  // namespace

void verify_build(void (*sample)(void*)) {
  static bool verified = false;
  if (verified) return;
  verified = true;
  int place = 0;
  Test test(sample, &place, Options{});
  test.share(&place);
  const Execution execution = test.replay(Schedule{}, true);
  if (!has_event(execution, OperationKind::write) ||
      !has_event(execution, OperationKind::atomic_change)) {
    stop_program(
        "heddle: the test's accesses to memory do not arrive: compile its files with "
        "-fsanitize=thread "
        "(heddle_add_sched_test does), and link without it");
  }
  if (!has_event(execution, OperationKind::lock) || !has_event(execution, OperationKind::unlock) ||
      !has_event(execution, OperationKind::notify_one)) {
    stop_program(
        "heddle: the test's locks do not arrive: another library stands before heddle's runtime; "
        "link "
        "heddle_sched_runtime.o into the program itself, and no sanitizer");
  }
}

}  // namespace heddle::sched::runtime
