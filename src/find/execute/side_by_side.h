// A search, and the execution of what it has found so far, side by side on the same threads.
//
// Each thread asks for the next task: a set of functionalities to search, or a cause to execute.
// Both are given about the same time as long as there are both, so that whatever ends the work
// early (a limit of time, an interrupt) leaves causes that were executed. What is executed early is
// kept for the report of the whole search; what a report says does not depend on it.
//
// Where the time is limited the search stands back when most of it is gone: first what was found is
// executed, and then further sets are searched.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "find/execute/execution.h"
#include "find/execute/kept_causes.h"
#include "find/search/search.h"
#include "heddle/find.h"

namespace heddle::find {

class SideBySide {
 public:
  // All outlive it. `pause` is called before each task, for tests; may be empty. Any thread.
  SideBySide(Search& search, Execution& execution, const FindOptions& options,
             std::function<void()> pause);
  SideBySide(const SideBySide&) = delete;
  SideBySide& operator=(const SideBySide&) = delete;
  ~SideBySide() { search_.stop_when({}); }

  // Until all sets are searched and all that was found is executed, or there is no time left.
  void run();
  KeptCauses& kept() { return kept_; }

 private:
  enum class Kind : std::uint8_t { search, execute };
  struct Task {
    Kind kind = Kind::search;
    FunctionalitySet set;
    std::unique_ptr<FoundCause> cause;
  };
  // Of one kind of task.
  struct Account {
    std::size_t running = 0;
    Clock::duration spent{};

    friend auto operator<=>(const Account&, const Account&) = default;
  };

  void work();
  // None: nothing is left to do.
  std::optional<Task> next();
  void run(Task task);
  // REQUIRES: mutex_ held, as in what follows.
  // Takes the next set, if there is one that nobody has searched.
  bool has_sets();
  bool may_search();
  bool has_causes();
  bool search_goes_on();
  void collect();
  Task take_cause();
  void stand_back_at(Clock::time_point time);

  Search& search_;
  Execution& execution_;
  const FindOptions& options_;
  std::function<void()> pause_;
  std::optional<Clock::time_point> end_;
  std::atomic<Clock::duration::rep> stands_back_at_;  // the search, on Clock

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::optional<FunctionalitySet> next_set_;
  std::size_t sets_done_ = 0;
  std::vector<bool> is_done_;  // by number of those that were given out
  std::size_t collected_ = 0;  // sets, of which cycles_ are
  std::vector<FoundCycle> cycles_;
  std::size_t grouped_ = 0;  // of cycles_
  std::deque<std::unique_ptr<FoundCause>> waiting_;
  std::set<KeptCauses::Key> seen_;
  Account searching_;
  Account executing_;
  KeptCauses kept_;
};

}  // namespace heddle::find
