// rewrite_mysql: MySQL's text on the left, PostgreSQL's on the right.
#include <gtest/gtest.h>

#include "frontend/sql/statement_rendering.h"

namespace heddle::sql {
namespace {

constexpr StatementCase kRewrites[] = {
    {R"sql(SELECT `Na``me` FROM `T` WHERE a = "q""x" AND b = 'a\'b\\c\n')sql",
     R"sql(SELECT "na`me" FROM "t" WHERE a = 'q"x' AND b = 'a''b\c
')sql"},
    {"SELECT a FROM t WHERE b = ? AND c = ? LIMIT ?, ?",
     "SELECT a FROM t WHERE b = $1 AND c = $2 LIMIT $4 OFFSET $3"},
    {"INSERT INTO t VALUES (?, ?); SELECT ?",
     R"sql(INSERT INTO t VALUES ($1, $2);
SELECT $1)sql"},
    {"SELECT 1 # one", "SELECT 1"},
    {"SELECT a /* x */ , b -- y", "SELECT a , b"},
    {"SELECT /*! SQL_NO_CACHE */ a /*!50110 , b */ FROM t", "SELECT a , b FROM t"},
    {"SELECT /*+ NO_INDEX(t) */ a FROM t", "SELECT a FROM t"},
    {"SELECT a--1, b - -1, c-- 2", "SELECT a- -1, b - -1, c"},
    {"SELECT a && b || !c, a <=> b, a XOR b, a DIV b, a MOD b, a REGEXP b, a NOT RLIKE b, a SOUNDS "
     "LIKE b",
     "SELECT a AND b OR  ! c, a IS NOT DISTINCT FROM b, a <> b, a / b, a % b, a ~ b, a !~ b, a "
     "LIKE b"},
    {"SELECT 0x1F, x'1F', 0b01, b'01', N'x', _utf8mb4'x', 1e-3, .5",
     "SELECT X'1F', x'1F', B'01', b'01', N'x', 'x', 1e-3, .5"},
    {"SELECT 2fa_code FROM t", R"sql(SELECT "2fa_code" FROM t)sql"},
    {"SELECT * FROM a FORCE INDEX (x) JOIN b USE KEY FOR JOIN (y, z) ON a.i = b.i",
     "SELECT * FROM a JOIN b ON a.i = b.i"},
    {"SELECT a FROM t PARTITION (p0, p1)", "SELECT a FROM t"},
    {"SELECT a FROM t LOCK IN SHARE MODE", "SELECT a FROM t FOR SHARE"},
    {"SELECT a FROM t WHERE b > NOW() - INTERVAL 7 DAY AND c < DATE_SUB(d, INTERVAL (? + 1) "
     "MINUTE)",
     "SELECT a FROM t WHERE b > NOW() - CAST(( 7 ) AS interval) AND c < DATE_SUB(d, CAST(( ($1 + "
     "1) ) AS interval))"},
    {"SELECT CONVERT(a USING utf8), CONVERT(a, DECIMAL(10, 2)), CAST(a AS SIGNED INTEGER)",
     "SELECT CONVERT(a , 'utf8'), CONVERT(a, 'decimal'), CAST(a AS SIGNED)"},
    {"SELECT TIMESTAMPDIFF(DAY, a, b), TIMESTAMP(a), CHAR(65), TIME(b), DATE(c)",
     R"sql(SELECT TIMESTAMPDIFF('day', a, b), "timestamp"(a), "char"(65), "time"(b), DATE(c))sql"},
    {"SELECT GROUP_CONCAT(a SEPARATOR '-') AS 'A B' FROM t",
     R"sql(SELECT GROUP_CONCAT(a) AS "a b" FROM t)sql"},
    {"SELECT USER(), CURRENT_USER(), CURRENT_DATE(), NOW(6), UTC_TIMESTAMP",
     "SELECT CURRENT_USER, current_user, current_date, NOW(6), utc_timestamp()"},
    {"SELECT user.offset, offset FROM user LIMIT 1 OFFSET 2",
     R"sql(SELECT "user".offset, "offset" FROM "user" LIMIT 1 OFFSET 2)sql"},
    {"SELECT @a, @@session.x, @`b c`, @x := @x + 1",
     "SELECT current_setting('@a'), current_setting('@session.x'), current_setting('@b c'), "
     "current_setting('@x') + 1"},
    {"SELECT a, b INTO @x, @y FROM t", "SELECT a, b FROM t"},
    {"SELECT a FROM t JOIN u JOIN v ON u.i = v.i, w CROSS JOIN x ON x.i = w.i",
     "SELECT a FROM t CROSS JOIN u JOIN v ON u.i = v.i, w JOIN x ON x.i = w.i"},
    {"SELECT {d '2000-01-01'}, {fn NOW()}", "SELECT '2000-01-01', NOW()"},
    {"SELECT a FROM t GROUP BY b WITH ROLLUP", "SELECT a FROM t GROUP BY b"},
    {"INSERT LOW_PRIORITY IGNORE INTO t VALUE (1)",
     "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING"},
    {"INSERT INTO db.t SET a = 1, t.b = 2 + 3 ON DUPLICATE KEY UPDATE a = VALUES(a) + 1, b = "
     "VALUES(`b`)",
     R"sql(INSERT INTO db.t (a, b) VALUES ( 1, 2 + 3) ON CONFLICT DO UPDATE SET a = excluded.a + 1, b = excluded."b")sql"},
    {"INSERT INTO t VALUES (1) AS n (m) ON DUPLICATE KEY UPDATE a = n.m",
     "INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = excluded.m"},
    {"INSERT IGNORE INTO t VALUES (1) RETURNING a",
     "INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING RETURNING a"},
    {"REPLACE INTO t SET a = 1", "INSERT INTO t (a) VALUES ( 1) ON CONFLICT DO NOTHING"},
    {"UPDATE LOW_PRIORITY t SET a = 1 ORDER BY b LIMIT 2", "UPDATE t SET a = 1"},
    {"UPDATE a x, b y SET x.i = y.i WHERE x.k = y.k",
     "UPDATE a SET x.i = y.i FROM a x, b y WHERE x.k = y.k"},
    {"UPDATE (a JOIN b ON a.i = b.i) SET a.k = 1",
     "UPDATE a SET a.k = 1 FROM (a JOIN b ON a.i = b.i)"},
    {"DELETE QUICK FROM t LIMIT 1", "DELETE FROM t"},
    {"DELETE x, y FROM a AS x INNER JOIN b AS y ON x.i = y.i",
     "DELETE FROM x USING a AS x INNER JOIN b AS y ON x.i = y.i"},
    {"LOCK TABLES a READ LOCAL, b AS c LOW_PRIORITY WRITE", "LOCK TABLE a, b"},
    {"COMMIT AND NO CHAIN NO RELEASE", "COMMIT AND NO CHAIN"},
    {"SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ",
     "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ"},
    {"SET @@global.x = 1", "SET x = 1"},
    {"SET @a = 1, @b := (SELECT c FROM t)", "SELECT 1, (SELECT c FROM t)"},
    {"CREATE TABLE t (id INT(11) UNSIGNED AUTO_INCREMENT, e ENUM('a', 'b') NOT NULL COMMENT 'x', "
     "KEY k (id), PRIMARY KEY (id)) ENGINE=InnoDB",
     "CREATE TABLE t (id integer, e text NOT NULL, PRIMARY KEY (id))"},
    {"CREATE TABLE t (a VARCHAR(10), UNIQUE KEY u (a(5)), FULLTEXT KEY f (a))",
     "CREATE TABLE t (a VARCHAR(10), UNIQUE (a))"},
    {"CREATE TEMPORARY TABLE t LIKE u", "CREATE TEMPORARY TABLE t (LIKE u )"},
    {"CREATE TABLE t (a INT) SELECT a FROM u", "CREATE TABLE t AS SELECT a FROM u"},
    {"EXPLAIN EXTENDED SELECT 1", "EXPLAIN SELECT 1"},
    {"SELECT 'a' 'b', c.div, `div` FROM c", R"sql(SELECT 'ab', c.div, "div" FROM c)sql"},
    {"SELECT ';'; SELECT 2;",
     R"sql(SELECT ';';
SELECT 2)sql"},
    {"SELECT a FROM t JOIN u JOIN v ON 1 ON 2 WHERE x = 'a' 'b'",
     "SELECT a FROM t JOIN u JOIN v ON 1 ON 2 WHERE x = 'ab'"},
    {"SELECT a FROM t INNER JOIN u WHERE t.i = u.i",
     "SELECT a FROM t CROSS JOIN u WHERE t.i = u.i"},
    {"SELECT FROM WHERE", "SELECT FROM WHERE"},
    {"SELECT 'open", "SELECT 'open"},
    {"SELECT `open", R"sql(SELECT "open")sql"},
};

TEST(MysqlRewrite, Texts) {
  for (const StatementCase& one : kRewrites) {
    EXPECT_EQ(rewrite_mysql(one.sql), one.expected) << one.sql;
  }
}

// Text that both dialects share stays as it is.
TEST(MysqlRewrite, LeavesCommonTextAlone) {
  constexpr std::string_view kTexts[] = {
      "SELECT a,\n       b\n  FROM t\n WHERE a = 'x' AND b IN (1, 2)",
      "UPDATE account SET balance = balance - 10 WHERE id = 1",
      "INSERT INTO t (a, b) VALUES (1, 'it''s')",
      "DELETE FROM t WHERE a = 1",
      "SELECT a FROM t ORDER BY b LIMIT 10 OFFSET 5",
      "SELECT count(*) FROM a LEFT JOIN b ON a.id = b.id GROUP BY a.x HAVING count(*) > 1",
      "START TRANSACTION READ ONLY",
      "COMMIT",
      "SELECT a FROM t WHERE b = 1 FOR UPDATE",
  };
  for (std::string_view text : kTexts) EXPECT_EQ(rewrite_mysql(text), text);
}

}  // namespace
}  // namespace heddle::sql
