// Executions that are shared out among processes. Each has a number, and what it does depends on
// nothing but the seed, its number and what was known when its round began: which memory is shared,
// how many steps the test has. What executions find out counts when their round is over. So the
// first one that fails is the same however many processes there are.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sched/process/workers.h"
#include "sched/search/budget.h"
#include "sched/strategy/strategy.h"
#include "sched/test/test.h"

namespace heddle::sched::runtime {

class Rounds {
 public:
  using Strategies = std::vector<std::unique_ptr<Strategy>>;

  // Execution n is the one with number n / count of strategy n % count. `jobs`: how many processes;
  // with more than one this one only shares out. Forks them.
  Rounds(Test& test, Strategies& strategies, std::uint32_t jobs);
  // Ends them.
  ~Rounds();
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  // Makes the executions first ... last - 1, until one fails or the budget is used up.
  // `execution` is the first that failed; none of the numbers before it has, as long as there was
  // time.
  struct Failed {
    std::uint64_t number = 0;
    const Execution* execution = nullptr;  // overwritten by the next one
  };
  std::optional<Failed> run(std::uint64_t first, std::uint64_t last, Budget& budget);

  // What was found out counts from now on.
  void end_round();

 private:
  struct Worker;
  struct Board;

  const Execution& execute(std::uint64_t number);
  std::optional<Failed> run_here(std::uint64_t first, std::uint64_t last, Budget& budget);
  void work(Worker& own);
  void take_knowledge();
  void tell_knowledge(Worker& own);
  void gather(Worker& worker);

  Test& test_;
  Strategies& strategies_;
  Board* board_ = nullptr;  // null: this process makes the executions
  std::unique_ptr<Workers> workers_;
  std::size_t known_ = 0;  // how much of what the board says is shared this process knows
  std::size_t told_ = 0;   // how much of what it has found it has told
};

// How many processes the options ask for: all processors, for 0.
std::uint32_t jobs_of(const Options& options);

}  // namespace heddle::sched::runtime
