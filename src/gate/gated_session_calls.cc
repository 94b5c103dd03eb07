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

// So that nobody guesses it.
constexpr std::size_t kTokenLength = 16;

// The time is over, or nobody waits any more.
Diagnostic late(std::string what) {
  if (interrupted()) return {.what = "interrupted", .trouble = Trouble::interrupted};
  return {.what = std::move(what), .trouble = Trouble::bound};
}

}  // namespace

Result<void> GatedSession::begin_call() {
  const Deadline deadline =
      Clock::now() +
      std::max<Clock::duration>(kPatienceForAnswer, std::chrono::milliseconds(timeout_ms_));
  if (!worker_ || worker_->has_ended()) {
    auto worker = program_->open_worker();
    if (!worker) return worker.error();
    worker_ = std::move(*worker);
    watch(worker_->readable());
  }
  leave_call();
  is_called_ = true;
  status_ = store_->transaction_state() == TransactionState::idle ? 'I' : 'T';
  const auto user = draw_hexadecimal(kTokenLength);
  if (!user) return user.error();
  token_ = *user;
  if (!worker_->begin(call_, {.address = listener_->address(), .user = token_})) return early_end();
  if (auto served = serve_startup(deadline); !served) return served;
  return await_ready(deadline);
}

// The driver connects; what is not it is sent away.
Result<void> GatedSession::serve_startup(Deadline deadline) {
  while (Clock::now() < deadline) {
    if (auto taken = take_words(); !taken) return taken;
    if (call_end_) return early_end();
    if (!client_) {
      if (auto accepted = listener_->accept_now()) {
        client_ = std::move(accepted);
        from_client_ = postgres::MessageReader(true);
        is_client_gone_ = false;
        watch(client_->readable());
        continue;
      }
      // Either the driver comes, or the launcher says why it does not.
      watch(listener_->readable());
      const bool goes_on = wait_for_anything(deadline);
      forget(listener_->readable());
      if (!goes_on) break;
      continue;
    }
    std::string bytes;
    const bool is_there = client_->read_available(bytes);
    from_client_.append(bytes);
    auto message = from_client_.next();
    if (!message) return message.error();
    if (*message) {
      const auto startup = postgres::read_startup((*message)->body);
      if (startup && startup->version == postgres::kProtocolVersion &&
          startup->parameters.contains("user") && startup->parameters.at("user") == token_) {
        return let_in(*startup);
      }
      const bool asks = startup && (startup->version == postgres::kTlsRequest ||
                                    startup->version == postgres::kGssRequest);
      if (asks) to_client("N");
      if (!asks) client_.reset();
    } else if (!is_there) {
      client_.reset();
    } else if (!wait_for_anything(deadline)) {
      break;
    }
  }
  return late("the program's driver did not connect in time");
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
  while (!is_ready_) {
    if (auto pumped = pump(); !pumped) return pumped;
    if (call_end_) return early_end();
    // The channel was looked at after the driver: what came from that by now is held.
    if (is_ready_) break;
    if (!release_ && !units_.empty()) {
      auto passed = release(1, 0, Purpose::passing);
      if (!passed) return passed.error();
      if (*passed) continue;
    }
    if (!wait_for_anything(deadline)) {
      return late("the program's driver did not get ready in time");
    }
  }
  return {};
}

Result<void> GatedSession::take_words() {
  while (auto word = worker_->next()) {
    if (word->kind == WorkerWord::Kind::ready) {
      is_ready_ = true;
    } else if (word->kind == WorkerWord::Kind::place) {
      place_ = std::move(word->text);
    } else {
      call_end_ = std::move(*word);
    }
  }
  if (!worker_->has_ended() || call_end_) return {};
  return Diagnostic{
      .what = fmt::format("{} ended in the middle of {}", program_->words().runtime, call_.method),
      .trouble = Trouble::environment};
}

// False: the time is over.
bool GatedSession::wait_for_anything(Deadline deadline) {
  const auto waited = wait_readable(events_.get(), deadline);
  return waited && *waited && Clock::now() < deadline;
}

Result<void> GatedSession::end_called(const Reply& end) {
  if (!is_called_) {
    if (auto begun = begin_call(); !begun) return begun;
  }
  expected_.reset();
  const Deadline deadline = Clock::now() + std::chrono::milliseconds(timeout_ms_);
  if (auto ended = await_end(deadline); !ended) return ended;
  if (auto checked = check_end(end); !checked) return checked;
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
    if (call_end_ && !release_ && units_.empty()) return {};
    if (wait_for_anything(deadline)) continue;
    return late(fmt::format("{} should end now and does not: {}", call_.method, delay()));
  }
}

// Whether it ended as heddle's reading of it did. Of what is returned plain values are compared.
Result<void> GatedSession::check_end(const Reply& end) const {
  const bool has_thrown = call_end_->kind == WorkerWord::Kind::threw;
  std::string did;
  std::string expected;
  if (has_thrown != end.error.has_value()) {
    did = has_thrown ? fmt::format("throws {}: {}", call_end_->type, call_end_->text) : "returns";
    expected = end.error ? "the error \"" + end.error->message + "\"" : "a return";
  } else if (end.result && end.result->rows.size() == 1 && end.result->rows[0].size() == 1) {
    const std::optional<std::string>& value = call_end_->value;
    const Cell& read = end.result->rows[0][0];
    if (!value || !read || value == "true" || value == "false") return {};
    if (postgres::value_essence(*value) == postgres::value_essence(*read)) return {};
    did = "returns " + *value;
    expected = *read;
  }
  if (did.empty()) return {};
  return Diagnostic{
      .what = fmt::format("the program's {} {} where {} was expected", call_.method, did, expected),
      .what_to_do = program_->words().on_difference,
      .trouble = Trouble::bad_input};
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
  client_.reset();
  is_called_ = is_ready_ = skips_to_sync_ = owes_begin_ = false;
  call_end_.reset();
  place_.reset();
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
  client_.reset();
  while (release_ && wait_for_anything(deadline)) {
    if (auto pumped = pump(); !pumped) break;
  }
  while (!call_end_ && !worker_->has_ended() && wait_for_anything(deadline)) {
    if (auto taken = take_words(); !taken) break;
  }
  // A call that does not end keeps its worker.
  if (!call_end_) worker_.reset();
  is_under_way_ = false;
  release_.reset();
  if (auto cleaned = clean(); !cleaned) worker_.reset();
}

}  // namespace heddle
