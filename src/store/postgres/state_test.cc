#include "store/postgres/state.h"

#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/must_testing.h"
#include "base/rounds_testing.h"
#include "base/text.h"
#include "store/postgres/ask_testing.h"
#include "store/postgres/throwaway.h"

namespace heddle {
namespace {

using testing::HasSubstr;

// One server for all tests, a database for each.
class State : public testing::Test {
 protected:
  static void SetUpTestSuite() { server_ = must(ThrowawayPostgres::start({})).release(); }
  static void TearDownTestSuite() {
    delete server_;
    server_ = nullptr;
  }

  State() {
    const std::string name = fmt::format("state_{}", ++databases_);
    ask(server_->conninfo(), "CREATE DATABASE " + name);
    address_ = server_->conninfo() + " dbname=" + name;
    client_ = std::make_unique<OpenConnection>(address_);
  }

  std::string sql(const std::string& text) { return client_->ask(text); }

  // All rows and sequences, read in another way than by the state.
  std::string dump() {
    std::string text;
    const std::string tables = sql(
        "SELECT string_agg(c.oid::regclass::text, ' ' ORDER BY c.oid) FROM pg_class c "
        "JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE relkind IN ('r', 'S') AND nspname !~ '^pg_' AND nspname <> 'information_schema'");
    for (const std::string& table : split(tables, ' ')) {
      if (table.empty()) continue;
      text += table + ":\n";
      // log_cnt is how many numbers are logged ahead, and nothing that anybody sees.
      const bool is_sequence =
          sql(fmt::format("SELECT relkind FROM pg_class WHERE oid = '{}'::regclass", table)) == "S";
      text += sql(is_sequence
                      ? fmt::format("SELECT last_value || ' ' || is_called FROM {}", table)
                      : fmt::format("SELECT string_agg(r::text, E'\\n' ORDER BY r::text COLLATE "
                                    "\"C\") FROM ONLY {} r",
                                    table)) +
              "\n";
    }
    return text;
  }

  PostgresState open(const PostgresStateBounds& bounds = {}) const {
    return must(PostgresState::open(address_, bounds));
  }

