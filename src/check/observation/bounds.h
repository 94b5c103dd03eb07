// Keeps the promises of CheckBounds: engines ask before they take memory and while they search.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "heddle/check.h"

namespace heddle {

// One per check; the first bound that is hit stays hit. Not for several threads.
class Meter {
 public:
  explicit Meter(const CheckBounds& bounds);

  // Whether the search may take so many further steps. Cheap: clock and memory are looked at now
  // and then.
  bool may_step(std::uint64_t count = 1) {
    steps_ += count;
    return steps_ < next_look_ ? hit_.empty() : look();
  }
  // Whether so many bytes may be allocated now.
  bool may_allocate(std::size_t bytes);
  // Whether they would fit; hits no bound.
  bool would_fit(std::size_t bytes) const;
  // Memory is gone: the system gave no more, or too much would be taken.
  void hit_memory();
  // How many bytes are left.
  std::size_t room() const;
  // Steps are counted for each answer by itself, and what one took others may take again. After
  // `patience` steps (0: never) the answer is put off, to be asked for again when others are known.
  void start_answer(std::uint64_t patience = 0);
  // It takes as long as it takes.
  void be_patient();
  bool is_put_off() const { return put_off_; }
  // Taken since the answer was started.
  std::uint64_t steps() const { return steps_; }

  // A bound of the engine's own was hit: the answer is unknown.
  void give_up(std::string bound) { hit_ = std::move(bound); }

  bool is_hit() const { return !hit_.empty(); }
  // "the time limit of 10 s"; empty: none was hit.
  const std::string& hit() const { return hit_; }

 private:
  bool look();

  CheckBounds bounds_;
  std::chrono::steady_clock::time_point deadline_;
  std::uint64_t steps_ = 0;
  std::uint64_t next_look_ = 0;
  std::uint64_t patience_ = 0;
  bool put_off_ = false;
  std::string hit_;
  bool hits_all_ = false;  // time: gone for all answers
};

// What the process holds in memory now, in bytes.
std::size_t resident_bytes();

}  // namespace heddle
