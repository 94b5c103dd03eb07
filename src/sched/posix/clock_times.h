// Times of the C library as moments of the engine's clock.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>

#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

constexpr std::int64_t kSecond = 1'000'000'000;

inline std::uint64_t to_ns(const timespec& time) {
  if (time.tv_sec < 0) return 0;
  // What is centuries away never comes.
  constexpr std::int64_t kFar = std::int64_t{4} * kSecond;
  if (time.tv_sec >= kFar) return static_cast<std::uint64_t>(kFar) * kSecond;
  return static_cast<std::uint64_t>(time.tv_sec * kSecond + time.tv_nsec);
}

inline timespec to_timespec(std::uint64_t ns) {
  return {.tv_sec = static_cast<time_t>(ns / kSecond), .tv_nsec = static_cast<long>(ns % kSecond)};
}

// What a function with a limit was given: null means none.
inline std::optional<std::uint64_t> deadline_of(const timespec* absolute) {
  if (absolute == nullptr) return std::nullopt;
  return to_ns(*absolute);
}

inline std::uint64_t deadline_after(const timespec& relative) {
  return engine().now_ns() + to_ns(relative);
}

}  // namespace heddle::sched::runtime
