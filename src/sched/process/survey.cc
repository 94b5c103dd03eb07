// Where each task is, when the driver does not come back from one of them: the tasks that wait are
// given the turn for as long as it takes to walk their stacks.
#include <sys/stat.h>
#include <unwind.h>

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

namespace {

_Unwind_Reason_Code put_frame(_Unwind_Context* context, void* surveyed) {
  SurveyedTask& task = *static_cast<SurveyedTask*>(surveyed);
  const std::uintptr_t address = _Unwind_GetIP(context);
  if (address == 0 || task.count == SurveyedTask::kMostFrames) return _URC_END_OF_STACK;
  task.frames[task.count++] = address;
  return _URC_NO_REASON;
}

}  // namespace

void Engine::tell_position(Task& task) {
  SurveyedTask& told = flight_->told[flight_->tasks];
  told = {.task = task.id, .announced = task.announced, .object = task.object};
  _Unwind_Backtrace(put_frame, &told);
  ++flight_->tasks;
  if (surveyor_ != nullptr) switch_carrier(task.thread->carrier(), *surveyor_, switching_);
}

void Engine::survey() {
  hooked = nullptr;
  flight_->tasks = 0;
  tell_position(*running_);
  flight_->told[0].runs = true;
  Carrier here;
  here.thread_pointer = thread_pointer();
  surveyor_ = &here;
  for (std::size_t i = 0; i < tasks_used_; ++i) {
    Task& task = tasks_[i];
    if (task.in_use && !task.begun) {
      flight_->told[flight_->tasks++] = {.task = task.id};
    }
    // Threads that hand over are each in a wait of the system: only the running one is asked.
    const bool waits = task.in_use && task.begun && !task.ended && &task != running_;
    if (!waits || switching_ != Switching::lending) continue;
    switch_carrier(here, task.thread->carrier(), switching_);
  }
  surveyor_ = nullptr;
}

// What was written since the last time is the running task's.
void Engine::note_output() {
  struct stat status{};
  if (options_.output < 0 || fstat(options_.output, &status) != 0) return;
  const auto end = static_cast<std::uint64_t>(status.st_size);
  std::vector<WrittenPart>& written = execution_.written;
  if (end == (written.empty() ? 0 : written.back().end)) return;
  written.push_back({running_->id, end});
}

}  // namespace heddle::sched::runtime
