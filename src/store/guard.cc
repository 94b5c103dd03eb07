#include "store/guard.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
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

#include <fmt/format.h>

#include "base/assert.h"
#include "base/file.h"
#include "base/text.h"
#include "store/addresses.h"
#include "store/client_environment.h"
#include "store/redis_connection.h"
#include "store/server_runs.h"
#include "store/throwaway_directory.h"

namespace heddle {
namespace {

// One message is one packet: the kind, the name, and for databases a zero byte and how to reach
// the server.
enum class MessageKind : char {
  add_directory = 'D',
  forget_directory = 'd',
  add_database = 'B',
  forget_database = 'b',
  wait_for_guard = 'W',  // nothing follows but the end
};

// How long a server is asked to drop what is on the list.
constexpr std::chrono::seconds kUsualPatience{60};
constexpr std::chrono::seconds kShortPatience{2};
constexpr std::chrono::milliseconds kLongestNap{500};

constexpr std::size_t kMaxMessage = std::size_t{1} << 15;

struct Entry {
  bool is_database = false;
  std::string name;
  std::string conninfo;
};

// A connection that has selected the logical database is the dead client's, and may still have
// commands to work on; or it is somebody else's, whose keys may be there by now.
bool is_redis_database_in_use(redisContext& connection, int number) {
  const auto clients = order_redis(connection, {{"CLIENT", "LIST"}});
  return !clients ||
         text_of(*clients->front()).find(fmt::format(" db={} ", number)) != std::string::npos;
}

// Until the server has seen the dead client's connection end, or if others have taken the logical
// database since, it is claimed: then its keys are not ours to remove.
bool empty_redis_database(const std::string& address, const std::string& name) {
  const auto parsed = parse_redis_address(address);
  const int number = std::atoi(name.c_str());
  if (!parsed) return true;
  const auto connection = connect_to_redis(*parsed);
  if (!connection) return false;
  const auto claimed = claim_redis_database(**connection, number);
  return claimed && *claimed && !is_redis_database_in_use(**connection, number) &&
         order_redis(**connection, {{"SELECT", std::to_string(number)}, {"FLUSHDB"}});
}

// What the dead client asked for may still be under way, and end in a database that a DROP before
// it does not see. So there is a database to drop only once none of its connections is left.
bool drop_database(const std::string& conninfo, const std::string& database) {
  if (is_redis_address(conninfo)) return empty_redis_database(conninfo, database);
  const auto server = open_server_runs(conninfo);
  if (!server) return false;
  const auto ended = (*server)->end_connections(database);
  return ended && !*ended && (*server)->drop(database);
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
    for (const Entry& entry : entries_) {
      if (!entry.is_database) destroy_throwaway(entry.name);
    }
    drop_databases();
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

  // A server that cannot be reached is not asked for long where heddle waits for us; nor is Redis,
  // whose logical databases others may use once heddle's connections have ended.
  void drop_databases() {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const auto patience = [&](const Entry& entry) {
      return is_waited_for_ || is_redis_address(entry.conninfo) ? kShortPatience : kUsualPatience;
    };
    for (auto nap = std::chrono::milliseconds(20);; nap = std::min(nap * 2, kLongestNap)) {
      std::erase_if(entries_, [&](const Entry& entry) {
        return !entry.is_database || drop_database(entry.conninfo, entry.name) ||
               Clock::now() - begin >= patience(entry);
      });
      if (entries_.empty()) return;
      std::this_thread::sleep_for(nap);
    }
  }

  void apply(std::string_view message) {
    const auto kind = static_cast<MessageKind>(message.front());
    is_waited_for_ = kind == MessageKind::wait_for_guard;
    message.remove_prefix(1);
    const std::size_t zero = message.find('\0');
    const std::string name(message.substr(0, zero));
    const std::string conninfo(zero == message.npos ? "" : message.substr(zero + 1));
    const bool is_database =
        kind == MessageKind::add_database || kind == MessageKind::forget_database;
    if (kind == MessageKind::add_directory || kind == MessageKind::add_database) {
      entries_.push_back({is_database, name, conninfo});
      return;
    }
    const auto known = std::ranges::find_if(entries_, [&](const Entry& entry) {
      return entry.is_database == is_database && entry.name == name;
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

  void send(MessageKind kind, const std::string& text) {
    const std::string message = static_cast<char>(kind) + text;
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

// The guard's connections are to go where heddle's go.
Result<void> guard_start() {
  take_client_environment();
  return GuardLink::of_this_process().start();
}

void guard_add_directory(const std::string& path) {
  GuardLink::of_this_process().send(MessageKind::add_directory, path);
}

void guard_forget_directory(const std::string& path) {
  GuardLink::of_this_process().send(MessageKind::forget_directory, path);
}

void guard_add_database(const std::string& conninfo, const std::string& name) {
  GuardLink::of_this_process().send(MessageKind::add_database, name + '\0' + conninfo);
}

void guard_forget_database(const std::string& name) {
  GuardLink::of_this_process().send(MessageKind::forget_database, name);
}

}  // namespace heddle
