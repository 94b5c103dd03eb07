// Statements of a scripted driver, in memory, held on their way to a real PostgreSQL.
#include "gate/gated_session.h"

#include <chrono>
#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/must_testing.h"
#include "gate/gate_testing.h"
#include "store/open/open.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using Kind = WorkerWord::Kind;

constexpr const char* kPay = "UPDATE account SET balance = balance + $1 WHERE id = $2";

StoreServer& shared_server() {
  static const std::shared_ptr<StoreServer> server = must(open_server({"postgres"}));
  return *server;
}

class GatedSessions : public testing::Test {
 protected:
  GatedSessions() : database_(must(shared_server().create_database(""))), gate_(*database_) {
    execute(
        "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL); "
        "INSERT INTO account VALUES (1, 100), (2, 100)");
  }

  std::string execute(const std::string& text) const {
    return text_of(must(database_->execute(text, 30'000)));
  }
  std::string balances() const {
    return execute("SELECT string_agg(balance::text, ' ' ORDER BY id) FROM account");
  }
  // Nobody has changed the row or holds it.
  bool is_free(int id) const {
    return execute("SELECT id FROM account WHERE id = " + std::to_string(id) + " FOR UPDATE NOWAIT")
        .starts_with("SELECT 1");
  }

  std::unique_ptr<StoreDatabase> database_;
  Gate gate_;
};

TEST_F(GatedSessions, hold_several_statements_that_were_sent_at_once) {
  gate_.program->first = statement("BEGIN") + statement(kPay, {"1", "1"}) +
                         statement(kPay, {"2", "2"}) + postgres::sync_bytes();
  EXPECT_EQ(gate_.say(called("BEGIN")), "BEGIN");
  EXPECT_TRUE(is_free(1));
  gate_.program->answers();
  EXPECT_EQ(gate_.say(called(kPay, {"1", "1"})), "UPDATE 1");
  // The store's Sync between them is not the driver's.
  EXPECT_EQ(gate_.program->answers(), "12nC12nC");
  EXPECT_FALSE(is_free(1));
  EXPECT_TRUE(is_free(2));
  EXPECT_EQ(gate_.session->transaction_state(), TransactionState::open);
  EXPECT_EQ(gate_.say(called(kPay, {"2", "2"})), "UPDATE 1");
  EXPECT_EQ(gate_.program->answers(), "12nCZ");
  EXPECT_FALSE(is_free(2));

  gate_.program->send(statement("COMMIT") + postgres::sync_bytes());
  EXPECT_EQ(balances(), "SELECT 1 100 100");
  EXPECT_EQ(gate_.say(called("COMMIT")), "COMMIT");
  EXPECT_EQ(balances(), "SELECT 1 101 102");
  must(gate_.end());
  EXPECT_EQ(gate_.program->calls().size(), 1U);
  EXPECT_EQ(gate_.program->calls().front().arguments.front(), "7");
}

TEST_F(GatedSessions, hold_a_statement_until_it_is_asked_for) {
  gate_.program->first = statement("BEGIN") + postgres::sync_bytes();
  EXPECT_EQ(gate_.say(called("BEGIN")), "BEGIN");
  gate_.program->send(statement(kPay, {"1", "1"}) + postgres::sync_bytes());
  // Whoever asks whether something is under way lets nothing go.
  EXPECT_FALSE(must(gate_.session->busy()));
  EXPECT_TRUE(is_free(1));
  EXPECT_EQ(gate_.say(called(kPay, {"1", "1"})), "UPDATE 1");
  EXPECT_FALSE(is_free(1));
}

TEST_F(GatedSessions, give_rows_to_both) {
  gate_.program->first = statement("BEGIN") +
                         statement("SELECT id, balance FROM account ORDER BY id") +
                         postgres::sync_bytes();
  gate_.say(called("BEGIN"));
  gate_.program->answers();
  EXPECT_EQ(gate_.say(called("SELECT id, balance FROM account ORDER BY id")),
            "SELECT 2 1 100 2 100");
  EXPECT_EQ(gate_.program->answers(), "12nC12TDDCZ");
}

TEST_F(GatedSessions, run_what_stands_outside_of_a_transaction_at_once) {
  gate_.program->first =
      statement(kPay, {"1", "1"}) + statement(kPay, {"2", "2"}) + postgres::sync_bytes();
  gate_.say(called("BEGIN"));
  EXPECT_EQ(gate_.say(called(kPay, {"1", "1"})), "UPDATE 1");
  EXPECT_EQ(balances(), "SELECT 1 101 102");
  const auto other = gate_.ask(called(kPay, {"2", "1"}));
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().what, HasSubstr("was expected"));
}

TEST_F(GatedSessions, say_what_diverges) {
  gate_.program->first = statement("BEGIN") + statement(kPay, {"1", "1"}) + postgres::sync_bytes();
  gate_.say(called("BEGIN"));
  const auto answer = gate_.ask(called(kPay, {"2", "1"}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().trouble, Trouble::bad_input);
  EXPECT_THAT(answer.error().what, HasSubstr("the program executes UPDATE account SET balance = "
                                             "balance + $1 WHERE id = $2 ($1 = 1, $2 = 1) at "
                                             "Script:7 where UPDATE account"));
  EXPECT_EQ(answer.error().what_to_do, "read the script again");
  EXPECT_TRUE(is_free(1));
  gate_.session->forget_called();
  must(gate_.session->send("SELECT 3"));
  EXPECT_EQ(must(gate_.answer()), "SELECT 1 3");
}

TEST_F(GatedSessions, say_that_a_program_does_more) {
  gate_.program->first = statement("BEGIN") + statement(kPay, {"1", "1"}) + postgres::sync_bytes();
  gate_.say(called("BEGIN"));
  const auto ended = gate_.end();
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().what, HasSubstr("where the end of pay was expected"));
  EXPECT_TRUE(is_free(1));
}

TEST_F(GatedSessions, say_that_a_program_ends_early) {
  gate_.program->first = statement("BEGIN") + statement(kPay, {"1", "1"}) + postgres::sync_bytes();
  gate_.say(called("BEGIN"));
  EXPECT_EQ(gate_.say(called(kPay, {"1", "1"})), "UPDATE 1");
  gate_.program->say({.kind = Kind::threw, .text = "none left", .type = "Empty"});
  const auto answer = gate_.ask(called(kPay, {"2", "2"}));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what,
              HasSubstr("the program's pay throws Empty: none left where UPDATE account"));
  gate_.session->forget_called();
  EXPECT_TRUE(is_free(1));
  EXPECT_EQ(balances(), "SELECT 1 100 100");
}

TEST_F(GatedSessions, say_why_a_program_cannot_be_called) {
  gate_.program->why_not = WorkerWord{.kind = Kind::refused, .text = "there is no pay"};
  const auto answer = gate_.ask(called("BEGIN"));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "pay cannot be called: there is no pay");
  EXPECT_EQ(answer.error().what_to_do, "write another script");
}

