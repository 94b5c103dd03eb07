// MySQL statements, read through the rewriter.
#include <gtest/gtest.h>

#include "frontend/sql/statement_rendering.h"

namespace heddle::sql {
namespace {

constexpr StatementCase kMysql[] = {
    {R"sql(SELECT `Balance` FROM `Account` WHERE `id` = ? AND name = "O'Neil \"x\"" # c)sql",
     R"(select returns row-by-row
  table account reads(balance,id,name)
  where "id" = $1 AND name = 'O''Neil "x"' <- id,name
  out balance: "balance" <- balance
)"},
    {"SELECT a FROM t LIMIT 5, 10",
     R"(select returns limited drops-rows row-by-row
  table t reads(a)
  out a: a <- a
)"},
    {"SELECT a FROM t LIMIT ?, ? -- c",
     R"(select returns limited drops-rows row-by-row
  table t reads(a)
  out a: a <- a
)"},
    {"SELECT a FROM t LIMIT 10 OFFSET 5",
     R"(select returns limited drops-rows row-by-row
  table t reads(a)
  out a: a <- a
)"},
    {"SELECT a FROM t USE INDEX (i, j), u FORCE INDEX FOR ORDER BY (k) IGNORE KEY (l) "
     "WHERE x && y || !z AND a <=> b",
     R"(select returns
  table t reads(a,b,x,y,z)
  table u reads(a,b,x,y,z)
  where x AND y OR  ! z AND a IS NOT DISTINCT FROM b <- a,b,x,y,z
  out a: a <- a
)"},
    {"SELECT a DIV 2, b MOD 3, MOD(a, 2), c XOR d FROM t WHERE a REGEXP '^x' AND b NOT "
     "REGEXP 'y' AND c NOT LIKE 'z'",
     R"(select returns row-by-row
  table t reads(a,b,c,d)
  where a ~ '^x' AND b !~ 'y' AND c NOT LIKE 'z' <- a,b,c
  out a / 2 <- a
  out b % 3 <- b
  out mod: MOD(a, 2) <- a
  out c <> d <- c,d
  calls mod
)"},
    {"SELECT * FROM t WHERE id = 1 LOCK IN SHARE MODE",
     R"(select returns row-by-row
  table t reads(*,id) for share
  where id = 1 <- id
  out * <- *
)"},
    {"SELECT * FROM t WHERE id = 1 FOR UPDATE SKIP LOCKED",
     R"(select returns row-by-row
  table t reads(*,id) for update skip locked
  where id = 1 <- id
  out * <- *
)"},
    {"SELECT SQL_NO_CACHE STRAIGHT_JOIN a FROM t STRAIGHT_JOIN u ON t.i = u.i",
     R"(select returns
  table t reads(a,i)
  table u reads(a,i)
  where t.i = u.i <- i
  out a: a <- a
)"},
    {"SELECT 1 FROM DUAL",
     R"(select returns
  out 1
)"},
    {"SELECT IF(a > 1, 'x', 'y'), IFNULL(b, 0), NOW(), UUID(), RAND(), "
     "LAST_INSERT_ID(), CURRENT_TIMESTAMP(), UTC_TIMESTAMP, USER() FROM t",
     R"(select returns row-by-row
  table t reads(a,b)
  out if: IF(a > 1, 'x', 'y') <- a
  out ifnull: IFNULL(b, 0) <- b
  out now: NOW() generated
  out uuid: UUID() generated
  out rand: RAND() generated
  out last_insert_id: LAST_INSERT_ID() generated
  out current_timestamp generated
  out utc_timestamp: utc_timestamp() generated
  out CURRENT_USER
  calls current_timestamp,current_user,if,ifnull,last_insert_id,now,rand,utc_timestamp,uuid
)"},
    {"SELECT GROUP_CONCAT(DISTINCT a ORDER BY b SEPARATOR ', ') AS 'All', COUNT(*) FROM "
     "t GROUP BY c WITH ROLLUP",
     R"(select returns aggregate groups row-by-row
  table t reads(a,b,c)
  out all: GROUP_CONCAT(DISTINCT a ORDER BY b) <- a,b
  out count: COUNT(*) count
  calls count,group_concat
)"},
    {"SELECT * FROM t WHERE at > NOW() - INTERVAL 1 DAY AND DATE_ADD(b, INTERVAL ? HOUR) < c",
     R"(select returns row-by-row
  table t reads(*,at,b,c)
  where at > NOW() - CAST(( 1 ) AS interval) AND DATE_ADD(b, CAST(( $1 ) AS interval)) < c <- at,b,c
  out * <- *
  calls date_add,now
)"},
    {"SELECT TIMESTAMPDIFF(SECOND, a, b), CONVERT(x USING utf8), CONVERT(y, UNSIGNED), "
     "CAST(z AS UNSIGNED INTEGER) FROM t",
     R"(select returns row-by-row
  table t reads(a,b,x,y,z)
  out timestampdiff: TIMESTAMPDIFF('second', a, b) <- a,b
  out convert: CONVERT(x , 'utf8') <- x
  out convert: CONVERT(y, 'unsigned') <- y
  out z: CAST(z AS UNSIGNED) <- z
  calls convert,timestampdiff
)"},
    {"SELECT @a := x, @b, @@autocommit FROM t",
     R"(select returns row-by-row
  table t reads(x)
  out x: x <- x
  out current_setting: current_setting('@b')
  out current_setting: current_setting('@autocommit')
  calls current_setting
)"},
    {"SELECT x INTO @a FROM t WHERE id = 1",
     R"(select row-by-row
  table t reads(id,x)
  where id = 1 <- id
)"},
    {"SET @a = (SELECT MAX(id) FROM t), @b = 1",
     R"(set aggregate
  table t reads(id) may-be-missing
  calls max
)"},
    {"SET autocommit = 0", "set\n"},
    {"SET NAMES utf8mb4", "set\n"},
    {"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
     "set transaction isolation=read committed\n"},
    {"SET GLOBAL TRANSACTION READ ONLY", "set transaction read-only\n"},
    {"SET @@session.transaction_isolation = 'READ-COMMITTED'", "set isolation=read committed\n"},
    {"SET SESSION tx_isolation = 'SERIALIZABLE', autocommit = 1",
     R"(set isolation=serializable
  note SET of several variables
)"},
    {"START TRANSACTION WITH CONSISTENT SNAPSHOT", "begin\n"},
    {"START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY", "begin read-only\n"},
    {"BEGIN WORK", "begin\n"},
    {"COMMIT RELEASE", "commit\n"},
    {"ROLLBACK TO SAVEPOINT x", "rollback to savepoint\n"},
    {"LOCK TABLES t WRITE, u AS x READ",
     R"(lock table
  table t
  table u
)"},
    {"UNLOCK TABLES", "lock table\n"},
    {"CREATE TABLE IF NOT EXISTS `shop`.`item` (`id` int(11) unsigned NOT NULL "
     "AUTO_INCREMENT, name varchar(20) CHARACTER SET utf8 COLLATE utf8_bin DEFAULT NULL "
     "COMMENT 'x', d double, t tinyint(1), e enum('a','b'), at datetime DEFAULT "
     "CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, PRIMARY KEY (id), UNIQUE KEY u "
     "(name(10)), KEY idx (d), CONSTRAINT f FOREIGN KEY (t) REFERENCES x (y)) "
     "ENGINE=InnoDB DEFAULT CHARSET=utf8",
     R"(data definition
  table shop.item writes(*)
)"},
    {"CREATE TABLE a LIKE b",
     R"(data definition
  table a writes(*)
)"},
    {"CREATE TABLE a SELECT x FROM b",
     R"(data definition row-by-row
  table a writes(*)
  table b reads(x)
)"},
    {"ALTER TABLE `a` ADD KEY i (x), MODIFY y int",
     R"(data definition
  table a writes(*)
  note not read further: syntax error at or near "MODIFY"
)"},
    {"DROP TABLE IF EXISTS `a`, b",
     R"(data definition
  table a writes(*)
  table b writes(*)
)"},
    {"CREATE INDEX i ON t (c(10))",
     R"(data definition
  table t writes(*)
)"},
    {"RENAME TABLE a TO b",
     R"(data definition
  table a writes(*)
  note not read further: syntax error at or near "RENAME"
)"},
    {"SHOW TABLES", "set returns\n"},
    {"SHOW CREATE TABLE t", "set returns\n"},
    {"USE shop", "set\n"},
    {"DESCRIBE t", "explain returns\n"},
    {"EXPLAIN FORMAT=JSON SELECT 1", "explain returns\n"},
    {"CALL p(1, @x)",
     R"(call unknown-code
  calls current_setting
  note code that is not in the text
)"},
    {"DO SLEEP(1)",
     R"(select returns
  out sleep: SLEEP(1)
  calls sleep
)"},
    {"XA START 'x'", "begin\n"},
    {"XA COMMIT 'x'", "commit prepared\n"},
    {"SELECT user, u.end, `order` FROM user u WHERE u.offset = 0x1F AND b = _utf8mb4'x' "
     R"sql(AND c = N'y' AND d = 'a\nb\'c')sql",
     R"(select returns row-by-row
  table user as u reads(b,c,d,end,offset,order,user)
  where u.offset = X'1F' AND b = 'x' AND c = N'y' AND d = 'a
b''c' <- b,c,d,offset
  out user: "user" <- user
  out end: u.end <- end
  out order: "order" <- order
)"},
    {"SELECT a--1, b FROM t WHERE c = {ts '2020-01-01 00:00:00'} /*!40001 AND d = 1 */ "
     "/* AND e = 1 */",
     R"(select returns row-by-row
  table t reads(a,b,c,d)
  where c = '2020-01-01 00:00:00' AND d = 1 <- c,d
  out a- -1 <- a
  out b: b <- b
)"},
    {"SELECT MATCH(a, b) AGAINST ('x' IN BOOLEAN MODE) FROM t",
     R"(select returns row-by-row
  table t reads(a,b)
  out MATCH(a, b) = ('x') <- a,b
  calls match
)"},
    {"SELECT a FROM t INNER JOIN u WHERE t.x = u.x",
     R"(select returns
  table t reads(a,x)
  table u reads(a,x)
  where t.x = u.x <- x
  out a: a <- a
)"},
    {"SELECT a FROM t PARTITION (p0) WHERE x = BINARY 'a'",
     R"(select returns row-by-row
  table t reads(a,x)
  where x = 'a' <- x
  out a: a <- a
)"},
    {"SELECT id FROM q WHERE s = 'new' ORDER BY id LIMIT 1 FOR UPDATE",
     R"(select returns ordered limited row-by-row
  table q reads(id,s) for update
  where s = 'new' <- s
  out id: id <- id
)"},
    {"SELECT * FROM t WHERE id IN (?, ?, ?) AND x BETWEEN ? AND ?",
     R"(select returns row-by-row
  table t reads(*,id,x)
  where id IN ($1, $2, $3) AND x BETWEEN $4 AND $5 <- id,x
  out * <- *
)"},
    {"TRUNCATE TABLE t",
     R"(truncate
  table t writes(*)
)"},
    {"LOAD DATA INFILE 'x' INTO TABLE db.t",
     R"(copy
  table db.t writes(*)
  note not read further: syntax error at or near "DATA"
)"},
    {"CREATE TRIGGER x BEFORE INSERT ON t FOR EACH ROW BEGIN SET NEW.a = 1; IF NEW.b "
     "THEN SET NEW.b = 2; END IF; END; SELECT 2",
     R"(data definition
  table t writes(*)
  note not read further: syntax error at or near "BEGIN"
select returns
  out 2
)"},
    {"SELECT FROM WHERE",
     R"(1:13: syntax error at or near "WHERE"
)"},
    {"INSERT INTO t VALUES (1,", "1:24: syntax error at end of input\n"},
    {"GRANT ALL ON *.* TO 'x'@'y'",
     R"(data definition
  note not read further: syntax error at or near "*"
)"},
};

TEST(Mysql, Statements) {
  for (const StatementCase& one : kMysql) {
    EXPECT_EQ(render_sql(one.sql, Dialect::mysql), one.expected) << one.sql;
  }
}

}  // namespace
}  // namespace heddle::sql
