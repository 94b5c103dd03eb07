// SQLite's statements, read through the rewriter.
#include <gtest/gtest.h>

#include "frontend/sql/statement_rendering.h"

namespace heddle::sql {
namespace {

constexpr StatementCase kSqlite[] = {
    {R"sql(SELECT [Balance], `x y`, "Name" FROM "Account" WHERE id == ?1 -- c)sql",
     R"(select returns row-by-row
  table account reads(balance,id,name,x y)
  where id = $1 <- id
  out balance: "balance" <- balance
  out x y: "x y" <- x y
  out name: "name" <- name
)"},
    {"SELECT a FROM t WHERE b IS NOT 3 AND c IS :c",
     R"(select returns row-by-row
  table t reads(a,b,c)
  where b IS DISTINCT FROM 3 AND c IS NOT DISTINCT FROM $1 <- b,c
  out a: a <- a
)"},
    {"SELECT a FROM t WHERE d IS NOT NULL AND e NOT NULL",
     R"(select returns row-by-row
  table t reads(a,d,e)
  where d IS NOT NULL AND e IS NOT NULL <- d,e
  out a: a <- a
)"},
    {R"sql(SELECT user, t."offset", offset FROM t LIMIT 5, 10)sql",
     R"(select returns limited drops-rows row-by-row
  table t reads(offset,user)
  out user: "user" <- user
  out offset: t."offset" <- offset
  out offset: "offset" <- offset
)"},
    {"SELECT a FROM t WHERE name GLOB 'a*' AND x NOT GLOB 'b'",
     R"(select returns row-by-row
  table t reads(a,name,x)
  where name ~ 'a*' AND x !~ 'b' <- name,x
  out a: a <- a
)"},
    {"SELECT a FROM t LIMIT 10 OFFSET 5",
     R"(select returns limited drops-rows row-by-row
  table t reads(a)
  out a: a <- a
)"},
    {"SELECT a FROM t INDEXED BY i WHERE a IN u AND b NOT IN main.v AND c IN (1, 2)",
     R"(select returns
  table t reads(a,b,c)
  table u reads(*) may-be-missing
  table v reads(*) may-be-missing
  where a IN (SELECT * FROM u) AND b NOT IN (SELECT * FROM main.v) AND c IN (1, 2) <- *,a,b,c
  out a: a <- a
)"},
    {"SELECT a FROM t JOIN u WHERE t.i = u.i",
     R"(select returns
  table t reads(a,i)
  table u reads(a,i)
  where t.i = u.i <- i
  out a: a <- a
)"},
    {"SELECT a || 'x', b ->> '$.k', x'0f', 0x1F, CAST(a AS INTEGER), iif(a, 1, 2), "
     "last_insert_rowid() FROM t NOT INDEXED",
     R"(select returns row-by-row
  table t reads(a,b)
  out a || 'x' <- a
  out b ->> '$.k' <- b
  out x'0f'
  out X'1F'
  out a: CAST(a AS INTEGER) <- a
  out iif: iif(a, 1, 2) <- a
  out last_insert_rowid: last_insert_rowid() generated
  calls iif,last_insert_rowid
)"},
    {"SELECT datetime('now'), strftime('%s', 'now', '+1 day'), unixepoch(), date(a), "
     "time(a), strftime('%Y', a), random() FROM t",
     R"(select returns row-by-row
  table t reads(a)
  out now: now() generated
  out now: now() generated
  out now: now() generated
  out date: date(a) <- a
  out time: "time"(a) <- a
  out strftime: strftime('%Y', a) <- a
  out random: random() generated
  calls date,now,random,strftime,time
)"},
    {"BEGIN DEFERRED; BEGIN IMMEDIATE TRANSACTION; BEGIN EXCLUSIVE; END; END TRANSACTION; "
     "COMMIT; ROLLBACK TRANSACTION TO SAVEPOINT a; RELEASE a",
     R"(begin
begin
begin
commit
commit
commit
rollback to savepoint
release savepoint
)"},
    {"INSERT OR REPLACE INTO t (a, b) VALUES (1, 'x')",
     R"(insert on-conflict
  table t reads(*) writes(*)
  set t.a = 1
  set t.b = 'x'
  note REPLACE
)"},
    {"INSERT OR IGNORE INTO t VALUES (1, datetime('now')) RETURNING a",
     R"(insert returns on-conflict
  table t reads(*,a) writes(*)
  set t.#0 = 1
  set t.#1 = now() generated
  out a: a <- a
  calls now
)"},
    {"INSERT OR ABORT INTO t VALUES (1)",
     R"(insert
  table t writes(*)
  set t.#0 = 1
)"},
    {"REPLACE INTO t SELECT a, b FROM u",
     R"(insert on-conflict row-by-row
  table t reads(*) writes(*)
  table u reads(a,b)
  set t.#0 = a <- a
  set t.#1 = b <- b
  note REPLACE
)"},
    {"INSERT INTO t (a, b) VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = excluded.b "
     "WHERE b < 3",
     R"(insert on-conflict
  table t reads(a,b) writes(a,b)
  set t.a = 1
  set t.b = 2
  set t.b = excluded.b
)"},
    {"INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO NOTHING ON CONFLICT (b) DO UPDATE "
     "SET b = 2",
     R"(insert unknown-code
  table t reads(*) writes(*)
  note not read further: syntax error at or near "ON"
)"},
    {"UPDATE OR IGNORE t SET a = a + 1, b = 'x' WHERE id = 1 RETURNING a",
     R"(update returns row-by-row
  table t reads(a,id) writes(a,b)
  where id = 1 <- id
  set t.a = a + 1 <- a
  set t.b = 'x'
  out a: a <- a
)"},
    {"UPDATE t SET a = u.b FROM u WHERE u.id = t.id",
     R"(update
  table t reads(id) writes(a)
  table u reads(b,id)
  where u.id = t.id <- id
  set t.a = u.b <- b
)"},
    {"UPDATE t SET a = 1 ORDER BY id LIMIT 1",
     R"(update ordered limited row-by-row
  table t reads() writes(a)
  set t.a = 1
  note ORDER BY or LIMIT of an UPDATE or DELETE
)"},
    {"DELETE FROM t WHERE id = 1 RETURNING *",
     R"(delete returns row-by-row
  table t reads(*,id) writes(*)
  where id = 1 <- id
  out * <- *
)"},
    {"DELETE FROM t ORDER BY a LIMIT 2",
     R"(delete ordered limited row-by-row
  table t reads() writes(*)
  note ORDER BY or LIMIT of an UPDATE or DELETE
)"},
    {"CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT NOT NULL "
     "UNIQUE ON CONFLICT REPLACE, b) WITHOUT ROWID, STRICT",
     R"text(data definition
  table t reads(*) writes(*)
  note not read further: syntax error at or near ")"
)text"},
    {"CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT NOT NULL)",
     R"(data definition
  table t writes(*)
)"},
    {"CREATE TABLE c AS SELECT * FROM t",
     R"(data definition row-by-row
  table c writes(*)
  table t reads(*)
)"},
    {"CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE u SET a = CASE WHEN 1 THEN 2 END; "
     "DELETE FROM v; END; SELECT 1",
     R"(data definition
  table t reads(*) writes(*)
  table u reads(*) writes(*)
  table v reads(*) writes(*)
  note not read further: syntax error at or near "BEGIN"
select returns
  out 1
)"},
    {"CREATE VIRTUAL TABLE f USING fts5(a)",
     R"(data definition
  table f reads(*) writes(*)
  note not read further: syntax error at or near "VIRTUAL"
)"},
    {"PRAGMA foreign_keys = ON; PRAGMA table_info(t)",
     R"(set returns
set returns
)"},
    {"VACUUM; ANALYZE; REINDEX t; ATTACH ':memory:' AS m; DETACH m; EXPLAIN QUERY PLAN "
     "SELECT * FROM t",
     R"(maintenance
maintenance
maintenance
other unknown-code
  note not read further: syntax error at or near "ATTACH"
other unknown-code
  note not read further: syntax error at or near "DETACH"
explain returns
)"},
    {"ALTER TABLE t RENAME TO u; DROP TABLE IF EXISTS t; DROP INDEX i; CREATE UNIQUE INDEX "
     "i ON t (a COLLATE NOCASE) WHERE b NOT NULL",
     R"(data definition
  table t writes(*)
data definition
  table t writes(*)
data definition
data definition
  table t reads(*) writes(*)
  note not read further: syntax error at or near "NOT"
)"},
    {"WITH RECURSIVE c(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM c WHERE n < 3) SELECT "
     "n, count(*) FROM c",
     R"(select returns aggregate one-row
  out n: n <- n
  out count: count(*) count
  calls count
)"},
    {"SELECT * FROM t WHERE ((((",
     R"(select returns unknown-code
  table t reads(*)
  note not read further: syntax error at end of input
)"},
    {"SELECT value FROM json_each('[1,2]') WHERE value > 1",
     R"(select returns drops-rows
  where value > 1 <- value
  out value: value <- value
  calls json_each
)"},
    {"SELECT total(a), group_concat(b, ','), max(a, b), typeof(a) FROM t GROUP BY c HAVING "
     "count(*) > 1",
     R"(select returns aggregate groups drops-rows row-by-row
  table t reads(a,b,c)
  out total: total(a) <- a
  out group_concat: group_concat(b, ',') <- b
  out max: max(a, b) <- a,b
  out typeof: typeof(a) <- a
  calls count,group_concat,max,total,typeof
)"},
    {"SELECT * FROM T AS x LEFT JOIN u USING (id) NATURAL JOIN v, w",
     R"(select returns
  table t as x reads(*,id)
  table u reads(*,id) may-be-missing joined-by(x.id = u.id)
  table v reads(*)
  table w reads(*)
  where x.id = u.id <- id
  filter 
  out * <- *
  note NATURAL JOIN
)"},
    {"SELECT a AS 'the a' FROM t; garbage here",
     R"(select returns row-by-row
  table t reads(a)
  out the a: a <- a
other unknown-code
  note not read further: syntax error at or near "garbage"
)"},
    {"SELECT count(*) > 1 AS may_leave FROM doctor WHERE on_call",
     R"(select returns aggregate one-row row-by-row
  table doctor reads(on_call)
  where on_call <- on_call
  out may_leave: count(*) > 1
  calls count
)"},
    {"SELECT a FROM t WHERE a MATCH 'x' AND match(a, b) AND b REGEXP 'x'",
     R"(select returns row-by-row
  table t reads(a,b)
  where a ~ 'x' AND match(a, b) AND b ~ 'x' <- a,b
  out a: a <- a
  calls match
)"},
};

TEST(Sqlite, Statements) {
  for (const StatementCase& one : kSqlite) {
    EXPECT_EQ(render_sql(one.sql, Dialect::sqlite), one.expected) << one.sql;
  }
}

TEST(Sqlite, nothing_is_an_error) {
  for (const char* text : {"'",
                           "\"x",
                           "[x",
                           "x'0",
                           "((((",
                           "))",
                           "SELECT",
                           "WITH",
                           "WITH x",
                           "/*",
                           "INSERT",
                           "INSERT OR",
                           "CREATE",
                           "IS NOT",
                           "x IN",
                           "?",
                           "$",
                           "0x",
                           ";;",
                           "CREATE TRIGGER t BEGIN SELECT 1;",
                           "UPDATE t SET",
                           "LIMIT 1,"}) {
    EXPECT_TRUE(parse_statements(text, Dialect::sqlite)) << text;
  }
}

TEST(Sqlite, a_statement_nested_too_deeply_is_not_read_further) {
  const std::string deep(20'000, '(');
  const auto statements = parse_statements("SELECT * FROM t WHERE " + deep, Dialect::sqlite);
  ASSERT_TRUE(statements);
  EXPECT_EQ((*statements)[0].tables.at(0).table, "t");
  EXPECT_TRUE((*statements)[0].calls_unknown_function);
}

}  // namespace
}  // namespace heddle::sql
