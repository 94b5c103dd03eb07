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

#include <libpq-fe.h>

#include "base/assert.h"
#include "base/file.h"
#include "base/text.h"
#include "store/addresses.h"
#include "store/mariadb_database.h"
#include "store/quote.h"
#include "store/redis_connection.h"
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
};

constexpr std::size_t kMaxMessage = std::size_t{1} << 15;

struct Entry {
  bool is_database = false;
  std::string name;
  std::string conninfo;
};

using Connection = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using QueryReply = std::unique_ptr<PGresult, decltype(&PQclear)>;

Connection connect(const std::string& conninfo, const std::string& database) {
  std::vector<const char*> keywords = {"dbname", "connect_timeout"};
  std::vector<const char*> values = {conninfo.c_str(), "5"};
  if (!database.empty()) {
    keywords.push_back("dbname");  // only the first is read as a connection string
    values.push_back(database.c_str());
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  return {PQconnectdbParams(keywords.data(), values.data(), 1), &PQfinish};
}

QueryReply query(PGconn* connection, const std::string& text) {
  return {PQexec(connection, text.c_str()), &PQclear};
}

QueryReply query(PGconn* connection, const char* text, const std::string& parameter) {
  const char* values[] = {parameter.c_str()};
  return {PQexecParams(connection, text, 1, nullptr, values, nullptr, nullptr, 0), &PQclear};
}

// Prepared transactions outlive their clients, keep a database from being dropped, and can be ended
// only from inside it.
void roll_back_prepared(const std::string& conninfo, const std::string& database) {
  const Connection connection = connect(conninfo, database);
  const QueryReply prepared =
      query(connection.get(), "SELECT gid FROM pg_prepared_xacts WHERE database = $1", database);
  for (int row = 0; row < PQntuples(prepared.get()); ++row) {
    const char* gid = PQgetvalue(prepared.get(), row, 0);
    const std::unique_ptr<char, decltype(&PQfreemem)> literal(
        PQescapeLiteral(connection.get(), gid, std::string_view(gid).size()), &PQfreemem);
    if (literal) query(connection.get(), std::string("ROLLBACK PREPARED ") + literal.get());
  }
}

bool drop_mariadb_database(const std::string& address, const std::string& database) {
  const auto parsed = parse_mariadb_address(address);
  if (!parsed) return true;
  const auto connection = connect_to_mariadb(*parsed);
  if (!connection) return false;
  return mysql_query(connection->get(),
                     ("DROP DATABASE IF EXISTS " + quote_with(database, '`')).c_str()) == 0;
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
  return claimed && *claimed &&
         order_redis(**connection, {{"SELECT", std::to_string(number)}, {"FLUSHDB"}});
}

bool drop_database(const std::string& conninfo, const std::string& database) {
  if (is_mariadb_address(conninfo)) return drop_mariadb_database(conninfo, database);
  if (is_redis_address(conninfo)) return empty_redis_database(conninfo, database);
  roll_back_prepared(conninfo, database);
  const Connection connection = connect(conninfo, "");
  query(connection.get(),
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = $1 AND pid <> pg_backend_pid()",
        database);
  const std::unique_ptr<char, decltype(&PQfreemem)> name(
      PQescapeIdentifier(connection.get(), database.c_str(), database.size()), &PQfreemem);
  if (!name) return false;
  const QueryReply dropped =
      query(connection.get(), std::string("DROP DATABASE IF EXISTS ") + name.get());
  return PQresultStatus(dropped.get()) == PGRES_COMMAND_OK;
}

void drop_patiently(const Entry& entry) {
  // The dead client's connections take a moment to end. A server that cannot be reached is not
  // asked for long: at a normal end, heddle waits for us.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (!drop_database(entry.conninfo, entry.name) && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
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
      if (entry.is_database)
        drop_patiently(entry);
      else
        destroy_throwaway(entry.name);
    }
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

  void apply(std::string_view message) {
    const auto kind = static_cast<MessageKind>(message.front());
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
