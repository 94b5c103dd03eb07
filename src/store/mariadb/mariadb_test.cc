#include <chrono>
#include <poll.h>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/mariadb/database.h"
#include "store/mariadb/facts.h"
#include "store/mariadb/server.h"
#include "store/mariadb/throwaway.h"
#include "store/open/open.h"
#include "store/store.h"
#include "throwaway/child_testing.h"
#include "throwaway/guard.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;

constexpr std::uint32_t kTimeoutMs = 20'000;

// All tests share one server; each has a database of its own.
class Mariadb : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto server = open_server({"mariadb"});
    ASSERT_TRUE(server) << to_string(server.error());
    shared() = *server;
  }
  static void TearDownTestSuite() { shared().reset(); }

  void SetUp() override {
    ASSERT_NE(shared(), nullptr);
    auto database = shared()->create_database("");
    ASSERT_TRUE(database) << to_string(database.error());
    database_ = std::move(*database);
  }

  static std::shared_ptr<StoreServer>& shared() {
    static std::shared_ptr<StoreServer> server;
    return server;
  }
  static StoreServer& server() { return *shared(); }

  // Runs a text on the control connection; the cells of its last result.
  std::vector<Row> execute(const std::string& text) const {
    auto replies = database_->execute(text, kTimeoutMs);
    if (!replies) {
      ADD_FAILURE() << to_string(replies.error());
      return {};
    }
    for (const Reply& reply : *replies) {
      if (reply.error) ADD_FAILURE() << text << ": " << reply.error->message;
    }
    return replies->empty() || !replies->back().result ? std::vector<Row>()
                                                       : replies->back().result->rows;
  }

  void open(std::size_t count, std::optional<IsolationLevel> level = std::nullopt) {
    auto sessions = database_->open_sessions(std::vector<SessionOptions>(count, {"", level}));
    ASSERT_TRUE(sessions) << to_string(sessions.error());
    sessions_ = std::move(*sessions);
    backends_.clear();
    for (const auto& session : sessions_) backends_.push_back(session->backend_id());
  }

  StoreSession& session(std::size_t i) const { return *sessions_[i]; }

  // True when the reply is there.
  static bool await(StoreSession& session, std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < deadline) {
      const auto busy = session.busy();
      if (!busy || !*busy) return true;
      pollfd wait{session.socket(), POLLIN, 0};
      ::poll(&wait, 1, 10);
    }
    return false;
  }

  std::vector<Reply> run(std::size_t i, const std::string& text) const {
    EXPECT_TRUE(session(i).send(text));
    EXPECT_TRUE(await(session(i), std::chrono::seconds(20))) << text;
    return session(i).take_replies();
  }

  // Sends what will wait, and returns once the store says so.
  WaitState send_and_wait(std::size_t i, const std::string& text) const {
    EXPECT_TRUE(session(i).send(text));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline) {
      const auto busy = session(i).busy();
      if (!busy || !*busy) break;
      const auto blocked = database_->is_blocked(backends_[i], backends_);
      if (!blocked || !*blocked) continue;
      auto states = database_->wait_states({backends_[i]}, backends_);
      if (!states) break;
      return states->front();
    }
    ADD_FAILURE() << text << " does not wait";
    return {};
  }

  std::vector<std::vector<Row>> contents() const {
    std::vector<std::vector<Row>> all;
    const auto tables = database_->read_catalogue();
    for (const CatalogueTable& table : *tables) {
      all.push_back(execute("SELECT * FROM " + table.quoted));
    }
    return all;
  }

  std::unique_ptr<StoreDatabase> database_;
  std::vector<std::unique_ptr<StoreSession>> sessions_;
  std::vector<int> backends_;
};
TEST_F(Mariadb, says_what_it_is) {
  EXPECT_THAT(server().description(), testing::MatchesRegex("MariaDB 1[0-9.]+ \\(throwaway.*\\)"));
  EXPECT_TRUE(server().is_throwaway());
  EXPECT_EQ(server().default_level(), IsolationLevel::mariadb_repeatable_read);
  EXPECT_TRUE(server().offers(IsolationLevel::serializable));
  EXPECT_FALSE(server().offers(IsolationLevel::snapshot));
}

