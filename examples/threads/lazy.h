/// An object that is made when it is first asked for: double-checked locking, which asks for the
/// lock only as long as the object is not there.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

/// What is expensive to make.
struct Settings {
  std::string host = "localhost";
  int port = 8080;
};

template <std::memory_order kLoad, std::memory_order kStore>
class Lazy {
 public:
  Lazy() = default;
  ~Lazy() { delete made_.load(); }
  Lazy(const Lazy&) = delete;
  Lazy& operator=(const Lazy&) = delete;

  const Settings& get() {
    Settings* settings = made_.load(kLoad);
    if (settings == nullptr) {
      const std::lock_guard lock(mutex_);
      settings = made_.load(std::memory_order_relaxed);
      if (settings == nullptr) {
        settings = new Settings();
        made_.store(settings, kStore);
      }
    }
    return *settings;
  }

 private:
  std::mutex mutex_;
  std::atomic<Settings*> made_ = nullptr;
};

/// A thread that sees the pointer without asking for the lock need not see what it points at: the
/// compiler and the processor may store the pointer before the settings.
using HastyLazy = Lazy<std::memory_order_relaxed, std::memory_order_relaxed>;

/// Right, because what is written before a store with `release` is seen after a load with `acquire`
/// that sees the stored pointer. `static const Settings settings;` does the same by itself.
using CarefulLazy = Lazy<std::memory_order_acquire, std::memory_order_release>;
