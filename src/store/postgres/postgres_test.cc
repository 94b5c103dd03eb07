// PostgreSQL through the interface of stores, on a throwaway server.
#include <cstdlib>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/must_testing.h"
#include "base/text.h"
#include "store/open/open.h"
#include "store/postgres/ask_testing.h"
#include "store/postgres/throwaway.h"
#include "store/store.h"
#include "throwaway/child_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

StoreServer& shared_server() {
  static const std::shared_ptr<StoreServer> server = must(open_server({"postgres"}));
  return *server;
}

using Sessions = std::vector<std::unique_ptr<StoreSession>>;

std::string text_of(const Reply& reply) {
  if (reply.error)
    return fmt::format("{} {}", to_string(reply.error->error_class), reply.error->code);
  if (!reply.result->has_rows) return reply.result->command_tag;
  std::vector<std::string> rows;
  for (const Row& row : reply.result->rows) {
    std::vector<std::string> cells;
    for (const Cell& value : row) cells.push_back(value.value_or("NULL"));
    rows.push_back(join(cells, "|"));
  }
  return rows.empty() ? "no rows" : join(rows, ",");
}

std::string text_of(const std::vector<Reply>& replies) {
  std::vector<std::string> texts;
  for (const Reply& reply : replies) texts.push_back(text_of(reply));
  return join(texts, "; ");
}

class Postgres : public testing::Test {
 protected:
  Postgres() : database_(must(shared_server().create_database(""))) {}