  static ThrowawayPostgres* server_;
  static int databases_;
  std::string address_;
  std::unique_ptr<OpenConnection> client_;
};

ThrowawayPostgres* State::server_ = nullptr;
int State::databases_ = 0;

std::string shown(const PostgresContents& contents) {
  std::string text;
  for (const TableState& table : contents.tables) {
    text += table.name;
    for (const Row& row : table.rows) {
      std::vector<std::string> cells;
      for (const Cell& cell : row) cells.push_back(cell.value_or("NULL"));
      text += " (" + join(cells, ",") + ")";
    }
    text += "\n";
  }
  return text;
}

constexpr const char* kManyKinds = R"sql(
CREATE TYPE mood AS ENUM ('glad', 'sad');
CREATE SCHEMA other;
CREATE TABLE plain (a int, b text);
CREATE TABLE numbered (id serial PRIMARY KEY, t text UNIQUE, twice text GENERATED ALWAYS AS (t || t) STORED);
CREATE TABLE other."Odd ""name" (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "select" mood, list int[], raw bytea,
                                 at timestamptz DEFAULT now(), key uuid DEFAULT gen_random_uuid());
CREATE TABLE lines (numbered_id int REFERENCES numbered ON DELETE CASCADE, amount numeric(8,2));
CREATE TABLE years (year int, t text) PARTITION BY RANGE (year);
CREATE TABLE years_old PARTITION OF years FOR VALUES FROM (0) TO (2000);
CREATE TABLE years_new PARTITION OF years DEFAULT;
CREATE TABLE heir (more int) INHERITS (plain);
CREATE TABLE empty_one ();
CREATE VIEW seen AS SELECT a FROM plain;
CREATE FUNCTION shout() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.b := upper(NEW.b); RETURN NEW; END $$;
CREATE TRIGGER shouts BEFORE INSERT OR UPDATE ON plain FOR EACH ROW EXECUTE FUNCTION shout();
INSERT INTO plain VALUES (1, 'x'), (1, 'x'), (NULL, E'\\ ''q\n');
INSERT INTO numbered (t) VALUES ('one'), ('two'), ('three');
INSERT INTO other."Odd ""name" ("select", list, raw) VALUES ('sad', '{1,NULL,3}', '\xff00');
INSERT INTO lines VALUES (1, 1.5), (2, 2), (NULL, 3);
INSERT INTO years VALUES (1999, 'then'), (2020, 'now');
INSERT INTO heir VALUES (5, 'h', 6);
INSERT INTO empty_one DEFAULT VALUES;
)sql";

TEST_F(State, is_the_rows_of_all_tables) {
  sql(kManyKinds);
  sql("UPDATE other.\"Odd \"\"name\" SET key = '00000000-0000-4000-8000-000000000001', "
      "at = '2026-01-31 08:00:00+00'");
  PostgresContents contents = must(open().read());
  EXPECT_EQ(shown(contents),
            "empty_one ()\n"
            "heir (5,h,6)\n"
            "lines (NULL,3.00) (1,1.50) (2,2.00)\n"
            "numbered (1,one,oneone) (2,two,twotwo) (3,three,threethree)\n"
            "other.Odd \"name (1,sad,{1,NULL,3},\\xff00,2026-01-31 08:00:00+00,"
            "00000000-0000-4000-8000-000000000001)\n"
            "plain (NULL,\\ 'Q\n) (1,X) (1,X)\n"
            "years (1999,then) (2020,now)\n");
  ASSERT_EQ(contents.sequences.size(), 2U);
  EXPECT_EQ(contents.sequences[1].name, "public.numbered_id_seq");
  EXPECT_EQ(contents.sequences[1].value, "3");
}

TEST_F(State, knows_which_columns_fill_themselves) {
  sql(kManyKinds);
  std::string filled;
  for (const TableState& table : must(open().read()).tables) {
    for (const Column& column : table.columns) {
      if (!column.generated) continue;
      filled += fmt::format("{}.{}: {}\n", table.name, column.name, column.domain);
    }
  }
  EXPECT_EQ(filled,
            "lines.numbered_id: numbered_id_seq\n"
            "numbered.id: numbered_id_seq\n"
            "other.Odd \"name.id: other.Odd \"name.id\n"
            "other.Odd \"name.at: clock\n"
            "other.Odd \"name.key: other.Odd \"name.key\n");
}

// Mappers take numbers from a sequence before they insert; no default says so.
TEST_F(State, knows_keys_that_programs_number) {
  sql("CREATE SEQUENCE orders_seq INCREMENT 50; CREATE TABLE orders (id bigint PRIMARY KEY, n int);"
      "CREATE TABLE lines (id bigint PRIMARY KEY, order_id bigint REFERENCES orders);"
      "CREATE TABLE years (id int PRIMARY KEY)");
  std::string filled;
  for (const TableState& table : must(open().read()).tables) {
    for (const Column& column : table.columns) {
      if (column.generated) filled += table.name + '.' + column.name + ' ' + column.domain + '\n';
    }
  }
  EXPECT_EQ(filled, "lines.order_id public.orders_seq\norders.id public.orders_seq\n");
}

constexpr const char* kChangesOfAll = R"sql(
DELETE FROM plain WHERE ctid = (SELECT min(ctid) FROM ONLY plain);
UPDATE plain SET b = 'changed' WHERE a = 5;
INSERT INTO numbered (t) VALUES ('four');
DELETE FROM numbered WHERE id = 2;
UPDATE numbered SET t = 'once' WHERE id = 1;
UPDATE numbered SET t = 'one' WHERE id = 3;
UPDATE numbered SET t = 'three' WHERE id = 1;
INSERT INTO other."Odd ""name" ("select") VALUES ('glad');
DELETE FROM other."Odd ""name" WHERE id = 1;
UPDATE years SET year = 2001 WHERE year = 1999;
DELETE FROM heir;
INSERT INTO empty_one DEFAULT VALUES;
)sql";

TEST_F(State, goes_back_under_open_connections) {
  sql(kManyKinds);
  OpenConnection pooled(address_);
  EXPECT_EQ(pooled.ask("PREPARE find(int) AS SELECT t FROM numbered WHERE id = $1"), "");
  EXPECT_EQ(pooled.ask("EXECUTE find(1)"), "one");
  OpenConnection reader(address_);
  reader.ask("BEGIN");
  EXPECT_EQ(reader.ask("SELECT count(*) FROM numbered"), "3");
  const std::string before = dump();
  PostgresState state = open();
  must(state.remember());
  EXPECT_EQ(sql(kChangesOfAll), "");
  EXPECT_NE(dump(), before);
  EXPECT_TRUE(must(state.put_back()));
  EXPECT_EQ(dump(), before);
  EXPECT_EQ(pooled.ask("EXECUTE find(1)"), "one");
  EXPECT_EQ(pooled.ask("INSERT INTO numbered (t) VALUES ('new') RETURNING id"), "4");
  EXPECT_TRUE(must(state.put_back()));
  EXPECT_EQ(dump(), before);
}

