// What an execution tells of its events while it is recorded.
#include <bit>
#include <utility>

#include "sched/runtime/backtrace.h"
#include "sched/runtime/engine.h"
#include "sched/runtime/program_image.h"

namespace heddle::sched::runtime {

// What is no step, or a step of a task that is alone, is of use only where it can still be looked
// through.
void Engine::record(Announcement announcement, bool step) {
  constexpr std::size_t kMostRecorded = 20'000;
  const Task& task = *running_;
  const TaskPlace place{task.id, task.operations};
  look_for_sought();
  if (place == options_.stop_at) {
    stop_for_debugger(announcement.caller, options_.stop_above);
  }
  const bool is_free = !step || std::has_single_bit(alive_);
  if (is_free && execution_.recorded.size() >= kMostRecorded) return;
  close_event();
  Event event{.place = place,
              .kind = announcement.kind,
              .object = announcement.object,
              .size = announcement.size,
              .step = step,
              .timed_out = task.timed_out,
              .decisions = decisions_,
              .decided = decided_,
              .stack = {}};
  if (announcement.caller != nullptr) event.stack = backtrace_from(announcement.caller);
  event.before = value_at(event.object, event.size);
  execution_.recorded.push_back(std::move(event));
  open_event_ = true;
}

void Engine::look_for_sought() {
  if (static_cast<std::uint32_t>(hash_) == options_.sought) execution_.has_come_by = true;
}

}  // namespace heddle::sched::runtime
