#include "sched/search/rounds.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "sched/process/shared_memory.h"
#include "sched/process/watchdog.h"
#include "sched/runtime/libc.h"
#include "sched/test/reached.h"

namespace heddle::sched::runtime {

namespace {

constexpr std::size_t kMostWorkers = kMostFlights - 1;
constexpr std::size_t kMostStrategies = 8;
constexpr std::size_t kMostShared = std::size_t{1} << 16;
constexpr std::size_t kMostLabels = 256;
constexpr std::uint64_t kNone = UINT64_MAX;

}  // namespace

// What a worker tells when it has done its part.
struct Rounds::Worker {
  std::uint64_t executed;
  std::array<std::uint64_t, kMostStrategies> learned;
  std::uint64_t shared;
  std::array<std::uintptr_t, kMostShared> addresses;
  std::array<bool, kMostLabels> reached;
};

// REQUIRES: it is all zero at first, as fresh memory is.
struct Rounds::Board {
  std::atomic<std::uint64_t> next;     // the first execution that nobody has taken
  std::atomic<std::uint64_t> failing;  // the first that failed
  std::uint64_t last;
  std::uint64_t most;  // executions in this part of a round
  std::int64_t until_ns;
  // What counts in this round.
  std::uint64_t shared;
  std::array<std::uintptr_t, kMostShared * 4> addresses;
  std::array<std::uint64_t, kMostStrategies> learned;
  std::array<Worker, kMostWorkers> workers;
};

Rounds::Rounds(Test& test, Strategies& strategies, std::uint32_t jobs)
    : test_(test), strategies_(strategies) {
  engine().shadow().hold_found_back(true);
  for (const auto& strategy : strategies_) strategy->learn(strategy->learned());
  told_ = engine().shadow().shared_granules();
  if (jobs < 2 || strategies_.size() > kMostStrategies) return;
  board_ = static_cast<Board*>(map_shared(sizeof(Board)));
  workers_ = std::make_unique<Workers>(
      jobs, [this](std::size_t) { test_.enter_child(); },
      [this](std::size_t number) {
        Worker& own = board_->workers[number];
        take_knowledge();
        work(own);
        tell_knowledge(own);
      });
}

Rounds::~Rounds() {
  engine().shadow().hold_found_back(false);
  if (board_ == nullptr) return;
  workers_.reset();
  munmap(board_, sizeof(Board));
}

const Execution& Rounds::execute(std::uint64_t number) {
  Strategy& strategy = *strategies_[number % strategies_.size()];
  strategy.skip_to(number / strategies_.size());
  strategy.begin_execution();
  return test_.execute(strategy);
}

std::optional<Rounds::Failed> Rounds::run_here(std::uint64_t first, std::uint64_t last,
                                               Budget& budget) {
  for (std::uint64_t number = first; number < last && budget.is_left(); ++number) {
    budget.use();
    const Execution& execution = execute(number);
    if (execution.failed()) return Failed{number, &execution};
  }
  return std::nullopt;
}

// ---- a worker

void Rounds::work(Worker& own) {
  // Taking each one by itself would cost as much as a short execution.
  const std::uint64_t at_once = test_.is_isolated() ? 1 : 16;
  own.executed = 0;
  for (;;) {
    const std::uint64_t first = board_->next.fetch_add(at_once);
    const std::uint64_t last = std::min(first + at_once, board_->last);
    for (std::uint64_t number = first; number < last; ++number) {
      if (number > board_->failing.load(std::memory_order_relaxed)) return;
      ++own.executed;
      if (!execute(number).failed()) continue;
      std::uint64_t failing = board_->failing.load();
      while (number < failing && !board_->failing.compare_exchange_weak(failing, number)) {
      }
      return;
    }
    if (last <= first || Budget::now_ns() >= board_->until_ns) return;
  }
}

void Rounds::take_knowledge() {
  Shadow& shadow = engine().shadow();
  for (; known_ < board_->shared; ++known_) shadow.share(board_->addresses[known_]);
  shadow.adopt_found();
  told_ = shadow.shared_granules();
  for (std::size_t i = 0; i < strategies_.size(); ++i) strategies_[i]->learn(board_->learned[i]);
}

void Rounds::tell_knowledge(Worker& own) {
  const std::vector<std::uintptr_t>& found = engine().shadow().shared();
  own.shared = 0;
  for (std::size_t i = told_; i < found.size() && own.shared < kMostShared; ++i) {
    own.addresses[own.shared++] = found[i];
  }
  for (std::size_t i = 0; i < strategies_.size(); ++i) own.learned[i] = strategies_[i]->learned();
  const std::vector<std::string>& labels = test_.options().reachable;
  for (std::size_t i = 0; i < std::min(labels.size(), kMostLabels); ++i) {
    own.reached[i] = not_reached({labels[i]}).empty();
  }
}

// ---- the process that shares out

std::optional<Rounds::Failed> Rounds::run(std::uint64_t first, std::uint64_t last, Budget& budget) {
  if (board_ == nullptr) return run_here(first, last, budget);
  board_->next = first;
  board_->last = std::min(last, first + budget.left());
  board_->failing = kNone;
  board_->until_ns = budget.until_ns();
  workers_->do_parts();
  for (std::size_t i = 0; i < workers_->size(); ++i) gather(board_->workers[i]);
  const std::uint64_t failing = board_->failing;
  if (failing == kNone) {
    for (std::size_t i = 0; i < workers_->size(); ++i) budget.use(board_->workers[i].executed);
    return std::nullopt;
  }
  budget.use(failing - first + 1);
  const Execution& execution = execute(failing);
  if (!execution.failed()) {
    stop_program(
        "heddle: an execution failed in one process and not in another: the test depends on what "
        "is not controlled, as on files that several processes write at once (HEDDLE_JOBS=1 has "
        "one), or on what earlier executions left behind");
  }
  return Failed{failing, &execution};
}

void Rounds::gather(Worker& worker) {
  for (std::uint64_t i = 0; i < worker.shared; ++i) engine().shadow().share(worker.addresses[i]);
  const std::vector<std::string>& labels = test_.options().reachable;
  for (std::size_t i = 0; i < std::min(labels.size(), kMostLabels); ++i) {
    if (worker.reached[i]) note_reached(labels[i].c_str());
  }
  for (std::size_t i = 0; i < strategies_.size(); ++i) {
    board_->learned[i] = std::max(board_->learned[i], worker.learned[i]);
  }
}

void Rounds::end_round() {
  Shadow& shadow = engine().shadow();
  shadow.adopt_found();
  for (std::size_t i = 0; i < strategies_.size(); ++i) {
    const std::uint64_t own = strategies_[i]->learned();
    strategies_[i]->learn(board_ == nullptr ? own : std::max(own, board_->learned[i]));
  }
  if (board_ == nullptr) return;
  const std::vector<std::uintptr_t>& found = shadow.shared();
  for (; told_ < found.size() && board_->shared < board_->addresses.size(); ++told_) {
    board_->addresses[board_->shared++] = found[told_];
  }
  for (std::size_t i = 0; i < strategies_.size(); ++i) {
    board_->learned[i] = strategies_[i]->learned();
  }
}

std::uint32_t jobs_of(const Options& options) {
  if (options.jobs > 0) return options.jobs;
  return static_cast<std::uint32_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace heddle::sched::runtime
