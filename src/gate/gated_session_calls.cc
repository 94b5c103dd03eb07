// How a program is called in a gated session: its driver connects, its own code begins, and it
// ends.
#include <map>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "gate/gated_session.h"
#include "gate/postgres_driver.h"
#include "store/control.h"
#include "wire/postgres/statement_essence.h"

namespace heddle {
namespace {

using UnitKind = postgres::ClientUnit::Kind;

}  // namespace

Result<void> GatedSession::serve_startup(Deadline deadline) {
  status_ = store_->transaction_state() == TransactionState::idle ? 'I' : 'T';
  const auto startup = await_startup(*program_, from_client_, deadline);
  return startup ? let_in(*startup) : startup.error();
}

// What the driver asks for with its beginning holds, as far as it is about values.
Result<void> GatedSession::let_in(const postgres::StartupMessage& message) {
  for (const char* name : {"TimeZone", "DateStyle"}) {
    const auto wanted = message.parameters.find(name);
    if (wanted == message.parameters.end() || status_ != 'I') continue;
    std::string value;
    for (const char c : wanted->second) value += c == '\'' ? "''" : std::string(1, c);
    if (auto set = run_on_store(fmt::format("SET {} = '{}'", name, value)); !set) return set;
  }
  std::map<std::string, std::string> parameters;
  for (const char* name :
       {"server_version", "server_encoding", "client_encoding", "DateStyle", "TimeZone",
        "IntervalStyle", "integer_datetimes", "standard_conforming_strings", "is_superuser",
        "session_authorization"}) {
    parameters[name] = store_->parameter(name);
  }
  to_client(postgres::welcome_bytes(parameters, store_->backend_id()));
  return {};
}

std::optional<std::string> GatedSession::next_held() {
  if (!early_.empty()) return shown_unit(early_.front().statement);
  if (release_ || units_.empty() || units_.front().kind != UnitKind::statement) return std::nullopt;
  const postgres::ClientUnit& unit = units_.front();
  if (postgres::is_of_driver(essence_of(unit))) return std::nullopt;
  return shown_unit(unit);
}

// The connection to the store is heddle's again, as it was.
Result<void> GatedSession::clean() {
  const bool is_open = status_ != 'I';
  leave_call();
  if (is_open) {
    if (auto ended = run_on_store("ROLLBACK"); !ended) return ended;
  }
  // A driver that is connected anew gives its statements the same names.
  return run_on_store("RESET ALL; DEALLOCATE ALL");
}

Result<void> GatedSession::run_on_store(const std::string& text) {
  const auto replies = execute_on(*store_, "PostgreSQL", text, timeout_ms_);
  if (!replies) return replies.error();
  for (const Reply& reply : *replies) {
    if (!reply.error) continue;
    return Diagnostic{.what = fmt::format("PostgreSQL refused {}: {}", text, reply.error->message),
                      .trouble = Trouble::environment};
  }
  return {};
}

void GatedSession::leave_call() {
  HeldSession::leave_call();
  skips_to_sync_ = false;
  from_client_ = postgres::MessageReader(true);
  from_store_ = postgres::MessageReader();
  statements_ = postgres::ClientStatements();
  units_.clear();
  early_.clear();
  descriptions_.clear();
  level_.clear();
  status_ = 'I';
}

}  // namespace heddle
