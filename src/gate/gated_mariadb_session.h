// A session of MariaDB in which a program itself runs: the driver is connected to us, and we are a
// server to it (wire/mariadb). Each statement that it sends is held until heddle wants to send the
// same one; then heddle's own session sends it as it is, and what the store answers is heddle's
// reply and is written for the driver, too.
//
// So the store's connection, with its number and its waits for locks, is the one that heddle knows.
// Drivers keep autocommit off and say no BEGIN: a transaction begins with its first statement.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "control/controlled_program.h"
#include "gate/held_session.h"
#include "store/mariadb/session.h"
#include "store/store.h"
#include "wire/mariadb/packets.h"

namespace heddle {

// What a gate has to know of statements and tables and cannot: it knows no parser and no schema.
struct MariadbWords {
  // A statement in one of all the ways to write it; the text itself where nobody knows better.
  std::function<std::string(const std::string&)> canonical;
  // The column of the table of that name whose values MariaDB makes; empty: there is none.
  std::function<std::string(const std::string&)> generated_column;
};

class GatedMariadbSession : public HeldSession {
 public:
  // REQUIRES: the session is a MariadbClient.
  static Result<std::unique_ptr<StoreSession>> open(std::unique_ptr<StoreSession> session,
                                                    std::unique_ptr<CalledProgram> program,
                                                    MariadbWords words, std::uint32_t timeout_ms);
  ~GatedMariadbSession() override;

  Result<void> send(const std::string& text) override;
  Result<bool> busy() override;
  std::vector<std::string> take_notices() override { return {}; }
  std::vector<Notification> take_notifications() override { return {}; }
  TransactionState transaction_state() const override { return store_->transaction_state(); }

 protected:
  StoreSession& store() override { return *store_; }
  const StoreSession& store() const override { return *store_; }
  Result<void> prepare_call() override;
  Result<void> serve_startup(Deadline deadline) override;
  Result<void> pump() override;
  bool is_releasing() const override { return purpose_ != Purpose::none; }
  bool has_sent() const override { return !packets_.empty(); }
  std::optional<std::string> next_held() override;
  Result<bool> pass() override;
  Result<void> clean() override;
  void leave_call() override;

 private:
  // What the store executes now.
  enum class Purpose : std::uint8_t {
    none,
    expected,  // what heddle waits for
    passing,   // the driver's own
    keyed,     // what heddle waits for, but for the row that it returns
    own,       // heddle's own text, of which the program sees nothing
  };

  GatedMariadbSession(std::unique_ptr<StoreSession> session, MariadbClient& client,
                      std::unique_ptr<CalledProgram> program, MariadbWords words,
                      std::uint32_t timeout_ms);

  // gated_mariadb_session_calls.cc
  Result<std::vector<Reply>> run_on_store(const std::string& text);

  // gated_mariadb_session.cc
  Result<bool> take_packet();
  bool answer_alone();
  Result<void> release(Purpose purpose);
  void refuse();
  Result<void> finish_release();
  Result<void> ask_for_row(const MariadbAnswer& answer);
  std::vector<MariadbAnswer> write_answers(const std::vector<Reply>& replies);
  bool is_transaction_open() const;
  bool passes(const std::string& essence) const;
  bool is_expected(const std::string& text) const { return is_same(text, expected_->text); }
  bool is_same(const std::string& text, const std::string& expected) const;

  std::unique_ptr<StoreSession> store_;
  MariadbClient* client_;  // the same
  MariadbWords words_;
  std::uint32_t timeout_ms_;
  std::string settings_;  // the statement that sets them to what they were before the first call

  // Of the call that runs.
  int server_ = -1;  // the socket of the store's server, of which a ring has several
  mariadb::PacketReader from_client_;
  std::deque<mariadb::Packet> packets_;  // what the driver asks for, in its order
  Purpose purpose_ = Purpose::none;
  std::uint8_t sequence_ = 0;  // of the packet that is answered
  std::string released_;       // its text
};

}  // namespace heddle
