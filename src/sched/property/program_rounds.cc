#include "sched/property/program_rounds.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <sys/mman.h>
#include <utility>

#include "sched/process/shared_memory.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

constexpr std::uint64_t kNoProgram = UINT64_MAX;

}  // namespace

// REQUIRES: it is all zero at first, as fresh memory is. Behind it stand the counts of each worker.
struct ProgramRounds::Board {
  std::atomic<std::uint64_t> next;      // the first program that nobody has taken
  std::atomic<std::uint64_t> failing;   // the first that failed
  std::atomic<std::uint64_t> executed;  // in this round
  std::atomic<std::uint64_t> tried;     // programs of this round
  std::atomic<bool> is_cut;             // some program was not tried to its end
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t most;   // executions in this round
  std::uint32_t calls;  // of each program, where all are tried; 0: random ones
  std::int64_t until_ns;
  std::array<std::atomic<std::uint32_t>, kMostInRound> each;  // executions of random programs
};

ProgramRounds::ProgramRounds(const Trials& trials, std::uint32_t jobs)
    : trials_(trials),
      enumeration_(trials.property, std::max(trials.size.branches, 2U)),
      statistics_(trials.property) {
  const std::size_t workers = jobs < 2 ? 0 : Workers::most(jobs);
  const std::size_t counts = statistics_.counts().size() * sizeof(std::uint64_t);
  board_size_ = sizeof(Board) + workers * counts;
  board_ = static_cast<Board*>(map_shared(board_size_));
  if (workers == 0) return;
  is_sharing_ = true;
  workers_ = std::make_unique<Workers>(
      workers, [](std::size_t) { engine().enter_child(); },
      [this](std::size_t worker) { work(worker); });
}

ProgramRounds::~ProgramRounds() {
  workers_.reset();
  munmap(board_, board_size_);
}

std::uint64_t* ProgramRounds::counts_of(std::size_t worker) const {
  return reinterpret_cast<std::uint64_t*>(board_ + 1) + worker * statistics_.counts().size();
}

// ---- whoever tries

bool ProgramRounds::may_begin() {
  // Reading the clock costs as much as a tenth of a short execution.
  constexpr std::uint64_t kBetweenReadings = 16;
  if (board_->is_cut && board_->calls > 0) return false;
  const std::uint64_t executed = board_->executed.fetch_add(1);
  if (executed < board_->most &&
      (executed % kBetweenReadings != 0 || Budget::now_ns() < board_->until_ns)) {
    return true;
  }
  board_->executed.fetch_sub(1);
  board_->is_cut = true;
  return false;
}

void ProgramRounds::note_failing(std::uint64_t number, const Program& program) {
  failed_here_->number = number;
  failed_here_->program = program;
  std::uint64_t failing = board_->failing.load();
  while (number < failing && !board_->failing.compare_exchange_weak(failing, number)) {
  }
}

void ProgramRounds::try_random_ones() {
  for (;;) {
    const std::uint64_t number = board_->next.fetch_add(1);
    if (number >= board_->last || number > board_->failing.load()) return;
    if (Budget::now_ns() >= board_->until_ns) {
      board_->is_cut = true;
      return;
    }
    std::uint32_t executions = 0;
    failed_here_ = Failed();
    const bool fails = trials_.fails(
        number, [&] { return may_begin() && ++executions > 0; }, statistics_,
        failed_here_->execution);
    board_->each[number - board_->first] = executions;
    board_->tried.fetch_add(1);
    if (fails) return note_failing(number, trials_.program(number));
    failed_here_.reset();
  }
}

// Each process goes through all programs, and tries those that it has taken.
void ProgramRounds::try_enumerated_ones() {
  std::uint64_t at = 0;
  std::uint64_t mine = board_->next.fetch_add(1);
  enumeration_.for_each(board_->calls, [&](const Program& program) {
    const std::uint64_t number = at++;
    if (number < mine) return true;
    std::atomic<std::uint32_t>& told = board_->each[number % board_->each.size()];
    told = 0;
    if (number > board_->failing.load()) return false;
    std::uint32_t executions = 0;
    failed_here_ = Failed();
    const bool fails = trials_.fails(
        program, trials_.all_ways(), UINT64_MAX, [&] { return may_begin() && ++executions > 0; },
        statistics_, failed_here_->execution);
    told = executions;
    if (fails) {
      note_failing(number, program);
      return false;
    }
    failed_here_.reset();
    if (board_->is_cut) return false;
    board_->tried.fetch_add(1);
    mine = board_->next.fetch_add(1);
    return true;
  });
  // What was taken behind the last one was not tried.
  if (at <= mine) board_->each[mine % board_->each.size()] = 0;
}

