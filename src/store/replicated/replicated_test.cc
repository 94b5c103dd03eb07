#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/open/open.h"
#include "store/store.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t kReplicatedTimeoutMs = 20'000;

class Replicated : public testing::Test {
 protected:
  void SetUp() override {
    auto server = open_server("replicated:3");
    ASSERT_TRUE(server) << to_string(server.error());
    server_ = *server;
    auto database = server_->create_database("");
    ASSERT_TRUE(database) << to_string(database.error());
    database_ = std::move(*database);
    auto made = database_->execute(
        "CREATE TABLE Account (id int PRIMARY KEY, balance numeric(10,2), made timestamp DEFAULT "
        "now()); CREATE TABLE entry (id serial PRIMARY KEY, account int REFERENCES account (id));"
        "INSERT INTO account VALUES (1, 100, '2020-01-01')",
        kReplicatedTimeoutMs);
    ASSERT_TRUE(made) << to_string(made.error());
    for (const Reply& reply : *made) EXPECT_FALSE(reply.error) << reply.error->message;
    auto catalogue = database_->read_catalogue();
    ASSERT_TRUE(catalogue) << to_string(catalogue.error());
    catalogue_ = std::move(*catalogue);
    SessionOptions first;
    first.application_name = "heddle/s1";
    SessionOptions second;
    second.application_name = "heddle/s2";
    second.level = IsolationLevel::read_committed;
    auto sessions = database_->open_sessions({first, second});
    ASSERT_TRUE(sessions) << to_string(sessions.error());
    sessions_ = std::move(*sessions);
    ASSERT_TRUE(database_->take_snapshot());
  }

  std::vector<Reply> run(std::size_t session, const std::string& text) {
    EXPECT_TRUE(sessions_[session]->send(text));
    EXPECT_FALSE(*sessions_[session]->busy());
    return sessions_[session]->take_replies();
  }

  std::vector<Row> rows_of(std::size_t table) {
    auto rows = database_->read_rows({&catalogue_[table]}, kReplicatedTimeoutMs);
    EXPECT_TRUE(rows) << to_string(rows.error());
    return rows ? rows->front() : std::vector<Row>();
  }

  std::shared_ptr<StoreServer> server_;
  std::unique_ptr<StoreDatabase> database_;
  std::vector<CatalogueTable> catalogue_;
  std::vector<std::unique_ptr<StoreSession>> sessions_;
};

TEST_F(Replicated, says_what_it_is_and_what_it_offers) {
  EXPECT_THAT(server_->description(), HasSubstr("3 replicas"));
  EXPECT_EQ(server_->default_level(), IsolationLevel::eventual);
  EXPECT_TRUE(server_->offers(IsolationLevel::causal));
  const auto refused = server_->offers(IsolationLevel::strict_serializable);
  ASSERT_FALSE(refused);
  EXPECT_THAT(to_string(refused.error()),
              HasSubstr("no level strict-serializable, use one of eventual, causal-visibility"));
  const auto unreadable = open_server("replicated:0");
  ASSERT_FALSE(unreadable);
  EXPECT_THAT(to_string(unreadable.error()), HasSubstr("1 to 200 replicas"));
}

TEST_F(Replicated, knows_its_catalogue) {
  ASSERT_EQ(catalogue_.size(), 2U);
  EXPECT_EQ(catalogue_[0].name, "account");
  EXPECT_THAT(catalogue_[0].key, ElementsAre("id"));
  EXPECT_EQ(catalogue_[0].columns[1].type, "numeric(10,2)");
  EXPECT_EQ(catalogue_[1].columns[0].default_expression, "nextval('entry_id_seq')");
  ASSERT_EQ(catalogue_[1].foreign_keys.size(), 1U);
  EXPECT_EQ(catalogue_[1].foreign_keys[0].table, "account");
}

// Commands go to the sessions by the names that the runner gives them.
TEST_F(Replicated, reads_what_the_replicas_converge_to) {
  run(0, "DELIVERY MANUAL; MOVE SESSION s2 TO r2");
  run(0, "UPDATE account SET balance = 5");
  run(1, "BEGIN; INSERT INTO entry (account) VALUES (1)");
  EXPECT_EQ(rows_of(0), std::vector<Row>({{"1", "5", "2020-01-01"}}));
  EXPECT_TRUE(rows_of(1).empty());
  EXPECT_EQ(sessions_[1]->transaction_state(), TransactionState::open);
  run(1, "COMMIT");
  EXPECT_EQ(rows_of(1), std::vector<Row>({{"1", "1"}}));
  EXPECT_EQ(run(1, "SELECT balance FROM account").front().result->rows,
            std::vector<Row>({{"100"}}));
}

TEST_F(Replicated, goes_back_to_its_snapshot) {
  run(0, "MOVE TO r3; PARTITION r3 FROM r1, r2; DELETE FROM account");
  ASSERT_TRUE(database_->restore_snapshot({"account"}));
  EXPECT_EQ(rows_of(0).size(), 1U);
  run(0, "UPDATE account SET balance = 1");
  EXPECT_EQ(run(1, "SELECT balance FROM account").front().result->rows, std::vector<Row>({{"1"}}));
  sessions_.clear();
  ASSERT_TRUE(database_->wipe());
  EXPECT_TRUE(database_->read_catalogue()->empty());
}

TEST_F(Replicated, tells_what_is_about_copies_alone) {
  EXPECT_TRUE(database_->is_about_copies("DELIVERY MANUAL; MOVE TO r3;"));
  EXPECT_TRUE(database_->is_about_copies("PARTITION r1 FROM r2; HEAL; DELIVER s1.2 TO r1"));
  EXPECT_FALSE(database_->is_about_copies("MOVE TO r2; DROP TABLE account"));
  EXPECT_FALSE(database_->is_about_copies("DELIVER something"));
  EXPECT_FALSE(database_->is_about_copies("CREATE TABLE t (a int)"));
}

TEST_F(Replicated, shows_types_where_they_are_asked_for) {
  const std::string query = "SELECT id, balance, made, count(*) FROM account";
  EXPECT_EQ(run(0, query).front().result->columns[1].type, "");
  ASSERT_TRUE(database_->learn_types());
  const std::vector<Column> columns = run(0, query).front().result->columns;
  EXPECT_EQ(columns[0].type, "integer");
  EXPECT_EQ(columns[1].type, "numeric(10,2)");
  EXPECT_EQ(columns[2].type, "timestamp without time zone");
  EXPECT_EQ(columns[3].type, "bigint");
  EXPECT_EQ(columns[0].table, "account");
}

TEST_F(Replicated, says_the_level_of_a_transaction) {
  const std::vector<Reply> replies = run(1, "BEGIN; " + database_->level_text());
  EXPECT_EQ(replies.back().result->rows, std::vector<Row>({{"read-committed"}}));
  EXPECT_FALSE(database_->snapshot_rule("read-committed").keeps);
  EXPECT_TRUE(database_->snapshot_rule("snapshot").keeps);
}

}  // namespace
}  // namespace heddle
