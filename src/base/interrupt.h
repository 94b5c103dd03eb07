// Ctrl-C and its relatives: the first signal asks the program to end well, the second ends it.
#pragma once

#include <cstdint>

namespace heddle {

// Catches SIGINT, SIGTERM and SIGHUP (each unless it was ignored, as under nohup). The first one
// only sets the flag below; the second ends the process at once with exit code 128 + signal, and
// what must not stay behind is left to the guard (src/throwaway/guard.h). May be called repeatedly.
void install_interrupt_handler();

// Whether a signal has come or a bound of the whole command was hit (base/bounds.h), and no
// InterruptGrace of this thread lets it wait. Any thread.
bool interrupted();

// For base/bounds.h: as if a signal had come, but the next signal is still the first one.
void stop_at_bound();

// The signal that came first, or 0. The exit code of an interrupted program is 128 + this.
int interrupt_signal();

// Becomes and stays readable once a signal has come or a bound was hit, so that poll() wakes. Never
// read from it.
// Asked for anew before each poll(), it follows the grace of this thread: then it may be -1, which
// poll() passes over.
int interrupt_fd();

// Time to bring work to a good end: while it lives, interrupted() stays false in this thread until
// `ms` after the signal, or after the grace began if the signal had come before. The second signal
// ends the process all the same. A bound leaves kGraceAtBoundMs at most, since who sets one counts
// on it. Of several in one thread the innermost counts.
inline constexpr std::uint32_t kGraceAtBoundMs = 700;
class InterruptGrace {
 public:
  explicit InterruptGrace(std::uint32_t ms);
  InterruptGrace(const InterruptGrace&) = delete;
  InterruptGrace& operator=(const InterruptGrace&) = delete;
  ~InterruptGrace();

  // REQUIRES: a signal has come, or a bound was hit.
  bool is_over() const;
  // Readable when it is over.
  int timer();

 private:
  std::int64_t end_ns() const;

  InterruptGrace* outer_;
  std::int64_t begin_ns_;
  std::int64_t length_ns_;
  int timer_ = -1;
};

// For tests: as if SIGINT had come, and as if nothing had.
void raise_interrupt();
void clear_interrupt();

}  // namespace heddle
