#include "throwaway/guard.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <mutex>
#include <signal.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "base/file.h"

namespace heddle {
namespace {

// One message is one packet: what it says, the kind's address, the name, a zero byte, where it is.
enum class MessageKind : char {
  add = 'A',
  forget = 'F',
  wait_for_guard = 'W',  // nothing follows but the end
};

// How long anything is asked for where heddle waits for the guard.
constexpr std::chrono::seconds kShortPatience{2};
constexpr std::chrono::milliseconds kLongestNap{500};

constexpr std::size_t kMaxMessage = std::size_t{1} << 15;

struct Entry {
  const GuardedKind* kind = nullptr;
  std::string name;
  std::string where;
};

// Adds and forgets only: in one process and its fork an address means the same.
std::string to_message(MessageKind message, const Entry& entry) {
  const auto address = std::bit_cast<std::uintptr_t>(entry.kind);
  std::string text(1 + sizeof address, static_cast<char>(message));
  std::memcpy(&text[1], &address, sizeof address);
  return text + entry.name + '\0' + entry.where;
}

Entry read_entry(std::string_view message) {
  std::uintptr_t address = 0;
  std::memcpy(&address, &message[1], sizeof address);
  message.remove_prefix(1 + sizeof address);
  const std::size_t zero = message.find('\0');
  return {.kind = std::bit_cast<const GuardedKind*>(address),
          .name = std::string(message.substr(0, zero)),
          .where = std::string(message.substr(zero + 1))};
}

class GuardProcess {
 public:
  explicit GuardProcess(int socket) : socket_(socket) {}

  [[noreturn]] void run() {
    detach();
    std::vector<char> packet(kMaxMessage);
    for (;;) {
      // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): the lock is the parent's
      const ssize_t size = ::recv(socket_, packet.data(), packet.size(), 0);
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) break;
      apply({packet.data(), static_cast<std::size_t>(size)});
    }
    remove_entries();
    ::_exit(0);
  }

 private:
  // REQUIRES: all signals are blocked; they stay so. Away from the terminal, the pipes and the
  // files of heddle: whoever reads heddle's output must see its end when heddle ends.
  void detach() {
    ::setsid();
    // Without heddle's name, by which people kill.
    ::prctl(PR_SET_NAME, "throwaway-guard");
    constexpr int kSocket = STDERR_FILENO + 1;
    const int spare = ::fcntl(socket_, F_DUPFD, kSocket + 1);
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      nothing < 0 ? ::close(fd) : ::dup2(nothing, fd);
    ::dup2(spare, kSocket);
    ::closefrom(kSocket + 1);
    socket_ = kSocket;
    if (::chdir("/") != 0) return;
  }

  // A server that cannot be reached is not asked for long where heddle waits for us.
  void remove_entries() {
    const auto patience = [&](const Entry& entry) {
      return is_waited_for_ ? std::min(kShortPatience, entry.kind->patience) : entry.kind->patience;
    };
    std::ranges::stable_sort(entries_, {}, patience);
    const auto begin = std::chrono::steady_clock::now();
    for (auto nap = std::chrono::milliseconds(20);; nap = std::min(nap * 2, kLongestNap)) {
      std::erase_if(entries_, [&](const Entry& entry) {
        return entry.kind->remove(entry.name, entry.where) ||
               std::chrono::steady_clock::now() - begin >= patience(entry);
      });
      if (entries_.empty()) return;
      std::this_thread::sleep_for(nap);
    }
  }

  void apply(std::string_view message) {
    const auto kind = static_cast<MessageKind>(message.front());
    is_waited_for_ = kind == MessageKind::wait_for_guard;
    if (is_waited_for_) return;
    Entry said = read_entry(message);
    if (kind == MessageKind::add) {
      entries_.push_back(std::move(said));
      return;
    }
    const auto known = std::ranges::find_if(entries_, [&](const Entry& entry) {
      return entry.kind == said.kind && entry.name == said.name;
    });
    if (known != entries_.end()) entries_.erase(known);
  }

  int socket_;
  std::vector<Entry> entries_;
  bool is_waited_for_ = false;  // said at last: it was no sudden death
};

// Heddle's side. One per process, never destroyed: others may end after it.
class GuardLink {
 public:
  static GuardLink& of_this_process() {
    static auto* link = new GuardLink;
    return *link;
  }

  Result<void> start() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return start_locked();
  }

  void send(MessageKind kind, const Entry& entry) {
    const std::string message = to_message(kind, entry);
    HEDDLE_ASSERT(message.size() <= kMaxMessage);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!start_locked()) return;
    // A guard that someone has killed is missed only if heddle dies as well; then the next run
    // finds what is left.
    while (::send(socket_.get(), message.data(), message.size(), MSG_NOSIGNAL) < 0 &&
           errno == EINTR) {
    }
  }

 private:
  Result<void> start_locked() {
    // A child that was forked by others has no guard: it would speak to its parent's.
    if (socket_.is_open() && owner_ == ::getpid()) return {};
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
      return file_trouble("", "make a socket for the guard process", errno);
    FileDescriptor guard_end(ends[0]);
    FileDescriptor own_end(ends[1]);
    // What is sent to everyone, as Ctrl-C is, is not for the guard, from its first moment.
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t guard = ::fork();
    if (guard == 0) GuardProcess(guard_end.get()).run();
    const int fork_error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (guard < 0) return file_trouble("", "start the guard process", fork_error);
    if (owner_ == 0) std::atexit([] { of_this_process().finish(); });
    socket_ = std::move(own_end);
    guard_ = guard;
    owner_ = ::getpid();
    return {};
  }

  void finish() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (owner_ != ::getpid()) return;
    const char farewell = static_cast<char>(MessageKind::wait_for_guard);
    (void)::send(socket_.get(), &farewell, 1, MSG_NOSIGNAL);
    socket_.reset();
    while (::waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  std::mutex mutex_;
  FileDescriptor socket_;
  pid_t guard_ = 0;
  pid_t owner_ = 0;
};

}  // namespace

Result<void> guard_start() { return GuardLink::of_this_process().start(); }

void guard_add(const GuardedKind& kind, const std::string& name, const std::string& where) {
  GuardLink::of_this_process().send(MessageKind::add, {&kind, name, where});
}

void guard_forget(const GuardedKind& kind, const std::string& name) {
  GuardLink::of_this_process().send(MessageKind::forget, {&kind, name, ""});
}

}  // namespace heddle
