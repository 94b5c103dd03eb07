// One thread that waits for many descriptors, and for points in time, and calls who asked for them.
//
//   loop.watch(stream->readable(), watcher);   // watcher.ready(descriptor) whenever it is
//   loop.post([] { ... });                     // from any thread: called in the loop's
//   loop.run();                                // until stop()
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "base/file.h"
#include "stream/stream.h"

namespace heddle {

class Watcher {
 public:
  Watcher() = default;
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;
  virtual ~Watcher() = default;

  // What it watches with that descriptor is ready, or has an error that using it will tell.
  virtual void ready(int descriptor, bool is_readable, bool is_writable) = 0;
};

class EventLoop {
 public:
  using Task = std::function<void()>;

  EventLoop();

  // All but post() and stop() are for the thread that runs the loop, or before it runs.

  // The same descriptor can be watched for reading and for writing, by one watcher.
  void watch(Watched watched, Watcher& watcher);
  // REQUIRES: called before the descriptor is closed.
  void forget(Watched watched);

  // The number of the timer, for cancel().
  std::uint64_t call_at(Deadline when, Task task);
  void cancel(std::uint64_t timer);
  // Called after what is ready now was dealt with, once.
  void call_soon(Task task) { soon_.push_back(std::move(task)); }

  void post(Task task);
  void run();
  void stop();

 private:
  struct Entry {
    Watcher* watcher = nullptr;
    std::uint32_t events = 0;
    std::uint64_t generation = 0;  // tells a descriptor from an earlier one of the same number
  };

  void apply(int descriptor, const Entry& entry, int operation);
  void dispatch(int descriptor, std::uint64_t generation, std::uint32_t events);
  int ms_to_next_timer() const;
  void run_timers();
  void run_soon();
  void run_posted();

  FileDescriptor epoll_;
  FileDescriptor wake_;
  std::unordered_map<int, Entry> entries_;
  std::uint64_t next_generation_ = 1;
  std::map<std::pair<Deadline, std::uint64_t>, Task> timers_;
  std::unordered_map<std::uint64_t, Deadline> timer_times_;
  std::uint64_t next_timer_ = 1;
  std::vector<Task> soon_;
  bool is_stopped_ = false;

  std::mutex mutex_;
  std::vector<Task> posted_;  // guarded by mutex_
};

}  // namespace heddle
