#include "cli/check/growing_input.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/interrupt.h"

namespace heddle {

namespace {

constexpr std::size_t kChunk = std::size_t{64} << 10U;

}  // namespace

Result<GrowingInput> GrowingInput::open(const std::string& path) {
  GrowingInput input(path);
  if (path == "-") {
    input.path_ = "<stdin>";
    return input;
  }
  input.file_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!input.file_.is_open()) return file_trouble(path, "read", errno);
  struct stat status{};
  if (::fstat(input.file_.get(), &status) != 0) return file_trouble(path, "read", errno);
  if (S_ISDIR(status.st_mode)) return file_trouble(path, "follow", EISDIR);
  if (!S_ISREG(status.st_mode)) return input;
  // Watched before it is read, so that nothing that is written in between is missed.
  input.watcher_ = FileDescriptor(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!input.watcher_.is_open()) return file_trouble(path, "watch", errno);
  constexpr std::uint32_t kEvents = IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF;
  if (::inotify_add_watch(input.watcher_.get(), path.c_str(), kEvents) < 0) {
    return file_trouble(path, "watch", errno);
  }
  return input;
}

int GrowingInput::fd() const { return file_.is_open() ? file_.get() : STDIN_FILENO; }

Result<GrowingInput::Event> GrowingInput::next(
    std::string& bytes, const std::optional<std::chrono::steady_clock::time_point>& deadline) {
  bytes.resize(kChunk);
  while (true) {
    if (interrupted()) return Event::interrupted;
    if (deadline && std::chrono::steady_clock::now() >= *deadline) return Event::timeout;
    if (watcher_.is_open()) {
      const ssize_t count = ::read(fd(), bytes.data(), bytes.size());
      if (count < 0 && errno != EINTR) return file_trouble(path_, "read", errno);
      if (count > 0) {
        bytes.resize(static_cast<std::size_t>(count));
        offset_ += bytes.size();
        said_idle_ = false;
        return Event::bytes;
      }
      const Result<Event> checked = check_file();
      if (!checked) return checked;
    } else {
      pollfd ready{fd(), POLLIN, 0};
      const int found = ::poll(&ready, 1, 0);
      if (found > 0) {
        const ssize_t count = ::read(fd(), bytes.data(), bytes.size());
        if (count < 0 && errno != EINTR && errno != EAGAIN) {
          return file_trouble(path_, "read", errno);
        }
        if (count == 0) return Event::end;
        if (count < 0) continue;
        bytes.resize(static_cast<std::size_t>(count));
        said_idle_ = false;
        return Event::bytes;
      }
    }
    if (!std::exchange(said_idle_, true)) return Event::idle;
    const Result<Event> waited = wait(deadline);
    if (!waited || *waited != Event::idle) return waited;
  }
}

// Until something happens: idle says that it is worth to look again.
Result<GrowingInput::Event> GrowingInput::wait(
    const std::optional<std::chrono::steady_clock::time_point>& deadline) {
  int timeout = -1;
  if (deadline) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        *deadline - std::chrono::steady_clock::now());
    timeout = static_cast<int>(
        std::clamp<std::int64_t>(left.count() + 1, 0, std::numeric_limits<int>::max()));
  }
  std::array<pollfd, 2> waited = {pollfd{watcher_.is_open() ? watcher_.get() : fd(), POLLIN, 0},
                                  pollfd{interrupt_fd(), POLLIN, 0}};
  const int found = ::poll(waited.data(), waited.size(), timeout);
  if (found < 0 && errno != EINTR) return file_trouble(path_, "wait for", errno);
  if (interrupted()) return Event::interrupted;
  if (found == 0) return Event::timeout;
  if (watcher_.is_open()) drop_events();
  return Event::idle;
}

// What they say shows in the file itself.
void GrowingInput::drop_events() const {
  alignas(inotify_event) std::array<char, 4096> events;
  while (::read(watcher_.get(), events.data(), events.size()) > 0) {
  }
}

Result<GrowingInput::Event> GrowingInput::check_file() const {
  struct stat status{};
  if (::fstat(fd(), &status) != 0) return file_trouble(path_, "read", errno);
  if (static_cast<std::uint64_t>(status.st_size) < offset_) {
    return Diagnostic{.what = "the file has become shorter while it was followed",
                      .what_to_do = "let whoever writes it only add to its end",
                      .file = path_};
  }
  if (status.st_nlink == 0) {
    return Diagnostic{.what = "the file was removed while it was followed",
                      .what_to_do = "let it stay where it is until heddle has ended",
                      .file = path_};
  }
  return Event::idle;
}

}  // namespace heddle
