#include "check/calls/bounds.h"

#include <array>

#include <fmt/format.h>

namespace heddle {

namespace {

struct ByteUnit {
  std::uint64_t bytes;
  char letter;
};

// 500000000 as 500M.
std::string byte_text(std::uint64_t bytes) {
  constexpr std::array<ByteUnit, 3> kUnits = {
      {{1'000'000'000, 'G'}, {1'000'000, 'M'}, {1'000, 'K'}}};
  for (const ByteUnit& unit : kUnits) {
    if (bytes > 0 && bytes % unit.bytes == 0) {
      return fmt::format("{}{}", bytes / unit.bytes, unit.letter);
    }
  }
  return fmt::format("{} bytes", bytes);
}

}  // namespace

BoundMeter::BoundMeter(const LinearizabilityOptions& options)
    : memory_limit_(options.memory_bytes),
      step_limit_(options.steps),
      deadline_(options.deadline) {}

bool BoundMeter::take_memory(std::uint64_t bytes) {
  if (bytes > memory_limit_ - memory_taken_) {
    if (hit_.empty()) {
      hit_ = fmt::format("the memory limit of {}", byte_text(memory_limit_));
      is_memory_hit_ = true;
    }
    return false;
  }
  memory_taken_ += bytes;
  return true;
}

void BoundMeter::forget_memory_hit() {
  if (is_memory_hit_) hit_.clear();
  is_memory_hit_ = false;
}

bool BoundMeter::has_time() {
  if (!deadline_ || std::chrono::steady_clock::now() < *deadline_) return true;
  if (hit_.empty()) hit_ = "the time limit";
  return false;
}

bool BoundMeter::note_steps() {
  --steps_;
  if (hit_.empty()) hit_ = fmt::format("the limit of {} steps", step_limit_);
  return false;
}

}  // namespace heddle