TEST_F(Mariadb, a_text_of_several_statements_has_a_reply_for_each) {
  open(1);
  const auto replies =
      run(0,
          "CREATE TABLE t (id INT PRIMARY KEY, v TEXT); INSERT INTO t VALUES (1, 'a'), (2, NULL);"
          "SELECT id, v AS w FROM t ORDER BY id; SELECT * FROM nowhere; SELECT 1");
  ASSERT_EQ(replies.size(), 4U);
  EXPECT_EQ(replies[1].result->command_tag, "2 rows");
  EXPECT_FALSE(replies[1].result->has_rows);
  ASSERT_TRUE(replies[2].result);
  EXPECT_THAT(replies[2].result->rows, ElementsAre(Row{"1", "a"}, Row{"2", std::nullopt}));
  EXPECT_EQ(replies[2].result->columns[1].name, "w");
  EXPECT_EQ(replies[2].result->columns[1].source, "v");
  EXPECT_EQ(replies[2].result->columns[1].table, "t");
  EXPECT_EQ(replies[3].error->code, "1146");
  EXPECT_EQ(replies[3].error->error_class, ErrorClass::other);
  EXPECT_EQ(replies[3].error->message, "Table 'nowhere' doesn't exist");
  EXPECT_EQ(run(0, "SELECT 2")[0].result->rows[0][0], "2");
}

TEST_F(Mariadb, knows_where_a_transaction_stands) {
  open(1);
  EXPECT_EQ(session(0).transaction_state(), TransactionState::idle);
  run(0, "BEGIN");
  EXPECT_EQ(session(0).transaction_state(), TransactionState::open);
  run(0, "SELECT * FROM nowhere");
  EXPECT_EQ(session(0).transaction_state(), TransactionState::open);
  run(0, "COMMIT");
  EXPECT_EQ(session(0).transaction_state(), TransactionState::idle);
}

TEST_F(Mariadb, sessions_have_the_level_that_was_asked_for) {
  for (const auto& [level, name] :
       {std::pair(IsolationLevel::read_committed, "READ-COMMITTED"),
        std::pair(IsolationLevel::mariadb_repeatable_read, "REPEATABLE-READ"),
        std::pair(IsolationLevel::serializable, "SERIALIZABLE")}) {
    open(1, level);
    EXPECT_EQ(run(0, "SELECT @@tx_isolation")[0].result->rows[0][0], name);
  }
}

TEST_F(Mariadb, tells_who_waits_for_a_row_and_for_whom) {
  execute("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 10), (2, 20)");
  open(3);
  run(0, "BEGIN; UPDATE t SET v = 11 WHERE id = 1");
  run(2, "BEGIN; UPDATE t SET v = 21 WHERE id = 2");
  const WaitState wait = send_and_wait(1, "UPDATE t SET v = 12 WHERE id = 1");
  EXPECT_TRUE(wait.blocked);
  EXPECT_THAT(wait.blockers, ElementsAre(backends_[0]));
  const auto states = database_->wait_states(backends_, backends_);
  ASSERT_TRUE(states);
  EXPECT_FALSE((*states)[0].blocked);
  EXPECT_FALSE((*states)[2].blocked);
  run(0, "COMMIT");
  ASSERT_TRUE(await(session(1), std::chrono::seconds(20)));
  EXPECT_EQ(session(1).take_replies()[0].result->command_tag, "1 row");
  EXPECT_FALSE(*database_->is_blocked(backends_[1], backends_));
}

TEST_F(Mariadb, tells_who_waits_for_a_gap) {
  execute("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1), (5)");
  open(2);
  run(0, "BEGIN; SELECT * FROM t WHERE id BETWEEN 2 AND 4 FOR UPDATE");
  const WaitState wait = send_and_wait(1, "INSERT INTO t VALUES (3)");
  EXPECT_THAT(wait.blockers, ElementsAre(backends_[0]));
  run(0, "ROLLBACK");
  ASSERT_TRUE(await(session(1), std::chrono::seconds(20)));
}

TEST_F(Mariadb, tells_who_waits_for_a_row_that_is_not_committed) {
  execute("CREATE TABLE t (id INT PRIMARY KEY)");
  open(2);
  run(0, "BEGIN; INSERT INTO t VALUES (3)");
  const WaitState wait = send_and_wait(1, "INSERT INTO t VALUES (3)");
  EXPECT_THAT(wait.blockers, ElementsAre(backends_[0]));
  run(0, "COMMIT");
  ASSERT_TRUE(await(session(1), std::chrono::seconds(20)));
  EXPECT_EQ(session(1).take_replies()[0].error->code, "1062");
}

