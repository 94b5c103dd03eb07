// Statements of a scripted driver of PostgreSQL, in memory, held on their way to the replicated
// store, which heddle answers for.
#include "gate/gated_replicated_session.h"

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/must_testing.h"
#include "gate/gate_testing.h"
#include "store/open/open.h"

namespace heddle {
namespace {

using testing::HasSubstr;

constexpr const char* kPayReplica = "UPDATE account SET balance = balance + $1 WHERE id = $2";
const std::string kSyncBytes = postgres::sync_bytes();

std::string said_in_rows(const std::vector<postgres::WireMessage>& messages) {
  std::vector<std::string> rows;
  for (const postgres::WireMessage& message : messages) {
    if (message.type == 'E') rows.push_back("ERROR " + postgres::read_fields(message.body).at('C'));
    if (message.type == 'C') rows.push_back(postgres::read_text(message.body));
    if (message.type != 'D') continue;
    std::vector<std::string> values;
    const auto row = postgres::read_data_row(message.body);
    for (const auto& value : row.value_or(postgres::DataRow())) {
      values.push_back(value.value_or("NULL"));
    }
    rows.push_back("(" + join(values, ", ") + ")");
  }
  return join(rows, " ");
}

class GatedReplicatedSessions : public testing::Test {
 protected:
  GatedReplicatedSessions()
      : server_(must(open_server({"replicated"}))), database_(must(server_->create_database(""))) {
    execute(
        "CREATE TABLE account (id serial PRIMARY KEY, balance int NOT NULL, name varchar(10), "
        "rate numeric(6,2), open boolean, since timestamp); "
        "INSERT INTO account (balance) VALUES (100), (100)");
    must(database_->learn_types());
    gate_ = std::make_unique<Gate>(*database_);
  }

