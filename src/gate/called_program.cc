#include "gate/called_program.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <sys/epoll.h>
#include <utility>

#include <fmt/format.h>

#include "base/interrupt.h"
#include "base/random_text.h"
#include "wire/postgres/statement_essence.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

// For what takes no time unless something is wrong.
constexpr std::chrono::seconds kPatienceToStart{20};
constexpr std::chrono::seconds kPatienceForPlace{2};
constexpr std::chrono::seconds kPatienceOfDriver{20};

// So that nobody guesses it.
constexpr std::size_t kTokenLength = 16;

}  // namespace

Diagnostic late(std::string what) {
  if (interrupted()) return {.what = "interrupted", .trouble = Trouble::interrupted};
  return {.what = std::move(what), .trouble = Trouble::bound};
}

std::string shown(const std::string& text) {
  constexpr std::size_t kLongest = 160;
  std::string line;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
    if (!is_blank) line += c;
    if (is_blank && !line.empty() && line.back() != ' ') line += ' ';
  }
  if (line.size() <= kLongest) return line;
  return line.substr(0, kLongest) + "...";
}

Result<std::unique_ptr<CalledProgram>> CalledProgram::open(
    std::shared_ptr<ControlledProgram> program, ProgramCall call, std::uint32_t timeout_ms) {
  auto listener = program->listen();
  if (!listener) return listener.error();
  std::unique_ptr<CalledProgram> called(
      new CalledProgram(std::move(program), std::move(call), timeout_ms));
  called->listener_ = std::move(*listener);
  return called;
}

CalledProgram::CalledProgram(std::shared_ptr<ControlledProgram> program, ProgramCall call,
                             std::uint32_t timeout_ms)
    : program_(std::move(program)),
      call_(std::move(call)),
      timeout_ms_(timeout_ms),
      events_(::epoll_create1(EPOLL_CLOEXEC)) {}

Deadline CalledProgram::step_deadline() const {
  return Clock::now() + std::chrono::milliseconds(timeout_ms_);
}

Deadline CalledProgram::start_deadline() const {
  return Clock::now() +
         std::max<Clock::duration>(kPatienceToStart, std::chrono::milliseconds(timeout_ms_));
}

void CalledProgram::watch(Watched watched) const {
  epoll_event event{};
  event.events = static_cast<std::uint32_t>(watched.events);
  ::epoll_ctl(events_.get(), EPOLL_CTL_ADD, watched.descriptor, &event);
}

void CalledProgram::forget(Watched watched) const {
  ::epoll_ctl(events_.get(), EPOLL_CTL_DEL, watched.descriptor, nullptr);
}

bool CalledProgram::wait_for_anything(Deadline deadline) const {
  const auto waited = wait_readable(events_.get(), deadline);
  return waited && *waited && Clock::now() < deadline;
}

Result<void> CalledProgram::begin() {
  if (!worker_ || worker_->has_ended()) {
    auto worker = program_->open_worker();
    if (!worker) return worker.error();
    worker_ = std::move(*worker);
    watch(worker_->readable());
  }
  const auto user = draw_hexadecimal(kTokenLength);
  if (!user) return user.error();
  token_ = *user;
  if (!worker_->begin(call_, {.address = listener_->address(), .user = token_})) {
    return early_end({});
  }
  return {};
}

Result<void> CalledProgram::await_client(Deadline deadline) {
  while (Clock::now() < deadline) {
    if (auto taken = take_words(); !taken) return taken;
    if (call_end_) return early_end({});
    if (auto accepted = listener_->accept_now()) {
      client_ = std::move(accepted);
      is_client_gone_ = false;
      watch(client_->readable());
      return {};
    }
    // Either the driver comes, or the launcher says why it does not.
    watch(listener_->readable());
    const bool goes_on = wait_for_anything(deadline);
    forget(listener_->readable());
    if (!goes_on) break;
  }
  return late("the program's driver did not connect in time");
}

Result<void> CalledProgram::take_words() {
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
      .what = fmt::format("{} ended in the middle of {}", words().runtime, call_.method),
      .trouble = Trouble::environment};
}

void CalledProgram::leave_call() {
  client_.reset();
  is_ready_ = false;
  call_end_.reset();
  place_.reset();
}

// Whoever still runs in it finds the connection closed. A call that does not end keeps its worker.
void CalledProgram::abandon(Deadline deadline) {
  while (!call_end_ && !worker_->has_ended() && wait_for_anything(deadline)) {
    if (auto taken = take_words(); !taken) break;
  }
  if (!call_end_) worker_.reset();
}

std::string CalledProgram::read_client() {
  std::string bytes;
  if (!has_client()) return bytes;
  is_client_gone_ = !client_->read_available(bytes);
  // What has ended stays readable for ever.
  if (is_client_gone_) forget(client_->readable());
  return bytes;
}

void CalledProgram::write_client(std::string_view bytes) {
  if (!has_client()) return;
  is_client_gone_ = !client_->write_all(bytes, Clock::now() + kPatienceOfDriver);
}

std::string CalledProgram::place() {
  place_.reset();
  if (!worker_ || !worker_->ask_place()) return "";
  const Deadline deadline = Clock::now() + kPatienceForPlace;
  while (!place_ && !worker_->has_ended() && Clock::now() < deadline) {
    if (auto taken = take_words(); !taken || place_) break;
    if (auto waited = wait_for(worker_->readable(), deadline); !waited) break;
  }
  return place_.value_or("");
}

Diagnostic CalledProgram::divergence(const std::string& shown,
                                     const std::optional<std::string>& expected) {
  const std::string where = place();
  return {.what = fmt::format("the program executes {}{}{} where {} was expected", shown,
                              where.empty() ? "" : " at ", where,
                              expected ? heddle::shown(*expected) : "the end of " + call_.method),
          .what_to_do = words().on_difference,
          .trouble = Trouble::bad_input};
}

Diagnostic CalledProgram::early_end(const std::optional<std::string>& expected) const {
  if (!call_end_ || call_end_->kind == WorkerWord::Kind::refused) {
    const std::string why = call_end_ ? call_end_->text : "";
    return {.what = fmt::format("{} cannot be called: {}", call_.method, why),
            .what_to_do = words().on_refusal,
            .trouble = Trouble::bad_input};
  }
  const std::string how = call_end_->kind == WorkerWord::Kind::threw
                              ? fmt::format("throws {}: {}", call_end_->type, call_end_->text)
                              : std::string("returns");
  return {.what = fmt::format("the program's {} {} where {} was expected", call_.method, how,
                              expected ? shown(*expected) : "its first statement"),
          .what_to_do = words().on_difference,
          .trouble = Trouble::bad_input};
}

std::string CalledProgram::delay() {
  const std::string where = place();
  return fmt::format("the program sends nothing and does not end{}{}", where.empty() ? "" : ", at ",
                     where);
}

Result<void> CalledProgram::check_end(const Reply& end) const {
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
      .what_to_do = words().on_difference,
      .trouble = Trouble::bad_input};
}

}  // namespace heddle
