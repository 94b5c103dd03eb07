// INSERT, UPDATE, DELETE, MERGE and the like: what they write and from what.
#include <gtest/gtest.h>

#include "frontend/sql/statement_rendering.h"

namespace heddle::sql {
namespace {

constexpr StatementCase kWrites[] = {
    {"WITH moved AS (DELETE FROM a WHERE x = 1 RETURNING id, y) INSERT INTO b (id, y) "
     "SELECT * FROM moved",
     R"(insert drops-rows
  table a reads(id,x,y) writes(*) joined-by(x = 1)
  table b writes(id,y)
  set b.id = id <- id
  set b.y = y <- y
)"},
    {"INSERT INTO t VALUES (1, 'a,b', now()), (2, DEFAULT, (SELECT max(x) FROM u))",
     R"(insert aggregate
  table t writes(*)
  table u reads(x) may-be-missing
  set t.#0 = 1
  set t.#1 = 'a,b'
  set t.#2 = now() generated
  set t.#0 = 2
  set t.#1 = DEFAULT
  set t.#2 = (SELECT max(x) FROM u) <- x
  calls max,now
)"},
    {"INSERT INTO t (a, b) VALUES (1, nextval('s')) ON CONFLICT (a) DO UPDATE SET b = "
     "excluded.b + t.b WHERE t.c > 1 RETURNING *, a + 1 AS x",
     R"(insert returns on-conflict
  table t reads(*,a,b,c) writes(a,b)
  set t.a = 1
  set t.b = nextval('s') generated
  set t.b = excluded.b + t.b <- b
  out * <- *
  out x: a + 1 <- a
  calls nextval
)"},
    {"INSERT INTO t (a) SELECT b FROM s WHERE c = 1",
     R"(insert row-by-row
  table t writes(a)
  table s reads(b,c)
  where c = 1 <- c
  set t.a = b <- b
)"},
    {"INSERT INTO t DEFAULT VALUES",
     R"(insert
  table t writes(*)
)"},
    {"INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING",
     R"(insert on-conflict
  table t reads(*) writes(*)
  set t.#0 = 1
)"},
    {"UPDATE account SET balance = balance - 10, at = now() WHERE id = 1 RETURNING balance",
     R"(update returns row-by-row
  table account reads(balance,id) writes(at,balance)
  where id = 1 <- id
  set account.balance = balance - 10 <- balance
  set account.at = now() generated
  out balance: balance <- balance
  calls now
)"},
    {"UPDATE t SET (a, b) = (b, a + 1), c = 3 WHERE x BETWEEN 1 AND 2",
     R"(update row-by-row
  table t reads(a,b,x) writes(a,b,c)
  where x BETWEEN 1 AND 2 <- x
  set t.a = b <- b
  set t.b = a + 1 <- a
  set t.c = 3
)"},
    {"UPDATE t SET (a, b) = (SELECT m, n FROM u WHERE u.id = t.id)",
     R"(update row-by-row
  table t reads(id,m,n) writes(a,b)
  table u reads(id,m,n) may-be-missing joined-by(u.id = t.id)
  set t.a = (SELECT m, n FROM u WHERE u.id = t.id) <- id,m,n
  set t.b = (SELECT m, n FROM u WHERE u.id = t.id) <- id,m,n
)"},
    {"UPDATE t AS x SET a = s.b FROM s WHERE s.id = x.id",
     R"(update
  table t as x reads(id) writes(a)
  table s reads(b,id)
  where s.id = x.id <- id
  set t.a = s.b <- b
)"},
    {"DELETE FROM t WHERE id = $1",
     R"(delete row-by-row
  table t reads(id) writes(*)
  where id = $1 <- id
)"},
    {"DELETE FROM t USING u, v WHERE t.id = u.id AND u.x = v.x RETURNING t.*",
     R"(delete returns
  table t reads(*,id) writes(*)
  table u reads(id,x)
  table v reads(x)
  where t.id = u.id AND u.x = v.x <- id,x
  out t.* <- *
)"},
    {"MERGE INTO t USING s ON t.a = s.a WHEN MATCHED AND s.z > 0 THEN UPDATE SET b = "
     "s.b WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (a, b) VALUES (s.a, "
     "now())",
     R"(merge
  table t reads(a) writes(*,a,b)
  table s reads(a,b,z)
  where t.a = s.a <- a
  set t.b = s.b <- b
  set t.a = s.a <- a
  set t.b = now() generated
  calls now
)"},
    {"TRUNCATE a, s.b",
     R"(truncate
  table a writes(*)
  table s.b writes(*)
)"},
    {"LOCK TABLE a, b IN EXCLUSIVE MODE",
     R"(lock table
  table a
  table b
)"},
    {"COPY t (a, b) FROM STDIN",
     R"(copy
  table t writes(a,b)
)"},
    {"COPY (SELECT x FROM t) TO STDOUT",
     R"(copy row-by-row
  table t reads(x)
)"},
    {"UPDATE t SET a = 1 WHERE CURRENT OF c",
     R"(update
  table t reads() writes(a)
  set t.a = 1
  note WHERE CURRENT OF
)"},
    {"WITH ins AS (INSERT INTO t (a) VALUES (1) RETURNING id) UPDATE u SET t_id = "
     "ins.id FROM ins WHERE u.k = 2",
     R"(update
  table t writes(a)
  table u reads(k) writes(t_id)
  where u.k = 2 <- k
  set t.a = 1
  set u.t_id = ins.id <- id
)"},
    {"WITH x AS (SELECT id FROM q WHERE done = false ORDER BY id LIMIT 1 FOR UPDATE "
     "SKIP LOCKED) UPDATE q SET done = true FROM x WHERE q.id = x.id RETURNING q.id",
     R"(update returns
  table q reads(done,id) for update skip locked may-be-missing joined-by(done = false)
  table q reads(id) writes(done)
  where q.id = x.id <- id
  set q.done = true
  out id: q.id <- id
)"},
    {"DELETE FROM q WHERE id = (SELECT id FROM q ORDER BY id FOR UPDATE SKIP LOCKED "
     "LIMIT 1) RETURNING *",
     R"(delete returns
  table q reads(*,id) writes(*)
  table q reads(id) for update skip locked may-be-missing
  where id = (SELECT id FROM q ORDER BY id FOR UPDATE SKIP LOCKED LIMIT 1) <- id
  out * <- *
)"},
    {"INSERT INTO t (id, n) VALUES ((SELECT max(id) + 1 FROM t), $1) RETURNING id",
     R"(insert returns aggregate
  table t writes(id,n)
  table t reads(id) may-be-missing
  set t.id = (SELECT max(id) + 1 FROM t) <- id
  set t.n = $1
  out id: id <- id
  calls max
)"},
    {"INSERT INTO t AS x (a, b) VALUES (1, 2) ON CONFLICT ON CONSTRAINT t_pkey DO "
     "UPDATE SET (b, c) = (excluded.b, x.c + 1)",
     R"(insert on-conflict
  table t as x reads(*,c) writes(a,b,c)
  set t.a = 1
  set t.b = 2
  set t.b = excluded.b
  set t.c = x.c + 1 <- c
  note ON CONFLICT without columns
)"},
    {"INSERT INTO t (a) VALUES (1) ON CONFLICT (lower(a)) WHERE b > 0 DO NOTHING",
     R"(insert on-conflict
  table t reads(a,b) writes(a)
  set t.a = 1
  calls lower
)"},
    {"INSERT INTO t (a, b) SELECT x, now() FROM s JOIN u ON s.i = u.i WHERE s.k = 1 "
     "ORDER BY x LIMIT 2",
     R"(insert ordered limited
  table t writes(a,b)
  table s reads(i,k,x)
  table u reads(i,x)
  where (s.i = u.i) AND (s.k = 1) <- i,k
  set t.a = x <- x
  set t.b = now() generated
  calls now
)"},
    {"INSERT INTO t WITH w AS (SELECT max(a) AS m FROM u) SELECT m FROM w",
     R"(insert aggregate drops-rows
  table t writes(*)
  table u reads(a) may-be-missing
  set t.#0 = m <- a
  calls max
)"},
    {"UPDATE t SET a = DEFAULT, b[1] = 2, c.d = 3, e = CASE WHEN f > 0 THEN 1 ELSE g END",
     R"(update row-by-row
  table t reads(f,g) writes(a,b,c,e)
  set t.a = DEFAULT
  set t.b = 2
  set t.c = 3
  set t.e = CASE WHEN f > 0 THEN 1 ELSE g END <- f,g
)"},
    {"UPDATE ONLY s.t SET a = (SELECT count(*) FROM u WHERE u.x = t.x) + 1",
     R"(update aggregate row-by-row
  table s.t reads(x) writes(a)
  table u reads(x) may-be-missing joined-by(u.x = t.x)
  set t.a = (SELECT count(*) FROM u WHERE u.x = t.x) + 1 <- x
  calls count
)"},
    {"UPDATE t SET a = 1 WHERE EXISTS (SELECT FROM u WHERE u.i = t.i)",
     R"(update
  table t reads(i) writes(a)
  table u reads(i) may-be-missing joined-by(u.i = t.i)
  where EXISTS (SELECT FROM u WHERE u.i = t.i) <- i
  set t.a = 1
)"},
    {"UPDATE t SET n = nextval('s') WHERE id IN (1, 2) AND NOT deleted",
     R"(update row-by-row
  table t reads(deleted,id) writes(n)
  where id IN (1, 2) AND NOT deleted <- deleted,id
  set t.n = nextval('s') generated
  calls nextval
)"},
    {"MERGE INTO t AS x USING (SELECT id, v FROM s WHERE z = 1) AS y ON x.id = y.id "
     "WHEN NOT MATCHED THEN INSERT VALUES (y.id, y.v) WHEN MATCHED THEN DO NOTHING",
     R"(merge
  table t as x reads(id) writes(*)
  table s reads(id,v,z) may-be-missing joined-by(z = 1)
  where x.id = y.id <- id
  set t.#0 = y.id <- id
  set t.#1 = y.v <- v
)"},
    {"COPY t TO STDOUT",
     R"(copy
  table t reads(*)
)"},
};

TEST(Write, ReadsAndWrites) {
  for (const StatementCase& one : kWrites) {
    EXPECT_EQ(render_sql(one.sql, Dialect::postgres), one.expected) << one.sql;
  }
}

}  // namespace
}  // namespace heddle::sql
