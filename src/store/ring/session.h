// A session of a ring of MariaDB servers as a StoreSession: a connection to each of them, of which
// it uses that of the server where it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "store/mariadb/session.h"
#include "store/ring/delivery.h"
#include "store/store.h"

namespace heddle {

// A text is sent statement by statement, because each may be one of the control language.
struct RingPiece {
  std::string text;
  std::optional<replicated::Command> command;
  std::optional<StepError> refusal;  // it is of the control language, and cannot be done
  std::size_t statements = 0;        // about rows, which are counted
};

// The statements of a text; those that cannot be told apart stay together.
std::vector<RingPiece> split_for_ring(const std::string& text);

class RingSession;
// The open sessions of a database by their numbers.
using RingSessions = std::map<int, RingSession*>;

class RingSession : public StoreSession, public MariadbClient {
 public:
  // Is one of the `open` ones with the next number while it lives. REQUIRES: one connection for
  // each server; `delivery` and `open` outlive the session.
  RingSession(std::string name, std::vector<std::unique_ptr<MariadbSession>> connections,
              RingDelivery& delivery, RingSessions& open);
  ~RingSession() override;

  Result<void> send(const std::string& text) override;
  // What it has done is settled before it is not busy any more: that waits for the servers, though
  // not for locks.
  Result<bool> busy() override;
  int socket() const override { return connections_[client_.server]->socket(); }
  std::vector<Reply> take_replies() override { return std::exchange(replies_, {}); }
  void keep_answers() override;
  std::vector<MariadbAnswer> take_answers() override { return std::exchange(answers_, {}); }
  unsigned server_status() const override { return connections_[client_.server]->server_status(); }
  std::string server_version() const override { return connections_[0]->server_version(); }
  std::vector<int> sockets() const override;
  std::vector<std::string> take_notices() override { return {}; }
  std::vector<Notification> take_notifications() override { return {}; }
  TransactionState transaction_state() const override {
    return connections_[client_.server]->transaction_state();
  }
  bool cancel() override;
  int backend_id() const override { return number_; }

  // Where it would wait for a lock, server and connection: its own, or those of the appliers where
  // it waits until something has been delivered.
  std::vector<std::pair<std::size_t, int>> active_connections() const;
  int connection_at(std::size_t server) const { return connections_[server]->backend_id(); }

 private:
  enum class Stage : std::uint8_t { idle, executes, delivers };

  Result<void> begin_next();
  Result<void> begin_command(const replicated::Command& command);
  Result<void> finish_execution();
  Result<void> note_commit();
  Result<bool> is_delivered();
  void answer(const std::string& tag);
  void answer(StepError error);

  std::vector<std::unique_ptr<MariadbSession>> connections_;
  RingDelivery& delivery_;
  RingSessions& open_;
  RingClient client_;
  int number_ = 1;
  std::vector<RingPiece> pieces_;
  std::size_t next_ = 0;
  Stage stage_ = Stage::idle;
  bool is_cancelled_ = false;
  std::array<std::size_t, kRingSize> awaited_{};  // of the links' logs, while it delivers
  std::vector<Reply> replies_;
  bool keeps_answers_ = false;
  std::vector<MariadbAnswer> answers_;
  std::array<std::uint64_t, kRingSize> last_number_{};  // of its transactions, as servers tell it
};

}  // namespace heddle
