// A session of the replicated store in which a program itself runs: the driver is one of PostgreSQL
// and connected to us, and we are a server to it (wire/postgres/unit_answers.h). Each statement
// that it sends is held until heddle wants to send the same one; then heddle's own session runs it,
// and what the store answers is heddle's reply and is written for the driver, too.
//
// Nothing waits in that store: what is let go is done. What it does not know is an error of its
// own, which ends the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gate/held_session.h"
#include "store/replicated/session.h"
#include "wire/postgres/client_statements.h"
#include "wire/postgres/messages.h"
#include "wire/postgres/unit_answers.h"

namespace heddle {

class GatedReplicatedSession : public HeldSession {
 public:
  // REQUIRES: the session is a ReplicatedSession.
  static Result<std::unique_ptr<StoreSession>> open(std::unique_ptr<StoreSession> session,
                                                    std::unique_ptr<CalledProgram> program);
  ~GatedReplicatedSession() override;

  Result<void> send(const std::string& text) override;
  Result<bool> busy() override;
  std::vector<std::string> take_notices() override { return {}; }
  std::vector<Notification> take_notifications() override { return {}; }
  TransactionState transaction_state() const override { return session_->transaction_state(); }

 protected:
  StoreSession& store() override { return *session_; }
  const StoreSession& store() const override { return *session_; }
  Result<void> serve_startup(Deadline deadline) override;
  Result<void> pump() override;
  bool is_releasing() const override { return false; }
  bool has_sent() const override { return !units_.empty(); }
  std::optional<std::string> next_held() override;
  Result<bool> pass() override;
  Result<void> clean() override;
  void leave_call() override;

 private:
  using Described = std::optional<std::vector<postgres::FieldDescription>>;

  GatedReplicatedSession(std::unique_ptr<StoreSession> session, ReplicatedSession& replicated,
                         std::unique_ptr<CalledProgram> program);

  // gated_replicated_session.cc
  Result<bool> take_unit();
  bool answer_alone();
  Result<bool> take_statement();
  Result<bool> run_expected();
  Result<Reply> run_statement(const postgres::ClientUnit& unit, const std::string& essence);
  void open_transaction(bool is_one);
  Reply run_on_store(const std::string& text);
  void drop_skipped();
  bool is_transaction_open() const;

  // gated_replicated_session_answers.cc
  std::string answer_unit(const postgres::ClientUnit& unit,
                          const postgres::StatementResult& result);
  void refuse_unit(const postgres::ClientUnit& unit, std::string_view code,
                   std::string_view message);
  void end_unit(const postgres::ClientUnit& unit, std::string bytes, bool has_failed);
  Result<Described> describe(const std::string& text) const;
  Reply pass_sync(const postgres::ClientUnit& unit);
  void pass_statement(const postgres::ClientUnit& unit);
  void pass_setting(const postgres::ClientUnit& unit, const std::string& essence);
  void pass_level(const postgres::ClientUnit& unit, const std::string& level);
  void pass_question(const postgres::ClientUnit& unit, const std::string& asked);
  void pass_to_store(const postgres::ClientUnit& unit);

  std::unique_ptr<StoreSession> session_;
  ReplicatedSession* replicated_;  // the same

  // Of the call that runs.
  postgres::MessageReader from_client_;
  postgres::ClientStatements statements_;
  postgres::UnitAnswers answers_;
  std::deque<postgres::ClientUnit> units_;
  bool skips_to_sync_ = false;  // an error ended what the driver had sent at once
  bool is_implicit_ = false;    // a transaction is open that ends with the next Sync
  std::string level_;           // that the driver has set for its next transactions, or empty
  bool reads_only_ = false;     // the transaction that is open
  bool session_reads_only_ = false;
};

}  // namespace heddle