TEST_F(Mariadb, tells_who_waits_for_a_whole_table) {
  execute("CREATE TABLE t (id INT PRIMARY KEY)");
  open(2);
  run(0, "BEGIN; SELECT * FROM t");
  const WaitState wait = send_and_wait(1, "ALTER TABLE t ADD COLUMN v INT");
  EXPECT_THAT(wait.blockers, ElementsAre(backends_[0]));
  run(0, "COMMIT");
  ASSERT_TRUE(await(session(1), std::chrono::seconds(20)));
  EXPECT_TRUE(session(1).take_replies()[0].result);
}

TEST_F(Mariadb, tells_who_waits_for_a_lock_by_name) {
  open(2);
  run(0, "SELECT GET_LOCK('a', 1)");
  const WaitState wait = send_and_wait(1, "SELECT GET_LOCK('a', 20)");
  EXPECT_THAT(wait.blockers, ElementsAre(backends_[0]));
  run(0, "SELECT RELEASE_LOCK('a')");
  ASSERT_TRUE(await(session(1), std::chrono::seconds(20)));
}

TEST_F(Mariadb, tells_of_different_waits_at_once_where_the_status_names_no_locks) {
  execute("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 10)");
  open(4);
  execute("SET GLOBAL innodb_status_output_locks = 0");
  run(0, "BEGIN; UPDATE t SET v = 11 WHERE id = 1");
  run(2, "SELECT GET_LOCK('b', 1)");
  send_and_wait(1, "UPDATE t SET v = 12 WHERE id = 1");
  send_and_wait(3, "SELECT GET_LOCK('b', 20)");
  // information_schema is told anew only when it has not been asked for a while.
  const auto is_told = [&] {
    const auto states = database_->wait_states({backends_[1], backends_[3]}, backends_);
    return states && (*states)[0].blockers == std::vector{backends_[0]} &&
           (*states)[1].blockers == std::vector{backends_[2]};
  };
  EXPECT_TRUE(eventually([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    return is_told();
  }));
  execute("SET GLOBAL innodb_status_output_locks = 1");
  run(0, "ROLLBACK");
  run(2, "SELECT RELEASE_LOCK('b')");
  EXPECT_TRUE(await(session(1), std::chrono::seconds(20)));
  EXPECT_TRUE(await(session(3), std::chrono::seconds(20)));
}

TEST_F(Mariadb, deadlocks_end_one_transaction) {
  execute("CREATE TABLE t (id INT PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 10), (2, 20)");
  open(2);
  run(0, "BEGIN; UPDATE t SET v = 11 WHERE id = 1");
  run(1, "BEGIN; UPDATE t SET v = 21 WHERE id = 2");
  send_and_wait(0, "UPDATE t SET v = 22 WHERE id = 2");
  ASSERT_TRUE(session(1).send("UPDATE t SET v = 12 WHERE id = 1"));
  ASSERT_TRUE(await(session(0), std::chrono::seconds(20)));
  ASSERT_TRUE(await(session(1), std::chrono::seconds(20)));
  std::size_t victims = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto replies = session(i).take_replies();
    if (!replies[0].error) continue;
    ++victims;
    EXPECT_EQ(replies[0].error->error_class, ErrorClass::deadlock);
    EXPECT_EQ(session(i).transaction_state(), TransactionState::idle);
  }
  EXPECT_EQ(victims, 1U);
}

TEST_F(Mariadb, a_statement_can_be_cancelled) {
  execute("CREATE TABLE t (id INT PRIMARY KEY); INSERT INTO t VALUES (1)");
  open(2);
  run(0, "BEGIN; SELECT * FROM t FOR UPDATE");
  send_and_wait(1, "DELETE FROM t");
  EXPECT_TRUE(session(1).cancel());
  ASSERT_TRUE(await(session(1), std::chrono::seconds(20)));
  EXPECT_EQ(session(1).take_replies()[0].error->error_class, ErrorClass::cancelled);
  const auto late = database_->execute("SELECT SLEEP(30)", 50);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().trouble, Trouble::bound);
  EXPECT_EQ(execute("SELECT 1")[0][0], "1");
}

