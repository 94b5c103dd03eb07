#include "sched/runtime/event.h"

#include <array>
#include <utility>

namespace heddle::sched::runtime {

namespace {

template <class Kind>
using Names = std::pair<Kind, const char*>;

constexpr std::array kVerbs{
    Names<OperationKind>{OperationKind::read, "reads"},
    Names<OperationKind>{OperationKind::write, "writes"},
    Names<OperationKind>{OperationKind::atomic_load, "loads"},
    Names<OperationKind>{OperationKind::atomic_store, "stores"},
    Names<OperationKind>{OperationKind::atomic_change, "changes"},
    Names<OperationKind>{OperationKind::compare_exchange, "compares and exchanges"},
    Names<OperationKind>{OperationKind::create, "starts"},
    Names<OperationKind>{OperationKind::end, "ends"},
    Names<OperationKind>{OperationKind::join, "joins"},
    Names<OperationKind>{OperationKind::detach, "detaches"},
    Names<OperationKind>{OperationKind::lock, "locks"},
    Names<OperationKind>{OperationKind::lock_shared, "locks shared"},
    Names<OperationKind>{OperationKind::try_lock, "tries to lock"},
    Names<OperationKind>{OperationKind::unlock, "unlocks"},
    Names<OperationKind>{OperationKind::wait, "waits on"},
    Names<OperationKind>{OperationKind::wake_up, "wakes up from"},
    Names<OperationKind>{OperationKind::notify_one, "notifies one of"},
    Names<OperationKind>{OperationKind::notify_all, "notifies all of"},
    Names<OperationKind>{OperationKind::semaphore_wait, "takes from semaphore"},
    Names<OperationKind>{OperationKind::semaphore_post, "gives to semaphore"},
    Names<OperationKind>{OperationKind::barrier_wait, "waits at barrier"},
    Names<OperationKind>{OperationKind::futex_wait, "waits for a change of"},
    Names<OperationKind>{OperationKind::futex_wake, "wakes who waits for"},
    Names<OperationKind>{OperationKind::once, "does once"},
    Names<OperationKind>{OperationKind::sleep, "sleeps"},
    Names<OperationKind>{OperationKind::yield, "yields"},
    Names<OperationKind>{OperationKind::read_clock, "reads the clock"},
    Names<OperationKind>{OperationKind::signal_wait, "waits for a signal"},
    Names<OperationKind>{OperationKind::signal_send, "sends a signal"},
    Names<OperationKind>{OperationKind::cancel, "cancels"},
    Names<OperationKind>{OperationKind::descriptor_wait, "waits for descriptor"},
    Names<OperationKind>{OperationKind::descriptor_use, "uses descriptor"},
    Names<OperationKind>{OperationKind::point, "is at"},
    Names<OperationKind>{OperationKind::call, "calls"},
    Names<OperationKind>{OperationKind::returned, "is answered"},
    Names<OperationKind>{OperationKind::choose, "chooses"},
    Names<OperationKind>{OperationKind::draw, "draws a number"},
    Names<OperationKind>{OperationKind::allocate, "allocates"},
    Names<OperationKind>{OperationKind::free, "frees"},
};

constexpr std::array kFailures{
    Names<FailureKind>{FailureKind::none, "nothing"},
    Names<FailureKind>{FailureKind::assertion, "assertion failed"},
    Names<FailureKind>{FailureKind::exception, "exception escaped"},
    Names<FailureKind>{FailureKind::crash, "crash"},
    Names<FailureKind>{FailureKind::abort, "abort"},
    Names<FailureKind>{FailureKind::exit, "exit"},
    Names<FailureKind>{FailureKind::deadlock, "deadlock"},
    Names<FailureKind>{FailureKind::livelock, "livelock"},
    Names<FailureKind>{FailureKind::starvation, "starvation"},
    Names<FailureKind>{FailureKind::data_race, "data race"},
    Names<FailureKind>{FailureKind::misuse, "misuse"},
    Names<FailureKind>{FailureKind::invariant, "broken invariant"},
    Names<FailureKind>{FailureKind::not_linearizable, "not linearizable"},
    Names<FailureKind>{FailureKind::too_long, "too many steps"},
    Names<FailureKind>{FailureKind::too_many_tasks, "too many threads"},
    Names<FailureKind>{FailureKind::not_deterministic, "not deterministic"},
    Names<FailureKind>{FailureKind::stack_overflow, "stack overflow"},
    Names<FailureKind>{FailureKind::use_after_free, "use after free"},
    Names<FailureKind>{FailureKind::memory_kept, "memory kept"},
};

template <class Kind, std::size_t count>
const char* find_name(const std::array<Names<Kind>, count>& names, Kind kind) {
  for (const auto& [named, name] : names) {
    if (named == kind) return name;
  }
  return "";
}

}  // namespace

const char* verb(OperationKind kind) { return find_name(kVerbs, kind); }
const char* name(FailureKind kind) { return find_name(kFailures, kind); }

void Execution::clear() {
  failure = Failure{};
  schedule.choices.clear();
  schedule.round = Round{};
  events = 0;
  steps = operations = tasks = 0;
  has_come_by = false;
  recorded.clear();
  written.clear();
  names.clear();
  answers.clear();
}

}  // namespace heddle::sched::runtime
