// Measured, the directory in memory: making the system tables takes 0.3 s, the server's way to
// readiness 0.2 s. mariadb-install-db does no more than feed the same SQL to the same program, but
// needs others that a bare server package lacks.
#include "store/mariadb/throwaway.h"

#include <csignal>
#include <filesystem>
#include <mysql.h>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process.h"
#include "store/mariadb/environment.h"
#include "throwaway/server_start.h"

namespace heddle {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMariadbProduct = "MariaDB";

// The server's own SQL, in the order of its mariadb-install-db.
constexpr std::string_view kSystemTables[] = {"system_tables", "performance_tables",
                                              "system_tables_data"};
constexpr std::string_view kSystemProcedures = "maria_add_gis_sp_bootstrap.sql";

// Where a server is reached over TCP, as some settings want it, nobody is root without a password.
constexpr std::string_view kOnlyLocalUsers =
    "\nDELETE FROM global_priv WHERE Host <> 'localhost';\n";

// Only what is read after a crash is given up for speed; what sessions see of each other is as in a
// server of the default configuration.
constexpr const char* kMariadbSettings[] = {
    "skip-networking",
    "skip-log-bin",
    "innodb-log-file-size=4M",
    "innodb-buffer-pool-size=32M",
    "innodb-flush-log-at-trx-commit=0",
    "innodb-doublewrite=0",
    "innodb-buffer-pool-dump-at-shutdown=0",
    "innodb-buffer-pool-load-at-startup=0",
    "innodb-status-output-locks=1",
    "innodb-stats-auto-recalc=0",  // a background thread would lock tables of its own
    "key-buffer-size=1M",
    "aria-pagecache-buffer-size=8M",
    "aria-log-file-size=8M",
    "default-time-zone=+00:00",
    "character-set-server=utf8mb4",
    "skip-slave-start",
    "loose-feedback=OFF",
    // Of the performance schema only the locks on metadata and those of users.
    "performance-schema=ON",
    "performance-schema-instrument=%=OFF",
    "performance-schema-instrument=wait/lock/metadata/sql/mdl=ON",
    "performance-schema-digests-size=0",
    "performance-schema-accounts-size=0",
    "performance-schema-hosts-size=0",
    "performance-schema-users-size=0",
    "performance-schema-events-statements-history-long-size=0",
    "performance-schema-events-stages-history-long-size=0",
    "performance-schema-events-transactions-history-long-size=0",
    "performance-schema-events-waits-history-long-size=0",
};

// The server's directory of SQL files and messages, beside its programs.
Result<std::string> find_share(const std::string& binaries) {
  for (const std::string_view name : {"mysql", "mariadb"}) {
    const fs::path share = fs::path(binaries).parent_path() / "share" / name;
    std::error_code unreadable;
    if (fs::exists(share / kSystemProcedures, unreadable)) return share.string();
  }
  return Diagnostic{.what = fmt::format("beside {} there is no share/mysql with the SQL of "
                                        "MariaDB's system tables",
                                        binaries),
                    .what_to_do = fmt::format("set ${} to the directory of a whole installation",
                                              kMariadbBinVariable),
                    .file = {},
                    .position = {},
                    .trouble = Trouble::environment};
}

Result<std::string> read_system_sql(const std::string& share) {
  std::string sql = "CREATE DATABASE mysql;\nUSE mysql;\n";
  for (const std::string_view tables : kSystemTables) {
    // Called after the one product or the other, as the version has it.
    Result<std::string> text = read_file(fmt::format("{}/mysql_{}.sql", share, tables));
    if (!text) text = read_file(fmt::format("{}/mariadb_{}.sql", share, tables));
    if (!text) return text.error();
    sql += *text + "\n";
  }
  const Result<std::string> procedures = read_file(fmt::format("{}/{}", share, kSystemProcedures));
  if (!procedures) return procedures.error();
  return sql + *procedures + std::string(kOnlyLocalUsers);
}

std::vector<std::string> server_arguments(const ServerStart& start, const std::string& binaries,
                                          const std::string& share) {
  const std::string& directory = start.directory.path();
  std::vector<std::string> arguments = {
      binaries + "/mariadbd",
      "--no-defaults",
      "--datadir=" + start.directory.data(),
      "--tmpdir=" + start.directory.data(),
      "--lc-messages-dir=" + share,
      fmt::format("--socket={}/socket/mariadb", directory),
      fmt::format("--pid-file={}/socket/pid", directory),
  };
  // Said even where it is so already, for root is refused otherwise.
  if (start.account) arguments.push_back("--user=" + start.account->name);
  for (const char* setting : kMariadbSettings) arguments.push_back(fmt::format("--{}", setting));
  return arguments;
}

Result<void> make_mariadb_files(const ServerStart& start, const std::string& binaries,
                                const std::string& share) {
  const Result<std::string> sql = read_system_sql(share);
  if (!sql) return sql.error();
  const std::string input = start.directory.path() + "/bootstrap.sql";
  if (auto written = write_file_atomically(input, *sql); !written) return written.error();
  Command bootstrap = server_command(start, server_arguments(start, binaries, share));
  bootstrap.arguments.emplace_back("--bootstrap");
  bootstrap.input = input;
  const Result<ProcessOutcome> outcome = run_process(bootstrap, start.timeout_ms);
  if (!outcome) return outcome.error();
  if (outcome->succeeded()) return {};
  return end_trouble(kMariadbProduct, "mariadbd --bootstrap", *outcome, outcome->output);
}

// A try costs a fraction of a millisecond; before there is a socket, less.
bool mariadb_answers(const std::string& socket) {
  std::error_code unreadable;
  if (!fs::exists(socket, unreadable)) return false;
  const std::unique_ptr<MYSQL, decltype(&mysql_close)> connection(mysql_init(nullptr),
                                                                  &mysql_close);
  return connection && mysql_real_connect(connection.get(), nullptr, "root", "", nullptr, 0,
                                          socket.c_str(), 0) != nullptr;
}

}  // namespace

