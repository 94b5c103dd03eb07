#include <chrono>
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/open/open.h"
#include "store/sqlite/database.h"
#include "store/store.h"
#include "throwaway/directory.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::uint32_t kSqliteTimeoutMs = 20'000;

// Each test has a file of its own in a private directory.
class SqliteFile : public testing::Test {
 protected:
  void start(SqliteJournal journal) {
    auto directory = ThrowawayDirectory::create(throwaway_roots(), std::nullopt);
    ASSERT_TRUE(directory) << to_string(directory.error());
    directory_ = std::move(*directory);
    auto database = SqliteDatabase::create(directory_->data() + "/t.db", journal);
    ASSERT_TRUE(database) << to_string(database.error());
    database_ = std::move(*database);
  }

  // Runs a text on the control connection; the cells of its last result.
  std::vector<Row> execute(const std::string& text) const {
    auto replies = database_->execute(text, kSqliteTimeoutMs);
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

  void open(std::size_t count) {
    auto sessions = database_->open_sessions(std::vector<SessionOptions>(count));
    ASSERT_TRUE(sessions) << to_string(sessions.error());
    sessions_ = std::move(*sessions);
    backends_.clear();
    for (const auto& session : sessions_) backends_.push_back(session->backend_id());
  }

  StoreSession& session(std::size_t i) const { return *sessions_[i]; }

  // Without a wait for a lock a look or two is enough.
  std::vector<Reply> run(std::size_t i, const std::string& text) const {
    EXPECT_TRUE(session(i).send(text));
    EXPECT_FALSE(*session(i).busy()) << text;
    return session(i).take_replies();
  }

  // Sends what will wait.
  WaitState send_and_wait(std::size_t i, const std::string& text) const {
    EXPECT_TRUE(session(i).send(text));
    EXPECT_TRUE(*session(i).busy()) << text;
    EXPECT_TRUE(*database_->is_blocked(backends_[i], backends_));
    return database_->wait_states({backends_[i]}, backends_)->front();
  }

  // The replies of what waited, which now need not.
  std::vector<Reply> finish(std::size_t i) const {
    EXPECT_FALSE(*session(i).busy());
    EXPECT_FALSE(*database_->is_blocked(backends_[i], backends_));
    return session(i).take_replies();
  }

  void make_rows() const {
    execute(
        "CREATE TABLE t (id INTEGER PRIMARY KEY, v INT); INSERT INTO t VALUES (1, 10), (2, 20)");
  }

  CatalogueTable table_named(const std::string& name) const {
    const auto tables = database_->read_catalogue();
    for (const CatalogueTable& table : *tables) {
      if (table.name == name) return table;
    }
    ADD_FAILURE() << "no table " << name;
    return {};
  }

  std::unique_ptr<ThrowawayDirectory> directory_;
  std::unique_ptr<SqliteDatabase> database_;
  std::vector<std::unique_ptr<StoreSession>> sessions_;
  std::vector<int> backends_;
};

class SqliteBoth : public SqliteFile, public testing::WithParamInterface<SqliteJournal> {
 protected:
  void SetUp() override { start(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Journal, SqliteBoth,
                         testing::Values(SqliteJournal::rollback, SqliteJournal::wal),
                         [](const auto& one) {
                           return one.param == SqliteJournal::wal ? "wal" : "rollback";
                         });

class SqliteRollback : public SqliteFile {
 protected:
  void SetUp() override { start(SqliteJournal::rollback); }
};

class SqliteWal : public SqliteFile {
 protected:
  void SetUp() override { start(SqliteJournal::wal); }
};

TEST(SqliteServer, says_what_it_is) {
  const auto server = open_server({"sqlite"});
  ASSERT_TRUE(server);
  EXPECT_THAT((*server)->description(), testing::MatchesRegex("SQLite 3[0-9.]+ \\(throwaway\\)"));
  EXPECT_TRUE((*server)->is_throwaway());
  EXPECT_EQ((*server)->default_level(), IsolationLevel::serializable);
  EXPECT_TRUE((*server)->offers(IsolationLevel::serializable));
  const auto refused = (*server)->offers(IsolationLevel::read_committed);
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_string(refused.error()),
            "SQLite has no level read-committed: all of its transactions are serializable, use "
            "serializable, or no --isolation at all");
  const auto with_wal = open_server({"sqlite:wal"});
  ASSERT_TRUE(with_wal);
  EXPECT_THAT((*with_wal)->description(), HasSubstr("(throwaway, WAL)"));
}

TEST(SqliteServer, makes_its_files_itself) {
  const auto server = open_server({"sqlite:/etc/passwd"});
  ASSERT_FALSE(server);
  EXPECT_EQ(to_string(server.error()),
            "cannot read the address sqlite:/etc/passwd: heddle makes the files of SQLite itself, "
            "use sqlite or sqlite:wal");
}

TEST(SqliteServer, leaves_nothing_behind) {
  std::filesystem::path path;
  {
    const auto server = open_server({"sqlite"});
    ASSERT_TRUE(server);
    auto database = (*server)->create_database("");
    ASSERT_TRUE(database);
    const auto files = (*database)->execute("PRAGMA database_list", kSqliteTimeoutMs);
    path = files->front().result->rows.at(0).at(2).value();
    EXPECT_TRUE(std::filesystem::exists(path));
    database->reset();
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_TRUE(std::filesystem::exists(path.parent_path()));
  }
  EXPECT_FALSE(std::filesystem::exists(path.parent_path()));
}

TEST_P(SqliteBoth, is_in_the_mode_that_was_asked_for) {
  EXPECT_EQ(execute("PRAGMA journal_mode")[0][0],
            GetParam() == SqliteJournal::wal ? "wal" : "delete");
  open(1);
  EXPECT_EQ(run(0, "PRAGMA synchronous")[0].result->rows[0][0], "0");
}

TEST_P(SqliteBoth, a_text_of_several_statements_has_a_reply_for_each) {
  open(1);
  const auto replies = run(
      0,
      "CREATE TABLE T (id INTEGER PRIMARY KEY, V TEXT); INSERT INTO t VALUES (1, 'a'), (2, NULL);"
      "-- nothing\n; SELECT id, v AS w FROM t ORDER BY id; SELECT * FROM nowhere; SELECT 1");
  ASSERT_EQ(replies.size(), 4U);
  EXPECT_EQ(replies[0].result->command_tag, "0 rows");
  EXPECT_EQ(replies[1].result->command_tag, "2 rows");
  EXPECT_FALSE(replies[1].result->has_rows);
  EXPECT_EQ(replies[2].result->command_tag, "2 rows");
  EXPECT_THAT(replies[2].result->rows, ElementsAre(Row{"1", "a"}, Row{"2", std::nullopt}));
  EXPECT_EQ(replies[2].result->columns[1].name, "w");
  EXPECT_EQ(replies[2].result->columns[1].source, "v");
  EXPECT_EQ(replies[2].result->columns[1].table, "t");
  EXPECT_EQ(replies[3].error->code, "SQLITE_ERROR");
  EXPECT_EQ(replies[3].error->error_class, ErrorClass::other);
  EXPECT_EQ(replies[3].error->message, "no such table: nowhere");
  EXPECT_EQ(run(0, "SELECT 2")[0].result->rows[0][0], "2");
  EXPECT_EQ(run(0, "SELECT 1 WHERE 0")[0].result->command_tag, "0 rows");
  EXPECT_THAT(run(0, " -- nothing"), IsEmpty());
}

TEST_P(SqliteBoth, values_have_the_form_that_sqlite_gives_them) {
  open(1);
  EXPECT_THAT(run(0, "SELECT 1, 1.5, 1e100, 'a''b', X'00ff', NULL, ''")[0].result->rows[0],
              ElementsAre("1", "1.5", "1.0e+100", "a'b", "X'00FF'", std::nullopt, ""));
}

TEST_P(SqliteBoth, errors_are_called_by_their_extended_codes) {
  make_rows();
  open(1);
  const StepError error = *run(0, "INSERT INTO t VALUES (1, 1)")[0].error;
  EXPECT_EQ(error.code, "SQLITE_CONSTRAINT_PRIMARYKEY");
  EXPECT_EQ(error.message, "UNIQUE constraint failed: t.id");
  EXPECT_EQ(error.error_class, ErrorClass::other);
}

TEST_P(SqliteBoth, knows_where_a_transaction_stands) {
  make_rows();
  open(1);
  EXPECT_EQ(session(0).transaction_state(), TransactionState::idle);
  run(0, "BEGIN");
  EXPECT_EQ(session(0).transaction_state(), TransactionState::open);
  run(0, "INSERT INTO t VALUES (1, 1)");
  EXPECT_EQ(session(0).transaction_state(), TransactionState::open);
  run(0, "COMMIT; SELECT 1");
  EXPECT_EQ(session(0).transaction_state(), TransactionState::idle);
}

TEST_P(SqliteBoth, counts_the_rows_of_writes_alone) {
  make_rows();
  open(1);
  const auto replies =
      run(0,
          "UPDATE t SET v = 1; BEGIN; UPDATE t SET v = 2 WHERE id = 9; DELETE FROM t; ROLLBACK;"
          "UPDATE t SET v = 3 WHERE id = 1 RETURNING v");
  std::vector<std::string> tags;
  for (const Reply& reply : replies) tags.push_back(reply.result->command_tag);
  EXPECT_THAT(tags, ElementsAre("2 rows", "0 rows", "0 rows", "2 rows", "0 rows", "1 row"));
  EXPECT_THAT(replies[5].result->rows, ElementsAre(Row{"3"}));
}

TEST_P(SqliteBoth, one_who_wants_to_write_waits_for_one_who_may) {
  make_rows();
  open(3);
  run(0, "BEGIN IMMEDIATE");
  run(2, "SELECT * FROM t");
  for (const char* text :
       {"UPDATE t SET v = v + 1", "BEGIN IMMEDIATE; UPDATE t SET v = v + 1; COMMIT",
        "BEGIN; UPDATE t SET v = v + 1; COMMIT"}) {
    const WaitState wait = send_and_wait(1, text);
    EXPECT_TRUE(wait.blocked);
    EXPECT_THAT(wait.blockers, ElementsAre(backends_[0]));
    EXPECT_TRUE(*session(1).busy());
    const auto states = database_->wait_states(backends_, backends_);
    EXPECT_FALSE((*states)[0].blocked);
    EXPECT_FALSE((*states)[2].blocked);
    run(0, "UPDATE t SET v = v * 2; COMMIT");
    finish(1);
    run(0, "BEGIN IMMEDIATE");
  }
  run(0, "ROLLBACK");
  EXPECT_EQ(execute("SELECT v FROM t WHERE id = 1")[0][0], "87");
}

TEST_P(SqliteBoth, a_reader_that_wants_to_write_too_is_refused_while_another_writes) {
  make_rows();
  open(2);
  run(0, "BEGIN; SELECT * FROM t");
  run(1, "BEGIN; SELECT * FROM t; UPDATE t SET v = 11 WHERE id = 1");
  const auto replies = run(0, "UPDATE t SET v = 21 WHERE id = 2; SELECT 1");
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].error->error_class, ErrorClass::deadlock);
  EXPECT_EQ(replies[0].error->code, "SQLITE_BUSY");
  EXPECT_EQ(replies[0].error->message, "database is locked");
  // It has been rolled back, so that the other is not in its way.
  EXPECT_EQ(session(0).transaction_state(), TransactionState::idle);
  EXPECT_TRUE(run(1, "COMMIT")[0].result);
  EXPECT_EQ(execute("SELECT sum(v) FROM t")[0][0], "31");
}

