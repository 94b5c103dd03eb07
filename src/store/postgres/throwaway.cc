// Measured on an otherwise idle machine, the directory in memory: initdb takes 0.38 s and the
// server's way to readiness 0.03 s, so that initdb is nine tenths of a start. Almost all of it is
// the server's own bootstrap SQL, and its result is not kept between runs: a template of the files
// would outlive us, and would have to follow every change of version, options and account.
#include "store/postgres/throwaway.h"

#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <libpq-fe.h>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "store/postgres/environment.h"
#include "throwaway/server_start.h"

namespace heddle {
namespace {

constexpr const char* kPostgresProduct = "PostgreSQL";
constexpr const char* kSuperuser = "postgres";

// Only what is read after a crash is given up for speed; what sessions see of each other is as in a
// server of the default configuration.
constexpr const char* kPostgresSettings[] = {
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

Result<void> make_postgres_files(const ServerStart& start, const std::string& binaries) {
  // Whoever can reach the socket may be trusted: its directory is open to the server's own user
  // only.
  const Command initdb = server_command(
      start, {binaries + "/initdb", "--pgdata", start.directory.data(), "--username", kSuperuser,
              "--auth", "trust", "--no-sync", "--locale=C", "--encoding=UTF8"});
  const Result<ProcessOutcome> outcome = run_process(initdb, start.timeout_ms);
  if (!outcome) return outcome.error();
  if (outcome->succeeded()) return {};
  return end_trouble(kPostgresProduct, "initdb", *outcome, outcome->output);
}

// The value of a list of paths with this one element.
std::string as_path_list(std::string_view path) {
  std::string quoted = "\"";
  for (const char c : path) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

Result<pid_t> launch(const ServerStart& start, const std::string& binaries,
                     const ThrowawayOptions& options) {
  std::vector<std::string> arguments = {binaries + "/postgres", "-D", start.directory.data()};
  const auto set = [&](std::string setting) {
    arguments.insert(arguments.end(), {"-c", std::move(setting)});
  };
  for (const char* setting : kPostgresSettings) set(setting);
  set("unix_socket_directories=" + as_path_list(start.directory.socket_directory()));
  set(fmt::format("max_connections={}", options.connections));
  for (const std::string& setting : options.settings) set(setting);
  return launch_server(start, std::move(arguments));
}

// The last line of postmaster.pid is the server's state.
bool says_ready(const ThrowawayDirectory& directory) {
  const Result<std::string> status = read_file(directory.data() + "/postmaster.pid", 1 << 16);
  if (!status) return false;
  const std::vector<std::string> lines = split(trim(*status), '\n');
  return lines.size() >= 8 && trim(lines.back()) == "ready";
}

std::string make_conninfo(const std::string& host) {
  std::string quoted;
  for (const char c : host) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  // What libpq would otherwise look up in the user's home: passwords, certificates, tickets. There
  // is no such file.
  return fmt::format(
      "host='{0}' port=5432 user={1} dbname=postgres passfile='{0}/passwords' sslmode=disable "
      "gssencmode=disable",
      quoted, kSuperuser);
}

// "15.4 (Debian ...)" -> "15.4".
Result<std::string> ask_version(const std::string& conninfo) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(conninfo.c_str()),
                                                                &PQfinish);
  if (PQstatus(connection.get()) != CONNECTION_OK)
    return start_trouble(kPostgresProduct, "it does not answer", PQerrorMessage(connection.get()));
  const std::string_view version = PQparameterStatus(connection.get(), "server_version");
  return std::string(version.substr(0, version.find(' ')));
}

}  // namespace

ThrowawayPostgres::ThrowawayPostgres(std::unique_ptr<ThrowawayDirectory> directory)
    : directory_(std::move(directory)), conninfo_(make_conninfo(directory_->socket_directory())) {}

Result<std::unique_ptr<ThrowawayPostgres>> ThrowawayPostgres::start(
    const ThrowawayOptions& options) {
  take_postgres_environment();
  Result<std::string> binaries = find_postgres_binaries(options.binaries);
  if (!binaries) return binaries.error();
  Result<std::optional<Account>> account = server_account(kPostgresProduct, {"postgres", "nobody"});
  if (!account) return account.error();
  remove_leftovers(leftover_roots());
  Result<std::unique_ptr<ThrowawayDirectory>> directory =
      ThrowawayDirectory::create(options.roots, *account);
  if (!directory) return directory.error();

  std::unique_ptr<ThrowawayPostgres> server(new ThrowawayPostgres(std::move(*directory)));
  const ServerStart start{kPostgresProduct, *server->directory_, std::move(*account),
                          options.timeout_ms};
  if (Result<void> made = make_postgres_files(start, *binaries); !made) return made.error();
  const Result<pid_t> launched = launch(start, *binaries, options);
  if (!launched) return launched.error();
  server->process_ = *launched;
  if (Result<void> ready = wait_until_ready(start, "postgres", *launched,
                                            [&] { return says_ready(start.directory); });
      !ready) {
    return ready.error();
  }
  Result<std::string> version = ask_version(server->conninfo_);
  if (!version) return version.error();
  server->version_ = std::move(*version);
  return server;
}

ThrowawayPostgres::~ThrowawayPostgres() { end_throwaway(process_, SIGQUIT, std::move(directory_)); }

}  // namespace heddle
