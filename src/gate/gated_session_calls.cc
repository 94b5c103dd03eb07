// How a program is called in a gated session: its driver connects, its own code begins, and it
// ends.
#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/random_text.h"
#include "gate/gated_session.h"
#include "store/control.h"
#include "wire/postgres/statement_essence.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;
using UnitKind = postgres::ClientUnit::Kind;

// For what takes no time unless something is wrong.
constexpr std::chrono::seconds kPatienceForAnswer{20};

}  // namespace

Result<void> GatedSession::begin_call() {
  const Deadline deadline = program_->start_deadline();
  leave_call();
  is_called_ = true;
  status_ = store_->transaction_state() == TransactionState::idle ? 'I' : 'T';
  if (auto begun = program_->begin(); !begun) return begun;
  if (auto served = serve_startup(deadline); !served) return served;
  return await_ready(deadline);
}

// The driver connects; what is not it is sent away.
Result<void> GatedSession::serve_startup(Deadline deadline) {
  while (true) {
    if (auto taken = program_->take_words(); !taken) return taken;
    if (program_->call_end()) return program_->early_end({});
    if (!program_->has_client()) {
      if (auto came = program_->await_client(deadline); !came) return came;
      from_client_ = postgres::MessageReader(true);
    }
    from_client_.append(program_->read_client());
    auto message = from_client_.next();
    if (!message) return message.error();
    if (*message) {
      const auto startup = postgres::read_startup((*message)->body);
      if (startup && startup->version == postgres::kProtocolVersion &&
          startup->parameters.contains("user") &&
          startup->parameters.at("user") == program_->token()) {
        return let_in(*startup);
      }
      const bool asks = startup && (startup->version == postgres::kTlsRequest ||
                                    startup->version == postgres::kGssRequest);
      if (asks) to_client("N");
      if (!asks) program_->close_client();
    } else if (program_->has_client() && !program_->wait_for_anything(deadline)) {
      return late("the program's driver did not connect in time");
    }
  }
}

// What the driver asks for with its beginning holds, as far as it is about values.
Result<void> GatedSession::let_in(const postgres::StartupMessage& message) {
  from_client_.started();
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

// What the driver sends before the program's own code runs is its own.
Result<void> GatedSession::await_ready(Deadline deadline) {
  while (!program_->is_ready()) {
    if (auto pumped = pump(); !pumped) return pumped;
    if (program_->call_end()) return program_->early_end({});
    // The channel was looked at after the driver: what came from that by now is held.
    if (program_->is_ready()) break;
    if (!release_ && !units_.empty()) {
      auto passed = release(1, 0, Purpose::passing);
      if (!passed) return passed.error();
      if (*passed) continue;
    }
    if (!program_->wait_for_anything(deadline)) {
      return late("the program's driver did not get ready in time");
    }
  }
  return {};
}

Result<void> GatedSession::end_called(const Reply& end) {
  if (!is_called_) {
    if (auto begun = begin_call(); !begun) return begun;
  }
  expected_.reset();
  const Deadline deadline = program_->step_deadline();
  if (auto ended = await_end(deadline); !ended) return ended;
  if (auto checked = program_->check_end(end); !checked) return checked;
  return clean();
}

Result<void> GatedSession::await_end(Deadline deadline) {
  while (true) {
    if (auto pumped = pump(); !pumped) return pumped;
    if (!early_.empty()) return divergence(early_.front().statement);
    if (!release_ && !units_.empty()) {
      const postgres::ClientUnit& unit = units_.front();
      const bool is_held =
          unit.kind == UnitKind::statement &&
          !postgres::is_of_driver(postgres::statement_essence(unit.text, unit.values));
      if (is_held) return divergence(unit);
      auto passed = release(1, 0, Purpose::passing);
      if (!passed) return passed.error();
      if (*passed) continue;
    }
    if (program_->call_end() && !release_ && units_.empty()) return {};
    if (program_->wait_for_anything(deadline)) continue;
    return late(
        fmt::format("{} should end now and does not: {}", program_->call().method, delay()));
  }
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
  program_->leave_call();
  is_called_ = skips_to_sync_ = owes_begin_ = false;
  from_client_ = postgres::MessageReader(true);
  from_store_ = postgres::MessageReader();
  statements_ = postgres::ClientStatements();
  units_.clear();
  early_.clear();
  descriptions_.clear();
  level_.clear();
  status_ = 'I';
}

// Whoever still runs in it finds the connection closed.
void GatedSession::forget_called() {
  if (!is_called_) return;
  const InterruptGrace grace(static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(kPatienceForAnswer).count()));
  const Deadline deadline = Clock::now() + kPatienceForAnswer;
  if (release_) store_->cancel();
  program_->close_client();
  while (release_ && program_->wait_for_anything(deadline)) {
    if (auto pumped = pump(); !pumped) break;
  }
  program_->abandon(deadline);
  is_under_way_ = false;
  release_.reset();
  if (auto cleaned = clean(); !cleaned) program_->forget_worker();
}

}  // namespace heddle