TEST_F(Mariadb, reads_the_catalogue) {
  execute(
      "CREATE TABLE owner (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20) UNIQUE NOT NULL);"
      "CREATE TABLE account (a INT, b INT, owner INT, v INT DEFAULT 7, w INT AS (v + 1) STORED,"
      "  PRIMARY KEY (b, a), FOREIGN KEY (owner) REFERENCES owner (id));"
      "CREATE VIEW seen AS SELECT * FROM account");
  const auto tables = database_->read_catalogue();
  ASSERT_TRUE(tables) << to_string(tables.error());
  ASSERT_EQ(tables->size(), 2U);
  const CatalogueTable& account = (*tables)[0];
  EXPECT_EQ(account.name, "account");
  EXPECT_EQ(account.quoted, "`account`");
  EXPECT_THAT(account.key, ElementsAre("b", "a"));
  ASSERT_EQ(account.columns.size(), 5U);
  EXPECT_EQ(account.columns[3].default_expression, "7");
  EXPECT_TRUE(account.columns[4].computed);
  ASSERT_EQ(account.foreign_keys.size(), 1U);
  EXPECT_EQ(account.foreign_keys[0].table, "owner");
  EXPECT_THAT(account.foreign_keys[0].columns, ElementsAre("owner"));
  const CatalogueTable& owner = (*tables)[1];
  EXPECT_TRUE(owner.columns[0].identity);
  EXPECT_THAT(owner.key, ElementsAre("id"));
}

TEST_F(Mariadb, goes_back_to_the_rows_there_were) {
  execute(
      "CREATE TABLE owner (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(20));"
      "CREATE TABLE account (id INT PRIMARY KEY, owner INT, v DOUBLE, t TEXT, "
      "  w INT AS (id + 1) STORED, FOREIGN KEY (owner) REFERENCES owner (id));"
      "CREATE TABLE log (line TEXT);"
      "INSERT INTO owner (name) VALUES ('a'), ('B'), (NULL);"
      "INSERT INTO account (id, owner, v, t) VALUES (0, 1, 0.1, 'x'), (1, 2, 1e300, ''), "
      "  (2, NULL, NULL, 'O''Neill \\\\ `');"
      "INSERT INTO log VALUES ('same'), ('same'), (NULL)");
  ASSERT_TRUE(database_->read_catalogue());
  EXPECT_TRUE(database_->can_restore());
  const auto taken = database_->take_snapshot();
  ASSERT_TRUE(taken) << to_string(taken.error());
  const auto before = contents();
  for (const char* change :
       {"UPDATE owner SET name = 'A' WHERE id = 1", "DELETE FROM account; DELETE FROM owner",
        "INSERT INTO owner (name) VALUES ('new'); UPDATE account SET owner = 4, v = 0.2, t = 'X'",
        "INSERT INTO log VALUES ('same')", "DELETE FROM log WHERE line IS NULL",
        "UPDATE account SET id = id + 10", "DELETE FROM log LIMIT 1"}) {
    execute(change);
    EXPECT_NE(contents(), before) << change;
    const auto restored = database_->restore_snapshot({"account", "log", "owner"});
    ASSERT_TRUE(restored) << to_string(restored.error());
    EXPECT_EQ(contents(), before) << change;
  }
  execute("INSERT INTO owner (name) VALUES ('next')");
  EXPECT_EQ(execute("SELECT MAX(id) FROM owner")[0][0], "4");
  // A number that was taken and never used.
  ASSERT_TRUE(database_->restore_snapshot({"owner"}));
  execute("BEGIN; INSERT INTO owner (name) VALUES ('x'), ('y'); ROLLBACK");
  ASSERT_TRUE(database_->restore_snapshot({}));
  execute("INSERT INTO owner (name) VALUES ('next')");
  EXPECT_EQ(execute("SELECT MAX(id) FROM owner")[0][0], "4");
}

TEST_F(Mariadb, triggers_keep_rows_from_being_put_back) {
  execute(
      "CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE log (id INT);"
      "CREATE TRIGGER noted AFTER INSERT ON t FOR EACH ROW INSERT INTO log VALUES (new.id)");
  ASSERT_TRUE(database_->read_catalogue());
  EXPECT_FALSE(database_->can_restore());
}