  std::string execute(const std::string& text) const {
    return text_of(must(database_->execute(text, 30'000)));
  }
  std::string balances() const { return execute("SELECT balance FROM account ORDER BY id"); }
  ScriptedProgram& program() const { return *gate_->program; }
  std::string say(const std::string& text, const std::vector<std::string>& values = {}) const {
    return gate_->say(called(text, values));
  }
  // BEGIN, and then that is what the driver sends.
  void begin_with(const std::string& bytes) const {
    program().first = statement("BEGIN") + bytes + kSyncBytes;
    EXPECT_EQ(say("BEGIN"), "BEGIN");
    program().answers();
  }

  std::shared_ptr<StoreServer> server_;
  std::unique_ptr<StoreDatabase> database_;
  std::unique_ptr<Gate> gate_;
};

TEST_F(GatedReplicatedSessions, hold_a_statement_until_it_is_asked_for) {
  begin_with(statement(kPayReplica, {"1", "1"}) + statement(kPayReplica, {"2", "2"}));
  EXPECT_FALSE(must(gate_->session->busy()));
  EXPECT_EQ(balances(), "SELECT 2 100 100");
  EXPECT_EQ(say(kPayReplica, {"1", "1"}), "UPDATE 1");
  EXPECT_EQ(program().answers(), "12nC12nC");
  EXPECT_EQ(gate_->session->transaction_state(), TransactionState::open);
  EXPECT_EQ(say(kPayReplica, {"2", "2"}), "UPDATE 1");
  EXPECT_EQ(program().answers(), "12nCZ");
  program().send(statement("COMMIT") + kSyncBytes);
  EXPECT_EQ(say("COMMIT"), "COMMIT");
  EXPECT_EQ(balances(), "SELECT 2 101 102");
  must(gate_->end());
}

TEST_F(GatedReplicatedSessions, give_rows_and_their_types_to_the_driver) {
  const std::string insert =
      "INSERT INTO account (balance, name, rate, open, since) VALUES ($1, $2, $3, $4, $5) "
      "RETURNING *";
  const std::string moment = "2026-01-31 10:20:30.5";
  begin_with(statement(insert, {"-7", "it's", "1.5", "true", moment + "+00"}));
  EXPECT_EQ(say(insert, {"-7", "it's", "1.5", "true", moment + "+00"}),
            "INSERT 0 1 3 -7 it's 1.50 true " + moment);
  const auto messages = program().messages();
  EXPECT_EQ(said_in_rows(messages), "BEGIN (3, -7, it's, 1.50, t, " + moment + ") INSERT 0 1");
  std::vector<std::uint32_t> types;
  for (const postgres::WireMessage& message : messages) {
    if (message.type != 'T') continue;
    const auto fields = postgres::read_row_description(message.body).value();
    for (const postgres::FieldDescription& field : fields) types.push_back(field.type);
  }
  EXPECT_EQ(types, (std::vector<std::uint32_t>{23, 23, 1043, 1700, 16, 1114}));
}

TEST_F(GatedReplicatedSessions, say_what_a_statement_gives_before_it_runs) {
  const std::string text = "INSERT INTO account (balance) VALUES ($1) RETURNING id";
  const std::string prepared = postgres::to_bytes(
      {'P', std::string("S_1\0", 4) + text + '\0' + std::string("\0\1\0\0\0\x17", 6)});
  const std::string asked = postgres::to_bytes({'D', std::string("SS_1\0", 5)});
  program().first = prepared + asked + kSyncBytes;
  EXPECT_EQ(say("BEGIN"), "BEGIN");
  must(gate_->session->send_called(called(text, {"5"})));
  EXPECT_TRUE(must(gate_->session->busy()));
  EXPECT_EQ(program().answers(), "RSSSSSSSSSSKZ1tTZ");
}

TEST_F(GatedReplicatedSessions, commit_at_once_what_stands_outside_of_a_transaction) {
  program().first = statement(kPayReplica, {"1", "1"}) + kSyncBytes;
  EXPECT_EQ(say("BEGIN"), "BEGIN");
  EXPECT_EQ(say(kPayReplica, {"1", "1"}), "UPDATE 1");
  EXPECT_EQ(balances(), "SELECT 2 101 100");
  EXPECT_EQ(say("COMMIT"), "COMMIT");
}

TEST_F(GatedReplicatedSessions, take_what_is_sent_at_once_for_one_transaction) {
  const std::string insert = "INSERT INTO account (id, balance) VALUES ($1, 0)";
  program().first = statement(kPayReplica, {"1", "1"}) + statement(insert, {"2"}) +
                    statement(kPayReplica, {"2", "2"}) + kSyncBytes;
  EXPECT_EQ(say("BEGIN"), "BEGIN");
  program().answers();
  EXPECT_EQ(say(kPayReplica, {"1", "1"}), "UPDATE 1");
  EXPECT_EQ(say(insert, {"2"}), "ERROR 23505");
  EXPECT_EQ(program().answers(), "12nCEZ");
  EXPECT_EQ(balances(), "SELECT 2 100 100");
  program().send(statement(kPayReplica, {"1", "1"}) + statement(kPayReplica, {"2", "2"}) +
                 kSyncBytes);
  EXPECT_EQ(say(kPayReplica, {"1", "1"}), "UPDATE 1");
  EXPECT_EQ(say(kPayReplica, {"2", "2"}), "UPDATE 1");
  EXPECT_EQ(program().answers(), "12nC12nC");
  EXPECT_EQ(say("COMMIT"), "COMMIT");
  EXPECT_EQ(program().answers(), "Z");
  EXPECT_EQ(balances(), "SELECT 2 101 102");
}

TEST_F(GatedReplicatedSessions, go_on_after_an_error_as_the_store_does) {
  const std::string insert = "INSERT INTO account (id, balance) VALUES ($1, 0)";
  begin_with(statement(insert, {"1"}));
  EXPECT_EQ(say(insert, {"1"}), "ERROR 23505");
  EXPECT_EQ(program().answers(), "12nCEZ");
  EXPECT_EQ(gate_->session->transaction_state(), TransactionState::open);
  program().send(statement("ROLLBACK") + kSyncBytes);
  EXPECT_EQ(say("ROLLBACK"), "ROLLBACK");
  EXPECT_EQ(gate_->session->transaction_state(), TransactionState::idle);
  must(gate_->end());
}

TEST_F(GatedReplicatedSessions, keep_what_the_driver_sets) {
  const std::string level = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL ";
  program().first = statement(level + "SERIALIZABLE") + kSyncBytes + statement("BEGIN") +
                    statement("SHOW TRANSACTION ISOLATION LEVEL") +
                    statement(kPayReplica, {"1", "1"}) + kSyncBytes;
  EXPECT_EQ(say("BEGIN"), "BEGIN");
  EXPECT_EQ(say("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"), "SET");
  EXPECT_EQ(say(kPayReplica, {"1", "1"}), "UPDATE 1");
  EXPECT_EQ(said_in_rows(program().messages()), "SET BEGIN (serializable) SHOW UPDATE 1");
  // What is open has its level, and a read-only transaction changes nothing.
  gate_->session->forget_called();
  program().first = statement(level + "READ UNCOMMITTED") + kSyncBytes +
                    statement("BEGIN READ ONLY") + statement(kPayReplica, {"1", "1"}) + kSyncBytes;
  EXPECT_EQ(say("BEGIN"), "BEGIN");
  EXPECT_EQ(say(kPayReplica, {"1", "1"}), "ERROR 25006");
  EXPECT_EQ(said_in_rows(program().messages()), "ERROR 0A000 BEGIN ERROR 25006");
  gate_->session->forget_called();
  EXPECT_EQ(balances(), "SELECT 2 100 100");
}

TEST_F(GatedReplicatedSessions, refuse_what_the_store_does_not_have) {
  program().first = statement("SELECT 1 FROM pg_catalog.pg_type") + kSyncBytes +
                    statement("SET work_mem = 7") + kSyncBytes + statement("SHOW work_mem") +
                    kSyncBytes + statement("SHOW server_version") + kSyncBytes + statement("") +
                    kSyncBytes + statement(kPayReplica, {"1", "1"}) + kSyncBytes;
  EXPECT_EQ(say("BEGIN"), "BEGIN");
  EXPECT_EQ(say(kPayReplica, {"1", "1"}), "UPDATE 1");
  EXPECT_EQ(said_in_rows(program().messages()),
            "ERROR 0A000 ERROR 0A000 ERROR 0A000 (15.0) SHOW UPDATE 1");
}

TEST_F(GatedReplicatedSessions, say_what_the_store_does_not_run) {
  const std::string text = "SELECT id FROM account WHERE id = ANY (ARRAY[1, 2])";
  begin_with(statement(text));
  const auto answer = gate_->ask(called(text));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what, HasSubstr("the replicated store does not run " + text + ": "));
  EXPECT_EQ(answer.error().trouble, Trouble::bad_input);
}

// SQLite keeps any value in any column, and no driver is told so.
TEST_F(GatedReplicatedSessions, give_no_value_that_is_none_of_its_type) {
  execute("UPDATE account SET balance = 'many', rate = 0.125");
  for (const char* column : {"balance", "rate"}) {
    const std::string text = std::string("SELECT ") + column + " FROM account";
    begin_with(statement(text));
    const auto answer = gate_->ask(called(text));
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().what, HasSubstr("the replicated store keeps "));
    gate_->session->forget_called();
  }
}

TEST_F(GatedReplicatedSessions, say_what_diverges) {
  begin_with(statement(kPayReplica, {"1", "1"}));
  const auto answer = gate_->ask(called(kPayReplica, {"2", "1"}));
  ASSERT_FALSE(answer);
  EXPECT_THAT(answer.error().what, HasSubstr("the program executes UPDATE account SET balance = "
                                             "balance + $1 WHERE id = $2 ($1 = 1, $2 = 1) at "
                                             "Script:7 where UPDATE account"));
  gate_->session->forget_called();
  EXPECT_EQ(balances(), "SELECT 2 100 100");
  must(gate_->session->send("SELECT 3"));
  EXPECT_EQ(must(gate_->answer()), "SELECT 1 3");
}

TEST_F(GatedReplicatedSessions, say_that_a_program_does_more) {
  begin_with(statement(kPayReplica, {"1", "1"}));
  const auto ended = gate_->end();
  ASSERT_FALSE(ended);
  EXPECT_THAT(ended.error().what, HasSubstr("where the end of pay was expected"));
}

// A portal that is not read to its end gives the rest to who asks for more.
TEST_F(GatedReplicatedSessions, give_rows_in_portions) {
  const std::string text = "SELECT id FROM account ORDER BY id";
  const std::string some = postgres::to_bytes({'E', std::string("C_1\0\0\0\0\1", 8)});
  const std::string none(1, '\0');
  const std::string bound = postgres::to_bytes({'P', none + text + none + none + none}) +
                            postgres::to_bytes({'B', std::string("C_1\0\0\0\0\0\0\0\0", 11)});
  begin_with(bound + some);
  EXPECT_EQ(say(text), "SELECT 2 1 2");
  program().send(some + kSyncBytes + some + kSyncBytes + statement(kPayReplica, {"1", "1"}) +
                 kSyncBytes);
  EXPECT_EQ(say(kPayReplica, {"1", "1"}), "UPDATE 1");
  EXPECT_EQ(said_in_rows(program().messages()), "BEGIN (1) (2) SELECT 2 SELECT 2 UPDATE 1");
}

}  // namespace
}  // namespace heddle
