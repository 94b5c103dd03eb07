// Counters for properties: one whose increments can get lost, and one that is right.
#pragma once

#include <atomic>
#include <mutex>

namespace counters {

// Increments are lost.
class RacyCounter {
 public:
  void increment() { value_.store(value_.load() + 1); }
  void set(int value) {
    if (value_.load() == 3) value_.store(value);
  }
  int get() const { return value_.load(); }

 private:
  std::atomic<int> value_ = 0;
};

class LockedCounter {
 public:
  void increment() {
    const std::lock_guard lock(mutex_);
    ++value_;
  }
  void set(int value) {
    const std::lock_guard lock(mutex_);
    if (value_ == 3) value_ = value;
  }
  int get() {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  std::mutex mutex_;
  int value_ = 0;
};

}  // namespace counters