TEST_F(SqliteRollback, a_commit_waits_for_readers) {
  make_rows();
  open(3);
  run(0, "BEGIN; SELECT * FROM t");
  run(1, "BEGIN; UPDATE t SET v = 11 WHERE id = 1");
  EXPECT_THAT(send_and_wait(1, "COMMIT; SELECT 1").blockers, ElementsAre(backends_[0]));
  // Nobody else may begin to read, whoever reads may go on.
  EXPECT_THAT(send_and_wait(2, "SELECT v FROM t").blockers, ElementsAre(backends_[1]));
  EXPECT_EQ(run(0, "SELECT v FROM t")[0].result->rows[0][0], "10");
  EXPECT_TRUE(*session(1).busy());
  run(0, "COMMIT");
  EXPECT_EQ(finish(1).size(), 2U);
  EXPECT_EQ(finish(2)[0].result->rows[0][0], "11");
}

TEST_F(SqliteRollback, a_write_on_its_own_keeps_its_locks_while_it_waits_for_readers) {
  make_rows();
  open(2);
  run(0, "BEGIN; SELECT * FROM t");
  EXPECT_THAT(send_and_wait(1, "UPDATE t SET v = 11 WHERE id = 1").blockers,
              ElementsAre(backends_[0]));
  EXPECT_EQ(run(0, "UPDATE t SET v = 12 WHERE id = 1")[0].error->error_class, ErrorClass::deadlock);
  EXPECT_EQ(finish(1)[0].result->command_tag, "1 row");
  EXPECT_EQ(execute("SELECT v FROM t")[0][0], "11");
}

