// One connection of hiredis as a StoreSession.
//
// The commands of a text are sent one after the other, each when the one before has been answered:
// after an error the rest is not sent. Commands that leave the session's logical database, end the
// server or are not answered once are refused here.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/redis/split.h"
#include "store/redis/connection.h"
#include "store/redis/reply.h"
#include "store/store.h"

namespace heddle {

class RedisSession : public StoreSession {
 public:
  // `cancel` is asked to end what the connection of that number does; it must outlive the session.
  // REQUIRES: nothing is under way on the connection.
  RedisSession(RedisConnection connection, int number, std::function<bool(int)> cancel);

  Result<void> send(const std::string& text) override;
  Result<bool> busy() override;
  int socket() const override { return connection_->fd; }
  std::vector<Reply> take_replies() override { return std::exchange(replies_, {}); }
  std::vector<std::string> take_notices() override { return {}; }
  std::vector<Notification> take_notifications() override { return {}; }
  TransactionState transaction_state() const override { return state_; }
  bool cancel() override { return cancel_(number_); }
  int backend_id() const override { return number_; }

 private:
  // Sends the next command of the text, if there is one; a refusal ends the text.
  void send_next();
  // Writes what the socket takes.
  void write();
  // The next answer, or null; reads what has arrived.
  RedisReply read();
  void take(const redisReply& answer);
  void take_state(const redisReply& answer);
  void lose_connection();
  // No command after this one is sent.
  void end_with(StepError error);

  RedisConnection connection_;
  int number_;
  std::function<bool(int)> cancel_;
  std::deque<RedisCommand> commands_;  // the first is under way, unless this is empty
  QueuedCommands queued_;
  std::vector<Reply> replies_;
  TransactionState state_ = TransactionState::idle;
  std::string unsent_;  // of the command under way
};

}  // namespace heddle
