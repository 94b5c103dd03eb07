#include "store/redis/session.h"

#include <algorithm>
#include <fcntl.h>
#include <string_view>

#include <fmt/format.h>

#include "base/assert.h"
#include "base/text.h"
#include "frontend/redis/commands.h"

namespace heddle {

namespace {

struct Refusal {
  std::string_view names;   // lower case, separated by spaces
  std::string_view option;  // an argument that makes it so; empty: always
  std::string_view why;
};

constexpr std::string_view kOneDatabase = "each run has one logical database of its own";
constexpr Refusal kRefusals[] = {
    {"select move swapdb migrate", "", kOneDatabase},
    {"copy", "db", kOneDatabase},
    {"flushall", "", "each run has one logical database of its own, which FLUSHDB empties"},
    {"subscribe psubscribe ssubscribe unsubscribe punsubscribe sunsubscribe monitor sync psync", "",
     "its answers have no end"},
    {"client", "reply", "each command must be answered"},
    {"hello", "3", "it reads the protocol RESP2"},
    {"shutdown replicaof slaveof failover", "", "other runs share the server"},
};

// Why the command is not sent; empty: it is.
std::string_view refusal_of(const RedisArguments& arguments) {
  const std::string name = to_lower(arguments[0]);
  for (const Refusal& refusal : kRefusals) {
    const std::vector<std::string> names = split(refusal.names, ' ');
    if (std::ranges::find(names, name) == names.end()) continue;
    if (refusal.option.empty() || has_redis_option(arguments, 1, refusal.option)) {
      return refusal.why;
    }
  }
  return "";
}

bool is_named(const RedisCommand& command, std::string_view name) {
  return equal_ignoring_case(command.arguments[0], name);
}

}  // namespace

RedisSession::RedisSession(RedisConnection connection, int number, std::function<bool(int)> cancel)
    : connection_(std::move(connection)), number_(number), cancel_(std::move(cancel)) {
  connection_->flags &= ~REDIS_BLOCK;
  ::fcntl(connection_->fd, F_SETFL, ::fcntl(connection_->fd, F_GETFL) | O_NONBLOCK);
}

Result<void> RedisSession::send(const std::string& text) {
  HEDDLE_ASSERT(commands_.empty());
  replies_.clear();
  auto commands = split_redis(text);
  if (!commands) {
    end_with(to_redis_error("ERR " + commands.error().what));
    return {};
  }
  commands_.assign(std::make_move_iterator(commands->begin()),
                   std::make_move_iterator(commands->end()));
  send_next();
  return {};
}

void RedisSession::send_next() {
  if (commands_.empty()) return;
  const RedisArguments& arguments = commands_.front().arguments;
  if (const std::string_view why = refusal_of(arguments); !why.empty()) {
    return end_with(
        to_redis_error(fmt::format("ERR heddle does not send {}: {}", arguments[0], why)));
  }
  unsent_ = to_protocol(arguments);
  write();
}

void RedisSession::write() {
  if (connection_->err != 0 || !send_bytes(*connection_, unsent_)) lose_connection();
}

RedisReply RedisSession::read() {
  void* answer = nullptr;
  if (redisGetReplyFromReader(connection_.get(), &answer) == REDIS_OK && answer == nullptr &&
      redisBufferRead(connection_.get()) == REDIS_OK) {
    redisGetReplyFromReader(connection_.get(), &answer);
  }
  return RedisReply(static_cast<redisReply*>(answer));
}

Result<bool> RedisSession::busy() {
  while (!commands_.empty()) {
    if (!unsent_.empty()) write();
    if (commands_.empty()) break;  // the connection is lost
    if (const RedisReply answer = read()) {
      take(*answer);
      continue;
    }
    if (connection_->err == 0) return true;
    lose_connection();
  }
  return false;
}

void RedisSession::take(const redisReply& answer) {
  const RedisCommand& command = commands_.front();
  replies_.push_back(is_named(command, "exec")
                         ? to_exec_reply(answer, queued_)
                         : to_reply(answer, find_redis_command(command.arguments)));
  take_state(answer);
  commands_.pop_front();
  if (replies_.back().error) return commands_.clear();
  send_next();
}

// What is refused between MULTI and EXEC makes EXEC refuse all, but for these two, which the server
// does not take for a part of the transaction.
void RedisSession::take_state(const redisReply& answer) {
  const RedisCommand& command = commands_.front();
  const bool refused = is_error(answer);
  if (state_ == TransactionState::idle) {
    if (is_named(command, "multi") && !refused) state_ = TransactionState::open;
    return;
  }
  if (is_named(command, "exec") ||
      ((is_named(command, "discard") || is_named(command, "reset")) && !refused)) {
    state_ = TransactionState::idle;
    queued_.clear();
  } else if (!refused) {
    queued_.push_back(find_redis_command(command.arguments));
  } else if (!is_named(command, "multi") && !is_named(command, "watch")) {
    state_ = TransactionState::failed;
  }
}

void RedisSession::end_with(StepError error) {
  replies_.emplace_back().error = std::move(error);
  commands_.clear();
  unsent_.clear();
}

void RedisSession::lose_connection() {
  StepError error;
  error.error_class = ErrorClass::connection_lost;
  error.severity = "ERR";
  error.message = connection_->err == 0 ? "the connection is closed" : connection_->errstr;
  state_ = TransactionState::idle;
  end_with(std::move(error));
}

}  // namespace heddle