TEST_F(Mariadb, wipes_whatever_there_is) {
  execute(
      "CREATE TABLE a (id INT PRIMARY KEY);"
      "CREATE TABLE b (id INT PRIMARY KEY, a INT, FOREIGN KEY (a) REFERENCES a (id));"
      "CREATE VIEW c AS SELECT * FROM a; CREATE SEQUENCE s;"
      "CREATE PROCEDURE p() SELECT 1; CREATE FUNCTION f() RETURNS INT RETURN 1");
  const auto wiped = database_->wipe();
  ASSERT_TRUE(wiped) << to_string(wiped.error());
  EXPECT_THAT(*database_->read_catalogue(), IsEmpty());
  EXPECT_EQ(execute("SELECT COUNT(*) FROM information_schema.routines "
                    "WHERE routine_schema = DATABASE()")[0][0],
            "0");
  execute("CREATE TABLE a (id INT)");
}

// A server of one's own, to be called a given one.
class GivenMariadb : public testing::Test {
 protected:
  void SetUp() override {
    auto server = ThrowawayMariadb::start({});
    ASSERT_TRUE(server) << to_string(server.error());
    server_ = std::move(*server);
    MariadbAddress address;
    address.user = "root";
    address.socket = server_->socket();
    address_ = to_text(address);
  }

  // Names of databases that heddle made.
  std::string databases() const {
    MariadbAddress address = *parse_mariadb_address(address_);
    auto control = MariadbDatabase::connect(address);
    if (!control) return to_string(control.error());
    const auto replies = (*control)->execute("SHOW DATABASES LIKE 'heddle%'", kTimeoutMs);
    std::string names;
    for (const Row& row : replies->at(0).result->rows) names += *row[0] + " ";
    return names;
  }

  std::unique_ptr<ThrowawayMariadb> server_;
  std::string address_;
};

TEST_F(GivenMariadb, is_left_as_it_was) {
  {
    const auto server = open_server({address_});
    ASSERT_TRUE(server) << to_string(server.error());
    EXPECT_FALSE((*server)->is_throwaway());
    const auto database = (*server)->create_database("preferred");
    ASSERT_TRUE(database) << to_string(database.error());
    ASSERT_TRUE((*database)->execute("CREATE TABLE t (id INT PRIMARY KEY)", kTimeoutMs));
    ASSERT_TRUE((*database)->read_catalogue());
    ASSERT_TRUE((*database)->take_snapshot());
    EXPECT_THAT(databases(), HasSubstr("heddle_"));
  }
  EXPECT_EQ(databases(), "");
}

TEST_F(GivenMariadb, is_cleaned_up_when_heddle_is_killed) {
  Child owner([&](const Child::Say& say) {
    const auto server = open_server({address_});
    const auto database = (*server)->create_database("");
    (void)(*database)->read_catalogue();
    (void)(*database)->take_snapshot();
    say("made");
    ::pause();
    return 0;
  });
  EXPECT_EQ(owner.hear(), "made");
  EXPECT_THAT(databases(), MatchesRegex("heddle_[0-9a-f_]+ heddle_[0-9a-f_]+ "))
      << "one for the tables and one for their copies";
  owner.wait_after(SIGKILL);
  EXPECT_TRUE(eventually([&] { return databases().empty(); }));
}

