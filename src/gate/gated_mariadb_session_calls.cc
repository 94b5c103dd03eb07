// How a program is called in a gated session of MariaDB: its driver connects, its own code begins,
// and it ends.
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "gate/gated_mariadb_session.h"
#include "store/control.h"
#include "wire/mariadb/statement_essence.h"

namespace heddle {
namespace {

// What a driver sets that changes what statements mean.
constexpr const char* kSettingsQuery =
    "SELECT @@session.sql_mode, @@session.time_zone, @@session.{}";

}  // namespace

Result<void> GatedMariadbSession::prepare_call() {
  if (!settings_.empty()) return {};
  const std::string version = client_->server_version();
  const bool is_mariadb = version.find("MariaDB") != version.npos;
  const char* const level = is_mariadb ? "tx_isolation" : "transaction_isolation";
  const auto replies = run_on_store(fmt::format(kSettingsQuery, level));
  if (!replies) return replies.error();
  const Row& values = replies->at(0).result->rows.at(0);
  const auto value = [&](std::size_t at) {
    std::string quoted;
    for (const char c : values.at(at).value_or("")) quoted += c == '\'' ? "''" : std::string(1, c);
    return "'" + quoted + "'";
  };
  settings_ = fmt::format(
      "SET SESSION autocommit = 1, sql_select_limit = DEFAULT, sql_mode = {}, time_zone = {}, "
      "{} = {}",
      value(0), value(1), level, value(2));
  return {};
}

// The driver connects; who says another word is sent away.
Result<void> GatedMariadbSession::serve_startup(Deadline deadline) {
  server_ = store_->socket();
  while (true) {
    if (!program_->has_client()) {
      if (auto came = program_->await_client(deadline); !came) return came;
      from_client_ = mariadb::PacketReader();
      mariadb::PacketWriter writer(0);
      writer.add(mariadb::greeting(client_->server_version(),
                                   static_cast<std::uint32_t>(store_->backend_id()),
                                   static_cast<std::uint16_t>(client_->server_status())));
      program_->write_client(writer.take());
    }
    if (auto taken = program_->take_words(); !taken) return taken;
    if (program_->call_end()) return program_->early_end({});
    from_client_.append(program_->read_client());
    if (const auto packet = from_client_.next()) {
      if (mariadb::read_user(packet->body) != program_->token()) {
        program_->close_client();
        continue;
      }
      mariadb::PacketWriter writer(static_cast<std::uint8_t>(packet->sequence + 1));
      writer.add(
          mariadb::done_body({.status = static_cast<std::uint16_t>(client_->server_status())}));
      program_->write_client(writer.take());
      return {};
    }
    if (program_->has_client() && !program_->wait_for_anything(deadline)) {
      return late("the program's driver did not connect in time");
    }
  }
}

// Whatever the driver asks for next, without a look at it.
Result<bool> GatedMariadbSession::pass() {
  if (!mariadb::query_text(packets_.front())) {
    refuse();
  } else if (auto released = release(Purpose::passing); !released) {
    return released.error();
  }
  return true;
}

std::optional<std::string> GatedMariadbSession::next_held() {
  if (is_releasing() || packets_.empty()) return std::nullopt;
  const auto text = mariadb::query_text(packets_.front());
  if (!text || passes(mariadb::statement_essence(*text))) return std::nullopt;
  return shown(*text);
}

// The session is heddle's again, as it was.
Result<void> GatedMariadbSession::clean() {
  leave_call();
  if (is_transaction_open()) {
    if (auto ended = run_on_store("ROLLBACK"); !ended) return ended.error();
  }
  if (auto set = run_on_store(settings_); !set) return set.error();
  return {};
}

Result<std::vector<Reply>> GatedMariadbSession::run_on_store(const std::string& text) {
  auto replies = execute_on(*store_, "MariaDB", text, timeout_ms_);
  static_cast<void>(client_->take_answers());
  if (!replies) return replies.error();
  for (const Reply& reply : *replies) {
    if (!reply.error) continue;
    return Diagnostic{.what = fmt::format("MariaDB refused {}: {}", text, reply.error->message),
                      .trouble = Trouble::environment};
  }
  return replies;
}

void GatedMariadbSession::leave_call() {
  HeldSession::leave_call();
  from_client_ = mariadb::PacketReader();
  packets_.clear();
}

}  // namespace heddle
