// Measured on an otherwise idle machine, the directory in memory: initdb takes 0.38 s and the
// server's way to readiness 0.03 s, so that initdb is nine tenths of a start. Almost all of it is
// the server's own bootstrap SQL, and its result is not kept between runs: a template of the files
// would outlive us, and would have to follow every change of version, options and account.
#include "store/throwaway.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/text.h"
#include "store/trouble.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

// PostgreSQL refuses to run as root. These accounts are tried in turn.
constexpr const char* kUnprivilegedAccounts[] = {"postgres", "nobody"};
constexpr const char* kSuperuser = "postgres";

// Only what is read after a crash is given up for speed; what sessions see of each other is as in a
// server of the default configuration.
constexpr const char* kSettings[] = {
    "listen_addresses=",
    "fsync=off",
    "full_page_writes=off",
    "synchronous_commit=off",
    "wal_level=minimal",  // logical decoding is not offered
    "max_wal_senders=0",
    "max_logical_replication_workers=0",
    "wal_init_zero=off",
    "max_wal_size=128MB",
    "checkpoint_timeout=1d",
    "shared_buffers=32MB",
    "huge_pages=off",
    "dynamic_shared_memory_type=mmap",  // inside the directory, so that it goes with it
    "bgwriter_lru_maxpages=0",
    "autovacuum=off",  // its workers take locks that would be seen as waits of the sessions
    "max_prepared_transactions=64",
    "jit=off",
    "timezone=UTC",
    "log_timezone=UTC",
    "logging_collector=off",
    "log_destination=stderr",
    "log_min_messages=log",  // failing statements are a session's matter
    "log_min_error_statement=panic",
};

// initdb says what it is doing and, when it has succeeded, ends the line with "ok" or with what it
// has chosen; what goes wrong in between stands on the rest of the line. The words of the progress
// tell no cause.
std::string without_progress(const std::string& line) {
  constexpr std::string_view kDoing = " ... ";
  const std::size_t doing = line.find(kDoing);
  if (doing == line.npos) return line.ends_with(" ...") ? "" : line;
  const std::string rest(trim(std::string_view(line).substr(doing + kDoing.size())));
  return rest.find(' ') == rest.npos ? "" : rest;
}

// The line that names the cause: the gravest, and of those the first; else the last one, unless
// `killed`: then what it happened to be doing means nothing.
std::string reason_in(const std::string& output, bool killed) {
  constexpr std::string_view kMarks[] = {"PANIC:", "FATAL:", "error:", "could not",
                                         "terminated by"};
  std::vector<std::string> lines;
  for (const std::string& line : split(output, '\n')) {
    std::string told(trim(without_progress(line)));
    if (!told.empty()) lines.push_back(std::move(told));
  }
  if (lines.empty()) return killed ? "" : "it said nothing";
  // A symptom we know says more than any mark.
  for (const std::string& line : lines) {
    if (!advice_for(line).empty()) return line;
  }
  for (const std::string_view mark : kMarks) {
    for (const std::string& line : lines) {
      if (line.find(mark) != line.npos) return line;
    }
  }
  return killed ? "" : lines.back();
}

Diagnostic start_trouble(const std::string& what, const std::string& output, bool killed = false) {
  const std::string reason = reason_in(output, killed);
  return store_trouble(fmt::format("cannot start a temporary PostgreSQL server: {}{}{}", what,
                                   reason.empty() ? "" : ": ", reason),
                       advice_for(reason));
}

std::string describe_end(const ProcessOutcome& outcome) {
  if (outcome.timed_out) return "did not end in time";
  if (outcome.signal != 0) return fmt::format("was ended by signal {}", outcome.signal);
  return fmt::format("failed with exit code {}", outcome.exit_code);
}

Diagnostic end_trouble(const std::string& program, const ProcessOutcome& outcome,
                       const std::string& output) {
  return start_trouble(program + " " + describe_end(outcome), output, outcome.signal != 0);
}

// None where the server may run as ourselves.
Result<std::optional<Account>> server_account() {
  if (::geteuid() != 0) return std::optional<Account>();
  for (const char* name : kUnprivilegedAccounts) {
    if (std::optional<Account> account = find_account(name)) return account;
  }
  return Diagnostic{
      .what = "PostgreSQL refuses to run as root, and there is no user postgres or nobody",
      .what_to_do = "run heddle as another user",
      .file = {},
      .position = {},
      .trouble = Trouble::environment};
}

// One start, on its way.
struct Start {
  const ThrowawayOptions& options;
  const ThrowawayDirectory& directory;
  std::string binaries;
  std::optional<Account> account;

  Command command(std::vector<std::string> arguments) const {
    std::vector<std::string> environment = inherited_environment({"PATH", "LD_LIBRARY_PATH"});
    // initdb otherwise compares all time zones there are with the machine's.
    environment.insert(environment.end(), {"TZ=UTC", "LC_ALL=C"});
    return {.arguments = std::move(arguments),
            .environment = std::move(environment),
            .working_directory = directory.data(),
            .account = account};
  }
};

