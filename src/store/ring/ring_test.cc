// Two real servers that replicate each other.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <poll.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/mariadb/facts.h"
#include "store/open/open.h"
#include "store/ring/member.h"
#include "store/store.h"
#include "throwaway/child_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t kRingTimeoutMs = 20'000;

// All tests share the servers; each has a database of its own.
class Ring : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto server = open_server("mariadb:ring");
    ASSERT_TRUE(server) << to_string(server.error());
    shared() = *server;
  }
  static void TearDownTestSuite() { shared().reset(); }

  void SetUp() override {
    ASSERT_NE(shared(), nullptr);
    auto database = shared()->create_database("");
    ASSERT_TRUE(database) << to_string(database.error());
    database_ = std::move(*database);
    execute(
        "CREATE TABLE account (id int PRIMARY KEY, balance int); "
        "CREATE TABLE entry (id int PRIMARY KEY AUTO_INCREMENT, note varchar(20)); "
        "INSERT INTO account VALUES (1, 100), (2, 200); "
        "INSERT INTO entry (note) VALUES ('a'), ('b')");
    auto catalogue = database_->read_catalogue();
    ASSERT_TRUE(catalogue) << to_string(catalogue.error());
    catalogue_ = std::move(*catalogue);
    ASSERT_TRUE(database_->take_snapshot());
    auto sessions = database_->open_sessions({{"heddle/s1", {}}, {"heddle/s2", {}}, {"n", {}}});
    ASSERT_TRUE(sessions) << to_string(sessions.error());
    sessions_ = std::move(*sessions);
  }

  void TearDown() override {
    sessions_.clear();
    database_.reset();
  }

  static std::shared_ptr<StoreServer>& shared() {
    static std::shared_ptr<StoreServer> server;
    return server;
  }

  std::vector<Reply> execute(const std::string& text) const {
    auto replies = database_->execute(text, kRingTimeoutMs);
    EXPECT_TRUE(replies) << to_string(replies.error());
    if (!replies) return {};
    for (const Reply& reply : *replies) {
      if (reply.error) ADD_FAILURE() << text << ": " << reply.error->message;
    }
    return *replies;
  }

  bool await(std::size_t session) const {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline) {
      const auto busy = sessions_[session]->busy();
      EXPECT_TRUE(busy) << to_string(busy.error());
      if (!busy || !*busy) return true;
      pollfd wait{sessions_[session]->socket(), POLLIN, 0};
      ::poll(&wait, 1, 1);
    }
    return false;
  }

  std::vector<Reply> run(std::size_t session, const std::string& text) const {
    EXPECT_TRUE(sessions_[session]->send(text));
    EXPECT_TRUE(await(session)) << text;
    return sessions_[session]->take_replies();
  }

  // What the last statement of the text was refused with.
  std::string refusal(std::size_t session, const std::string& text) const {
    const std::vector<Reply> replies = run(session, text);
    if (replies.empty() || !replies.back().error) return "nothing";
    return replies.back().error->code + " " + replies.back().error->message;
  }

  std::string balance(std::size_t session) const {
    const std::vector<Reply> replies = run(session, "SELECT balance FROM account WHERE id = 1");
    return replies.front().result->rows.at(0).at(0).value_or("");
  }

  std::vector<Row> rows_of(const std::string& table) const {
    const auto found = std::ranges::find(catalogue_, table, &CatalogueTable::name);
    if (found == catalogue_.end()) return {};
    auto rows = database_->read_rows({&*found}, kRingTimeoutMs);
    EXPECT_TRUE(rows) << to_string(rows.error());
    return rows ? rows->front() : std::vector<Row>();
  }

  std::unique_ptr<StoreDatabase> database_;
  std::vector<CatalogueTable> catalogue_;
  std::vector<std::unique_ptr<StoreSession>> sessions_;
};

TEST_F(Ring, says_what_it_is_and_what_it_offers) {
  EXPECT_THAT(shared()->description(), HasSubstr("(2 servers in circular replication, throwaway"));
  EXPECT_TRUE(shared()->is_throwaway());
  EXPECT_TRUE(shared()->offers(IsolationLevel::mariadb_read_committed));
  EXPECT_FALSE(shared()->offers(IsolationLevel::causal));
  const auto unreadable = open_server("mariadb:chain");
  ASSERT_FALSE(unreadable);
  EXPECT_THAT(to_string(unreadable.error()), HasSubstr("use mariadb or mariadb:ring"));
}