TEST_F(SqliteRollback, whoever_wants_everybody_out_waits_for_readers) {
  make_rows();
  open(3);
  run(0, "BEGIN; SELECT * FROM t");
  EXPECT_THAT(send_and_wait(1, "BEGIN EXCLUSIVE; SELECT v FROM t").blockers,
              ElementsAre(backends_[0]));
  EXPECT_THAT(send_and_wait(2, "SELECT v FROM t").blockers, ElementsAre(backends_[1]));
  run(0, "COMMIT");
  EXPECT_EQ(finish(1).size(), 2U);
  EXPECT_TRUE(*session(2).busy());
  run(1, "COMMIT");
  EXPECT_TRUE(finish(2)[0].result);
}

TEST_F(SqliteRollback, what_is_committed_is_seen_past_an_exclusive_lock) {
  make_rows();
  open(1);
  const CatalogueTable table = table_named("t");
  run(0, "BEGIN EXCLUSIVE; UPDATE t SET v = 11 WHERE id = 1");
  auto rows = database_->watch_rows({&table});
  ASSERT_TRUE(rows) << to_string(rows.error());
  EXPECT_EQ((*rows)[0][0].value, "(1,10)");
  run(0, "COMMIT");
  rows = database_->watch_rows({&table});
  EXPECT_EQ((*rows)[0][0].value, "(1,11)");
}

