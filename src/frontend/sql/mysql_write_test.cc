// MySQL forms of INSERT, UPDATE and DELETE.
#include <gtest/gtest.h>

#include "frontend/sql/statement_rendering.h"

namespace heddle::sql {
namespace {

constexpr StatementCase kMysqlWrites[] = {
    {"INSERT INTO t (a, b) VALUES (1, ?) ON DUPLICATE KEY UPDATE b = VALUES(b), c = c + 1",
     R"(insert on-conflict
  table t reads(*,c) writes(a,b,c)
  set t.a = 1
  set t.b = $1
  set t.b = excluded.b
  set t.c = c + 1 <- c
  note ON CONFLICT without columns
)"},
    {"INSERT INTO t (a, b) VALUES (1, 2) AS new ON DUPLICATE KEY UPDATE b = new.b",
     R"(insert on-conflict
  table t reads(*) writes(a,b)
  set t.a = 1
  set t.b = 2
  set t.b = excluded.b
  note ON CONFLICT without columns
)"},
    {"INSERT INTO user (a, offset) VALUES (USER(), 2)",
     R"(insert
  table user writes(a,offset)
  set user.a = CURRENT_USER
  set user.offset = 2
  calls current_user
)"},
    {"INSERT INTO t SET a = 1, b = (SELECT MAX(x) FROM u)",
     R"(insert aggregate
  table t writes(a,b)
  table u reads(x) may-be-missing
  set t.a = 1
  set t.b = (SELECT MAX(x) FROM u) <- x
  calls max
)"},
    {"INSERT INTO t SET a = 1 ON DUPLICATE KEY UPDATE a = 2",
     R"(insert on-conflict
  table t reads(*) writes(a)
  set t.a = 1
  set t.a = 2
  note ON CONFLICT without columns
)"},
    {"INSERT IGNORE INTO t (a) VALUES (1)",
     R"(insert on-conflict
  table t reads(*) writes(a)
  set t.a = 1
)"},
    {"INSERT t VALUES (1), (2)",
     R"(insert
  table t writes(*)
  set t.#0 = 1
  set t.#0 = 2
)"},
    {"INSERT INTO t () VALUES ()",
     R"(insert
  table t writes(*)
)"},
    {"INSERT INTO t (a) SELECT b FROM s WHERE c = 1 ON DUPLICATE KEY UPDATE a = 3",
     R"(insert on-conflict row-by-row
  table t reads(*) writes(a)
  table s reads(b,c)
  where c = 1 <- c
  set t.a = b <- b
  set t.a = 3
  note ON CONFLICT without columns
)"},
    {"REPLACE INTO t (a, b) VALUES (1, 'it''s')",
     R"(insert on-conflict
  table t reads(*) writes(*)
  set t.a = 1
  set t.b = 'it''s'
  note REPLACE
)"},
    {"REPLACE t SELECT * FROM u",
     R"(insert on-conflict row-by-row
  table t reads(*) writes(*)
  table u reads(*)
  set t.#0 = * <- *
  note REPLACE
)"},
    {"UPDATE t SET a = a + 1 WHERE id = 1 ORDER BY b LIMIT 1",
     R"(update ordered limited row-by-row
  table t reads(a,id) writes(a)
  where id = 1 <- id
  set t.a = a + 1 <- a
  note ORDER BY or LIMIT of an UPDATE or DELETE
)"},
    {"UPDATE t SET t.a = 1 WHERE t.id = 2",
     R"(update row-by-row
  table t reads(id) writes(a)
  where t.id = 2 <- id
  set t.a = 1
)"},
    {"UPDATE a JOIN b ON a.id = b.id SET a.x = b.y, b.z = 1 WHERE b.w = 2",
     R"(update
  table a reads(id) writes(x)
  table b reads(id,w,y) writes(z)
  where (a.id = b.id) AND (b.w = 2) <- id,w
  set a.x = b.y <- y
  set b.z = 1
)"},
    {"UPDATE a, b SET a.x = b.y WHERE a.id = b.id",
     R"(update
  table a reads(id) writes(x)
  table b reads(id,y)
  where a.id = b.id <- id
  set a.x = b.y <- y
)"},
    {"DELETE FROM t WHERE a = 1 ORDER BY b LIMIT 10",
     R"(delete ordered limited row-by-row
  table t reads(a) writes(*)
  where a = 1 <- a
  note ORDER BY or LIMIT of an UPDATE or DELETE
)"},
    {"DELETE a, b FROM a JOIN b ON a.id = b.id WHERE a.x = 1",
     R"(delete
  table a reads(id,x) writes(*)
  table b reads(id) writes(*)
  where (a.id = b.id) AND (a.x = 1) <- id,x
)"},
    {"DELETE FROM a USING a JOIN b ON a.id = b.id",
     R"(delete
  table a reads(id) writes(*)
  table b reads(id)
  where a.id = b.id <- id
)"},
    {"DELETE a.* FROM db.a AS a LEFT JOIN b USING (id) WHERE b.id IS NULL",
     R"(delete
  table db.a as a reads(id) writes(*)
  table b reads(id) may-be-missing joined-by(a.id = b.id)
  where (a.id = b.id) AND (b.id IS NULL) <- id
  filter b.id IS NULL
)"},
    {"DELETE LOW_PRIORITY QUICK IGNORE FROM t",
     R"(delete row-by-row
  table t reads() writes(*)
)"},
    {"WITH c AS (SELECT 1 AS n) UPDATE t JOIN c SET t.a = c.n",
     R"(update
  table t reads() writes(a)
  set t.a = c.n
)"},
};

TEST(MysqlWrite, Statements) {
  for (const StatementCase& one : kMysqlWrites) {
    EXPECT_EQ(render_sql(one.sql, Dialect::mysql), one.expected) << one.sql;
  }
}

}  // namespace
}  // namespace heddle::sql
