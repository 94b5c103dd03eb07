// What a test writes while it is executed again and again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::sched::runtime {

// The C library allocates a stream's buffer when it is first written to: by a test that would be in
// memory that the next execution is given, too. Called before any execution.
void allocate_buffers();

// As long as this lives what is written to standard output and standard error goes nowhere.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  int kept_[2] = {-1, -1};
};

// As long as this lives it is kept.
class Captured {
 public:
  Captured();
  ~Captured();
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  // Where it is kept.
  int file() const { return memory_; }

  // What was written so far.
  std::string text() const;

 private:
  int memory_ = -1;
  bool is_buffered_ = false;  // standard output
  bool is_line_buffered_ = false;
  int kept_[2] = {-1, -1};
};

}  // namespace heddle::sched::runtime
