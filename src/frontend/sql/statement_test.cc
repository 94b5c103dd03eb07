// Statements without a query: kinds, transactions, definitions.
#include <gtest/gtest.h>

#include "frontend/sql/statement_rendering.h"

namespace heddle::sql {
namespace {

constexpr StatementCase kStatements[] = {
    {"SELECT a INTO z FROM t WHERE q = 1",
     R"(data definition row-by-row
  table t reads(a,q)
  table z writes(*)
  where q = 1 <- q
)"},
    {"CREATE TABLE z AS SELECT a FROM t",
     R"(data definition row-by-row
  table z writes(*)
  table t reads(a)
)"},
    {"BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY, NOT DEFERRABLE",
     "begin isolation=repeatable read read-only not-deferrable\n"},
    {"START TRANSACTION READ WRITE", "begin read-write\n"},
    {"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE, DEFERRABLE",
     "set transaction isolation=serializable deferrable\n"},
    {"SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE", "set transaction read-write\n"},
    {"SET default_transaction_isolation = 'repeatable read'", "set isolation=repeatable read\n"},
    {"SET LOCAL transaction_isolation TO 'read-committed'", "set isolation=read committed\n"},
    {"COMMIT AND CHAIN",
     R"(commit
  note AND CHAIN: the next transaction begins at once
)"},
    {"EXPLAIN SELECT a FROM t", "explain returns\n"},
    {"EXPLAIN ANALYZE UPDATE t SET a = 1",
     R"(explain returns row-by-row
  table t reads() writes(a)
  set t.a = 1
)"},
    {"DECLARE c CURSOR FOR SELECT a FROM t WHERE b = 1",
     R"(cursor row-by-row
  table t reads(a,b)
  where b = 1 <- b
)"},
    {"PREPARE p AS SELECT 1", "prepare\n"},
    {"EXECUTE p(1)",
     R"(prepare returns unknown-code
  note code that is not in the text
)"},
    {"CALL p((SELECT 1 FROM t))",
     R"(call unknown-code
  table t reads() may-be-missing
  note code that is not in the text
)"},
    {"DROP TABLE a, s.b",
     R"(data definition
  table a writes(*)
  table s.b writes(*)
)"},
    {"ALTER TABLE a ADD COLUMN x int",
     R"(data definition
  table a writes(*)
)"},
    {"CREATE ROLE x", "cluster definition\n"},
    {"VACUUM a",
     R"(maintenance
  table a
)"},
    {"NOTIFY x", "notify\n"},
    {"DO $$ BEGIN NULL; END $$",
     R"(call unknown-code
  note code that is not in the text
)"},
    {"CREATE TABLE t (id serial PRIMARY KEY, x int REFERENCES u (id))",
     R"(data definition
  table t writes(*)
)"},
    {"CREATE VIEW v AS SELECT * FROM t",
     R"(data definition
  table v writes(*)
)"},
    {"CREATE UNIQUE INDEX i ON s.t (a)",
     R"(data definition
  table s.t writes(*)
)"},
    {"CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT 1; SELECT 2; END",
     "data definition\n"},
    {"CREATE SEQUENCE s",
     R"(data definition
  table s writes(*)
)"},
    {"CREATE TYPE mood AS ENUM ('sad', 'ok')", "data definition\n"},
    {"CREATE TRIGGER g BEFORE INSERT ON t EXECUTE FUNCTION f()",
     R"(data definition
  table t writes(*)
)"},
    {"CREATE RULE r AS ON INSERT TO t DO ALSO (INSERT INTO u VALUES (1); SELECT 2)",
     R"(data definition
  table t writes(*)
)"},
    {"CREATE MATERIALIZED VIEW v AS SELECT a FROM t",
     R"(data definition row-by-row
  table v writes(*)
  table t reads(a)
)"},
    {"CREATE DATABASE d", "cluster definition\n"},
    {"CREATE EXTENSION pageinspect", "data definition\n"},
    {"REFRESH MATERIALIZED VIEW v",
     R"(data definition unknown-code
  table v writes(*)
  note REFRESH MATERIALIZED VIEW
)"},
    {"DROP INDEX i", "data definition\n"},
    {"DROP SCHEMA s CASCADE", "data definition\n"},
    {"ALTER SYSTEM SET work_mem = '1MB'", "cluster definition\n"},
    {"ALTER TABLE t RENAME COLUMN a TO b",
     R"(data definition
  table t writes(*)
)"},
    {"COMMENT ON TABLE t IS 'x'", "data definition\n"},
    {"GRANT SELECT ON t TO x", "data definition\n"},
    {"ANALYZE t (a)",
     R"(maintenance
  table t
)"},
    {"REINDEX TABLE t",
     R"(maintenance
  table t
)"},
    {"CLUSTER t",
     R"(maintenance
  table t
)"},
    {"CHECKPOINT", "maintenance\n"},
    {"SHOW transaction_isolation", "set returns\n"},
    {"RESET ALL", "set\n"},
    {"DISCARD ALL", "set\n"},
    {"SET CONSTRAINTS ALL DEFERRED", "set\n"},
    {"SET search_path = a, b", "set\n"},
    {"SET transaction_read_only = on", "set read-only\n"},
    {"SET TRANSACTION SNAPSHOT 'x'", "set transaction\n"},
    {"BEGIN", "begin\n"},
    {"BEGIN; COMMIT",
     R"(begin
commit
)"},
    {"BEGIN TRANSACTION ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE",
     "begin isolation=serializable read-only deferrable\n"},
    {"END", "commit\n"},
    {"ABORT", "rollback\n"},
    {"ROLLBACK", "rollback\n"},
    {"SAVEPOINT a", "savepoint\n"},
    {"RELEASE a", "release savepoint\n"},
    {"ROLLBACK TO a", "rollback to savepoint\n"},
    {"PREPARE TRANSACTION 'x'", "prepare transaction\n"},
    {"COMMIT PREPARED 'x'", "commit prepared\n"},
    {"ROLLBACK PREPARED 'x'", "rollback prepared\n"},
    {"LISTEN a", "notify\n"},
    {"UNLISTEN *", "notify\n"},
    {"FETCH 2 FROM c", "cursor returns\n"},
    {"MOVE c", "cursor\n"},
    {"CLOSE c", "cursor\n"},
    {"DEALLOCATE ALL", "prepare\n"},
    {"EXPLAIN (ANALYZE false) DELETE FROM t", "explain returns\n"},
    {"EXPLAIN (COSTS off, ANALYZE) DELETE FROM t WHERE a = 1",
     R"(explain returns row-by-row
  table t reads(a) writes(*)
  where a = 1 <- a
)"},
    {"LOAD 'x'",
     R"(other unknown-code
  note statement LoadStmt
)"},
};

TEST(StatementKind, AndWhatItTouches) {
  for (const StatementCase& one : kStatements) {
    EXPECT_EQ(render_sql(one.sql, Dialect::postgres), one.expected) << one.sql;
  }
}

}  // namespace
}  // namespace heddle::sql
