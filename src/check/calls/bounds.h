// The bounds of one check, and what is left of them.
#pragma once

#include <cstdint>
#include <string>

#include "heddle/linearizability.h"

namespace heddle {

class BoundMeter {
 public:
  explicit BoundMeter(const LinearizabilityOptions& options);

  // False, and hit() names the bound, when there is no room for so many bytes more.
  bool take_memory(std::uint64_t bytes);
  void give_memory(std::uint64_t bytes) { memory_taken_ -= bytes; }
  // False, and hit() names the bound, when a step more would be too many or the time is over.
  bool take_step() {
    if (++steps_ > step_limit_) return note_steps();
    return (steps_ % kStepsPerLook != 0) || has_time();
  }
  // Looks at the clock.
  bool has_time();

  // To go on with something else after the memory was not enough for one thing.
  void forget_memory_hit();

  std::uint64_t steps() const { return steps_; }
  const std::string& hit() const { return hit_; }  // empty: none

 private:
  static constexpr std::uint64_t kStepsPerLook = 1024;

  bool note_steps();

  std::uint64_t memory_limit_;
  std::uint64_t memory_taken_ = 0;
  std::uint64_t step_limit_;
  std::uint64_t steps_ = 0;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::string hit_;
  bool is_memory_hit_ = false;
};

// Memory that is given back at the end of a scope.
class MemoryShare {
 public:
  MemoryShare(BoundMeter& meter, std::uint64_t bytes)
      : meter_(meter), bytes_(meter.take_memory(bytes) ? bytes : 0), granted_(bytes_ == bytes) {}
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;
  ~MemoryShare() { meter_.give_memory(bytes_); }

  bool is_granted() const { return granted_; }

 private:
  BoundMeter& meter_;
  std::uint64_t bytes_;
  bool granted_;
};

}  // namespace heddle
