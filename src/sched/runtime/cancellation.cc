// Tasks that are cancelled where they wait, by pthread_cancel and its kin.
#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

bool Engine::request_cancelably(const Announcement& announcement, bool can,
                                std::optional<std::uint64_t> deadline_ns) {
  Task& task = *running_;
  begin_cancelable(task);
  const bool came = request(announcement, can, deadline_ns);
  end_cancelable(task);
  return came;
}

void Engine::begin_cancelable(Task& task) {
  task.cancellation.waits = true;
  if (!task.cancellation.is_due()) return;
  cancelled_ |= only(task.id);
  enable(only(task.id));
}

void Engine::end_cancelable(Task& task) {
  task.cancellation.waits = false;
  cancelled_ &= ~only(task.id);
}

void Engine::cancel(Task& task) {
  task.cancellation.asked = true;
  if (task.cancellation.waits) begin_cancelable(task);
  changed(reinterpret_cast<std::uintptr_t>(&task));
}

}  // namespace heddle::sched::runtime
