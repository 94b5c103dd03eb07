#include "base/bounds.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <condition_variable>
#include <fcntl.h>
#include <limits>
#include <map>
#include <mutex>
#include <string_view>
#include <sys/sysinfo.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/text.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

// How often memory and clock are looked at. Measured: a look at the memory takes 2 us.
constexpr std::chrono::milliseconds kPeriod{10};

// By so much a bound on memory may be exceeded at least while work is brought to its end.
constexpr std::uint64_t kLastResort = std::uint64_t{256} << 20U;

// Looks at what the bounds are about as long as there is something to look at. Lives as long as the
// process: its thread may be asleep when main() ends.
class Watch {
 public:
  void bound_time(Clock::time_point end, std::string name) {
    const std::scoped_lock lock(mutex_);
    end_ = end;
    time_name_ = std::move(name);
    wake();
  }

  void bound_memory(std::uint64_t bytes, std::string name) {
    const std::scoped_lock lock(mutex_);
    most_bytes_ = bytes;
    memory_name_ = std::move(name);
    resident_ = resident_memory();
    if (resident_ > bytes) reach(memory_name_);
    wake();
  }

  bool is_memory_short(std::uint32_t percent) const {
    const std::uint64_t most = most_bytes_.load();
    return most != 0 && resident_.load() > most / 100 * percent;
  }

  std::string reached() const {
    const std::scoped_lock lock(mutex_);
    return reached_;
  }

  std::uint64_t add(std::optional<Clock::time_point> end, std::function<void()> cancel) {
    const std::scoped_lock lock(mutex_);
    cancellations_.emplace(++last_, Cancelled{end, std::move(cancel)});
    wake();
    return last_;
  }

  void remove(std::uint64_t number) {
    const std::scoped_lock lock(mutex_);
    cancellations_.erase(number);
  }

  void clear() {
    const std::scoped_lock lock(mutex_);
    end_.reset();
    most_bytes_ = 0;
    reached_.clear();
  }

 private:
  struct Cancelled {
    std::optional<Clock::time_point> end;
    std::function<void()> cancel;
  };

  // REQUIRES: mutex_ held, as in what follows.
  void wake() {
    if (!is_running_) {
      is_running_ = true;
      std::thread([this] { run(); }).detach();
    } else if (is_idle_) {
      changed_.notify_all();
    }
  }

  bool has_work() const { return end_ || most_bytes_ != 0 || !cancellations_.empty(); }

  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      is_idle_ = true;
      changed_.wait(lock, [this] { return has_work(); });
      is_idle_ = false;
      look();
      lock.unlock();
      std::this_thread::sleep_for(kPeriod);
      lock.lock();
    }
  }

  void look() {
    const Clock::time_point now = Clock::now();
    if (end_ && now >= *end_) reach(time_name_);
    if (most_bytes_ != 0) look_at_memory();
    for (const auto& [number, one] : cancellations_) {
      if (interrupted() || (one.end && now >= *one.end)) one.cancel();
    }
  }

  void look_at_memory() {
    resident_ = resident_memory();
    const std::uint64_t most = most_bytes_;
    if (resident_ > most) reach(memory_name_);
    if (resident_ > most + std::max(most / 4, kLastResort)) give_up();
  }

  void reach(const std::string& name) {
    if (reached_.empty()) reached_ = name;
    stop_at_bound();
  }

  // Whatever fills the memory does not ask interrupted().
  [[noreturn]] void give_up() const {
    const std::string text = fmt::format(
        "heddle: {} was exceeded by far before work could be ended: nothing is reported, "
        "give more or less to do\n",
        memory_name_);
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    constexpr int kUnknown = 3;
    ::_exit(kUnknown);
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool is_running_ = false;
  bool is_idle_ = false;
  std::optional<Clock::time_point> end_;
  std::string time_name_;
  std::string memory_name_;
  std::string reached_;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Cancelled> cancellations_;
  std::atomic<std::uint64_t> most_bytes_ = 0;  // 0: no bound
  std::atomic<std::uint64_t> resident_ = 0;
};

Watch& watch() {
  static auto* const only = new Watch;
  return *only;
}

std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? number : 0;
}

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// The least of the file `name` in `folder` and in those above it, up to `root`.
std::uint64_t least_limit(const std::string& root, std::string folder, const std::string& name) {
  std::uint64_t least = kNoLimit;
  while (true) {
    const Result<std::string> text = read_file(root + folder + "/" + name);
    const std::uint64_t limit = text ? number_in(*text) : 0;
    if (limit != 0) least = std::min(least, limit);
    if (folder.empty()) return least;
    folder.resize(folder.rfind('/') == folder.npos ? 0 : folder.rfind('/'));
  }
}

// Lines "NUMBER:CONTROLLERS:/FOLDER"; of version 2 of control groups the second is empty.
std::uint64_t limit_of_control_group() {
  std::uint64_t least = kNoLimit;
  const Result<std::string> groups = read_file("/proc/self/cgroup");
  if (!groups) return least;
  for (const std::string& text : split(*groups, '\n')) {
    const std::string_view line = text;
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == line.npos || second == line.npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const std::string_view path = line.substr(second + 1);
    const std::string folder(path == "/" ? "" : path);
    if (controllers.empty()) {
      least = std::min(least, least_limit("/sys/fs/cgroup", folder, "memory.max"));
    } else if (controllers.find("memory") != controllers.npos) {
      least =
          std::min(least, least_limit("/sys/fs/cgroup/memory", folder, "memory.limit_in_bytes"));
    }
  }
  return least;
}

}  // namespace

void bound_time(std::uint32_t ms, std::string name) {
  watch().bound_time(Clock::now() + std::chrono::milliseconds(ms), std::move(name));
}

void bound_memory(std::uint64_t bytes, std::string name) {
  watch().bound_memory(bytes, std::move(name));
}

bool memory_is_short(std::uint32_t percent) { return watch().is_memory_short(percent); }

std::string stop_reason() { return interrupt_signal() != 0 ? "interrupted" : watch().reached(); }

std::uint64_t memory_of_machine() {
  struct sysinfo machine{};
  const bool is_known = ::sysinfo(&machine) == 0;
  const std::uint64_t all =
      is_known ? std::uint64_t{machine.totalram} * machine.mem_unit : kNoLimit;
  return std::min(all, limit_of_control_group());
}

std::uint64_t resident_memory() {
  static const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  static const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  char text[128];
  const ssize_t size = ::pread(file, text, sizeof text, 0);
  if (size <= 0) return 0;
  const std::string_view numbers(text, static_cast<std::size_t>(size));
  const std::size_t space = numbers.find(' ');
  return space == numbers.npos ? 0 : number_in(numbers.substr(space + 1)) * page;
}

Cancellation::Cancellation(std::optional<Clock::time_point> end, std::function<void()> cancel)
    : number_(watch().add(end, std::move(cancel))) {}

Cancellation::~Cancellation() { watch().remove(number_); }

void clear_bounds() {
  watch().clear();
  clear_interrupt();
}

}  // namespace heddle
