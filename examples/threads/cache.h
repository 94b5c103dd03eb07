/// A value that is slow to read, and a cache in front of it.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <shared_mutex>

/// The slow store of one value.
class Store {
 public:
  int read() {
    const std::lock_guard lock(mutex_);
    return value_;
  }
  void write(int value) {
    const std::lock_guard lock(mutex_);
    value_ = value;
  }

 private:
  std::mutex mutex_;
  int value_ = 0;
};

/// A reader looks for an entry under one lock, and adds it under another.
class StaleCache {
 public:
  explicit StaleCache(Store& store) : store_(store) {}

  int read() {
    {
      const std::shared_lock lock(mutex_);
      if (entry_.has_value()) return *entry_;
    }
    const int value = store_.read();
    // The value may be updated here, and the entry, which is not there yet, be removed in vain.
    const std::unique_lock lock(mutex_);
    entry_ = value;
    return value;
  }

  void update(int value) {
    store_.write(value);
    const std::unique_lock lock(mutex_);
    entry_.reset();
  }

 private:
  Store& store_;
  std::shared_mutex mutex_;
  std::optional<int> entry_;
};

/// Right, because a reader adds its entry only if no update has removed one since it looked: what
/// it has read was then written by the last update, or else that update is still to remove it.
class FreshCache {
 public:
  explicit FreshCache(Store& store) : store_(store) {}

  int read() {
    std::uint64_t updates_seen = 0;
    {
      const std::shared_lock lock(mutex_);
      if (entry_.has_value()) return *entry_;
      updates_seen = updates_;
    }
    const int value = store_.read();
    const std::unique_lock lock(mutex_);
    if (updates_ == updates_seen) entry_ = value;
    return value;
  }

  void update(int value) {
    store_.write(value);
    const std::unique_lock lock(mutex_);
    entry_.reset();
    ++updates_;
  }

 private:
  Store& store_;
  std::shared_mutex mutex_;
  std::optional<int> entry_;
  std::uint64_t updates_ = 0;
};
