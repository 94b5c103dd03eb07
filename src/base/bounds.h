// The bounds of a whole command, its time and its memory, which all its stages keep together.
//
//   bound_time(40'000, "--timeout=40s");
//   bound_memory(memory_of_machine() / 4 * 3, "--memory=6G");
//   while (!interrupted()) work();
//   if (interrupted()) print("not complete: " + stop_reason());
//
// When one is hit, interrupted() says so in every thread, as it does after a signal: what comes to
// a good end after Ctrl-C does so at a bound, too. A thread of its own looks at clock and memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace heddle {

// `name` is what stop_reason() says. Called again, the last one counts.
void bound_time(std::uint32_t ms, std::string name);

// Of the resident memory of this process, in bytes. Where it is exceeded by a quarter and by
// 256 MB although work was asked to end, the process ends at once with exit code 3 and a message,
// before the system ends others; what must not stay behind is left to the guard
// (src/throwaway/guard.h).
void bound_memory(std::uint64_t bytes, std::string name);

// Whether so much of the bound on memory is in use; false: there is no bound. For a stage that
// wants to leave some for those behind it. Cheap: what the watching thread has seen last.
bool memory_is_short(std::uint32_t percent);

// "interrupted" after a signal, else the name of the bound that was hit first; empty: neither.
std::string stop_reason();

// What the machine has, or fewer bytes where the process's control group may take no more.
std::uint64_t memory_of_machine();

// What the process has in memory now, in bytes.
std::uint64_t resident_memory();

// Ends what does not ask interrupted() by itself: while it lives, `cancel` is called from another
// thread, now and then, once interrupted() holds or `end` has come. REQUIRES: `cancel` is quick,
// throws nothing, and uses no Cancellation.
class Cancellation {
 public:
  using Clock = std::chrono::steady_clock;

  Cancellation(std::optional<Clock::time_point> end, std::function<void()> cancel);
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;
  // Afterwards `cancel` is not called any more, nor under way.
  ~Cancellation();

 private:
  std::uint64_t number_;
};

// For tests: as if none had been set, and none hit.
void clear_bounds();

}  // namespace heddle
