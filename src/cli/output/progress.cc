#include "cli/output/progress.h"

#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/printable.h"
#include "cli/output/output.h"

namespace heddle {

namespace {

constexpr std::chrono::seconds kSilence{1};
constexpr std::chrono::milliseconds kPeriod{200};
constexpr const char* kClearLine = "\r\x1b[K";

}  // namespace

Progress::Progress(std::string what, bool shown)
    : what_(std::move(what)), shown_(shown), next_(Clock::now() + kSilence) {}

Progress::~Progress() {
  if (drawn_) print_on_terminal(kClearLine);
}

void Progress::show(std::size_t done, std::size_t known) {
  if (shown_) show(fmt::format("{} run, {} known so far", done, known));
}

void Progress::show(const std::string& state) {
  if (!shown_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const Clock::time_point now = Clock::now();
  if (now < next_) return;
  next_ = now + kPeriod;
  drawn_ = true;
  print_on_terminal(kClearLine + printable(fmt::format("{}: {}", what_, state)));
}

bool progress_is_watched() { return ::isatty(STDERR_FILENO) == 1; }

}  // namespace heddle
