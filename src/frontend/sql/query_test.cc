// SELECT, VALUES, set operations: what they read, lock and return.
#include <gtest/gtest.h>

#include "frontend/sql/statement_rendering.h"

namespace heddle::sql {
namespace {

constexpr StatementCase kQueries[] = {
    {"SELECT balance FROM account WHERE id = 1",
     R"(select returns row-by-row
  table account reads(balance,id)
  where id = 1 <- id
  out balance: balance <- balance
)"},
    {"SELECT * FROM account",
     R"(select returns row-by-row
  table account reads(*)
  out * <- *
)"},
    {"SELECT a.balance AS b, count(*), 'x' FROM account a WHERE (a.id = 1 AND note = "
     "'WHERE') OR a.x IN (1,2) ORDER BY b LIMIT 3",
     R"(select returns ordered limited aggregate one-row row-by-row
  table account as a reads(balance,id,note,x)
  where (a.id = 1 AND note = 'WHERE') OR a.x IN (1,2) <- id,note,x
  out b: a.balance <- balance
  out count: count(*) count
  out 'x'
  calls count
)"},
    {"SELECT count(*)::int n, sum(x)+1, now() FROM t GROUP BY y HAVING count(z) > 1",
     R"(select returns aggregate groups drops-rows row-by-row
  table t reads(x,y,z)
  out n: count(*)::int count
  out sum(x)+1 <- x
  out now: now() generated
  calls count,now,sum
)"},
    {"SELECT o.id, c.name FROM orders o JOIN customer c ON o.customer_id = c.id WHERE "
     "o.total > 10",
     R"(select returns
  table orders as o reads(customer_id,id,total)
  table customer as c reads(id,name)
  where (o.customer_id = c.id) AND (o.total > 10) <- customer_id,id,total
  out id: o.id <- id
  out name: c.name <- name
)"},
    {"SELECT * FROM a LEFT JOIN b USING (id) WHERE left(a.x, 2) = 'q' FOR UPDATE OF a "
     "SKIP LOCKED",
     R"(select returns
  table a reads(*,id,x) for update skip locked
  table b reads(*,id) may-be-missing joined-by(a.id = b.id)
  where (a.id = b.id) AND (left(a.x, 2) = 'q') <- id,x
  filter left(a.x, 2) = 'q'
  out * <- *
  calls left
)"},
    {"SELECT * FROM a, b, c WHERE a.x = b.y FOR SHARE",
     R"(select returns
  table a reads(*,x) for share
  table b reads(*,y) for share
  table c reads(*) for share
  where a.x = b.y <- x,y
  out * <- *
)"},
    {"SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id)",
     R"(select returns
  table a reads(*,id)
  table b reads(a_id) may-be-missing joined-by(b.a_id = a.id)
  where EXISTS (SELECT 1 FROM b WHERE b.a_id = a.id) <- a_id,id
  out * <- *
)"},
    {"SELECT * FROM orders WHERE customer_id IN (SELECT id FROM customer WHERE region = 'x')",
     R"(select returns
  table orders reads(*,customer_id,id,region)
  table customer reads(id,region) may-be-missing joined-by(region = 'x')
  where customer_id IN (SELECT id FROM customer WHERE region = 'x') <- customer_id,id,region
  out * <- *
)"},
    {"SELECT s.x, s.n FROM (SELECT id AS x, now() AS n FROM t WHERE p > 2) s WHERE s.x "
     "= 1 FOR UPDATE",
     R"(select returns
  table t reads(id,p) for update may-be-missing joined-by(p > 2)
  where s.x = 1 <- id
  out x: s.x <- id
  out n: s.n generated
  calls now
)"},
    {"WITH big AS (SELECT id, total FROM orders WHERE total > 10) SELECT id FROM big "
     "WHERE total < 20",
     R"(select returns drops-rows
  table orders reads(id,total) may-be-missing joined-by(total > 10)
  where total < 20 <- total
  out id: id <- id
)"},
    {"WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) "
     "SELECT n FROM r",
     R"(select returns drops-rows
  out n: n <- n
)"},
    {"SELECT my_func(x) FROM t",
     R"(select returns row-by-row unknown-code
  table t reads(x)
  out my_func: my_func(x) <- x
  calls my_func
)"},
    {"SELECT pg_advisory_xact_lock(1), lower(x) FROM t",
     R"(select returns row-by-row
  table t reads(x)
  out pg_advisory_xact_lock: pg_advisory_xact_lock(1)
  out lower: lower(x) <- x
  calls lower,pg_advisory_xact_lock
)"},
    {"SELECT 'now'::timestamp, '1'::int, xmin FROM t",
     R"(select returns row-by-row
  table t reads(xmin)
  out timestamp: 'now'::timestamp generated
  out int4: '1'::int
  out xmin: xmin <- xmin generated
)"},
    {"SELECT DISTINCT a FROM t UNION SELECT b FROM u ORDER BY 1",
     R"(select returns ordered aggregate groups
  table t reads(a) may-be-missing
  table u reads(b) may-be-missing
  out a: a <- a,b
)"},
    {"SELECT g FROM generate_series(1, 3) AS g",
     R"(select returns drops-rows
  out g: g
  calls generate_series
)"},
    {"SELECT t FROM t",
     R"(select returns row-by-row
  table t reads(*)
  out t: t <- *,t
)"},
    {"SELECT a FROM t1, t2 WHERE t1.x = nosuch.y",
     R"(select returns
  table t1 reads(a,x,y)
  table t2 reads(a,y)
  where t1.x = nosuch.y <- x,y
  out a: a <- a
  note column of unknown table nosuch.y
)"},
    {"TABLE t",
     R"(select returns row-by-row
  table t reads(*)
  out * <- *
)"},
    {"VALUES (1, a), (2, b)",
     R"(select returns
  out column1: 1
  out column2: a <- a,b
)"},
    {R"sql(SELECT CASE WHEN a IS DISTINCT FROM b THEN 1 ELSE 2 END "Q", (SELECT x FROM u )sql"
     "LIMIT 1) FROM t",
     R"(select returns row-by-row
  table t reads(a,b,x)
  table u reads(x) may-be-missing
  out Q: CASE WHEN a IS DISTINCT FROM b THEN 1 ELSE 2 END <- a,b
  out x: (SELECT x FROM u LIMIT 1) <- x
)"},
    {"SELECT x FROM a JOIN (b JOIN c ON b.i = c.i) ON a.j = b.j WHERE true",
     R"(select returns
  table a reads(j,x)
  table b reads(i,j,x)
  table c reads(i,x)
  where (b.i = c.i) AND (a.j = b.j) AND (true) <- i,j
  out x: x <- x
)"},
    {"SELECT j.x FROM (a CROSS JOIN b) AS j",
     R"(select returns
  table a reads(x)
  table b reads(x)
  out x: j.x <- x
)"},
    {"SELECT 1; SELECT x FROM y z w",
     R"(1:29: syntax error at or near "w"
)"},
    {"SELECT a FROM s.t, u WHERE s.t.x = u.y AND t.z > 0",
     R"(select returns
  table s.t reads(a,x,z)
  table u reads(a,y)
  where s.t.x = u.y AND t.z > 0 <- x,y,z
  out a: a <- a
)"},
    {"SELECT a.* FROM a JOIN b ON a.i = b.i",
     R"(select returns
  table a reads(*,i)
  table b reads(i)
  where a.i = b.i <- i
  out a.* <- *
)"},
    {"SELECT x FROM t WHERE (a, b) = (1, 2) AND c = ANY (ARRAY[1, 2])",
     R"(select returns row-by-row
  table t reads(a,b,c,x)
  where (a, b) = (1, 2) AND c = ANY (ARRAY[1, 2]) <- a,b,c
  out x: x <- x
)"},
    {"SELECT x FROM t WHERE a LIKE 'x%' AND b IS NOT NULL AND c NOT IN (1, 2) AND d "
     "BETWEEN 1 AND 2",
     R"(select returns row-by-row
  table t reads(a,b,c,d,x)
  where a LIKE 'x%' AND b IS NOT NULL AND c NOT IN (1, 2) AND d BETWEEN 1 AND 2 <- a,b,c,d
  out x: x <- x
)"},
    {"SELECT x FROM t NATURAL JOIN u",
     R"(select returns
  table t reads(*,x)
  table u reads(*,x)
  out x: x <- x
  note NATURAL JOIN
)"},
    {"SELECT x FROM t JOIN u USING (i, j) JOIN v USING (k)",
     R"(select returns
  table t reads(i,j,k,x)
  table u reads(i,j,k,x)
  table v reads(k,x)
  where (t.i = u.i) AND (t.j = u.j) <- i,j,k
  out x: x <- x
  note JOIN ... USING of more than two tables
)"},
    {"SELECT x FROM t AS r (p, q) WHERE r.p = 1",
     R"(select returns row-by-row
  table t as r reads(*)
  where r.p = 1 <- *
  out x: x <- *,x
)"},
    {"SELECT x FROM t, LATERAL (SELECT y FROM u WHERE u.i = t.i) l",
     R"(select returns
  table t reads(i,x,y)
  table u reads(i,y) may-be-missing joined-by(u.i = t.i)
  out x: x <- x
)"},
    {"SELECT x FROM ONLY t WHERE id = 1 FOR NO KEY UPDATE NOWAIT",
     R"(select returns row-by-row
  table t reads(id,x) for no key update nowait
  where id = 1 <- id
  out x: x <- x
)"},
    {"SELECT x FROM t JOIN u ON t.i = u.i FOR UPDATE OF t FOR SHARE OF u",
     R"(select returns
  table t reads(i,x) for update
  table u reads(i,x) for share
  where t.i = u.i <- i
  out x: x <- x
)"},
    {"SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t",
     R"(select returns aggregate row-by-row
  table t reads(a,b)
  out row_number: row_number() OVER (PARTITION BY a ORDER BY b) <- a,b
  calls row_number
)"},
    {"SELECT sum(x) FILTER (WHERE y > 1) FROM t",
     R"(select returns aggregate one-row row-by-row
  table t reads(x,y)
  out sum: sum(x) FILTER (WHERE y > 1) <- x,y
  calls sum
)"},
    {"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x) AS p FROM t WHERE z = 1",
     R"(select returns aggregate one-row row-by-row
  table t reads(x,z)
  where z = 1 <- z
  out p: percentile_cont(0.5) WITHIN GROUP (ORDER BY x) <- x
  calls percentile_cont
)"},
    {"SELECT coalesce(max(seat), 0) + 1 FROM booking WHERE flight = 7",
     R"(select returns aggregate one-row row-by-row
  table booking reads(flight,seat)
  where flight = 7 <- flight
  out coalesce(max(seat), 0) + 1 <- seat
  calls max
)"},
    {"SELECT extract(year FROM at), position('x' IN y), substring(z FROM 1 FOR 2) FROM t",
     R"(select returns row-by-row
  table t reads(at,y,z)
  out extract: extract(year FROM at) <- at
  out position: position('x' IN y) <- y
  out substring: substring(z FROM 1 FOR 2) <- z
  calls extract,position,substring
)"},
    {R"sql(SELECT x AS "from", y AS order_by FROM t WHERE t.limit = 1 AND "where" = 2)sql",
     R"(select returns row-by-row
  table t reads(limit,where,x,y)
  where t.limit = 1 AND "where" = 2 <- limit,where
  out from: x <- x
  out order_by: y <- y
)"},
    {"SELECT random() < 0.5, clock_timestamp(), gen_random_uuid(), currval('s'), "
     "txid_current()",
     R"(select returns
  out random() < 0.5 generated
  out clock_timestamp: clock_timestamp() generated
  out gen_random_uuid: gen_random_uuid() generated
  out currval: currval('s') generated
  out txid_current: txid_current() generated
  calls clock_timestamp,currval,gen_random_uuid,random,txid_current
)"},
    {"SELECT x FROM t TABLESAMPLE system (10)",
     R"(select returns
  table t reads(x)
  out x: x <- x
  note TABLESAMPLE
)"},
    {"SELECT x FROM t GROUP BY ROLLUP (a, b)",
     R"(select returns aggregate groups row-by-row
  table t reads(a,b,x)
  out x: x <- x
)"},
    {"SELECT x FROM t ORDER BY y + 1 OFFSET 3",
     R"(select returns ordered limited drops-rows row-by-row
  table t reads(x,y)
  out x: x <- x
)"},
    {"SELECT x FROM t FETCH FIRST 5 ROWS ONLY",
     R"(select returns limited row-by-row
  table t reads(x)
  out x: x <- x
)"},
    {"SELECT x FROM t WHERE a = 1 UNION ALL SELECT y FROM u WHERE b = 2",
     R"(select returns groups
  table t reads(a,x) may-be-missing joined-by(a = 1)
  table u reads(b,y) may-be-missing joined-by(b = 2)
  out x: x <- x,y
)"},
    {"(SELECT x FROM t ORDER BY z LIMIT 1) UNION SELECT y FROM u",
     R"(select returns aggregate groups
  table t reads(x,z) may-be-missing
  table u reads(y) may-be-missing
  out x: x <- x,y
)"},
    {"SELECT id FROM t WHERE x = (SELECT max(x) FROM t)",
     R"(select returns aggregate
  table t reads(id,x)
  table t reads(x) may-be-missing
  where x = (SELECT max(x) FROM t) <- x
  out id: id <- id
  calls max
)"},
    {"SELECT a FROM t WHERE json -> 'x' ->> 'y' = 'z' AND tags @> ARRAY['q'] AND "
     "b::date = current_date",
     R"(select returns row-by-row
  table t reads(a,b,json,tags)
  where json -> 'x' ->> 'y' = 'z' AND tags @> ARRAY['q'] AND b::date = current_date <- b,json,tags
  out a: a <- a
  calls current_date
)"},
    {"SELECT a FROM t WHERE /* c */ x = 1 -- d",
     R"(select returns row-by-row
  table t reads(a,x)
  where x = 1 <- x
  out a: a <- a
)"},
    {"WITH a AS (SELECT 1 AS x), b AS (SELECT x FROM a) SELECT * FROM b, t WHERE t.y = b.x",
     R"(select returns drops-rows
  table t reads(*,y)
  where t.y = b.x <- y
  out * <- *
)"},
    {"SELECT f.x FROM my_function(1) AS f (x, y)",
     R"(select returns drops-rows unknown-code
  out x: f.x
  calls my_function
)"},
    {"SELECT public.now(), pg_catalog.now()",
     R"(select returns unknown-code
  out now: public.now()
  out now: pg_catalog.now() generated
  calls now,public.now
)"},
    {"SELECT k FROM json_to_record('{}') AS r (k int)",
     R"(select returns drops-rows
  out k: k
  calls json_to_record
)"},
    {"SELECT x FROM t WHERE a > now() - interval '1 day'",
     R"(select returns row-by-row
  table t reads(a,x)
  where a > now() - interval '1 day' <- a
  out x: x <- x
  calls now
)"},
    {"SELECT count(DISTINCT x), count(x) + 1 AS c FROM t",
     R"(select returns aggregate one-row row-by-row
  table t reads(x)
  out count: count(DISTINCT x) <- x count
  out c: count(x) + 1 <- x
  calls count
)"},
    {"SELECT DISTINCT ON (a) b FROM t ORDER BY a, c",
     R"(select returns ordered aggregate groups row-by-row
  table t reads(a,b,c)
  out b: b <- b
)"},
    {"SELECT ctid, t.xmax FROM t",
     R"(select returns row-by-row
  table t reads(ctid,xmax)
  out ctid: ctid <- ctid generated
  out xmax: t.xmax <- xmax generated
)"},
    {"SELECT 1 FROM t WHERE a = 1; ;; UPDATE t SET a = 2;",
     R"(select returns row-by-row
  table t reads(a)
  where a = 1 <- a
  out 1
update row-by-row
  table t reads() writes(a)
  set t.a = 2
)"},
    {"SELECT", "select returns\n"},
    {"SELECT x FROM t WHERE", "1:22: syntax error at end of input\n"},
    {"UPDATE t SET WHERE",
     R"(1:14: syntax error at or near "WHERE"
)"},
    {"SELECT x FROM t WHERE my_check(a) AND b = 1",
     R"(select returns unknown-code
  table t reads(a,b,x)
  where my_check(a) AND b = 1 <- a,b
  out x: x <- x
  calls my_check
)"},
    {"SELECT r.p FROM t AS r (p, q) WHERE r.p = 1",
     R"(select returns row-by-row
  table t as r reads(*)
  where r.p = 1 <- *
  out p: r.p <- *
)"},
    {"SELECT a left, b case, c end, CASE WHEN d THEN e END end, f join FROM t",
     R"(select returns row-by-row
  table t reads(a,b,c,d,e,f)
  out left: a <- a
  out case: b <- b
  out end: c <- c
  out end: CASE WHEN d THEN e END <- d,e
  out join: f <- f
)"},
    {"SELECT CASE a WHEN 1 THEN CASE WHEN b THEN 2 END ELSE 3 END x FROM t WHERE CASE "
     "WHEN a THEN b ELSE c END",
     R"(select returns row-by-row
  table t reads(a,b,c)
  where CASE WHEN a THEN b ELSE c END <- a,b,c
  out x: CASE a WHEN 1 THEN CASE WHEN b THEN 2 END ELSE 3 END <- a,b
)"},
    {R"sql(SELECT * FROM "A" JOIN "order" USING ("user", k))sql",
     R"(select returns
  table A reads(*,k,user)
  table order reads(*,k,user)
  where ("A"."user" = "order"."user") AND ("A".k = "order".k) <- k,user
  out * <- *
)"},
    {"SELECT WHER- JOIN '1 day' FROM t WHERE a IS NOT DISTINCT FROM left(b, 2) AND c AT "
     "TIME ZONE zone > d::timestamp with time zone ORDER BY 1",
     R"(select returns ordered row-by-row
  table t reads(a,b,c,d,wher,zone)
  where a IS NOT DISTINCT FROM left(b, 2) AND c AT TIME ZONE zone > d::timestamp with time zone <- a,b,c,d,zone
  out WHER- JOIN '1 day' <- wher
  calls left,timezone
)"},
    {"SELECT sum(x) OVER (ORDER BY y) AS s, x zone, y::left, t.join, COLLATION FOR (z) "
     "FROM t WHERE zone BETWEEN left(a, 1) AND right(b, 2) LIMIT 1",
     R"(select returns limited aggregate row-by-row unknown-code
  table t reads(a,b,join,x,y,z,zone)
  where zone BETWEEN left(a, 1) AND right(b, 2) <- a,b,zone
  out s: sum(x) OVER (ORDER BY y) <- x,y
  out zone: x <- x
  out y: y::left <- y
  out join: t.join <- join
  out pg_collation_for: COLLATION FOR (z) <- z
  calls left,pg_collation_for,right,sum
)"},
};

TEST(Query, ReadsAndReturns) {
  for (const StatementCase& one : kQueries) {
    EXPECT_EQ(render_sql(one.sql, Dialect::postgres), one.expected) << one.sql;
  }
}

}  // namespace
}  // namespace heddle::sql
