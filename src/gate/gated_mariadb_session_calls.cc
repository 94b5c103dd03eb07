// How a program is called in a gated session of MariaDB: its driver connects, its own code begins,
// and it ends.
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "gate/gated_mariadb_session.h"
#include "store/control.h"
#include "wire/mariadb/statement_essence.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatienceToForget{20};

// What a driver sets that changes what statements mean.
constexpr const char* kSettingsQuery =
    "SELECT @@session.sql_mode, @@session.time_zone, @@session.{}";

}  // namespace

Result<void> GatedMariadbSession::begin_call() {
  const Deadline deadline = program_->start_deadline();
  if (settings_.empty()) {
    if (auto remembered = remember_settings(); !remembered) return remembered;
  }
  leave_call();
  is_called_ = true;
  server_ = store_->socket();
  if (auto begun = program_->begin(); !begun) return begun;
  if (auto served = serve_startup(deadline); !served) return served;
  return await_ready(deadline);
}

Result<void> GatedMariadbSession::remember_settings() {
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
Result<void> GatedMariadbSession::pass() {
  if (mariadb::query_text(packets_.front())) return release(Purpose::passing);
  refuse();
  return {};
}

// What the driver sends before the program's own code runs is its own.
Result<void> GatedMariadbSession::await_ready(Deadline deadline) {
  while (!program_->is_ready()) {
    if (auto pumped = pump(); !pumped) return pumped;
    if (program_->call_end()) return program_->early_end({});
    // The channel was looked at after the driver: what came from that by now is held.
    if (program_->is_ready()) break;
    if (purpose_ == Purpose::none && !packets_.empty()) {
      if (auto passed = pass(); !passed) return passed;
      continue;
    }
    if (!program_->wait_for_anything(deadline)) {
      return late("the program's driver did not get ready in time");
    }
  }
  return {};
}

Result<void> GatedMariadbSession::end_called(const Reply& end) {
  if (!is_called_) {
    if (auto begun = begin_call(); !begun) return begun;
  }
  expected_.reset();
  if (auto ended = await_end(program_->step_deadline()); !ended) return ended;
  if (auto checked = program_->check_end(end); !checked) return checked;
  return clean();
}

Result<void> GatedMariadbSession::await_end(Deadline deadline) {
  while (true) {
    if (auto pumped = pump(); !pumped) return pumped;
    if (purpose_ == Purpose::none && !packets_.empty()) {
      const auto text = mariadb::query_text(packets_.front());
      if (text && !passes(mariadb::statement_essence(*text))) {
        return program_->divergence(shown(*text), {});
      }
      if (auto passed = pass(); !passed) return passed;
      continue;
    }
    if (program_->call_end() && purpose_ == Purpose::none && packets_.empty()) return {};
    if (program_->wait_for_anything(deadline)) continue;
    return late(fmt::format("{} should end now and does not: {}", program_->call().method,
                            program_->delay()));
  }
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
  program_->leave_call();
  is_called_ = false;
  from_client_ = mariadb::PacketReader();
  packets_.clear();
  owes_begin_ = false;
  expected_.reset();
}

void GatedMariadbSession::forget_called() {
  if (!is_called_) return;
  const InterruptGrace grace(static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(kPatienceToForget).count()));
  const Deadline deadline = Clock::now() + kPatienceToForget;
  if (purpose_ != Purpose::none) store_->cancel();
  program_->close_client();
  while (purpose_ != Purpose::none && program_->wait_for_anything(deadline)) {
    if (auto pumped = pump(); !pumped) break;
  }
  program_->abandon(deadline);
  is_under_way_ = false;
  // A store that does not answer at all has no session that could be cleaned.
  if (purpose_ != Purpose::none) return program_->forget_worker();
  if (auto cleaned = clean(); !cleaned) program_->forget_worker();
}

}  // namespace heddle
