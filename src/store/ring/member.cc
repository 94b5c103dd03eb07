#include "store/ring/member.h"

#include <arpa/inet.h>
#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <string_view>
#include <sys/socket.h>
#include <utility>

#include <fmt/format.h>

#include "base/file.h"
#include "base/parallel.h"
#include "base/random_text.h"
#include "base/text.h"
#include "store/control.h"
#include "store/mariadb/facts.h"
#include "store/trouble.h"

namespace heddle {

namespace {

constexpr const char* kLoopback = "127.0.0.1";
constexpr const char* kReplicationUser = "heddle_replication";
constexpr std::size_t kPasswordBytes = 16;
// Between our look for a free port and the server's start somebody else may take it.
constexpr int kMostPorts = 5;

// A port that nobody listens on now.
Result<unsigned> find_free_port() {
  const FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (!listener.is_open() || ::bind(listener.get(), generic, size) != 0 ||
      ::getsockname(listener.get(), generic, &size) != 0) {
    return store_trouble("cannot find a free port on the loopback address");
  }
  return ntohs(address.sin_port);
}

// What makes a server one of a ring. Whatever it applies it does not log again, so that nothing
// goes round. Names are not looked up, so that a user at "localhost" is one at the Unix socket.
std::vector<std::string> settings_of(unsigned number, unsigned port) {
  return {"skip-networking=0",
          fmt::format("bind-address={}", kLoopback),
          fmt::format("port={}", port),
          "skip-name-resolve",
          fmt::format("server-id={}", number),
          fmt::format("gtid-domain-id={}", number),
          "log-bin=binlog",
          "relay-log=relay",
          "binlog-format=ROW",
          "sync-binlog=0",
          "log-slave-updates=0",
          "slave-exec-mode=IDEMPOTENT",
          "session-track-system-variables=last_gtid",
          fmt::format("auto-increment-increment={}", kRingSize),
          fmt::format("auto-increment-offset={}", number)};
}

bool is_port_taken(const Diagnostic& trouble) {
  return trouble.what.find("Bind on TCP/IP port") != std::string::npos ||
         trouble.what.find("Address already in use") != std::string::npos;
}

}  // namespace

RingMember::RingMember(unsigned number, unsigned port, std::string password,
                       std::unique_ptr<ThrowawayMariadb> server)
    : number_(number), port_(port), password_(std::move(password)), server_(std::move(server)) {}

std::string RingMember::name() const { return fmt::format("r{}", number_); }

MariadbAddress RingMember::address() const {
  MariadbAddress address;
  address.socket = server_->socket();
  address.user = "root";
  return address;
}

Result<std::unique_ptr<RingMember>> RingMember::start(unsigned number) {
  auto password = draw_hexadecimal(kPasswordBytes);
  if (!password) return password.error();
  std::unique_ptr<RingMember> member;
  for (int tried = 1; member == nullptr; ++tried) {
    const auto port = find_free_port();
    if (!port) return port.error();
    ThrowawayMariadbOptions options;
    options.settings = settings_of(number, *port);
    auto server = ThrowawayMariadb::start(options);
    if (!server && (!is_port_taken(server.error()) || tried == kMostPorts)) return server.error();
    if (!server) continue;
    member.reset(new RingMember(number, *port, *password, std::move(*server)));
  }
  auto connection = connect_to_mariadb(member->address());
  if (!connection) return connection.error();
  member->control_ = std::make_unique<MariadbSession>(
      std::move(*connection), "",
      [one = member.get()](unsigned long id) { return one->cancel(id); });
  auto made = member->ask(
      fmt::format("SET SESSION sql_log_bin = 0; CREATE USER {0}@'{1}' IDENTIFIED BY '{2}'; "
                  "GRANT REPLICATION SLAVE ON *.* TO {0}@'{1}'",
                  kReplicationUser, kLoopback, *password));
  if (!made) return made.error();
  return member;
}

bool RingMember::cancel(unsigned long connection) const {
  return ask_mariadb(address(), fmt::format("KILL QUERY {}", connection)).has_value();
}

Result<std::vector<ResultSet>> RingMember::ask(const std::string& text) {
  auto replies = execute_on(*control_, "MariaDB", text, kOwnQueryTimeoutMs);
  if (!replies) return replies.error();
  std::vector<ResultSet> results;
  for (Reply& reply : *replies) {
    if (reply.error) {
      const std::string reason = in_one_line(reply.error->message);
      return store_trouble(
          fmt::format("{} refused a statement of heddle's own: {}", name(), reason),
          advice_for(reason));
    }
    results.push_back(std::move(*reply.result));
  }
  return results;
}

std::string last_cell(const std::vector<ResultSet>& results, std::string_view column) {
  if (results.empty() || results.back().rows.empty()) return "";
  const ResultSet& last = results.back();
  for (std::size_t i = 0; i < last.columns.size(); ++i) {
    if (equal_ignoring_case(last.columns[i].name, column)) return last.rows[0][i].value_or("");
  }
  return "";
}

Result<void> RingMember::fetch_from(const RingMember& other, const std::string& position) {
  auto done = ask(
      fmt::format("STOP SLAVE; SET GLOBAL gtid_slave_pos = '{}'; "
                  "CHANGE MASTER TO master_host = '{}', master_port = {}, master_user = '{}', "
                  "master_password = '{}', master_use_gtid = slave_pos, master_connect_retry = 1; "
                  "START SLAVE IO_THREAD",
                  position, kLoopback, other.port_, kReplicationUser, other.password_));
  if (!done) return done.error();
  return {};
}

Result<std::vector<std::unique_ptr<RingMember>>> start_ring_members() {
  std::vector<std::unique_ptr<RingMember>> members(kRingSize);
  std::vector<std::optional<Diagnostic>> troubles(kRingSize);
  run_parallel(kRingSize, kRingSize, [&](std::size_t i) {
    auto started = RingMember::start(static_cast<unsigned>(i) + 1);
    if (started) {
      members[i] = std::move(*started);
    } else {
      troubles[i] = started.error();
    }
  });
  for (const std::optional<Diagnostic>& trouble : troubles) {
    if (trouble) return *trouble;
  }
  return members;
}

}  // namespace heddle