TEST_F(SqliteWal, readers_and_a_writer_do_not_meet) {
  make_rows();
  open(2);
  run(0, "BEGIN; SELECT * FROM t");
  EXPECT_TRUE(run(1, "BEGIN; UPDATE t SET v = 11 WHERE id = 1; COMMIT")[2].result);
  EXPECT_EQ(run(0, "SELECT v FROM t")[0].result->rows[0][0], "10");
  EXPECT_EQ(run(0, "COMMIT; SELECT v FROM t")[1].result->rows[0][0], "11");
}

TEST_F(SqliteWal, a_transaction_that_saw_old_rows_may_not_write) {
  make_rows();
  open(2);
  run(0, "BEGIN; SELECT * FROM t WHERE id = 2");
  run(1, "UPDATE t SET v = 11 WHERE id = 1");
  const auto replies = run(0, "UPDATE t SET v = 21 WHERE id = 2");
  EXPECT_EQ(replies[0].error->error_class, ErrorClass::serialization_failure);
  EXPECT_EQ(replies[0].error->code, "SQLITE_BUSY_SNAPSHOT");
  EXPECT_EQ(session(0).transaction_state(), TransactionState::idle);
}

TEST_P(SqliteBoth, what_waits_can_be_cancelled) {
  make_rows();
  open(2);
  run(0, "BEGIN IMMEDIATE");
  EXPECT_FALSE(session(1).cancel());
  send_and_wait(1, "UPDATE t SET v = 1; SELECT 1");
  EXPECT_TRUE(session(1).cancel());
  const auto replies = finish(1);
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0].error->error_class, ErrorClass::cancelled);
  run(0, "COMMIT");
  EXPECT_TRUE(run(1, "UPDATE t SET v = 1")[0].result);
}