Result<void> make_files(const Start& start) {
  // Whoever can reach the socket may be trusted: its directory is open to the server's own user
  // only.
  const Command initdb =
      start.command({start.binaries + "/initdb", "--pgdata", start.directory.data(), "--username",
                     kSuperuser, "--auth", "trust", "--no-sync", "--locale=C", "--encoding=UTF8"});
  const Result<ProcessOutcome> outcome = run_process(initdb, start.options.timeout_ms);
  if (!outcome) return outcome.error();
  if (outcome->succeeded()) return {};
  return end_trouble("initdb", *outcome, outcome->output);
}

// The value of a list of paths with this one element.
std::string as_path_list(std::string_view path) {
  std::string quoted = "\"";
  for (const char c : path) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

Result<pid_t> launch(const Start& start) {
  std::vector<std::string> arguments = {start.binaries + "/postgres", "-D", start.directory.data()};
  const auto set = [&](std::string setting) {
    arguments.insert(arguments.end(), {"-c", std::move(setting)});
  };
  for (const char* setting : kSettings) set(setting);
  set("unix_socket_directories=" + as_path_list(start.directory.socket_directory()));
  set(fmt::format("max_connections={}", start.options.connections));
  for (const std::string& setting : start.options.settings) set(setting);

  const std::string path = start.directory.log();
  const FileDescriptor log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.is_open()) return file_trouble(path, "make the server's log", errno);
  return start_process(start.command(std::move(arguments)), log.get());
}

// The last line of postmaster.pid is the server's state.
bool says_ready(const ThrowawayDirectory& directory) {
  const Result<std::string> status = read_file(directory.data() + "/postmaster.pid", 1 << 16);
  if (!status) return false;
  const std::vector<std::string> lines = split(trim(*status), '\n');
  return lines.size() >= 8 && trim(lines.back()) == "ready";
}

std::string log_of(const ThrowawayDirectory& directory) {
  const Result<std::string> log = read_file(directory.log());
  return log ? *log : "";
}

Result<void> wait_until_ready(const Start& start, pid_t server) {
  const Clock::time_point deadline =
      Clock::now() + std::chrono::milliseconds(start.options.timeout_ms);
  for (int nap_ms = 1;; nap_ms = std::min(nap_ms * 2, 20)) {
    if (says_ready(start.directory)) return {};
    if (const std::optional<ProcessOutcome> outcome = reap_process(server))
      return end_trouble("postgres", *outcome, log_of(start.directory));
    if (Clock::now() >= deadline)
      return start_trouble("postgres was not ready in time", log_of(start.directory));
    pollfd interrupt{interrupt_fd(), POLLIN, 0};
    ::poll(&interrupt, 1, nap_ms);
    if (interrupted())
      return Diagnostic{.what = "interrupted",
                        .what_to_do = {},
                        .file = {},
                        .position = {},
                        .trouble = Trouble::interrupted};
  }
}

std::string make_conninfo(const std::string& host) {
  std::string quoted;
  for (const char c : host) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return fmt::format("host='{}' port=5432 user={} dbname=postgres", quoted, kSuperuser);
}

// "15.4 (Debian ...)" -> "15.4".
Result<std::string> ask_version(const std::string& conninfo) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(conninfo.c_str()),
                                                                &PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK)
    return start_trouble("it does not answer", PQerrorMessage(connection.get()));
  const std::string_view version = PQparameterStatus(connection.get(), "server_version");
  return std::string(version.substr(0, version.find(' ')));
}

}  // namespace

ThrowawayPostgres::ThrowawayPostgres(std::unique_ptr<ThrowawayDirectory> directory)
    : directory_(std::move(directory)), conninfo_(make_conninfo(directory_->socket_directory())) {}

Result<std::unique_ptr<ThrowawayPostgres>> ThrowawayPostgres::start(
    const ThrowawayOptions& options) {
  Result<std::string> binaries = find_postgres_binaries(options.binaries);
  if (!binaries) return binaries.error();
  Result<std::optional<Account>> account = server_account();
  if (!account) return account.error();
  remove_leftovers(leftover_roots());
  Result<std::unique_ptr<ThrowawayDirectory>> directory =
      ThrowawayDirectory::create(options.roots, *account);
  if (!directory) return directory.error();

  std::unique_ptr<ThrowawayPostgres> server(new ThrowawayPostgres(std::move(*directory)));
  const Start start{options, *server->directory_, std::move(*binaries), std::move(*account)};
  if (Result<void> made = make_files(start); !made) return made.error();
  const Result<pid_t> launched = launch(start);
  if (!launched) return launched.error();
  server->process_ = *launched;
  if (Result<void> ready = wait_until_ready(start, *launched); !ready) return ready.error();
  Result<std::string> version = ask_version(server->conninfo_);
  if (!version) return version.error();
  server->version_ = std::move(*version);
  return server;
}

ThrowawayPostgres::~ThrowawayPostgres() {
  if (process_ != 0 && !reap_process(process_)) ::kill(process_, SIGQUIT);
  directory_.reset();
  if (process_ == 0 || reap_process(process_)) return;
  ::kill(process_, SIGKILL);
  while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace heddle
