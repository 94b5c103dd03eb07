#include "gate/held_session.h"

#include <chrono>
#include <cstdint>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/interrupt.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

// For what takes no time unless something is wrong.
constexpr std::chrono::seconds kPatienceToForget{20};

}  // namespace

Result<void> HeldSession::send_called(const CalledStatement& called) {
  HEDDLE_ASSERT(!is_under_way_);
  if (!is_called_) {
    if (auto begun = begin_call(); !begun) return begun;
  }
  if (called.is_question) return send(called.text);
  replies_.clear();
  is_under_way_ = true;
  expected_ = called;
  return {};
}

Result<void> HeldSession::begin_call() {
  const Deadline deadline = program_->start_deadline();
  if (auto prepared = prepare_call(); !prepared) return prepared;
  leave_call();
  is_called_ = true;
  if (auto begun = program_->begin(); !begun) return begun;
  if (auto served = serve_startup(deadline); !served) return served;
  return await_ready(deadline);
}

// What the driver sends before the program's own code runs is its own.
Result<void> HeldSession::await_ready(Deadline deadline) {
  while (!program_->is_ready()) {
    if (auto pumped = pump(); !pumped) return pumped;
    if (program_->call_end()) return program_->early_end({});
    // The channel was looked at after the driver: what came from that by now is held.
    if (program_->is_ready()) break;
    if (!is_releasing() && has_sent()) {
      auto passed = pass();
      if (!passed) return passed.error();
      if (*passed) continue;
    }
    if (!program_->wait_for_anything(deadline)) {
      return late("the program's driver did not get ready in time");
    }
  }
  return {};
}

Result<void> HeldSession::end_called(const Reply& end) {
  if (!is_called_) {
    if (auto begun = begin_call(); !begun) return begun;
  }
  expected_.reset();
  if (auto ended = await_end(program_->step_deadline()); !ended) return ended;
  if (auto checked = program_->check_end(end); !checked) return with_lacking(checked.error());
  return clean();
}

Result<void> HeldSession::await_end(Deadline deadline) {
  while (true) {
    if (auto pumped = pump(); !pumped) return pumped;
    if (const auto held = next_held()) return with_lacking(program_->divergence(*held, {}));
    if (!is_releasing() && has_sent()) {
      auto passed = pass();
      if (!passed) return passed.error();
      if (*passed) continue;
    }
    if (program_->call_end() && !is_releasing() && !has_sent()) return {};
    if (program_->wait_for_anything(deadline)) continue;
    return late(
        fmt::format("{} should end now and does not: {}", program_->call().method, delay()));
  }
}

// Whoever still runs in it finds the connection closed.
void HeldSession::forget_called() {
  if (!is_called_) return;
  const InterruptGrace grace(static_cast<std::uint32_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(kPatienceToForget).count()));
  const Deadline deadline = Clock::now() + kPatienceToForget;
  if (is_releasing()) store().cancel();
  program_->close_client();
  while (is_releasing() && program_->wait_for_anything(deadline)) {
    if (auto pumped = pump(); !pumped) break;
  }
  program_->abandon(deadline);
  is_under_way_ = false;
  drop_release();
  // A store that does not answer at all has no session that could be cleaned.
  if (is_releasing()) return program_->forget_worker();
  if (auto cleaned = clean(); !cleaned) program_->forget_worker();
}

void HeldSession::leave_call() {
  program_->leave_call();
  is_called_ = owes_begin_ = false;
  lacking_.clear();
  expected_.reset();
}

std::string HeldSession::delay() { return !is_called_ || is_releasing() ? "" : program_->delay(); }

bool HeldSession::cancel() {
  if (!is_called_ || is_releasing()) return store().cancel();
  is_under_way_ = false;
  return true;
}

void HeldSession::answer(Reply reply) {
  replies_.push_back(std::move(reply));
  is_under_way_ = false;
}

std::optional<std::string> HeldSession::expected_text() const {
  return expected_ ? std::optional(expected_->text) : std::nullopt;
}

Diagnostic HeldSession::divergence(const std::string& shown_statement) {
  return with_lacking(program_->divergence(shown_statement, expected_text()));
}

Diagnostic HeldSession::early_end() { return with_lacking(program_->early_end(expected_text())); }

Diagnostic HeldSession::with_lacking(Diagnostic diagnostic) const {
  if (lacking_.empty() || diagnostic.what.find(lacking_) != std::string::npos) return diagnostic;
  diagnostic.what += ": " + lacking_;
  diagnostic.what_to_do.clear();
  return diagnostic;
}

Reply done_reply(std::string tag) {
  Reply reply;
  reply.result.emplace().command_tag = std::move(tag);
  return reply;
}

}  // namespace heddle