constexpr const char* kEndless =
    "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT count(*) FROM c";

TEST_P(SqliteBoth, what_does_not_end_can_be_cancelled) {
  open(1);
  EXPECT_TRUE(session(0).send(kEndless));
  EXPECT_TRUE(*session(0).busy());
  EXPECT_FALSE(*database_->is_blocked(backends_[0], backends_));
  EXPECT_TRUE(session(0).cancel());
  EXPECT_FALSE(*session(0).busy());
  EXPECT_EQ(session(0).take_replies()[0].error->error_class, ErrorClass::cancelled);
  EXPECT_TRUE(session(0).send(kEndless));  // and by the end of the session
}

TEST_P(SqliteBoth, the_control_connection_gives_up_in_time) {
  const auto replies = database_->execute(kEndless, 20);
  ASSERT_FALSE(replies);
  EXPECT_THAT(to_string(replies.error()), HasSubstr("did not return within 20 ms"));
  EXPECT_EQ(execute("SELECT 1")[0][0], "1");
}

TEST_P(SqliteBoth, a_session_that_ends_in_a_wait_leaves_no_lock) {
  make_rows();
  open(3);
  run(0, "BEGIN IMMEDIATE; UPDATE t SET v = 1");
  send_and_wait(1, "UPDATE t SET v = 2");
  sessions_[1].reset();
  sessions_[0].reset();
  EXPECT_EQ(run(2, "UPDATE t SET v = v + 1 WHERE id = 1 RETURNING v")[0].result->rows[0][0], "11");
}

TEST_P(SqliteBoth, keeps_to_its_own_files) {
  open(1);
  const std::string other = directory_->path() + "/other.db";
  for (const std::string& text :
       {fmt::format("ATTACH '{}' AS other", other), fmt::format("VACUUM INTO '{}'", other)}) {
    const auto replies = run(0, text);
    EXPECT_EQ(replies[0].error->message,
              "heddle keeps SQLite to files of its own: only :memory: can be attached");
  }
  EXPECT_FALSE(std::filesystem::exists(other));
  EXPECT_THAT(run(0, "PRAGMA locking_mode = EXCLUSIVE")[0].error->message,
              HasSubstr("locking mode of SQLite stays NORMAL"));
  EXPECT_THAT(run(0, "PRAGMA journal_mode = MEMORY")[0].error->message,
              HasSubstr("use --on=sqlite or --on=sqlite:wal"));
  EXPECT_TRUE(run(0, "ATTACH ':memory:' AS m; VACUUM; PRAGMA locking_mode")[2].result);
}

