// Processes that make executions for the one that forked them, which shares out: each time it
// orders, each of them does its part once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace heddle::sched::runtime {

class Workers {
 public:
  // Forks so many, or as many as can be watched. `begin` is called in each when it begins, then
  // `work` for each order, both with the worker's number. What they tell is in memory that was
  // shared before.
  using Part = std::function<void(std::size_t)>;
  Workers(std::size_t count, const Part& begin, const Part& work);
  // Ends them.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  // How many there are for so many that were asked for.
  static std::size_t most(std::size_t count);
  std::size_t size() const { return processes_.size(); }
  // Gives an order; returns when each has done its part. Stops the program if one is gone.
  void do_parts();

 private:
  struct Board;

  [[noreturn]] void be_worker(std::size_t number, const Part& begin, const Part& work);

  Board* board_;
  std::vector<int> processes_;
};

}  // namespace heddle::sched::runtime
