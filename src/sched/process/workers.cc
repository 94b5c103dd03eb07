#include "sched/process/workers.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/process/shared_memory.h"
#include "sched/process/watchdog.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

// A number that processes wait for the change of.
using Word = std::atomic<std::uint32_t>;
static_assert(sizeof(Word) == sizeof(std::uint32_t) && Word::is_always_lock_free);

// False: it has not changed for so long.
bool wait_for_change(Word& word, std::uint32_t seen, long most_ms) {
  constexpr long kMillisecond = 1'000'000;
  const timespec limit{.tv_sec = most_ms / 1000, .tv_nsec = most_ms % 1000 * kMillisecond};
  while (word.load() == seen) {
    const long error = system_call(SYS_futex, {reinterpret_cast<long>(&word), FUTEX_WAIT, seen,
                                               reinterpret_cast<long>(&limit)});
    if (error == -ETIMEDOUT) return word.load() != seen;
  }
  return true;
}

void wake_all(Word& word) {
  constexpr long kAll = 1 << 30;
  system_call(SYS_futex, {reinterpret_cast<long>(&word), FUTEX_WAKE, kAll});
}

}  // namespace

// REQUIRES: it is all zero at first, as fresh memory is.
struct Workers::Board {
  Word order;  // grows with each order; workers wait for it
  Word done;   // how many have done their part; whoever orders waits for it
  bool is_over;
};

std::size_t Workers::most(std::size_t count) { return std::min(count, kMostFlights - 1); }

Workers::Workers(std::size_t count, const Part& begin, const Part& work)
    : board_(static_cast<Board*>(map_shared(sizeof(Board)))) {
  const pid_t parent = getpid();
  for (std::size_t i = 0; i < most(count); ++i) {
    const pid_t worker = fork();
    if (worker < 0) stop_program("heddle: no worker process could be made");
    if (worker == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(1);
      be_worker(i, begin, work);
    }
    processes_.push_back(worker);
  }
}

Workers::~Workers() {
  board_->is_over = true;
  board_->order.fetch_add(1);
  wake_all(board_->order);
  for (const int worker : processes_) {
    while (waitpid(worker, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  munmap(board_, sizeof(Board));
}

void Workers::be_worker(std::size_t number, const Part& begin, const Part& work) {
  begin(number);
  use_watched_flight(number + 1);
  for (std::uint32_t order = 0;; ++order) {
    while (!wait_for_change(board_->order, order, 60'000)) {
    }
    if (board_->is_over) _exit(0);
    work(number);
    board_->done.fetch_add(1);
    wake_all(board_->done);
  }
}

void Workers::do_parts() {
  constexpr long kBetweenLooks = 200;  // milliseconds
  board_->done = 0;
  board_->order.fetch_add(1);
  wake_all(board_->order);
  for (;;) {
    const std::uint32_t done = board_->done.load();
    if (done == processes_.size()) return;
    if (wait_for_change(board_->done, done, kBetweenLooks)) continue;
    for (const int worker : processes_) {
      int status = 0;
      if (waitpid(worker, &status, WNOHANG) != worker) continue;
      stop_program(
          "heddle: a test has ended the process that executed it; .isolate = process "
          "would tell how");
    }
  }
}

}  // namespace heddle::sched::runtime