TEST_P(SqliteBoth, reads_the_catalogue) {
  execute(
      "CREATE TABLE Parent (Id INTEGER PRIMARY KEY AUTOINCREMENT, note TEXT DEFAULT 'x');"
      "CREATE TABLE child (a TEXT, b INT, p INT REFERENCES parent, made TEXT DEFAULT "
      "(datetime('now')), twice INT GENERATED ALWAYS AS (b * 2), PRIMARY KEY (b, a)) WITHOUT ROWID;"
      "CREATE TABLE loose (a TEXT, b INT NOT NULL UNIQUE, c INT UNIQUE, "
      "FOREIGN KEY (a, b) REFERENCES child (a, b));"
      "CREATE TABLE bare (a, b); CREATE UNIQUE INDEX some ON bare (a) WHERE a > 1;"
      "CREATE VIEW v AS SELECT * FROM bare; CREATE TEMP TABLE temporary (a)");
  const auto tables = database_->read_catalogue();
  ASSERT_TRUE(tables);
  std::vector<std::string> names;
  for (const CatalogueTable& table : *tables) names.push_back(table.name);
  EXPECT_THAT(names, ElementsAre("bare", "child", "loose", "parent"));
  const CatalogueTable& child = (*tables)[1];
  EXPECT_THAT(child.key, ElementsAre("b", "a"));
  EXPECT_EQ(child.columns[1].type, "int");
  EXPECT_EQ(child.columns[3].default_expression, "CURRENT_TIMESTAMP");
  EXPECT_TRUE(child.columns[4].computed);
  EXPECT_THAT(child.foreign_keys.at(0).columns, ElementsAre("p"));
  EXPECT_EQ(child.foreign_keys[0].table, "parent");
  EXPECT_THAT(child.foreign_keys[0].referenced, ElementsAre("id"));
  const CatalogueTable& loose = (*tables)[2];
  EXPECT_THAT(loose.key, ElementsAre("b"));
  EXPECT_THAT(loose.foreign_keys.at(0).referenced, ElementsAre("a", "b"));
  EXPECT_THAT((*tables)[0].key, IsEmpty());
  EXPECT_EQ((*tables)[3].quoted, "\"Parent\"");
  EXPECT_TRUE((*tables)[3].columns[0].identity);
  EXPECT_EQ((*tables)[3].columns[1].default_expression, "'x'");
  EXPECT_TRUE(database_->can_restore());
}

TEST_P(SqliteBoth, goes_back_to_the_snapshot) {
  execute(
      "CREATE TABLE n (id INTEGER PRIMARY KEY AUTOINCREMENT, v TEXT, w INT AS (id + 1));"
      "CREATE TABLE loose (v TEXT PRIMARY KEY, x); CREATE TABLE log (what TEXT);"
      "CREATE TRIGGER noted AFTER INSERT ON n BEGIN INSERT INTO log VALUES (new.v); END;"
      "INSERT INTO n (v) VALUES ('a'), ('b'); INSERT INTO loose VALUES ('x', X'00'), ('y', 1.5);"
      "CREATE TABLE c (n INT REFERENCES n ON DELETE CASCADE, t TEXT PRIMARY KEY) WITHOUT ROWID;"
      "INSERT INTO c VALUES (1, 'one')");
  ASSERT_TRUE(database_->read_catalogue());
  ASSERT_TRUE(database_->can_restore());
  ASSERT_TRUE(database_->take_snapshot());
  open(1);
  const std::string all =
      "SELECT *, 0 FROM n UNION ALL SELECT rowid, v, quote(x), 0 FROM loose UNION ALL "
      "SELECT 0, what, 0, 0 FROM log UNION ALL SELECT n, t, 0, 0 FROM c UNION ALL "
      "SELECT seq, name, 0, 0 FROM sqlite_sequence";
  const auto before = run(0, all)[0].result->rows;
  for (int round = 0; round < 3; ++round) {
    run(0,
        "PRAGMA foreign_keys = ON; DELETE FROM n WHERE id = 1; INSERT INTO n (v) VALUES ('z');"
        "DELETE FROM loose WHERE v = 'x'; INSERT INTO loose VALUES ('x', X'00')");
    EXPECT_NE(run(0, all)[0].result->rows, before);
    ASSERT_TRUE(database_->restore_snapshot({"n", "log", "c"}));
    EXPECT_EQ(run(0, all)[0].result->rows, before);
    // Nothing has happened: nothing to do.
    ASSERT_TRUE(database_->restore_snapshot({}));
  }
  EXPECT_EQ(run(0, "INSERT INTO n (v) VALUES ('c') RETURNING id")[0].result->rows[0][0], "3");
}

TEST_P(SqliteBoth, tables_that_are_more_than_rows_are_not_copied_back) {
  execute("CREATE VIRTUAL TABLE words USING fts5(word)");
  ASSERT_TRUE(database_->read_catalogue());
  EXPECT_FALSE(database_->can_restore());
}

