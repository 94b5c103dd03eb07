/// A counter that several threads increment.
#pragma once

#include <atomic>

/// Each access is atomic, but `increment` is two of them.
class LosingCounter {
 public:
  void increment() {
    const int seen = value_.load();
    // Another thread may increment here: what it stores is overwritten.
    value_.store(seen + 1);
  }
  int get() const { return value_.load(); }

 private:
  std::atomic<int> value_ = 0;
};

/// Right, because reading and writing are one operation, which nothing comes between.
class AddingCounter {
 public:
  void increment() { value_.fetch_add(1); }
  int get() const { return value_.load(); }

 private:
  std::atomic<int> value_ = 0;
};