void ProgramRounds::work(std::size_t worker) {
  if (board_->calls == 0) {
    try_random_ones();
  } else {
    try_enumerated_ones();
  }
  if (!is_sharing_) return;
  const std::vector<std::uint64_t>& counts = statistics_.counts();
  std::copy(counts.begin(), counts.end(), counts_of(worker));
}

// ---- the process that shares out

std::optional<ProgramRounds::Failed> ProgramRounds::run_round(std::uint64_t first,
                                                              std::uint64_t last,
                                                              std::uint32_t calls, Budget& budget) {
  board_->next = board_->first = first;
  board_->last = last;
  board_->calls = calls;
  board_->failing = kNoProgram;
  board_->executed = board_->tried = 0;
  board_->is_cut = false;
  for (auto& executions : board_->each) executions.store(0, std::memory_order_relaxed);
  board_->most = budget.left();
  board_->until_ns = budget.until_ns();
  failed_here_.reset();
  if (is_sharing_) {
    workers_->do_parts();
  } else {
    work(0);
  }
  const std::uint64_t failing = board_->failing;
  if (failing == kNoProgram) {
    budget.use(board_->executed);
    programs_ += board_->tried;
  } else if (calls > 0) {
    budget.use(board_->executed - executed_behind(failing));
    programs_ += failing + 1;
  } else {
    for (std::uint64_t i = first; i <= failing; ++i) budget.use(board_->each[i - first]);
    programs_ += failing - first + 1;
  }
  if (failing == kNoProgram) return std::nullopt;
  if (!is_sharing_) return std::move(failed_here_);
  return find_again(failing, calls);
}

// What other processes did meanwhile with programs behind the one that fails. If they were further
// ahead than is kept, a part of that is missing.
std::uint64_t ProgramRounds::executed_behind(std::uint64_t failing) const {
  const std::size_t kept = board_->each.size();
  const std::uint64_t taken = std::min<std::uint64_t>(board_->next, failing + kept);
  std::uint64_t executed = 0;
  for (std::uint64_t i = failing + 1; i < taken; ++i) executed += board_->each[i % kept];
  return executed;
}

ProgramRounds::Failed ProgramRounds::find_again(std::uint64_t number, std::uint32_t calls) {
  CallStatistics unused(trials_.property);
  Failed failed{.number = number, .program = {}, .execution = {}};
  const auto always = [] { return true; };
  bool fails = false;
  if (calls == 0) {
    failed.program = trials_.program(number);
    fails = trials_.fails(number, always, unused, failed.execution);
  } else if (const std::optional<Program> program = enumerated(number, calls)) {
    failed.program = *program;
    fails =
        trials_.fails(*program, trials_.all_ways(), UINT64_MAX, always, unused, failed.execution);
  }
  if (!fails) {
    stop_program(
        "heddle: a program failed in one process and not in another: the property depends on what "
        "is not controlled (HEDDLE_JOBS=1 has one process), or on what earlier executions left "
        "behind");
  }
  return failed;
}

std::optional<Program> ProgramRounds::enumerated(std::uint64_t number, std::uint32_t calls) const {
  std::optional<Program> found;
  std::uint64_t at = 0;
  enumeration_.for_each(calls, [&](const Program& program) {
    if (at++ < number) return true;
    found = program;
    return false;
  });
  return found;
}

// Rounds get longer: a failure is mostly found soon. Only one process uses up what is left in the
// end, so that it is the same for any number of them.
std::optional<ProgramRounds::Failed> ProgramRounds::try_random(Budget& budget) {
  programs_ = 0;
  std::uint64_t next = 0;
  std::optional<Failed> failed;
  for (std::uint64_t length = 16; !failed && budget.is_left();
       length = std::min(2 * length, kMostInRound)) {
    const std::uint64_t whole = budget.left() / Trials::kMostExecutions;
    const std::uint64_t last = next + std::clamp<std::uint64_t>(whole, 1, length);
    failed = run_round(next, last, 0, budget);
    next = last;
  }
  return failed;
}

std::string ProgramRounds::statistics() const {
  CallStatistics all = statistics_;
  for (std::size_t i = 0; is_sharing_ && i < workers_->size(); ++i) all.add_counts(counts_of(i));
  return all.text();
}

std::optional<ProgramRounds::Failed> ProgramRounds::try_all(std::uint32_t calls, Budget& budget) {
  programs_ = 0;
  std::optional<Failed> failed = run_round(0, kNoProgram, calls, budget);
  is_through_ = !failed && !board_->is_cut;
  return failed;
}

}  // namespace heddle::sched::runtime