TEST_F(Ring, has_each_table_once_for_each_server) {
  std::vector<std::string> names;
  for (const CatalogueTable& table : catalogue_) names.push_back(table.name);
  EXPECT_THAT(names, ElementsAre("account", "account at r2", "entry", "entry at r2"));
  EXPECT_EQ(rows_of("account at r2"), rows_of("account"));
  EXPECT_EQ(rows_of("entry at r2"), std::vector<Row>({{"1", "a"}, {"2", "b"}}));
}

TEST_F(Ring, delivers_at_once_until_it_is_told_otherwise) {
  run(1, "MOVE TO r2");
  run(0, "UPDATE account SET balance = 5 WHERE id = 1");
  EXPECT_EQ(balance(1), "5");
  run(0, "DELIVERY MANUAL; UPDATE account SET balance = 6 WHERE id = 1");
  EXPECT_EQ(balance(1), "5");
  EXPECT_EQ(run(2, "DELIVER ALL TO r2").front().result->command_tag, "DELIVER");
  EXPECT_EQ(balance(1), "6");
}

TEST_F(Ring, waits_behind_a_partition) {
  run(1, "MOVE TO r2; PARTITION r1 FROM r2");
  run(0, "UPDATE account SET balance = 5 WHERE id = 1");
  EXPECT_EQ(balance(1), "100");
  EXPECT_THAT(refusal(2, "DELIVER s1 TO r2"), HasSubstr("55000 r1 and r2 are parted"));
  run(2, "HEAL");
  EXPECT_EQ(balance(1), "5");
}

// Each server applies the other's row over its own.
TEST_F(Ring, ends_with_different_rows_where_both_servers_have_written_one) {
  run(1, "DELIVERY MANUAL; MOVE TO r2");
  run(0, "UPDATE account SET balance = 10 WHERE id = 1");
  run(1, "UPDATE account SET balance = 20 WHERE id = 1");
  EXPECT_EQ(rows_of("account"), std::vector<Row>({{"1", "20"}, {"2", "200"}}));
  EXPECT_EQ(rows_of("account at r2"), std::vector<Row>({{"1", "10"}, {"2", "200"}}));
  const std::vector<Reply> replies = execute("SELECT balance > 15 FROM account WHERE id = 1");
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0].result->rows, std::vector<Row>({{"1"}}));
  EXPECT_EQ(replies[1].result->rows, std::vector<Row>({{"0"}}));
}

TEST_F(Ring, goes_back_to_its_snapshot_on_both_servers) {
  for (int round = 0; round < 3; ++round) {
    run(0, "PARTITION r1 FROM r2; UPDATE account SET balance = 10; INSERT INTO entry VALUES ()");
    run(1, "MOVE TO r2; UPDATE account SET balance = 20; DELETE FROM entry");
    EXPECT_NE(rows_of("account"), rows_of("account at r2"));
    ASSERT_TRUE(database_->restore_snapshot({"account", "account at r2", "entry", "entry at r2"}));
    EXPECT_EQ(rows_of("account"), std::vector<Row>({{"1", "100"}, {"2", "200"}}));
    EXPECT_EQ(rows_of("account at r2"), rows_of("account"));
    EXPECT_EQ(rows_of("entry"), std::vector<Row>({{"1", "a"}, {"2", "b"}}));
    EXPECT_EQ(rows_of("entry at r2"), rows_of("entry"));
    // Sessions are at r1 again, and what they write is delivered at once.
    run(0, "UPDATE account SET balance = 5 WHERE id = 1");
    EXPECT_EQ(balance(1), "5");
    run(1, "MOVE TO r2");
    EXPECT_EQ(balance(1), "5");
    ASSERT_TRUE(database_->restore_snapshot({"account", "account at r2"}));
  }
}

TEST_F(Ring, gives_keys_that_the_other_server_does_not_give) {
  run(1, "DELIVERY MANUAL; MOVE TO r2; INSERT INTO entry (note) VALUES ('r2')");
  run(0, "INSERT INTO entry (note) VALUES ('r1')");
  EXPECT_EQ(rows_of("entry").size(), 4U);
  EXPECT_EQ(rows_of("entry at r2"), rows_of("entry"));
}

