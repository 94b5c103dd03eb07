#include "gate/gated_session.h"

#include <chrono>
#include <sys/epoll.h>
#include <utility>

#include <fmt/format.h>

#include "base/assert.h"
#include "gate/postgres_driver.h"
#include "stream/stream_socket.h"
#include "wire/postgres/statement_essence.h"

namespace heddle {
namespace {

using UnitKind = postgres::ClientUnit::Kind;

}  // namespace

Result<std::unique_ptr<StoreSession>> GatedSession::open(std::unique_ptr<StoreSession> session,
                                                         std::shared_ptr<ControlledProgram> program,
                                                         ProgramCall call,
                                                         std::uint32_t timeout_ms) {
  auto* const store = dynamic_cast<PostgresSession*>(session.get());
  if (store == nullptr) {
    return Diagnostic{
        .what = "a program itself runs on PostgreSQL, MariaDB and the replicated store only",
        .what_to_do = "choose one of them with --on",
        .trouble = Trouble::bad_input};
  }
  if (!store->is_plain()) {
    return Diagnostic{.what = "a program itself runs on connections without TLS only",
                      .what_to_do = "add sslmode=disable&gssencmode=disable to the address",
                      .trouble = Trouble::bad_input};
  }
  auto called = CalledProgram::open(std::move(program), std::move(call), timeout_ms);
  if (!called) return called.error();
  return std::unique_ptr<StoreSession>(
      new GatedSession(std::move(session), *store, std::move(*called), timeout_ms));
}

GatedSession::GatedSession(std::unique_ptr<StoreSession> session, PostgresSession& store,
                           std::unique_ptr<CalledProgram> program, std::uint32_t timeout_ms)
    : HeldSession(std::move(program)),
      session_(std::move(session)),
      store_(&store),
      timeout_ms_(timeout_ms),
      store_stream_(SocketStream::borrow(store_->socket())) {
  program_->watch(store_stream_->readable());
}

GatedSession::~GatedSession() = default;

Result<void> GatedSession::send(const std::string& text) {
  HEDDLE_ASSERT(!is_under_way_);
  replies_.clear();
  is_under_way_ = true;
  expected_.reset();
  if (!is_called_) {
    is_delegated_ = true;
    return store_->send(text);
  }
  // In the middle of a call, beside the statements of the driver.
  release_.emplace().purpose = Purpose::own;
  release_->statements.emplace_back().text = text;
  deadlock_checked_ = false;
  return to_store(postgres::execution_bytes("heddle_own", text));
}

Result<bool> GatedSession::busy() {
  if (!is_under_way_) return false;
  if (is_delegated_) {
    auto is_busy = store_->busy();
    if (is_busy && *is_busy) return true;
    is_under_way_ = is_delegated_ = false;
    replies_ = store_->take_replies();
    return is_busy;
  }
  if (auto pumped = pump(); !pumped) return pumped.error();
  return advance();
}

Result<bool> GatedSession::advance() {
  while (is_under_way_ && !release_) {
    auto moved = take_unit();
    if (!moved) return moved;
    if (!*moved) break;
  }
  return is_under_way_;
}

// What a driver does not say, or says with its next statement. True: that is the answer.
bool GatedSession::answer_alone() {
  const std::string expected = essence_of(*expected_);
  if (postgres::is_begin(expected)) {
    owes_begin_ = true;
    answer(done_reply("BEGIN"));
    return true;
  }
  // The driver was in no transaction: each statement was one.
  if (postgres::is_end(expected) && status_ == 'I' && early_.empty()) {
    owes_begin_ = false;
    answer(done_reply(expected_->text));
    return true;
  }
  // The interpreter's own, around what it may have to undo.
  if (is_reader_savepoint(expected)) {
    answer(done_reply(expected_->text));
    return true;
  }
  if (!level_.empty() && expected == std::string(kSetLevel) + level_) {
    answer(done_reply("SET"));
    return true;
  }
  return false;
}

// True: something was done. False: more has to arrive.
Result<bool> GatedSession::take_unit() {
  if (answer_alone()) return true;
  if (!early_.empty()) return take_early();
  drop_skipped();
  if (units_.empty()) {
    if (program_->call_end()) return early_end();
    return false;
  }
  const postgres::ClientUnit& unit = units_.front();
  if (unit.kind != UnitKind::statement) return release(1, 0, Purpose::passing);
  if (!postgres::is_begin(essence_of(unit)) || !owes_begin_) return take_statement(0);
  // The driver sends BEGIN with the next statement, at once or not.
  if (units_.size() < 2) return false;
  if (units_[1].kind == UnitKind::statement) return take_statement(1);
  owes_begin_ = false;
  return release(1, 0, Purpose::passing);
}

Result<bool> GatedSession::take_statement(std::size_t beginnings) {
  const postgres::ClientUnit& unit = units_[beginnings];
  const std::string essence = essence_of(unit);
  if (is_same_statement(essence, essence_of(*expected_))) {
    auto released = release(beginnings + 1, beginnings, Purpose::expected);
    if (released && *released) owes_begin_ = false;
    return released;
  }
  if (beginnings > 0 || !postgres::is_of_driver(essence)) return divergence(shown_unit(unit));
  if (essence.starts_with(kSetSessionLevel)) level_ = essence.substr(kSetSessionLevel.size());
  return release(1, 0, Purpose::passing);
}

Result<bool> GatedSession::take_early() {
  EarlyReply early = std::move(early_.front());
  early_.pop_front();
  if (!is_same_statement(essence_of(early.statement), essence_of(*expected_))) {
    return divergence(shown_unit(early.statement));
  }
  owes_begin_ = false;
  answer(std::move(early.reply));
  return true;
}

// ---- What it says.

std::vector<std::string> GatedSession::take_notices() {
  std::vector<std::string> notices = std::exchange(notices_, {});
  for (std::string& notice : store_->take_notices()) notices.push_back(std::move(notice));
  return notices;
}

std::vector<Notification> GatedSession::take_notifications() {
  if (is_called_) return {};
  return store_->take_notifications();
}

TransactionState GatedSession::transaction_state() const {
  if (!is_called_) return store_->transaction_state();
  return status_ == 'I'   ? TransactionState::idle
         : status_ == 'T' ? TransactionState::open
                          : TransactionState::failed;
}

bool GatedSession::awaits_deadlock_check() const {
  if (is_delegated_ || !release_) return store_->awaits_deadlock_check();
  return store_->hears_lock_waits() && !deadlock_checked_;
}

}  // namespace heddle
