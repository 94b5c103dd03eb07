// A session in which a program itself runs: its driver is connected to us, and we to the store.
// Each statement that it sends is held until heddle wants to send the same one; then it goes to the
// store as it is, and what the store answers goes to the program and is heddle's reply, too.
//
// What is held is read from the wire (src/wire), so that neither the language nor the driver of the
// program matters; who calls its methods is a ControlledProgram. Between the calls the connection
// to the store is heddle's own.
//
// A driver may send several statements at once, with one Sync behind them. In a transaction they
// are held one by one, each with a Sync of ours, whose answer the driver does not see; outside of
// one a Sync would end the transaction, so that all run at once and are compared one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/controlled_program.h"
#include "gate/held_session.h"
#include "store/postgres/session.h"
#include "store/store.h"
#include "stream/stream.h"
#include "wire/postgres/client_statements.h"
#include "wire/postgres/messages.h"

namespace heddle {

enum class ReleasePurpose : std::uint8_t {
  expected,  // what heddle waits for
  passing,   // the driver's own, and Sync alone
  own,       // heddle's own text, of which the program sees nothing
};

// What has been sent to the store and is not answered yet.
struct GateRelease {
  ReleasePurpose purpose = ReleasePurpose::passing;
  std::vector<postgres::ClientUnit> statements;  // that are answered
  std::size_t beginnings = 0;                    // of these, BEGIN in front
  bool is_split = false;                         // the Sync is ours
  std::vector<Reply> replies;
  std::optional<std::vector<postgres::FieldDescription>>
      columns;  // of the statement that is answered now
  std::vector<Row> rows;
  bool is_described = false;
};

// A statement that ran before heddle asked for it, with its reply.
struct EarlyReply {
  postgres::ClientUnit statement;
  Reply reply;
};

class GatedSession : public HeldSession {
 public:
  // Errors: bad_input where the session is not one of PostgreSQL's, without TLS.
  static Result<std::unique_ptr<StoreSession>> open(std::unique_ptr<StoreSession> session,
                                                    std::shared_ptr<ControlledProgram> program,
                                                    ProgramCall call, std::uint32_t timeout_ms);
  ~GatedSession() override;

  Result<void> send(const std::string& text) override;
  Result<bool> busy() override;
  std::vector<std::string> take_notices() override;
  std::vector<Notification> take_notifications() override;
  TransactionState transaction_state() const override;
  bool awaits_deadlock_check() const override;

 protected:
  StoreSession& store() override { return *session_; }
  const StoreSession& store() const override { return *session_; }
  Result<void> serve_startup(Deadline deadline) override;
  Result<void> pump() override;
  bool is_releasing() const override { return release_.has_value(); }
  void drop_release() override { release_.reset(); }
  bool has_sent() const override { return !units_.empty(); }
  std::optional<std::string> next_held() override;
  Result<bool> pass() override { return release(1, 0, Purpose::passing); }
  Result<void> clean() override;
  void leave_call() override;

 private:
  using Purpose = ReleasePurpose;

  GatedSession(std::unique_ptr<StoreSession> session, PostgresSession& store,
               std::unique_ptr<CalledProgram> program, std::uint32_t timeout_ms);

  // gated_session_calls.cc
  Result<void> let_in(const postgres::StartupMessage& message);
  Result<void> run_on_store(const std::string& text);

  // gated_session.cc
  Result<bool> advance();
  Result<bool> take_unit();
  Result<bool> take_statement(std::size_t beginnings);
  Result<bool> take_early();
  bool answer_alone();

  // gated_session_wire.cc
  Result<void> take_units();
  void drop_skipped();
  Result<bool> release(std::size_t count, std::size_t beginnings, Purpose purpose);
  Result<void> take_server_messages();
  Result<void> take_server_message(const postgres::WireMessage& message);
  Result<void> finish_statement(const postgres::WireMessage& message);
  Result<void> finish_release(char status);
  Result<void> add_row(std::string_view body);
  void take_notice(const postgres::WireMessage& message);
  Result<void> to_store(std::string_view bytes);
  void to_client(std::string_view bytes);

  std::unique_ptr<StoreSession> session_;  // owns store_
  PostgresSession* store_;
  std::uint32_t timeout_ms_;
  std::unique_ptr<Stream> store_stream_;  // the store's connection

  // Of the call that runs.
  postgres::MessageReader from_client_;
  postgres::MessageReader from_store_;
  postgres::ClientStatements statements_;
  std::deque<postgres::ClientUnit> units_;
  std::deque<EarlyReply> early_;
  std::map<std::string, std::vector<postgres::FieldDescription>> descriptions_;  // by statement
  std::optional<GateRelease> release_;
  bool skips_to_sync_ = false;  // an error ended what the driver had sent at once
  char status_ = 'I';           // as the server says: I, T, E
  std::string level_;           // that the driver has set for its next transactions

  // Of what heddle waits for.
  bool is_delegated_ = false;  // to store_
  std::vector<std::string> notices_;
  bool deadlock_checked_ = false;
};

}  // namespace heddle