TEST_F(Ring, delivers_in_the_order_of_the_log) {
  run(0, "DELIVERY MANUAL; UPDATE account SET balance = 1 WHERE id = 1");
  run(1, "SELECT * FROM account; UPDATE account SET balance = 2 WHERE id = 2");
  EXPECT_EQ(refusal(2, "DELIVER s2.2 TO r2"),
            "55000 r2 applies what r1 has logged in that order, and there s1.1 comes first: "
            "deliver it before");
  run(2, "MOVE TO r2; DELIVER s2.1 TO r2");  // has written nothing
  EXPECT_EQ(balance(2), "100");
  run(2, "DELIVER s1.1 TO r2");
  EXPECT_EQ(run(2, "SELECT * FROM account").front().result->rows,
            std::vector<Row>({{"1", "1"}, {"2", "200"}}));
  run(2, "DELIVER s2 TO r2");
  EXPECT_EQ(run(2, "SELECT * FROM account").front().result->rows,
            std::vector<Row>({{"1", "1"}, {"2", "2"}}));
}

TEST_F(Ring, knows_what_returning_has_written) {
  run(0, "DELIVERY MANUAL; INSERT INTO entry (note) VALUES ('c') RETURNING note");
  run(2, "DELIVER s1.1 TO r2; MOVE TO r2");
  EXPECT_EQ(run(2, "SELECT COUNT(*) FROM entry").front().result->rows, std::vector<Row>({{"3"}}));
}

TEST_F(Ring, refuses_what_real_servers_cannot_do) {
  run(0, "DELIVERY MANUAL; BEGIN; UPDATE account SET balance = 1 WHERE id = 1");
  EXPECT_EQ(refusal(2, "DELIVER s1.1 TO r2"),
            "55000 a server logs a transaction when it commits, and s1.1 is not committed: COMMIT "
            "first");
  EXPECT_EQ(refusal(0, "MOVE TO r2"),
            "55000 a transaction stays on the server where it began, r1: COMMIT before s1 moves");
  EXPECT_THAT(refusal(2, "MOVE SESSION s1 TO r2"), HasSubstr("COMMIT before s1 moves"));
  EXPECT_THAT(refusal(2, "DELIVER s1.2 TO r2"), HasSubstr("has executed 1 statements so far"));
  EXPECT_THAT(refusal(2, "MOVE TO r3"), HasSubstr("42704 there is no server r3"));
  EXPECT_THAT(refusal(2, "PARTITION r1 FROM r3"), HasSubstr("there is no server r3"));
  EXPECT_THAT(refusal(2, "PARTITION r1 FROM r1"), HasSubstr("r1 is named twice"));
  EXPECT_THAT(refusal(2, "DELIVER s9 TO r1"), HasSubstr("there is no session s9"));
  EXPECT_THAT(refusal(2, "MOVE"), HasSubstr("write MOVE [SESSION name] TO r2"));
  EXPECT_THAT(refusal(2, "SHOW SEEN"), HasSubstr("MariaDB does not tell"));
  run(0, "ROLLBACK");
  EXPECT_EQ(run(0, "MOVE TO r2").front().result->command_tag, "MOVE");
}

// What is applied waits for locks as anybody does, and who delivers waits with it.
TEST_F(Ring, waits_for_the_locks_of_sessions) {
  run(0, "DELIVERY MANUAL; UPDATE account SET balance = 5 WHERE id = 1");
  run(1, "MOVE TO r2; BEGIN; SELECT * FROM account WHERE id = 1 FOR UPDATE");
  ASSERT_TRUE(sessions_[2]->send("DELIVER s1 TO r2"));
  ASSERT_TRUE(*sessions_[2]->busy());
  const int waiting = sessions_[2]->backend_id();
  EXPECT_TRUE(*database_->is_blocked(waiting, {}));
  const auto states = database_->wait_states({waiting}, {});
  ASSERT_TRUE(states) << to_string(states.error());
  EXPECT_TRUE(states->front().blocked);
  EXPECT_THAT(states->front().blockers, ElementsAre(sessions_[1]->backend_id()));
  run(1, "UPDATE account SET balance = balance + 1 WHERE id = 1; COMMIT");
  ASSERT_TRUE(await(2));
  EXPECT_EQ(sessions_[2]->take_replies().front().result->command_tag, "DELIVER");
  EXPECT_EQ(balance(1), "5");
}