// Programs that ask for no order get the one in which rows stand.
TEST_F(State, goes_back_to_rows_in_their_order) {
  sql("CREATE TABLE t (id serial PRIMARY KEY, a int); INSERT INTO t (a) VALUES (1), (2), (3);"
      "UPDATE t SET a = 10 WHERE id = 1; CREATE TABLE u (t_id int REFERENCES t, b int);"
      "INSERT INTO u VALUES (2, 7), (1, 7)");
  const auto order = [&] {
    return sql(
        "SELECT (SELECT string_agg(id::text, ' ') FROM t) || ', ' || "
        "(SELECT string_agg(t_id::text, ' ') FROM u)");
  };
  EXPECT_EQ(order(), "2 3 1, 2 1");
  PostgresState state = open();
  must(state.remember());
  for (int round = 0; round < 5; ++round) {
    sql("UPDATE t SET a = a + 1 WHERE id = 2; DELETE FROM u WHERE t_id = 2; VACUUM t");
    EXPECT_TRUE(must(state.put_back()));
    EXPECT_EQ(order(), "2 3 1, 2 1") << round;
  }
}

TEST_F(State, does_nothing_where_nothing_has_changed) {
  sql(kManyKinds);
  PostgresState state = open();
  must(state.remember());
  const std::string writer = sql("SELECT max(xmin::text::bigint) FROM numbered");
  EXPECT_TRUE(must(state.put_back()));
  sql("BEGIN; UPDATE numbered SET t = t || 'lost'; ROLLBACK");
  EXPECT_TRUE(must(state.put_back()));
  EXPECT_EQ(sql("SELECT max(xmin::text::bigint) FROM numbered"), writer);
}

TEST_F(State, says_who_is_in_the_way) {
  sql("CREATE TABLE t (a int); INSERT INTO t VALUES (1)");
  PostgresState state = open({.lock_timeout_ms = 100});
  must(state.remember());
  sql("UPDATE t SET a = 2");
  OpenConnection other(address_ + " application_name=shop");
  other.ask("BEGIN; INSERT INTO t VALUES (3)");
  const auto put = state.put_back();
  ASSERT_FALSE(put);
  EXPECT_EQ(put.error().trouble, Trouble::environment);
  EXPECT_THAT(to_string(put.error()), HasSubstr("(shop, idle in transaction) has locks on t; its "
                                                "last statement: BEGIN; INSERT INTO t"));
  EXPECT_EQ(sql("SELECT a FROM t"), "2");
  other.ask("ROLLBACK");
  EXPECT_TRUE(must(state.put_back()));
  EXPECT_EQ(sql("SELECT a FROM t"), "1");
  // A row that is locked, in a table that is not.
  sql("UPDATE t SET a = 2");
  other.ask("BEGIN; SELECT * FROM t FOR UPDATE");
  EXPECT_THAT(to_string(state.put_back().error()), HasSubstr("has locks on t"));
}

TEST_F(State, is_not_put_back_into_other_tables) {
  sql("CREATE TABLE t (a int); INSERT INTO t VALUES (1)");
  PostgresState state = open();
  must(state.remember());
  sql("ALTER TABLE t ADD COLUMN b int DEFAULT 7; CREATE TABLE u (c int)");
  EXPECT_EQ(shown(must(state.read())), "t (1,7)\nu\n");
  const auto put = state.put_back();
  ASSERT_FALSE(put);
  EXPECT_THAT(to_string(put.error()), HasSubstr("cannot be put back, use restore: clone"));
}

