#include "gate/gated_replicated_session.h"

#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "gate/postgres_driver.h"
#include "gate/served_values.h"
#include "store/replicated/bound_values.h"
#include "wire/postgres/statement_essence.h"
#include "wire/postgres/type_names.h"

namespace heddle {
namespace {

using UnitKind = postgres::ClientUnit::Kind;

// SQLSTATE of what is no error of the program but something that the store does not know: SQLite's
// of any text that it does not take, and feature_not_supported.
bool is_store_gap(const StepError& error) {
  return error.code == "42000" || error.code == "XX000" || error.code == postgres::kNotSupported;
}

Result<std::string> text_with_values(const postgres::ClientUnit& unit) {
  if (unit.is_simple) return unit.text;
  std::vector<replicated::BoundValue> values;
  for (std::size_t i = 0; i < unit.values.size(); ++i) {
    const std::uint32_t type = i < unit.types.size() ? unit.types[i] : 0;
    values.push_back({.text = unit.values[i], .type = std::string(postgres::type_name(type))});
  }
  return replicated::with_values(unit.text, values);
}

Reply refusal(std::string code, std::string message) {
  Reply reply;
  StepError& error = reply.error.emplace();
  error.severity = "ERROR";
  error.text = fmt::format("ERROR {}: {}\n", code, message);
  error.code = std::move(code);
  error.message = std::move(message);
  return reply;
}

bool changes_rows(const std::string& essence) {
  for (const char* word : {"insert ", "update ", "delete ", "truncate "}) {
    if (essence.starts_with(word)) return true;
  }
  return false;
}

}  // namespace

Result<std::unique_ptr<StoreSession>> GatedReplicatedSession::open(
    std::unique_ptr<StoreSession> session, std::unique_ptr<CalledProgram> program) {
  auto* const replicated = dynamic_cast<ReplicatedSession*>(session.get());
  HEDDLE_ASSERT(replicated != nullptr);
  return std::unique_ptr<StoreSession>(
      new GatedReplicatedSession(std::move(session), *replicated, std::move(program)));
}

GatedReplicatedSession::GatedReplicatedSession(std::unique_ptr<StoreSession> session,
                                               ReplicatedSession& replicated,
                                               std::unique_ptr<CalledProgram> program)
    : HeldSession(std::move(program)),
      session_(std::move(session)),
      replicated_(&replicated),
      answers_([this](const std::string& text) { return describe(text); }) {}

GatedReplicatedSession::~GatedReplicatedSession() = default;

// Heddle's own text, of which the program sees nothing.
Result<void> GatedReplicatedSession::send(const std::string& text) {
  HEDDLE_ASSERT(!is_under_way_);
  expected_.reset();
  auto sent = session_->send(text);
  replies_ = session_->take_replies();
  return sent;
}

Result<bool> GatedReplicatedSession::busy() {
  if (!is_under_way_) return false;
  if (auto pumped = pump(); !pumped) return pumped.error();
  while (is_under_way_) {
    auto moved = take_unit();
    if (!moved) return moved;
    if (!*moved) break;
  }
  return is_under_way_;
}

// Takes whatever has arrived anywhere.
Result<void> GatedReplicatedSession::pump() {
  if (!is_called_) return {};
  from_client_.append(program_->read_client());
  while (true) {
    auto message = from_client_.next();
    if (!message) return message.error();
    if (!*message) break;
    auto unit = statements_.add(**message);
    if (!unit) return unit.error();
    if (*unit && (*unit)->kind != UnitKind::leave) units_.push_back(std::move(**unit));
  }
  drop_skipped();
  return program_->take_words();
}

// After an error nothing that the driver sent together with the statement is executed, and its Sync
// is answered.
void GatedReplicatedSession::drop_skipped() {
  while (skips_to_sync_ && !units_.empty()) {
    const postgres::ClientUnit unit = std::move(units_.front());
    units_.pop_front();
    if (unit.kind != UnitKind::sync) continue;
    skips_to_sync_ = false;
    end_unit(unit, "", false);
  }
}

// True: something was done. False: more has to arrive.
Result<bool> GatedReplicatedSession::take_unit() {
  if (answer_alone()) return true;
  drop_skipped();
  if (units_.empty()) {
    if (program_->call_end()) return early_end();
    return false;
  }
  if (units_.front().kind == UnitKind::statement) return take_statement();
  const bool commits = units_.front().kind == UnitKind::sync && is_implicit_ &&
                       postgres::is_end(essence_of(*expected_));
  if (!commits) return pass();
  const postgres::ClientUnit unit = std::move(units_.front());
  units_.pop_front();
  answer(pass_sync(unit));
  return true;
}

// What a driver does not say, or says with its next statement. True: that is the answer.
bool GatedReplicatedSession::answer_alone() {
  const std::string expected = essence_of(*expected_);
  const bool is_begin = postgres::is_begin(expected);
  // The driver was in no transaction: each statement was one; or the store has ended it.
  const bool is_end = postgres::is_end(expected) && !is_transaction_open();
  const bool is_level =
      !level_.empty() && expected == fmt::format("{}isolation level {}", kSetLevel, level_);
  if (!is_begin && !is_end && !is_level && !is_reader_savepoint(expected)) return false;
  owes_begin_ = is_begin || (owes_begin_ && !is_end);
  answer(done_reply(is_begin ? "BEGIN" : is_level ? "SET" : expected_->text));
  return true;
}

bool GatedReplicatedSession::is_transaction_open() const {
  return session_->transaction_state() != TransactionState::idle;
}

Result<bool> GatedReplicatedSession::take_statement() {
  const postgres::ClientUnit& unit = units_.front();
  const std::string essence = essence_of(unit);
  if (postgres::is_begin(essence) && owes_begin_) {
    owes_begin_ = false;
    return pass();
  }
  if (is_same_statement(essence, essence_of(*expected_))) return run_expected();
  if (!essence.empty() && !postgres::is_of_driver(essence)) return divergence(shown_unit(unit));
  return pass();
}

Result<bool> GatedReplicatedSession::run_expected() {
  const bool is_alone = units_.size() == 1 && !units_.front().is_simple;
  // Whether it is a transaction of its own the driver says behind it.
  if (is_alone && !is_transaction_open()) return false;
  const postgres::ClientUnit unit = std::move(units_.front());
  units_.pop_front();
  owes_begin_ = false;
  auto reply = run_statement(unit, essence_of(unit));
  if (!reply) return reply.error();
  if (reply->error && is_store_gap(*reply->error)) {
    return Diagnostic{.what = fmt::format("the replicated store does not run {}: {}",
                                          shown_unit(unit), reply->error->message),
                      .trouble = Trouble::bad_input};
  }
  if (reply->error) {
    refuse_unit(unit, reply->error->code, reply->error->message);
    drop_skipped();
  } else {
    auto served = served_result(*reply->result);
    if (!served) return served.error();
    if (const std::string refused = answer_unit(unit, *served); !refused.empty()) {
      return Diagnostic{.what = refused, .trouble = Trouble::bad_input};
    }
  }
  const bool is_ended = !units_.empty() && units_.front().kind == UnitKind::sync;
  if (is_ended && !is_implicit_) {
    if (auto passed = pass(); !passed) return passed;
  }
  answer(*std::move(reply));
  return true;
}

// REQUIRES: it is no longer one of units_.
Result<Reply> GatedReplicatedSession::run_statement(const postgres::ClientUnit& unit,
                                                    const std::string& essence) {
  if ((reads_only_ || session_reads_only_) && changes_rows(essence)) {
    return refusal("25006", "cannot change rows in a read-only transaction");
  }
  auto text = text_with_values(unit);
  if (!text) return text.error();
  if (postgres::is_begin(essence)) {
    reads_only_ = essence.find("read only") != essence.npos;
    if (!level_.empty()) *text = "BEGIN ISOLATION LEVEL " + level_;
  } else if (!is_transaction_open()) {
    const bool is_followed =
        !unit.is_simple && !units_.empty() && units_.front().kind == UnitKind::statement;
    open_transaction(is_followed);
  }
  Reply reply = run_on_store(*text);
  if (reply.error && is_implicit_) {
    is_implicit_ = false;
    run_on_store("ROLLBACK");
  }
  reads_only_ = reads_only_ && is_transaction_open();
  return reply;
}

// For a statement that a driver does not put into one: several that it sends at once are `one`,
// which ends where the driver waits.
void GatedReplicatedSession::open_transaction(bool is_one) {
  if (is_one) {
    run_on_store(level_.empty() ? "BEGIN" : "BEGIN ISOLATION LEVEL " + level_);
    is_implicit_ = true;
  } else if (!level_.empty()) {
    run_on_store("SET TRANSACTION ISOLATION LEVEL " + level_);
  }
}

Reply GatedReplicatedSession::run_on_store(const std::string& text) {
  static_cast<void>(session_->send(text));
  std::vector<Reply> replies = session_->take_replies();
  return replies.empty() ? done_reply("") : std::move(replies.back());
}

// The session is heddle's again, as it was.
Result<void> GatedReplicatedSession::clean() {
  leave_call();
  if (is_transaction_open()) run_on_store("ROLLBACK");
  return {};
}

void GatedReplicatedSession::leave_call() {
  HeldSession::leave_call();
  from_client_ = postgres::MessageReader(true);
  statements_ = postgres::ClientStatements();
  answers_ = postgres::UnitAnswers([this](const std::string& text) { return describe(text); });
  units_.clear();
  skips_to_sync_ = is_implicit_ = reads_only_ = session_reads_only_ = false;
  level_.clear();
}

}  // namespace heddle