Result<std::unique_ptr<ThrowawayMariadb>> ThrowawayMariadb::start(
    const ThrowawayMariadbOptions& options) {
  take_mariadb_environment();
  const Result<std::string> binaries = find_mariadb_binaries(options.binaries);
  if (!binaries) return binaries.error();
  const Result<std::string> share = find_share(*binaries);
  if (!share) return share.error();
  Result<std::optional<Account>> account = server_account(kMariadbProduct, {"mysql", "nobody"});
  if (!account) return account.error();
  remove_leftovers(leftover_roots());
  Result<std::unique_ptr<ThrowawayDirectory>> directory =
      ThrowawayDirectory::create(options.roots, *account);
  if (!directory) return directory.error();

  std::unique_ptr<ThrowawayMariadb> server(new ThrowawayMariadb(std::move(*directory)));
  const ServerStart start{kMariadbProduct, *server->directory_, std::move(*account),
                          options.timeout_ms};
  if (auto made = make_mariadb_files(start, *binaries, *share); !made) return made.error();
  std::vector<std::string> arguments = server_arguments(start, *binaries, *share);
  arguments.push_back(fmt::format("--max-connections={}", options.connections));
  for (const std::string& setting : options.settings) arguments.push_back("--" + setting);
  const Result<pid_t> launched = launch_server(start, std::move(arguments));
  if (!launched) return launched.error();
  server->process_ = *launched;
  const std::string socket = server->socket();
  auto ready =
      wait_until_ready(start, "mariadbd", *launched, [&] { return mariadb_answers(socket); });
  if (!ready) return ready.error();
  return server;
}

ThrowawayMariadb::~ThrowawayMariadb() { end_throwaway(process_, SIGKILL, std::move(directory_)); }

}  // namespace heddle