TEST_P(SqliteBoth, wipes_whatever_is_there) {
  open(1);
  const std::string make =
      "CREATE TABLE p (id INTEGER PRIMARY KEY AUTOINCREMENT); CREATE TABLE c (p INT REFERENCES p);"
      "INSERT INTO p DEFAULT VALUES; INSERT INTO c VALUES (1); CREATE VIEW v AS SELECT * FROM p;"
      "CREATE TRIGGER g AFTER DELETE ON p BEGIN DELETE FROM c; END; PRAGMA user_version = 7";
  for (int round = 0; round < 3; ++round) {
    execute(make);
    ASSERT_TRUE(database_->read_catalogue());
    ASSERT_TRUE(database_->take_snapshot());
    EXPECT_EQ(run(0, "SELECT max(id) FROM p")[0].result->rows[0][0], "1");
    ASSERT_TRUE(database_->wipe());
    EXPECT_THAT(execute("SELECT name FROM sqlite_schema"), IsEmpty());
    EXPECT_EQ(execute("PRAGMA user_version")[0][0], "0");
    EXPECT_EQ(run(0, "SELECT * FROM p")[0].error->message, "no such table: p");
    EXPECT_EQ(execute("PRAGMA journal_mode")[0][0],
              GetParam() == SqliteJournal::wal ? "wal" : "delete");
  }
}

TEST_P(SqliteBoth, watches_rows_and_finds_those_that_match) {
  execute(
      "CREATE TABLE t (id INT PRIMARY KEY, \"a b\" TEXT COLLATE NOCASE, x); INSERT INTO t VALUES "
      "(1, 'It''s', 1.5), (2, NULL, X'41'), (3, 'c', '7')");
  const CatalogueTable table = table_named("t");
  const auto rows = database_->watch_rows({&table});
  ASSERT_TRUE(rows);
  std::vector<std::string> values;
  std::vector<WatchedVersion> versions;
  for (const WatchedRow& row : (*rows)[0]) {
    values.push_back(row.value);
    versions.push_back({versions.size() + 5, row.text});
  }
  EXPECT_THAT(values, ElementsAre("(1,It's,1.5)", "(2,,X'41')", "(3,c,7)"));
  EXPECT_THAT((*rows)[0][2].key, ElementsAre("3"));
  const auto matching = [&](const std::string& predicate) {
    return *database_->matching(table, "one", predicate, versions);
  };
  EXPECT_THAT(matching("one.id = '1' OR id = 3"), ElementsAre(5U, 7U));
  EXPECT_THAT(matching("\"a b\" = 'IT''S'"), ElementsAre(5U));
  EXPECT_THAT(matching("\"a b\" IS NULL"), ElementsAre(6U));
  EXPECT_THAT(matching("x = 7"), IsEmpty());  // it is a text
  EXPECT_THAT(matching("x = '7' OR x > 1.4 AND x < 1.6"), ElementsAre(5U, 7U));
  EXPECT_THAT(matching("id ~ 'what SQLite does not know'"), ElementsAre(5U, 6U, 7U));
}

TEST_P(SqliteBoth, truth_is_what_is_not_zero) {
  EXPECT_TRUE(database_->is_true("1"));
  EXPECT_TRUE(database_->is_true("0.5"));
  EXPECT_FALSE(database_->is_true("0"));
  EXPECT_FALSE(database_->is_true("0.0"));
  EXPECT_FALSE(database_->is_true(std::nullopt));
  EXPECT_FALSE(database_->is_true("no"));
}

TEST_P(SqliteBoth, returning_to_the_start_is_quick) {
  make_rows();
  ASSERT_TRUE(database_->read_catalogue());
  ASSERT_TRUE(database_->take_snapshot());
  open(3);
  constexpr int kRounds = 300;
  std::chrono::duration<double, std::micro> spent{};
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < 3; ++i) run(i, "UPDATE t SET v = v + 1");
    const auto begin = std::chrono::steady_clock::now();
    ASSERT_TRUE(database_->restore_snapshot({"t"}));
    spent += std::chrono::steady_clock::now() - begin;
  }
  RecordProperty("microseconds", static_cast<int>(spent.count() / kRounds));
  EXPECT_LT(spent.count() / kRounds, 20'000);
}

}  // namespace
}  // namespace heddle