TEST_F(State, is_bounded) {
  sql("CREATE TABLE small (a int); CREATE TABLE large AS SELECT repeat('x', 1000000) FROM "
      "generate_series(1, 5)");
  PostgresState state = open({.bytes = 3'000'000});
  const auto contents = state.read();
  ASSERT_FALSE(contents);
  EXPECT_EQ(contents.error().trouble, Trouble::bound);
  EXPECT_EQ(to_string(contents.error()),
            "the rows of the database take 4 MB, of which large has 4, and at most 2 are read, "
            "race a system with less in its tables");
  sql("TRUNCATE large");
  EXPECT_EQ(shown(must(state.read())), "large\nsmall\n");
}

TEST_F(State, says_when_the_database_does_not_let_it) {
  sql("CREATE TABLE t (id serial PRIMARY KEY, a int); INSERT INTO t (a) VALUES (1);"
      "CREATE FUNCTION add_one() RETURNS trigger LANGUAGE plpgsql AS "
      "$$ BEGIN NEW.a := NEW.a + 1; RETURN NEW; END $$;"
      "CREATE TRIGGER adds BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION add_one();"
      "ALTER TABLE t ENABLE ALWAYS TRIGGER adds");
  PostgresState state = open();
  must(state.remember());
  sql("UPDATE t SET a = 9");
  EXPECT_FALSE(must(state.put_back()));
}

TEST_F(State, cannot_be_looked_at_without_a_server) {
  EXPECT_EQ(PostgresState::open("mysql://x").error().trouble, Trouble::bad_input);
  EXPECT_EQ(PostgresState::open("postgres://127.0.0.1:1/x").error().trouble, Trouble::environment);
}

// Who owns the tables and is no superuser: foreign keys and triggers stay on.
TEST_F(State, goes_back_for_the_owner_of_the_tables) {
  sql("CREATE ROLE keeper LOGIN; CREATE SCHEMA kept AUTHORIZATION keeper; SET ROLE keeper; "
      "SET search_path = kept;"
      "CREATE TABLE kept.customers (id serial PRIMARY KEY, name text NOT NULL);"
      "CREATE TABLE kept.orders (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "
      "  customer int NOT NULL REFERENCES kept.customers, sum int);"
      "CREATE TABLE kept.lines (order_id int REFERENCES kept.orders, text text);"
      "INSERT INTO kept.customers (name) VALUES ('ann'), ('bob');"
      "INSERT INTO kept.orders (customer, sum) VALUES (1, 5), (2, 6);"
      "INSERT INTO kept.lines VALUES (1, 'a'), (2, 'b'), (2, 'b')");
  const std::string before = dump();
  PostgresState state = must(PostgresState::open(address_ + " user=keeper"));
  must(state.remember());
  sql("INSERT INTO kept.customers (name) VALUES ('eve'); UPDATE kept.customers SET name = 'x' "
      "WHERE id = 1; INSERT INTO kept.orders (customer, sum) VALUES (3, 1);"
      "INSERT INTO kept.lines VALUES (3, 'c'); DELETE FROM kept.lines WHERE order_id = 2;"
      "DELETE FROM kept.orders WHERE id = 2; DELETE FROM kept.customers WHERE id = 2");
  EXPECT_TRUE(must(state.put_back()));
  EXPECT_EQ(dump(), before);
  sql("RESET ROLE; DROP OWNED BY keeper; DROP ROLE keeper");
}

// --- Any tables, any changes
// ----------------------------------------------------------------------

class RandomTables {
 public:
  explicit RandomTables(std::uint64_t seed) : random_(seed) {}

  std::vector<std::string> schema() {
    std::vector<std::string> statements;
    tables_ = 1 + below(5);
    for (std::size_t i = 0; i < tables_; ++i) statements.push_back(table(i));
    return statements;
  }

  std::string change() {
    const std::size_t i = below(tables_);
    switch (below(6)) {
      case 0:
        return fmt::format("DELETE FROM t{} WHERE {}", i, condition());
      case 1:
        return fmt::format("UPDATE t{} SET v = {} WHERE {}", i, value(), condition());
      case 2:
        return below(4) == 0 ? fmt::format("TRUNCATE t{} CASCADE", i)
                             : fmt::format("UPDATE t{} SET u = u + 100 WHERE {}", i, condition());
      default:
        return fmt::format("INSERT INTO t{} (v, u{}) SELECT {}, {}{} FROM generate_series(1, {})",
                           i, refers_[i] ? ", r" : "", value(), below(50),
                           refers_[i] ? ", (SELECT min(id) FROM t0)" : "", 1 + below(3));
    }
  }

