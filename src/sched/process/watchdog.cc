#include "sched/process/watchdog.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/process/debugger.h"
#include "sched/process/shared_memory.h"
#include "sched/process/survey_signal.h"
#include "sched/runtime/engine.h"
#include "sched/runtime/libc.h"
#include "sched/runtime/process_ends.h"

namespace heddle::sched::runtime {

namespace {

using Clock = std::chrono::steady_clock;

Flight* flights = nullptr;  // kMostFlights of them; null: nobody watches

// What the parent passes on to the child, if it comes from somebody's kill().
constexpr std::array kPassedOn = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

bool has_other_threads() {
  struct stat status{};
  return stat("/proc/self/task", &status) != 0 || status.st_nlink > 3;
}

timespec to_time(double seconds) {
  const auto whole = static_cast<time_t>(seconds);
  return {.tv_sec = whole,
          .tv_nsec = static_cast<long>((seconds - static_cast<double>(whole)) * 1e9)};
}

class Watchdog {
 public:
  Watchdog(pid_t child, const WatchdogOptions& options, const sigset_t& signals)
      : child_(child),
        options_(options),
        signals_(signals),
        period_(std::min(1.0, options.seconds / 8)) {}

  [[noreturn]] void watch() {
    forget_progress();
    for (;;) {
      const auto before = Clock::now();
      take_signal(period_);
      int status = 0;
      if (waitpid(child_, &status, WNOHANG) == child_) end_as(status);
      // Whoever was stopped together with the child has seen nothing.
      if (Clock::now() - before > seconds(4 * period_ + 1)) forget_progress();
      for (std::size_t i = 0; i < kMostFlights; ++i) {
        if (is_stuck(i)) end_stuck(flights[i]);
      }
    }
  }

 private:
  struct Progress {
    std::uint64_t beats = 0;
    std::int32_t process = 0;
    Clock::time_point since;
  };

  static Clock::duration seconds(double count) {
    return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(count));
  }

  void forget_progress() {
    for (Progress& progress : progress_) progress.since = Clock::now();
  }

  void take_signal(double most_seconds) {
    siginfo_t info{};
    const timespec limit = to_time(most_seconds);
    const int signal = sigtimedwait(&signals_, &info, &limit);
    if (signal > 0 && signal != SIGCHLD && info.si_code == SI_USER) kill(child_, signal);
  }

  bool is_stuck(std::size_t number) {
    const volatile Flight& flight = flights[number];
    Progress& progress = progress_[number];
    if (flight.executing == 0 || flight.beats != progress.beats ||
        flight.process != progress.process) {
      progress = {flight.beats, flight.process, Clock::now()};
      return false;
    }
    if (Clock::now() - progress.since < seconds(options_.seconds)) return false;
    if (!is_debugged(flight.process)) return true;
    progress.since = Clock::now();
    return false;
  }

  // Asks the process where its threads are, tells it, and ends all of them.
  [[noreturn]] void end_stuck(Flight& flight) {
    constexpr double kPatience = 5;
    syscall(SYS_tgkill, flight.process, flight.thread, kSurveySignal);
    const auto until = Clock::now() + seconds(kPatience);
    while (static_cast<volatile Flight&>(flight).surveyed == 0 && Clock::now() < until) {
      take_signal(0.01);
    }
    kill(child_, SIGSTOP);
    write_error(options_.describe(flight, options_.seconds, options_.command).c_str());
    for (std::size_t i = 0; i < kMostFlights; ++i) {
      if (flights[i].process > 0 && flights[i].executing != 0) kill(flights[i].process, SIGKILL);
    }
    kill(child_, SIGKILL);
    while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
    }
    end_descendants();
    _exit(1);
  }

  // Processes whose parents ended are this one's children now.
  static void end_descendants() {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", static_cast<int>(getpid()));
    for (int round = 0; round < 100; ++round) {
      FILE* list = fopen(path, "re");
      if (list == nullptr) return;
      int process = 0;
      bool any = false;
      while (fscanf(list, "%d", &process) == 1) {
        kill(process, SIGKILL);
        any = true;
      }
      fclose(list);
      if (!any) return;
      while (waitpid(-1, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }

  [[noreturn]] void end_as(int status) const {
    if (options_.owns_descendants) end_descendants();
    if (!WIFSIGNALED(status)) _exit(WEXITSTATUS(status));
    // Nothing is to be written about it twice.
    const rlimit none{};
    setrlimit(RLIMIT_CORE, &none);
    signal(WTERMSIG(status), SIG_DFL);
    sigset_t all;
    sigfillset(&all);
    kill(getpid(), WTERMSIG(status));
    sigprocmask(SIG_UNBLOCK, &all, nullptr);
    constexpr int kSignalled = 128;
    _exit(kSignalled + WTERMSIG(status));
  }

  pid_t child_;
  WatchdogOptions options_;
  sigset_t signals_;
  double period_;
  std::array<Progress, kMostFlights> progress_{};
};

}  // namespace

void use_watched_flight(std::size_t number) {
  if (flights != nullptr) engine().use_flight(flights[number]);
}

void start_watchdog(const WatchdogOptions& options) {
  if (flights != nullptr || options.seconds <= 0 || is_debugged(getpid()) || has_other_threads()) {
    return;
  }
  flights = static_cast<Flight*>(map_shared(kMostFlights * sizeof(Flight)));
  sigset_t signals;
  sigset_t before;
  sigemptyset(&signals);
  sigaddset(&signals, SIGCHLD);
  for (const int signal : kPassedOn) sigaddset(&signals, signal);
  fflush(nullptr);
  sigprocmask(SIG_BLOCK, &signals, &before);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child > 0) {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    Watchdog(child, options, signals).watch();
  }
  sigprocmask(SIG_SETMASK, &before, nullptr);
  if (child < 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);
  handle_survey_signal();
}

}  // namespace heddle::sched::runtime
