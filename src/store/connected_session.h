// A session that has several connections to one database.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "store/store.h"

namespace heddle {

class ConnectedSession : public StoreSession, public SeveralConnections {
 public:
  // `parts`: its connections. `schemas`: theirs, with a dot behind each, which is left out of the
  // names of tables. `place`: kept at the connection that was last sent something.
  ConnectedSession(std::vector<std::unique_ptr<StoreSession>> parts,
                   std::vector<std::string> schemas, std::shared_ptr<std::size_t> place,
                   int number);

  SeveralConnections* several() override { return this; }
  void turn_to_connection(const ConnectionTurn& turn) override { turn_ = turn; }
  StoreSession& connection(std::size_t number) override { return *parts_[number]; }
  Result<void> send(const std::string& text) override;
  Result<bool> busy() override;
  int socket() const override { return parts_[*place_]->socket(); }
  std::vector<Reply> take_replies() override;
  std::vector<std::string> take_notices() override;
  std::vector<Notification> take_notifications() override;
  TransactionState transaction_state() const override;
  bool awaits_deadlock_check() const override { return parts_[*place_]->awaits_deadlock_check(); }
  bool cancel() override;
  int backend_id() const override { return number_; }

 private:
  struct Sending {
    std::size_t connection = 0;
    std::string text;
    bool is_told = true;  // its replies are those of what was asked for
  };

  std::optional<std::size_t> with_transaction() const;
  // Puts what has to be sent for the text into `queue_`.
  void plan(const ConnectionTurn& turn, const std::string& text);
  Result<void> send_first();

  std::vector<std::unique_ptr<StoreSession>> parts_;
  const std::vector<std::string> schemas_;
  const std::shared_ptr<std::size_t> place_;
  const int number_;
  ConnectionTurn turn_;
  std::vector<std::string> held_;  // what begins a transaction, until it is known whose
  std::deque<Sending> queue_;      // the first one is under way
  std::vector<Reply> replies_;
};

}  // namespace heddle