// Others have the names that are drawn first, and the one that copies used to have: their databases
// stay as they are, also when heddle dies.
TEST_F(GivenMariadb, keeps_the_databases_that_were_there_before) {
  const MariadbAddress admin = *parse_mariadb_address(address_);
  std::vector<std::string> taken = {"heddle_a", "heddle_b", "heddle_c", "heddle_c_snapshot"};
  for (const std::string& name : taken) {
    ASSERT_TRUE(ask_mariadb(admin, "CREATE DATABASE " + name));
    ASSERT_TRUE(ask_mariadb(admin, "CREATE TABLE " + name + ".kept AS SELECT 42 AS a"));
  }
  for (const bool is_killed : {false, true}) {
    SCOPED_TRACE(is_killed);
    Child heddle([&](const Child::Say& say) {
      (void)guard_start();
      // Once for the database, once for its copies.
      std::vector<std::string> next = {"heddle_b", "heddle_a", "", "heddle_c", "heddle_a", ""};
      const auto server = start_mariadb(address_, [&]() -> Result<std::string> {
        const std::string name = next.front();
        next.erase(next.begin());
        return name.empty() ? draw_database_name() : name;
      });
      auto database = (*server)->create_database("");
      (void)(*database)->execute("CREATE TABLE t (id INT PRIMARY KEY)", kTimeoutMs);
      (void)(*database)->read_catalogue();
      const bool is_taken = (*database)->take_snapshot().has_value();
      say(fmt::format("{} left, {}", next.size(), is_taken));
      if (is_killed) ::pause();
      database->reset();
      return 0;
    });
    EXPECT_EQ(heddle.hear(), "0 left, true");
    is_killed ? heddle.wait_after(SIGKILL) : heddle.wait();
    EXPECT_TRUE(eventually([&] {
      return databases() == "heddle_a heddle_b heddle_c heddle_c_snapshot ";
    })) << databases();
    for (const std::string& name : taken) {
      const auto kept = ask_mariadb(admin, "SELECT a FROM " + name + ".kept");
      ASSERT_TRUE(kept) << to_string(kept.error());
      EXPECT_THAT(*kept, ElementsAre("42")) << name;
    }
  }
}

// A client that dies does not take along what it asked for.
TEST_F(GivenMariadb, loses_what_a_killed_run_is_still_making) {
  const MariadbAddress admin = *parse_mariadb_address(address_);
  const auto other = connect_to_mariadb(admin);
  ASSERT_TRUE(other);
  ASSERT_TRUE(ask_mariadb(**other, "FLUSH TABLES WITH READ LOCK"));
  const auto creating = [&] {
    const auto found = ask_mariadb(
        admin, "SELECT id FROM information_schema.processlist WHERE info LIKE 'CREATE DATABASE%'");
    return found && !found->empty();
  };
  Child heddle([&](const Child::Say&) {
    (void)guard_start();
    (void)(*open_server(address_))->create_database("");
    return 0;
  });
  ASSERT_TRUE(eventually(creating));
  heddle.wait_after(SIGKILL);
  EXPECT_TRUE(eventually([&] { return !creating(); })) << "although it waits for a lock";
  ASSERT_TRUE(ask_mariadb(**other, "UNLOCK TABLES"));
  EXPECT_TRUE(eventually([&] { return databases().empty(); }));
}

TEST_F(GivenMariadb, that_dies_is_trouble) {
  const auto server = open_server({address_});
  ASSERT_TRUE(server);
  const auto database = (*server)->create_database("");
  ASSERT_TRUE(database);
  ::kill(server_->process(), SIGKILL);
  const auto replies = (*database)->execute("SELECT SLEEP(20)", kTimeoutMs);
  ASSERT_TRUE(replies) << to_string(replies.error());
  EXPECT_EQ(replies->at(0).error->error_class, ErrorClass::connection_lost);
  // What cannot even be sent is an answer, too.
  const auto more = (*database)->execute("SELECT 1", kTimeoutMs);
  ASSERT_TRUE(more) << to_string(more.error());
  EXPECT_EQ(more->at(0).error->error_class, ErrorClass::connection_lost);
  EXPECT_FALSE((*server)->create_database(""));
}

TEST(MariadbAddress, wrong_ones_say_what_is_wrong) {
  for (const auto& [address, why] :
       {std::pair("mysql://me@host:port/", "port is no port"),
        std::pair("mysql://me%zz@host/", "% without two hexadecimal digits"),
        std::pair("mariadb://me@host/?ssl=1", "socket=/path"),
        std::pair("oracle", "no such store")}) {
    const auto server = open_server({address});
    ASSERT_FALSE(server) << address;
    EXPECT_THAT(server.error().what, HasSubstr(why));
    EXPECT_EQ(server.error().trouble, Trouble::bad_input);
  }
}

TEST(MariadbAddress, a_server_that_is_not_there_is_trouble) {
  const auto server = open_server({"mysql://me@127.0.0.1:1/"});
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().what, HasSubstr("cannot connect to MariaDB"));
  EXPECT_EQ(server.error().trouble, Trouble::environment);
}

}  // namespace
}  // namespace heddle
