// A line on the terminal that says how far long work has come.
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace heddle {

// Silent for the first second, and always silent unless `shown`. Thread-safe.
class Progress {
 public:
  // `what` is what is counted: "lost_update.spec: interleavings".
  Progress(std::string what, bool shown);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Removes the line.
  ~Progress();

  void show(std::size_t done, std::size_t known);
  void show(const std::string& state);

 private:
  using Clock = std::chrono::steady_clock;

  std::mutex mutex_;
  std::string what_;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point next_;
};

// Whether standard error is a terminal that people watch.
bool progress_is_watched();

}  // namespace heddle