  std::string execute(const std::string& text) {
    return text_of(must(database_->execute(text, 30'000)));
  }

  Sessions open(std::size_t count, const SessionOptions& options = {}) {
    return must(database_->open_sessions(std::vector<SessionOptions>(count, options)));
  }

  static std::string finish(StoreSession& session) {
    while (must(session.busy())) {
      pollfd wait{session.socket(), POLLIN, 0};
      poll(&wait, 1, 1'000);
    }
    return text_of(session.take_replies());
  }

  static std::string ask_in(StoreSession& session, const std::string& text) {
    must(session.send(text));
    return finish(session);
  }

  // Whether the session gets to wait for a lock of another before it has answered.
  bool gets_blocked(StoreSession& session, const std::vector<int>& others) {
    bool blocked = false;
    const bool known = eventually([&] {
      blocked = must(database_->is_blocked(session.backend_id(), others));
      return blocked || !must(session.busy());
    });
    return known && blocked;
  }

  void snapshot() {
    (void)must(database_->read_catalogue());
    must(database_->take_snapshot());
  }

  std::unique_ptr<StoreDatabase> database_;
};

TEST_F(Postgres, replies_come_as_sent_up_to_the_first_error) {
  EXPECT_EQ(execute("CREATE TABLE t (a int, b text); INSERT INTO t VALUES (1, NULL), (2, ''); "
                    "SELECT * FROM t ORDER BY a; SELECT FROM t WHERE false; SELECT 1/0; SELECT 2"),
            "CREATE TABLE; INSERT 0 2; 1|NULL,2|; no rows; other 22012");
  EXPECT_EQ(execute(""), "");
  EXPECT_EQ(execute("SELECT 3"), "3");
}

TEST_F(Postgres, large_values_arrive_whole) {
  EXPECT_EQ(execute("SELECT count(*), sum(length(x)) FROM (SELECT repeat('x', 3000000) x) y"),
            "1|3000000");
  const std::vector<Reply> replies =
      must(database_->execute("SELECT repeat('ab', 1500000), E'\\'\\n\\\\\"'", 30'000));
  const Row& row = replies.at(0).result->rows.at(0);
  EXPECT_EQ(row[0]->size(), 3'000'000U);
  EXPECT_EQ(row[1], "'\n\\\"");
  const auto rows = must(database_->execute("SELECT generate_series(1, 200000)", 30'000));
  EXPECT_EQ(rows.at(0).result->rows.size(), 200'000U);
  EXPECT_EQ(rows.at(0).result->rows.back().at(0), "200000");
}

TEST_F(Postgres, result_columns_name_their_tables) {
  execute(
      "CREATE SCHEMA \"My Schema\"; CREATE TABLE \"My Schema\".\"T.1\" (\"A a\" int, b int); "
      "CREATE TABLE plain (c int); INSERT INTO plain VALUES (1); "
      "INSERT INTO \"My Schema\".\"T.1\" VALUES (1, 2)");
  (void)must(database_->read_catalogue());
  const auto replies = must(database_->execute(
      "SELECT t.\"A a\" AS x, p.c, t.b + 1 FROM \"My Schema\".\"T.1\" t, plain p", 30'000));
  const std::vector<Column>& columns = replies.at(0).result->columns;
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[0], (Column{"x", "My Schema.T.1", "A a"}));
  EXPECT_EQ(columns[1], (Column{"c", "plain", "c"}));
  EXPECT_EQ(columns[2], (Column{"?column?", "", ""}));
}

TEST_F(Postgres, sessions_have_the_level_they_ask_for) {
  SessionOptions options;
  options.application_name = "heddle/it's \\ me";
  options.level = IsolationLevel::snapshot;
  options.early_deadlock_check = true;
  const Sessions sessions = open(1, options);
  EXPECT_EQ(ask_in(*sessions[0], "SHOW application_name"), "heddle/it's \\ me");
  EXPECT_EQ(ask_in(*sessions[0], "SHOW transaction_isolation"), "repeatable read");
  EXPECT_EQ(ask_in(*sessions[0], "SHOW deadlock_timeout"), "1ms");
  EXPECT_EQ(ask_in(*open(1)[0], "SHOW transaction_isolation"), "read committed");
}

TEST_F(Postgres, transaction_states) {
  const Sessions sessions = open(1);
  EXPECT_EQ(sessions[0]->transaction_state(), TransactionState::idle);
  ask_in(*sessions[0], "BEGIN");
  EXPECT_EQ(sessions[0]->transaction_state(), TransactionState::open);
  EXPECT_EQ(ask_in(*sessions[0], "SELECT 1/0"), "other 22012");
  EXPECT_EQ(sessions[0]->transaction_state(), TransactionState::failed);
  EXPECT_EQ(ask_in(*sessions[0], "COMMIT"), "ROLLBACK");
  EXPECT_EQ(sessions[0]->transaction_state(), TransactionState::idle);
}

TEST_F(Postgres, who_waits_for_whom) {
  execute("CREATE TABLE t (a int); INSERT INTO t VALUES (1)");
  const Sessions sessions = open(3);
  std::vector<int> all;
  for (const auto& session : sessions) all.push_back(session->backend_id());
  EXPECT_FALSE(must(database_->is_blocked(all[0], all)));
  ask_in(*sessions[0], "BEGIN; LOCK TABLE t IN SHARE MODE");
  ask_in(*sessions[1], "BEGIN; LOCK TABLE t IN SHARE MODE");
  must(sessions[2]->send("UPDATE t SET a = 2"));
  ASSERT_TRUE(gets_blocked(*sessions[2], all));
  EXPECT_FALSE(must(database_->is_blocked(all[2], {}))) << "only the others named count";
  const std::vector<WaitState> states = must(database_->wait_states(all, all));
  ASSERT_EQ(states.size(), 3U);
  EXPECT_FALSE(states[0].blocked);
  EXPECT_THAT(states[0].blockers, IsEmpty());
  EXPECT_TRUE(states[2].blocked);
  EXPECT_THAT(states[2].blockers, testing::UnorderedElementsAre(all[0], all[1]));
  ask_in(*sessions[0], "COMMIT");
  EXPECT_TRUE(must(sessions[2]->busy()));
  ask_in(*sessions[1], "COMMIT");
  EXPECT_EQ(finish(*sessions[2]), "UPDATE 1");
}

TEST_F(Postgres, errors_of_concurrency_control_have_classes) {
  execute("CREATE TABLE t (a int PRIMARY KEY, b int); INSERT INTO t VALUES (1, 0), (2, 0)");
  SessionOptions options;
  options.level = IsolationLevel::snapshot;
  const Sessions sessions = open(2, options);
  StoreSession& first = *sessions[0];
  StoreSession& second = *sessions[1];
  ask_in(first, "BEGIN; UPDATE t SET b = 1 WHERE a = 1");
  EXPECT_EQ(ask_in(second, "SELECT * FROM t WHERE a = 1 FOR UPDATE NOWAIT"), "lock-timeout 55P03");
  EXPECT_EQ(ask_in(second, "SET lock_timeout = 1; UPDATE t SET b = 1 WHERE a = 1"),
            "SET; lock-timeout 55P03");
  ask_in(second, "RESET lock_timeout; BEGIN; UPDATE t SET b = 1 WHERE a = 2");
  must(first.send("UPDATE t SET b = 1 WHERE a = 2"));
  ASSERT_TRUE(gets_blocked(first, {second.backend_id()}));
  must(second.send("UPDATE t SET b = 1 WHERE a = 1"));
  const std::string both = finish(second) + "; " + finish(first);
  EXPECT_THAT(both, HasSubstr("deadlock 40P01"));
  ask_in(first, "ROLLBACK; BEGIN; SELECT * FROM t");
  ask_in(second, "ROLLBACK; UPDATE t SET b = 5");
  EXPECT_EQ(ask_in(first, "UPDATE t SET b = 6"), "serialization-failure 40001");
  EXPECT_EQ(ask_in(second, "INSERT INTO t VALUES (1, 1)"), "other 23505");
  EXPECT_EQ(ask_in(second, "DO $$ BEGIN RAISE EXCEPTION 'no'; END $$"), "other P0001");
}

TEST_F(Postgres, errors_carry_what_the_server_says) {
  const auto replies = must(database_->execute("SELECT nothing", 30'000));
  const StepError& error = *replies.at(0).error;
  EXPECT_EQ(error.severity, "ERROR");
  EXPECT_EQ(error.code, "42703");
  EXPECT_EQ(error.message, "column \"nothing\" does not exist");
  EXPECT_EQ(error.text,
            "ERROR:  column \"nothing\" does not exist\nLINE 1: SELECT nothing\n"
            "               ^\n");
}

TEST_F(Postgres, a_killed_connection_says_its_last_words) {
  const Sessions sessions = open(1);
  must(sessions[0]->send("SELECT pg_sleep(60)"));
  EXPECT_EQ(execute(fmt::format("SELECT pg_terminate_backend({})", sessions[0]->backend_id())),
            "t");
  EXPECT_THAT(finish(*sessions[0]), testing::StartsWith("connection-lost 57P01"));
  const auto sent = sessions[0]->send("SELECT 1");
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().trouble, Trouble::environment);
  EXPECT_EQ(execute("SELECT 1"), "1") << "the control connection is another one";
}

TEST_F(Postgres, notices_and_notifications) {
  const Sessions sessions = open(2);
  ask_in(*sessions[0], "LISTEN bell");
  ask_in(*sessions[1], "DO $$ BEGIN RAISE NOTICE 'one'; RAISE WARNING 'two'; END $$");
  EXPECT_THAT(sessions[1]->take_notices(), ElementsAre("NOTICE:  one\n", "WARNING:  two\n"));
  EXPECT_THAT(sessions[1]->take_notices(), IsEmpty());
  ask_in(*sessions[1], "NOTIFY bell, 'ring'");
  ask_in(*sessions[0], "SELECT 1");
  const std::vector<Notification> heard = sessions[0]->take_notifications();
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].channel, "bell");
  EXPECT_EQ(heard[0].payload, "ring");
  EXPECT_EQ(heard[0].sender, sessions[1]->backend_id());
}

TEST_F(Postgres, copy_has_no_one_to_talk_to) {
  execute("CREATE TABLE t (a int); INSERT INTO t VALUES (1), (2)");
  const Sessions sessions = open(1);
  EXPECT_THAT(ask_in(*sessions[0], "COPY t TO STDOUT"), HasSubstr("other 0A000"));
  EXPECT_THAT(ask_in(*sessions[0], "COPY t FROM STDIN"), HasSubstr("other 0A000"));
  EXPECT_EQ(ask_in(*sessions[0], "SELECT count(*) FROM t"), "2");
}

TEST_F(Postgres, a_statement_over_its_time_is_cancelled) {
  const auto late = database_->execute("SELECT pg_sleep(60)", 50);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().trouble, Trouble::bound);
  EXPECT_THAT(late.error().what, HasSubstr("did not return within 50 ms: SELECT pg_sleep(60)"));
  EXPECT_EQ(execute("SELECT 1"), "1");
}

TEST_F(Postgres, a_cancelled_session_goes_on) {
  const Sessions sessions = open(1);
  must(sessions[0]->send("SELECT pg_sleep(60)"));
  EXPECT_TRUE(must(sessions[0]->busy()));
  // A request to cancel that overtakes the statement would be lost.
  const std::string is_asleep =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' "
      "AND pid = " +
      std::to_string(sessions[0]->backend_id());
  ASSERT_TRUE(eventually([&] { return execute(is_asleep) == "1"; }));
  EXPECT_TRUE(sessions[0]->cancel());
  EXPECT_EQ(finish(*sessions[0]), "other 57014");
  EXPECT_EQ(ask_in(*sessions[0], "SELECT 1"), "1");
}

constexpr const char* kManyTables = R"sql(
CREATE SCHEMA "Shop";
CREATE SEQUENCE ticket START 7 INCREMENT 3;
CREATE TABLE customer (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE,
                       made timestamptz DEFAULT now());
CREATE TABLE "Shop"."Order" ("Order Id" serial PRIMARY KEY,
                             customer int REFERENCES customer ON DELETE CASCADE,
                             price numeric(8, 2), twice numeric GENERATED ALWAYS AS (price * 2) STORED,
                             ticket int DEFAULT nextval('ticket'));
CREATE TABLE keyless (a int, b text[]);
CREATE TABLE audit (n int);
CREATE TABLE part (k int, v text) PARTITION BY RANGE (k);
CREATE TABLE part_low PARTITION OF part FOR VALUES FROM (0) TO (10);
CREATE TABLE part_high PARTITION OF part FOR VALUES FROM (10) TO (20);
CREATE TABLE region (r int, PRIMARY KEY (r)) PARTITION BY LIST (r);
CREATE TABLE region_1 PARTITION OF region FOR VALUES IN (1);
CREATE TABLE town (id int PRIMARY KEY, r int REFERENCES region);
CREATE TABLE tree (id int PRIMARY KEY, parent int REFERENCES tree);
CREATE TABLE base (a int);
CREATE TABLE derived (b int) INHERITS (base);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN INSERT INTO audit VALUES (1); RETURN NULL; END $$;
CREATE TRIGGER noted AFTER INSERT OR UPDATE OR DELETE ON customer EXECUTE FUNCTION note();
CREATE TRIGGER emptied AFTER TRUNCATE ON customer EXECUTE FUNCTION note();
ALTER TABLE customer ENABLE TRIGGER noted;
CREATE RULE no_insert AS ON INSERT TO keyless WHERE NEW.a > 100 DO INSTEAD NOTHING;
INSERT INTO customer (name) VALUES ('ann'), ('bob');
INSERT INTO "Shop"."Order" (customer, price) VALUES (1, 2.50), (2, 3);
INSERT INTO keyless VALUES (1, '{x,"y z"}'), (1, '{x,"y z"}'), (NULL, NULL);
INSERT INTO part VALUES (1, 'low'), (11, 'high');
INSERT INTO region VALUES (1);
INSERT INTO town VALUES (1, 1);
INSERT INTO tree VALUES (1, NULL), (2, 1);
INSERT INTO base VALUES (1);
INSERT INTO derived VALUES (2, 3);
)sql";

// All rows with the table they are in, and where the sequences stand.
constexpr const char* kEverything = R"sql(
SELECT string_agg(x, E'\n' ORDER BY x) FROM (
  SELECT 'customer' || c::text FROM customer c UNION ALL
  SELECT 'Order' || o::text FROM "Shop"."Order" o UNION ALL
  SELECT 'keyless' || k::text FROM keyless k UNION ALL
  SELECT 'audit' || a::text FROM audit a UNION ALL
  SELECT p.tableoid::regclass || p::text FROM part p UNION ALL
  SELECT 'region' || r::text FROM region r UNION ALL
  SELECT 'town' || t::text FROM town t UNION ALL
  SELECT 'tree' || t::text FROM tree t UNION ALL
  SELECT b.tableoid::regclass || b::text FROM base b UNION ALL
  SELECT 'derived' || d::text FROM derived d UNION ALL
  SELECT 'ticket' || last_value || is_called FROM ticket UNION ALL
  SELECT 'customer_id' || last_value || is_called FROM customer_id_seq UNION ALL
  SELECT 'order_id' || last_value || is_called FROM "Shop"."Order_Order Id_seq") y (x)
)sql";

TEST_F(Postgres, the_catalogue) {
  execute(kManyTables);
  std::string text;
  for (const CatalogueTable& table : must(database_->read_catalogue())) {
    text += table.name + (table.partition ? " (part)" : "") +
            (table.partitioned ? " (partitioned)" : "") + ": ";
    std::vector<std::string> columns;
    for (const CatalogueColumn& column : table.columns) {
      columns.push_back(column.name + (column.identity ? " identity" : "") +
                        (column.computed ? " computed" : "") +
                        (column.default_expression.empty() ? "" : "=" + column.default_expression));
    }
    text += join(columns, ", ") + "; key " + join(table.key, ",");
    for (const ForeignKey& key : table.foreign_keys) {
      text += fmt::format("; {} -> {}({})", join(key.columns, ","), key.table,
                          join(key.referenced, ","));
    }
    text += "\n";
  }
  EXPECT_EQ(text, R"(Shop.Order: Order Id=nextval('"Shop"."Order_Order Id_seq"'::regclass), )"
                  R"(customer, price, twice computed, ticket=nextval('ticket'::regclass); )"
                  R"(key Order Id; customer -> customer(id)
audit: n; key 
base: a; key 
customer: id identity, name, made=now(); key id
derived: a, b; key 
keyless: a, b; key 
part (partitioned): k, v; key 
part_high (part): k, v; key 
part_low (part): k, v; key 
region (partitioned): r; key r
region_1 (part): r; key r
town: id, r; key id; r -> region(r)
tree: id, parent; key id; parent -> tree(id)
)");
}

TEST_F(Postgres, the_catalogue_prefers_the_primary_key_and_never_a_partial_one) {
  execute(
      "CREATE TABLE a (x int UNIQUE, y int PRIMARY KEY); CREATE TABLE b (x int, y int); "
      "CREATE UNIQUE INDEX ON b (x) WHERE y > 0; CREATE UNIQUE INDEX ON b ((x + y)); "
      "CREATE TABLE c (x int, y int, z int, UNIQUE (z, x) INCLUDE (y));");
  const std::vector<CatalogueTable> tables = must(database_->read_catalogue());
  ASSERT_EQ(tables.size(), 3U);
  EXPECT_THAT(tables[0].key, ElementsAre("y"));
  EXPECT_THAT(tables[1].key, IsEmpty());
  EXPECT_THAT(tables[2].key, ElementsAre("z", "x"));
}

// Each change with the tables it changes, as the runner would name them.
struct Change {
  const char* sql;
  std::set<std::string> tables;
};

TEST_F(Postgres, every_change_of_rows_is_undone) {
  execute(kManyTables);
  snapshot();
  const std::string before = execute(kEverything);
  const std::vector<Change> changes = {
      {"INSERT INTO customer (name) VALUES ('eve')", {"customer", "audit"}},
      {"DELETE FROM customer WHERE id = 1", {"customer", "Shop.Order", "audit"}},
      {"UPDATE customer SET name = name || '!'", {"customer", "audit"}},
      {"INSERT INTO \"Shop\".\"Order\" (customer, price) VALUES (1, 9)", {"Shop.Order"}},
      {"DELETE FROM keyless WHERE ctid = (SELECT ctid FROM keyless LIMIT 1)", {"keyless"}},
      {"UPDATE part SET k = k + 10 WHERE k = 1", {"part"}},
      {"DELETE FROM part", {"part"}},
      {"DELETE FROM town; DELETE FROM region", {"town", "region"}},
      {"INSERT INTO tree VALUES (3, 2); UPDATE tree SET parent = 3 WHERE id = 1", {"tree"}},
      {"UPDATE base SET a = a + 1", {"base", "derived"}},
      {"TRUNCATE customer, \"Shop\".\"Order\" RESTART IDENTITY",
       {"customer", "Shop.Order", "audit"}},
      {"SELECT nextval('ticket'), nextval('ticket')", {}},
      {"SELECT setval('ticket', 1000)", {}},
      {"BEGIN; INSERT INTO customer (name) VALUES ('gone'); ROLLBACK", {}},
  };
  for (int round = 0; round < 2; ++round) {
    for (const Change& change : changes) {
      SCOPED_TRACE(change.sql);
      EXPECT_THAT(execute(change.sql), testing::Not(HasSubstr("other")));
      EXPECT_NE(execute(kEverything), before) << "the change must be seen";
      must(database_->restore_snapshot(change.tables));
      EXPECT_EQ(execute(kEverything), before);
    }
  }
}

TEST_F(Postgres, restored_sequences_go_on_as_before) {
  execute("CREATE SEQUENCE fresh; CREATE SEQUENCE used; SELECT nextval('used')");
  snapshot();
  for (int run = 0; run < 3; ++run) {
    EXPECT_EQ(execute("SELECT nextval('fresh'), nextval('used')"), "1|2");
    must(database_->restore_snapshot({}));
  }
}

TEST_F(Postgres, constraints_and_triggers_work_again_after_a_restore) {
  execute(kManyTables);
  snapshot();
  execute("DELETE FROM customer");
  must(database_->restore_snapshot({"customer", "Shop.Order", "audit"}));
  EXPECT_EQ(execute("INSERT INTO town VALUES (5, 5)"), "other 23503");
  EXPECT_EQ(execute("INSERT INTO customer (name) VALUES ('ann')"), "other 23505");
  EXPECT_EQ(execute("INSERT INTO customer (name) VALUES ('eve'); SELECT count(*) FROM audit"),
            "INSERT 0 1; 2");
}

// A part of a partitioned table may be referenced by a table that has not changed.
TEST_F(Postgres, parts_that_are_referenced_are_no_obstacle) {
  execute(kManyTables);
  snapshot();
  const std::string before = execute(kEverything);
  execute("UPDATE part SET v = 'other'");
  must(database_->restore_snapshot({"part"}));
  EXPECT_EQ(execute(kEverything), before);
}

TEST_F(Postgres, a_wiped_database_is_like_a_new_one) {
  constexpr const char* kObjects = R"sql(
    SELECT count(*) FROM (
      SELECT oid FROM pg_class WHERE oid >= 16384 AND relnamespace <> 'pg_toast'::regnamespace UNION ALL
      SELECT oid FROM pg_proc WHERE oid >= 16384 UNION ALL
      SELECT oid FROM pg_type WHERE oid >= 16384 UNION ALL
      SELECT oid FROM pg_namespace WHERE oid >= 16384 AND nspname <> 'public' UNION ALL
      SELECT oid FROM pg_event_trigger UNION ALL SELECT oid FROM pg_publication UNION ALL
      SELECT oid FROM pg_extension WHERE extname <> 'plpgsql' UNION ALL
      SELECT oid FROM pg_largeobject_metadata UNION ALL
      SELECT oid FROM pg_foreign_data_wrapper UNION ALL SELECT oid FROM pg_foreign_server UNION ALL
      SELECT oid FROM pg_cast WHERE oid >= 16384 UNION ALL
      SELECT oid FROM pg_operator WHERE oid >= 16384) o)sql";
  for (int round = 0; round < 2; ++round) {
    execute(kManyTables);
    execute(
        "CREATE TYPE mood AS ENUM ('sad'); CREATE DOMAIN d AS int; CREATE VIEW v AS SELECT 1; "
        "CREATE MATERIALIZED VIEW m AS SELECT 1; CREATE PUBLICATION p; "
        "CREATE FUNCTION f() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'; "
        "CREATE EVENT TRIGGER e ON ddl_command_end EXECUTE FUNCTION f(); "
        "CREATE FUNCTION to_int(mood) RETURNS int LANGUAGE sql AS 'SELECT 1'; "
        "CREATE CAST (mood AS int) WITH FUNCTION to_int(mood); "
        "CREATE OPERATOR !! (RIGHTARG = mood, FUNCTION = to_int);");
    execute(
        "CREATE FOREIGN DATA WRAPPER w; CREATE SERVER s FOREIGN DATA WRAPPER w; "
        "SELECT lo_create(0)");
    execute("BEGIN; INSERT INTO audit VALUES (1); PREPARE TRANSACTION 'left open'");
    EXPECT_NE(execute(kObjects), "0");
    must(database_->wipe());
    EXPECT_EQ(execute(kObjects), "0");
    EXPECT_EQ(execute("SELECT count(*) FROM pg_prepared_xacts WHERE database = current_database()"),
              "0");
  }
}

TEST_F(Postgres, the_public_schema_comes_back) {
  execute("DROP SCHEMA public CASCADE");
  must(database_->wipe());
  EXPECT_EQ(execute("CREATE TABLE t (a int)"), "CREATE TABLE");
  EXPECT_EQ(must(database_->read_catalogue()).at(0).quoted, "\"public\".\"t\"");
}

TEST(PostgresServer, levels_it_offers) {
  EXPECT_TRUE(shared_server().offers(IsolationLevel::read_uncommitted));
  EXPECT_TRUE(shared_server().offers(IsolationLevel::postgres_serializable));
  const auto refused = shared_server().offers(IsolationLevel::causal);
  ASSERT_FALSE(refused);
  EXPECT_EQ(to_string(refused.error()),
            "PostgreSQL has no level causal, use read-committed, snapshot (its repeatable read) or "
            "serializable");
  EXPECT_EQ(shared_server().default_level(), IsolationLevel::postgres_read_committed);
  EXPECT_TRUE(shared_server().is_throwaway());
  EXPECT_THAT(shared_server().description(),
              testing::MatchesRegex(R"(PostgreSQL [0-9.]+ \(throwaway\))"));
}

TEST(PostgresServer, one_address_is_one_server) {
  const auto first = must(open_server({"postgres"}));
  EXPECT_EQ(first.get(), &shared_server());
}

TEST(PostgresServer, addresses_that_cannot_be_used) {
  for (const auto& [address, message] : std::vector<std::pair<std::string, std::string>>{
           {"oracle", "cannot read the address oracle: heddle knows no such store"},
           {"postgres://[::1", "cannot read the address postgres://[::1: "},
           {"host=/nowhere nonsense=1", "invalid connection option"},
           {"postgres://nobody@127.0.0.1:1/", "Connection refused"},
           {"host=/nowhere-at-all", "cannot connect to PostgreSQL: "}}) {
    SCOPED_TRACE(address);
    const auto opened = open_server({address});
    ASSERT_FALSE(opened);
    EXPECT_THAT(to_string(opened.error()), HasSubstr(message));
  }
}

// A given server keeps what is its own and loses what heddle made.
TEST(PostgresServer, databases_on_a_given_server_go_with_their_objects) {
  const auto own = must(ThrowawayPostgres::start({}));
  const auto databases = [&] {
    return ask(own->conninfo(),
               "SELECT string_agg(datname, ',' ORDER BY datname) FROM pg_database "
               "WHERE datname NOT LIKE 'template_'");
  };
  EXPECT_EQ(databases(), "postgres");
  ask(own->conninfo(), "CREATE DATABASE wanted");
  ask(own->conninfo(), "ALTER SYSTEM SET default_transaction_isolation = 'serializable'");
  ask(own->conninfo(), "SELECT pg_reload_conf()");
  ASSERT_TRUE(eventually([&] {
    return ask(own->conninfo(), "SHOW default_transaction_isolation") == "serializable";
  }));
  {
    const auto server = must(open_server({own->conninfo()}));
    EXPECT_THAT(server->description(), HasSubstr("(given)"));
    EXPECT_FALSE(server->is_throwaway());
    EXPECT_EQ(server->default_level(), IsolationLevel::postgres_serializable);
    const auto first = must(server->create_database("wanted"));
    auto second = must(server->create_database(""));
    const Sessions sessions = must(second->open_sessions({{}, {}}));
    (void)must(first->execute("CREATE TABLE t (a int)", 30'000));
    const std::string own_name = "heddle_[0-9a-f]+_[0-9a-f]+,";
    EXPECT_THAT(databases(), testing::MatchesRegex(own_name + own_name + "postgres,wanted"));
    second.reset();
    EXPECT_THAT(databases(), testing::MatchesRegex(own_name + "postgres,wanted"))
        << "although a session was still connected";
  }
  EXPECT_EQ(databases(), "postgres,wanted");
  // A backend is still listed for a moment after its client has gone.
  EXPECT_TRUE(eventually([&] {
    return ask(own->conninfo(),
               "SELECT count(*) FROM pg_stat_activity "
               "WHERE backend_type = 'client backend'") == "1";
  }));
}

TEST(PostgresServer, a_user_who_may_not_create_databases_is_told) {
  const auto own = must(ThrowawayPostgres::start({}));
  ask(own->conninfo(), "CREATE ROLE poor LOGIN");
  const auto server = must(open_server({own->conninfo() + " user=poor"}));
  const auto database = server->create_database("");
  ASSERT_FALSE(database);
  EXPECT_THAT(to_string(database.error()),
              testing::AllOf(HasSubstr("permission denied to create database"),
                             HasSubstr("give a user who may create databases")));
}

}  // namespace
}  // namespace heddle