TEST_F(GatedSessions, say_that_the_runtime_has_gone) {
  gate_.program->first = statement("BEGIN") + postgres::sync_bytes();
  gate_.say(called("BEGIN"));
  gate_.program->end();
  const auto answer = gate_.ask(called(kPay, {"1", "1"}));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().what, "the script ended in the middle of pay");
  EXPECT_EQ(answer.error().trouble, Trouble::environment);
}

TEST_F(GatedSessions, end_a_batch_with_an_error) {
  const std::string insert = "INSERT INTO account VALUES ($1, 0)";
  gate_.program->first = statement("BEGIN") + statement(insert, {"1"}) +
                         statement(kPay, {"1", "2"}) + postgres::sync_bytes();
  gate_.say(called("BEGIN"));
  gate_.program->answers();
  EXPECT_EQ(gate_.say(called(insert, {"1"})), "ERROR 23505");
  // Its Sync is answered, and what stood before that is not executed.
  EXPECT_EQ(gate_.program->answers(), "12nC12nEZ");
  EXPECT_EQ(gate_.session->transaction_state(), TransactionState::failed);
  gate_.program->send(statement("ROLLBACK") + postgres::sync_bytes());
  EXPECT_EQ(gate_.say(called("ROLLBACK")), "ROLLBACK");
  EXPECT_EQ(gate_.session->transaction_state(), TransactionState::idle);
  must(gate_.end());
  EXPECT_EQ(balances(), "SELECT 1 100 100");
}

TEST_F(GatedSessions, wait_for_each_other) {
  Gate other(*database_);
  gate_.program->first = statement("BEGIN") + statement(kPay, {"1", "1"}) + postgres::sync_bytes();
  other.program->first = statement("BEGIN") + statement(kPay, {"5", "1"}) + postgres::sync_bytes();
  gate_.say(called("BEGIN"));
  other.say(called("BEGIN"));
  EXPECT_EQ(gate_.say(called(kPay, {"1", "1"})), "UPDATE 1");
  must(other.session->send_called(called(kPay, {"5", "1"})));
  while (must(other.session->busy()) &&
         !must(database_->is_blocked(other.session->backend_id(), {gate_.session->backend_id()}))) {
  }
  EXPECT_TRUE(must(other.session->busy()));
  gate_.program->send(statement("COMMIT") + postgres::sync_bytes());
  EXPECT_EQ(gate_.say(called("COMMIT")), "COMMIT");
  EXPECT_EQ(must(other.answer()), "UPDATE 1");
  other.program->send(statement("COMMIT") + postgres::sync_bytes());
  EXPECT_EQ(other.say(called("COMMIT")), "COMMIT");
  must(gate_.end());
  must(other.end());
  EXPECT_EQ(balances(), "SELECT 1 106 100");
}

TEST_F(GatedSessions, let_in_nobody_but_the_driver) {
  std::unique_ptr<Stream> stranger;
  gate_.program->before = [&](ScriptedProgram& program, const DriverPlace& driver) {
    EXPECT_EQ(driver.address, "memory");
    stranger = program.connect();
    stranger->write_all(startup("somebody"),
                        std::chrono::steady_clock::now() + std::chrono::seconds(20));
  };
  gate_.program->first = statement("BEGIN") + statement(kPay, {"1", "1"}) + postgres::sync_bytes();
  gate_.say(called("BEGIN"));
  std::string bytes;
  EXPECT_FALSE(stranger->read_available(bytes));
  EXPECT_EQ(bytes, "");
  EXPECT_EQ(gate_.say(called(kPay, {"1", "1"})), "UPDATE 1");
}

TEST_F(GatedSessions, call_again_on_the_same_connection) {
  gate_.program->first = statement("BEGIN") + statement(kPay, {"1", "1"}) + postgres::sync_bytes();
  for (int i = 1; i <= 3; ++i) {
    gate_.say(called("BEGIN"));
    EXPECT_EQ(gate_.say(called(kPay, {"1", "1"})), "UPDATE 1");
    gate_.program->send(statement("COMMIT") + postgres::sync_bytes());
    EXPECT_EQ(gate_.say(called("COMMIT")), "COMMIT");
    must(gate_.end());
    EXPECT_EQ(balances(), "SELECT 1 " + std::to_string(100 + i) + " 100");
  }
}

}  // namespace
}  // namespace heddle