 private:
  std::size_t below(std::size_t end) { return random_() % end; }

  std::string table(std::size_t number) {
    constexpr const char* kIds[] = {"id serial PRIMARY KEY",
                                    "id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY",
                                    "id int GENERATED BY DEFAULT AS IDENTITY UNIQUE", "id serial"};
    constexpr const char* kMore[] = {"", ", g int GENERATED ALWAYS AS (u * 2) STORED",
                                     ", d date DEFAULT now(), j jsonb DEFAULT '{\"a\": [1]}'",
                                     ", x numeric[] DEFAULT '{1.50,NULL}', UNIQUE (v, u)"};
    // Whatever others refer to has a key.
    const std::size_t kind = number == 0 ? below(3) : below(4);
    refers_.push_back(number > 0 && below(2) == 0);
    std::string text =
        fmt::format("CREATE TABLE t{} ({}, v text, u int{}", number, kIds[kind], kMore[below(4)]);
    if (refers_.back()) {
      text += fmt::format(", r int REFERENCES t0 (id) ON DELETE {}",
                          below(2) == 0 ? "CASCADE" : "SET NULL");
    }
    return text + ")";
  }

  std::string value() {
    constexpr const char* kValues[] = {"NULL",
                                       "'a'",
                                       "''",
                                       "E'\\\\ \\n'",
                                       "'NULL'",
                                       "'(,\"'",
                                       "'caf\xc3\xa9'",
                                       "md5(random()::text)"};
    return kValues[below(8)];
  }
  std::string condition() {
    return below(3) == 0 ? "v IS NULL" : fmt::format("u % {} = 0", 2 + below(3));
  }

  std::mt19937_64 random_;
  std::size_t tables_ = 0;
  std::vector<bool> refers_;
};

TEST_F(State, goes_back_from_any_changes) {
  for (std::uint64_t seed = 1; seed <= test_rounds(25); ++seed) {
    SCOPED_TRACE(seed);
    // Who reads is in the way of emptying tables, so that rows are put back one by one.
    const bool is_read = seed % 2 == 0;
    RandomTables tables(seed);
    sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    for (const std::string& statement : tables.schema()) EXPECT_EQ(sql(statement), "") << statement;
    for (int i = 0; i < 12; ++i) sql(tables.change());
    PostgresState state = open();
    must(state.remember());
    const std::string before = dump();
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 6; ++i) sql(tables.change());
      OpenConnection reader(address_);
      if (is_read) reader.ask("BEGIN; SELECT * FROM t0 LIMIT 1");
      ASSERT_TRUE(must(state.put_back()));
      ASSERT_EQ(dump(), before);
    }
  }
}

// What the test above compares with must notice one row, and one number of a sequence.
// What is too large to be filled anew is put back row by row.
TEST_F(State, goes_back_in_large_tables) {
  sql("CREATE TABLE large (id serial PRIMARY KEY, a text); CREATE TABLE twice (a int);"
      "INSERT INTO large (a) SELECT 'n' || i FROM generate_series(1, 5000) i;"
      "INSERT INTO twice SELECT i % 2000 FROM generate_series(1, 4000) i");
  const std::string before = dump();
  PostgresState state = open();
  must(state.remember());
  const std::string place = sql("SELECT ctid FROM large WHERE id = 7");
  sql("DELETE FROM large WHERE id % 7 = 1; UPDATE large SET a = 'x' WHERE id % 11 = 0;"
      "INSERT INTO large (a) VALUES ('new'); DELETE FROM twice WHERE ctid IN "
      "(SELECT min(ctid) FROM twice GROUP BY a)");
  EXPECT_TRUE(must(state.put_back()));
  EXPECT_EQ(dump(), before);
  EXPECT_EQ(sql("SELECT ctid FROM large WHERE id = 7"), place) << "it did not change";
}

TEST_F(State, is_told_apart_by_the_dump) {
  sql("CREATE TABLE t (id serial, a text); INSERT INTO t (a) VALUES ('x'), ('x')");
  const std::string before = dump();
  sql("DELETE FROM t WHERE id = 2");
  EXPECT_NE(dump(), before);
  sql("INSERT INTO t VALUES (2, 'x')");
  EXPECT_EQ(dump(), before);
  sql("SELECT nextval('t_id_seq')");
  EXPECT_NE(dump(), before);
}

}  // namespace
}  // namespace heddle
