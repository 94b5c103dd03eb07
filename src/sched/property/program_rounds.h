// Programs that are shared out among processes. Each has a number, and what comes of it depends on
// nothing else: so the first that fails is the same however many processes there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "sched/process/workers.h"
#include "sched/property/enumeration.h"
#include "sched/property/program_trial.h"
#include "sched/search/budget.h"

namespace heddle::sched::runtime {

class ProgramRounds {
 public:
  // `jobs`: how many processes; with more than one this one only shares out. Forks them.
  ProgramRounds(const Trials& trials, std::uint32_t jobs);
  // Ends them.
  ~ProgramRounds();
  ProgramRounds(const ProgramRounds&) = delete;
  ProgramRounds& operator=(const ProgramRounds&) = delete;

  struct Failed {
    std::uint64_t number = 0;
    Program program;
    Execution execution;
  };
  // Tries random programs until one fails or the budget is used up. None of those before it fails,
  // as long as there was time.
  std::optional<Failed> try_random(Budget& budget);
  // Tries all programs of so many calls in all ways.
  std::optional<Failed> try_all(std::uint32_t calls, Budget& budget);

  // How many programs were tried by the last of these calls, and whether that was all there are.
  std::uint64_t programs() const { return programs_; }
  bool is_through() const { return is_through_; }
  // Of all executions, whoever made them.
  std::string statistics() const;

 private:
  struct Board;
  static constexpr std::uint64_t kMostInRound = 1024;

  std::optional<Failed> run_round(std::uint64_t first, std::uint64_t last, std::uint32_t calls,
                                  Budget& budget);
  std::uint64_t executed_behind(std::uint64_t failing) const;
  Failed find_again(std::uint64_t number, std::uint32_t calls);
  std::optional<Program> enumerated(std::uint64_t number, std::uint32_t calls) const;
  // What a process does for a round.
  void work(std::size_t worker);
  void try_random_ones();
  void try_enumerated_ones();
  bool may_begin();
  void note_failing(std::uint64_t number, const Program& program);
  std::uint64_t* counts_of(std::size_t worker) const;

  const Trials& trials_;
  ProgramEnumeration enumeration_;
  CallStatistics statistics_;  // of this process
  std::uint64_t programs_ = 0;
  bool is_through_ = false;
  std::optional<Failed> failed_here_;
  std::size_t board_size_ = 0;
  Board* board_ = nullptr;
  bool is_sharing_ = false;  // other processes try them
  std::unique_ptr<Workers> workers_;
};

}  // namespace heddle::sched::runtime
