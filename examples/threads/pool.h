/// A pool of connections: `take` waits until as many as are wanted are free.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>

/// Threads that need two connections take one after the other. When each has one and none is free,
/// all wait for ever.
class OneByOnePool {
 public:
  explicit OneByOnePool(int connections) : free_(connections) {}

  void take(int wanted) {
    for (int taken = 0; taken < wanted; ++taken) {
      std::unique_lock lock(mutex_);
      given_back_.wait(lock, [this] { return free_ > 0; });
      --free_;
    }
  }
  void give_back(int taken) {
    const std::lock_guard lock(mutex_);
    free_ += taken;
    given_back_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  int free_;
};

/// Takes connections without the lock, and asks for it only to wait.
class DeafPool {
 public:
  explicit DeafPool(int connections) : free_(connections) {}

  void take(int wanted) {
    int seen = free_.load();
    while (true) {
      while (seen >= wanted) {
        if (free_.compare_exchange_weak(seen, seen - wanted)) return;
      }
      // Connections that are given back here notify nobody: the wake-up is lost.
      std::unique_lock lock(mutex_);
      given_back_.wait(lock);
      seen = free_.load();
    }
  }
  void give_back(int taken) {
    free_.fetch_add(taken);
    given_back_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  std::atomic<int> free_;
};

/// Right, because a thread takes all that it wants at once, so that nobody waits who has some, and
/// because the lock is held from the look at `free_` until the thread waits, so that nothing can be
/// given back in between.
class ConnectionPool {
 public:
  explicit ConnectionPool(int connections) : free_(connections) {}

  void take(int wanted) {
    std::unique_lock lock(mutex_);
    given_back_.wait(lock, [this, wanted] { return free_ >= wanted; });
    free_ -= wanted;
  }
  void give_back(int taken) {
    const std::lock_guard lock(mutex_);
    free_ += taken;
    given_back_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable given_back_;
  int free_;
};
