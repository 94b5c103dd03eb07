#include "sched/process/survey_signal.h"

#include <csignal>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"
#include "sched/runtime/process_ends.h"

namespace heddle::sched::runtime {

namespace {

// A task that hands over has a thread of the system to itself, which is not the driver's.
void pass_to_running_thread(Engine& here) {
  pthread_kill(here.running().thread->handle(), kSurveySignal);
}

void answer(int /*signal*/) {
  Engine* here = the_engine;
  if (here != nullptr && here->is_executing()) {
    if (here->running().thread->carrier().thread_pointer == thread_pointer()) {
      here->survey();
      __atomic_store_n(&here->flight().surveyed, 1, __ATOMIC_RELEASE);
    } else {
      pass_to_running_thread(*here);
    }
  }
  // What was interrupted does not go on: whoever asked ends the process.
  for (;;) system_call(SYS_pause, {});
}

}  // namespace

void handle_survey_signal() {
  struct sigaction action{};
  action.sa_handler = answer;
  action.sa_flags = SA_ONSTACK;
  sigfillset(&action.sa_mask);
  sigaction(kSurveySignal, &action, nullptr);
}

}  // namespace heddle::sched::runtime