TEST_F(Ring, takes_back_what_waits_when_the_servers_are_parted) {
  run(0, "DELIVERY MANUAL; UPDATE account SET balance = 5 WHERE id = 1");
  run(1, "MOVE TO r2; BEGIN; SELECT * FROM account WHERE id = 1 FOR UPDATE");
  ASSERT_TRUE(sessions_[2]->send("DELIVER s1 TO r2"));
  ASSERT_TRUE(*sessions_[2]->busy());
  run(0, "MOVE TO r1; DELIVERY MANUAL");
  ASSERT_TRUE(*sessions_[2]->busy());
  run(0, "PARTITION r1 FROM r2");
  ASSERT_TRUE(await(2));
  EXPECT_EQ(sessions_[2]->take_replies().front().error->message,
            "r1 and r2 were parted before it was applied");
  run(1, "COMMIT");
  EXPECT_EQ(balance(1), "100");
  run(0, "HEAL; DELIVERY AUTOMATIC");
  EXPECT_EQ(balance(1), "5");
}

TEST_F(Ring, goes_on_where_the_applier_cannot) {
  run(1, "DELIVERY MANUAL; MOVE TO r2; DROP TABLE entry");
  run(0, "ALTER TABLE entry ADD COLUMN more int");
  EXPECT_THAT(refusal(2, "DELIVER ALL TO r2"), HasSubstr("r2 has stopped applying: "));
  ASSERT_TRUE(database_->wipe());
  execute("CREATE TABLE other (id int); INSERT INTO other VALUES (1)");
  run(1, "MOVE TO r2");
  EXPECT_EQ(run(1, "SELECT * FROM other").front().result->rows, std::vector<Row>({{"1"}}));
}

TEST_F(Ring, runs_serial_orders_on_one_server) {
  database_->keep_one_copy(true);
  run(0, "PARTITION r1 FROM r2; UPDATE account SET balance = balance + 1 WHERE id = 1");
  run(1, "MOVE TO r2; UPDATE account SET balance = balance + 1 WHERE id = 1");
  EXPECT_EQ(rows_of("account")[0], Row({"1", "102"}));
  EXPECT_EQ(rows_of("account at r2"), rows_of("account"));
  database_->keep_one_copy(false);
}

TEST(RingMembers, let_nobody_in_over_tcp_without_a_password) {
  auto members = start_ring_members();
  ASSERT_TRUE(members) << to_string(members.error());
  for (const auto& member : *members) {
    auto port = member->ask("SELECT @@port, @@bind_address");
    ASSERT_TRUE(port) << to_string(port.error());
    EXPECT_EQ(port->front().rows[0][1], "127.0.0.1");
    MariadbAddress address;
    address.host = "127.0.0.1";
    address.port = static_cast<unsigned>(std::stoi(*port->front().rows[0][0]));
    for (const std::string user : {"root", "heddle_replication", ""}) {
      address.user = user;
      const auto facts = read_mariadb_facts(address);
      ASSERT_FALSE(facts) << user;
      EXPECT_THAT(to_string(facts.error()), HasSubstr("denied"));
    }
  }
}

// A process that dies leaves neither of the servers and neither of their directories.
TEST(RingMembers, go_with_their_process) {
  Child owner([](const Child::Say& say) {
    const auto members = start_ring_members();
    for (const auto& member : *members) say(member->address().socket);
    ::pause();
    return 0;
  });
  const std::string first = owner.hear();
  const std::string second = owner.hear();
  EXPECT_TRUE(std::filesystem::exists(first)) << first;
  EXPECT_TRUE(std::filesystem::exists(second)) << second;
  owner.wait_after(SIGKILL);
  for (const std::string& socket : {first, second}) {
    EXPECT_TRUE(eventually([&] { return !std::filesystem::exists(socket); })) << socket;
  }
}

}  // namespace
}  // namespace heddle
