// Looks for executions in which some tasks wait for ever while others go round and round.
//
// That somebody waits for ever must not be the scheduler's doing. So those that wait, the victims,
// go on whenever they can, before all others, and look again whenever something has changed that
// they look at; the others go on at random. If the tasks come to where they were before, with the
// victims still waiting, what was done in between is a round: it is done again and again until the
// execution has as many steps as it may have. It starves the victims if
//
// - each task that could go on in the round has made a step in it,
// - those that go round have each changed something, and none of their tries has failed: whoever
//   fails at a lock and tries again waits, too, and may have been let go on at bad moments only,
// - the victims have changed nothing: they have not come further by what they did in it,
// - nobody waits for a time, reads the clock, or waits for something from outside,
// - nothing but tasks was chosen.
//
// So a victim starves under a scheduler that is as good to it as can be (it is never able to go on
// and left out), and fair to all others (strong fairness, as in Musuvathi and Qadeer: Fair
// stateless model checking, PLDI 2008). Rounds that are left after a number of them, by a counter,
// are no such rounds, unless the counter is beyond the limit of steps.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sched/runtime/task.h"
#include "sched/strategy/random_numbers.h"
#include "sched/strategy/strategy.h"

namespace heddle::sched::runtime {

class StarvationHunt final : public Strategy {
 public:
  explicit StarvationHunt(std::uint64_t seed) : seed_(seed) {}

  bool begin_execution() override;
  TaskId pick(const Decision& decision) override;
  std::uint32_t choose(std::uint32_t count, bool fault, TaskPlace place) override;
  void end_execution(std::size_t steps, bool grown) override;
  void skip_to(std::uint64_t number) override { number_ = number; }
  bool is_numbered() const override { return true; }
  Repeated repeated() const override;
  std::string coverage() const override;

 private:
  // Tasks with higher numbers are not hunted.
  static constexpr std::size_t kMostHunted = 16;

  struct Counts {
    std::uint32_t operations = 0;
    std::uint32_t changes = 0;
    std::uint32_t vain = 0;
  };
  // A decision since the hunt began.
  struct Moment {
    std::uint64_t state = 0;  // what each task is about to do, and who can
    std::uint64_t now_ns = 0;
    TaskId picked = 0;
    TaskSet able = 0;
    TaskSet reluctant = 0;
    std::size_t departures = 0;  // before it
    std::array<Counts, kMostHunted> counts;
  };

  TaskId choose_task(const Decision& decision);
  TaskId choose_while_hunting(const Decision& decision);
  void look_for_victims(const Decision& decision);
  void note(const Decision& decision);
  bool is_back();
  TaskSet starving_since(const Moment& begin, const Moment& end) const;
  bool is_fair(std::size_t begin, TaskSet starving) const;
  void begin_round(std::size_t begin, TaskSet starving);
  void give_up();

  std::uint64_t seed_;
  std::uint64_t number_ = 0;  // of the next execution
  RandomNumbers random_{0};
  TaskSet victims_ = 0;                // empty: nobody is hunted now
  std::vector<Moment> moments_;        // since the hunt began
  std::size_t departures_ = 0;         // of the execution
  std::uint32_t changes_task_at_ = 2;  // another one goes on at one decision of so many
  std::uint32_t tries_ = 0;            // hunts and rounds that led to nothing
  Round round_;
  std::size_t round_begin_ = 0;  // among the moments, until their end; while `repeats_`
  std::size_t round_at_ = 0;
  std::size_t rounds_ = 0;
  std::size_t kept_ = 0;
  bool repeats_ = false;
};

}  // namespace heddle::sched::runtime
