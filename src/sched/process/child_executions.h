// Executions in processes of their own: each is made by a child that is forked from a process in
// which none was made, so that it meets globals, files' positions and the like as a new program
// does, and may end in any way.
#pragma once

#include <cstdint>
#include <functional>

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

class ChildExecutions {
 public:
  // `prepare` is called in each child before it executes; it may be empty.
  explicit ChildExecutions(std::function<void()> prepare = {});
  ~ChildExecutions();
  ChildExecutions(const ChildExecutions&) = delete;
  ChildExecutions& operator=(const ChildExecutions&) = delete;

  // What `execute` returns in a child, with what it has told the strategy and found to be shared.
  // What is returned is overwritten by the next.
  Execution& run(Strategy& strategy, const std::function<Execution&(Strategy&)>& execute);

  const std::function<void()>& prepare() const { return prepare_; }
  void set_prepare(std::function<void()> prepare) { prepare_ = std::move(prepare); }

 private:
  struct Report;
  [[noreturn]] void be_child(Strategy& strategy,
                             const std::function<Execution&(Strategy&)>& execute);
  void read_report(Strategy& strategy);
  void note_lost(int status);
  void give_pages_back();

  Report* report_;
  Execution execution_;
  std::function<void()> prepare_;
};

}  // namespace heddle::sched::runtime
