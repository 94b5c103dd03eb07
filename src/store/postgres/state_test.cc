// The rows of a real server, changed by others and put back.
#include "store/postgres/state.h"

#include <memory>
#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/must_testing.h"
#include "store/postgres/ask_testing.h"
#include "store/postgres/throwaway.h"

namespace heddle {
namespace {

class State : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = must(ThrowawayPostgres::start({})); }
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    ask(server_->conninfo(), "DROP DATABASE IF EXISTS shop WITH (FORCE)");
    ask(server_->conninfo(), "CREATE DATABASE shop");
  }
  static std::string place() { return server_->conninfo() + " dbname=shop"; }
  static std::string change(const std::string& sql) { return ask(place(), sql); }
  // All that is there, by a way of its own.
  static std::string everything() {
    std::string text;
    const std::string tables = change(
        "SELECT string_agg(format('SELECT string_agg(x::text, '';'' ORDER BY x::text) FROM %s x',"
        " c.oid::regclass), '|' ORDER BY c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid ="
        " c.relnamespace WHERE relkind IN ('r', 'S') AND nspname NOT LIKE 'pg_%' AND nspname <>"
        " 'information_schema'");
    for (std::size_t begin = 0; begin < tables.size();) {
      const std::size_t end = std::min(tables.find('|', begin), tables.size());
      text += change(tables.substr(begin, end - begin)) + "\n";
      begin = end + 1;
    }
    return text;
  }

  static std::unique_ptr<ThrowawayPostgres> server_;
};
std::unique_ptr<ThrowawayPostgres> State::server_;

TEST_F(State, puts_rows_and_sequences_back_under_open_connections) {
  change(
      "CREATE TABLE customer (id serial PRIMARY KEY, name text UNIQUE, since timestamptz DEFAULT "
      "now());"
      "CREATE TABLE \"Order\" (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, customer int NOT "
      "NULL REFERENCES customer, price numeric(10,2), twice numeric GENERATED ALWAYS AS (price * "
      "2) STORED, note bytea);"
      "INSERT INTO customer (name) VALUES ('ann'), ('o''neill'), (NULL);"
      "INSERT INTO \"Order\" (customer, price, note) VALUES (1, 2.50, '\\x00ff'), (2, NULL, NULL)");
  const auto state = must(PostgresState::open(place()));
  must(state->remember());
  const std::string before = everything();
  const std::unique_ptr<PGconn, decltype(&PQfinish)> pool(PQconnectdb(place().c_str()), &PQfinish);
  PQclear(PQprepare(pool.get(), "count", "SELECT count(*) FROM customer", 0, nullptr));
  change(
      "INSERT INTO customer (name) VALUES ('bob'); UPDATE customer SET name = 'eve' WHERE id = 1;"
      "DELETE FROM \"Order\" WHERE id = 2; INSERT INTO \"Order\" (customer, price) VALUES (4, 7)");
  EXPECT_NE(everything(), before);
  EXPECT_TRUE(must(state->put_back()));
  EXPECT_EQ(everything(), before);
  const std::unique_ptr<PGresult, decltype(&PQclear)> counted(
      PQexecPrepared(pool.get(), "count", 0, nullptr, nullptr, nullptr, 0), &PQclear);
  EXPECT_STREQ(PQgetvalue(counted.get(), 0, 0), "3");
  EXPECT_EQ(change("INSERT INTO customer (name) VALUES ('next') RETURNING id"), "4");
}

TEST_F(State, tells_which_columns_are_generated_and_share_their_values) {
  change(
      "CREATE TABLE a (id serial PRIMARY KEY, at timestamp DEFAULT now(), n int DEFAULT 1);"
      "CREATE TABLE b (a int REFERENCES a, key uuid DEFAULT gen_random_uuid())");
  const auto state = must(PostgresState::open(place()));
  const std::vector<TableState> tables = must(state->read());
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].columns[0].domain, "a.id");
  EXPECT_EQ(tables[0].columns[1].domain, "clock");
  EXPECT_FALSE(tables[0].columns[2].generated);
  EXPECT_EQ(tables[1].columns[0].domain, "a.id");
  EXPECT_TRUE(tables[1].columns[1].generated);
}

TEST_F(State, says_what_is_in_the_way) {
  change("CREATE TABLE t (id int); INSERT INTO t VALUES (1)");
  const auto state = must(PostgresState::open(place(), {.lock_ms = 100}));
  must(state->remember());
  change("UPDATE t SET id = 2");
  const std::unique_ptr<PGconn, decltype(&PQfinish)> other(PQconnectdb(place().c_str()), &PQfinish);
  PQclear(PQexec(other.get(), "BEGIN; LOCK TABLE t IN SHARE MODE"));
  const auto back = state->put_back();
  ASSERT_FALSE(back);
  EXPECT_NE(back.error().what.find("lock timeout"), std::string::npos) << back.error().what;
  PQclear(PQexec(other.get(), "ROLLBACK"));
  EXPECT_TRUE(must(state->put_back()));
}

TEST_F(State, has_a_bound_on_what_it_keeps) {
  change("CREATE TABLE t AS SELECT generate_series(1, 11) AS id");
  const auto state = must(PostgresState::open(place(), {.rows = 10}));
  const auto read = state->read();
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().trouble, Trouble::bound);
}

}  // namespace
}  // namespace heddle
