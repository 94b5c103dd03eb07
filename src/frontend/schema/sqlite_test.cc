// SQLite's definitions, text in, text out.
#include <gtest/gtest.h>

#include "frontend/schema/rendering.h"

namespace heddle::sql {
namespace {

void expect_sqlite_schema(const SchemaCase& one) {
  EXPECT_EQ(render(parse_schema(one.sql, Dialect::sqlite)), one.expected) << one.sql;
}

constexpr SchemaCase kSqliteTypes[] = {
    {R"(CREATE TABLE t (a INTEGER, b INT, c TINYINT, d UNSIGNED BIG INT, e TEXT, f VARCHAR(10), g NATIVE CHARACTER(70), h BLOB, i REAL, j DOUBLE PRECISION, k DECIMAL(10,5), l BOOLEAN, m DATE, n DATETIME, o, p STRANGE))",
     R"(table t
  a integer64 [INTEGER]
  b integer64 [INT]
  c integer64 [TINYINT]
  d integer64 [UNSIGNED BIG INT]
  e text [TEXT]
  f text [VARCHAR(10)]
  g text [NATIVE CHARACTER(70)]
  h bytes [BLOB]
  i real64 [REAL]
  j real64 [DOUBLE PRECISION]
  k numeric(10,5) [DECIMAL(10,5)]
  l boolean [BOOLEAN]
  m date [DATE]
  n timestamp [DATETIME]
  o unknown []
  p numeric [STRANGE]
note 1:197 t.o has no type and holds values of any
)"},
};

TEST(SqliteSchema, ReadsTypes) {
  for (const SchemaCase& one : kSqliteTypes) expect_sqlite_schema(one);
}

constexpr SchemaCase kSqliteColumns[] = {
    {R"(CREATE TABLE kv (key TEXT PRIMARY KEY, value DEFAULT "hey", [n n] INTEGER DEFAULT -1 COLLATE NOCASE, `d` DATETIME DEFAULT CURRENT_TIMESTAMP, g INT AS (n*2) STORED, h TEXT GENERATED ALWAYS AS (lower(key)) VIRTUAL, e TEXT DEFAULT (lower('A'))))",
     R"(table kv
  key text [TEXT]
  value unknown [] default 'hey'
  n n integer64 [INTEGER] default -1
  d timestamp [DATETIME] default CURRENT_TIMESTAMP
  g integer64 [INT] is n*2
  h text [TEXT] is lower(key)
  e text [TEXT] default lower('A')
  key (key)
note 1:40 kv.value has no type and holds values of any
)"},
    {R"(CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT NOT NULL ON CONFLICT IGNORE UNIQUE ON CONFLICT REPLACE))",
     R"(table t
  id integer64 [INTEGER] not-null identity
  a text [TEXT] not-null
  key (id)
  unique (a)
)"},
    {R"(CREATE TABLE t (id INTEGER PRIMARY KEY) WITHOUT ROWID; CREATE TABLE u (id integer, a int, PRIMARY KEY (id)) STRICT; CREATE TABLE v (id INT PRIMARY KEY))",
     R"(table t
  id integer64 [INTEGER] not-null
  key (id)
table u
  id integer64 [integer] not-null identity
  a integer64 [int]
  key (id)
table v
  id integer64 [INT]
  key (id)
)"},
};

TEST(SqliteSchema, ReadsColumns) {
  for (const SchemaCase& one : kSqliteColumns) expect_sqlite_schema(one);
}

constexpr SchemaCase kSqliteConstraints[] = {
    {R"(CREATE TABLE P (id INTEGER PRIMARY KEY, k TEXT UNIQUE); CREATE TABLE c (a REFERENCES p ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, b INT CONSTRAINT f REFERENCES p (K) ON UPDATE SET NULL NOT DEFERRABLE, CONSTRAINT u UNIQUE (a, b COLLATE NOCASE DESC) ON CONFLICT ABORT, CONSTRAINT k CHECK (b > 0 AND b GLOB 'x*'), FOREIGN KEY (b) REFERENCES nowhere))",
     R"(table P
  id integer64 [INTEGER] not-null identity
  k text [TEXT]
  key (id)
  unique (k)
table c
  a unknown []
  b integer64 [INT]
  unique u (a,b)
  foreign (a) -> P(id) delete:cascade deferred
  foreign f (b) -> P(k) update:set-null
error 1:318 a foreign key of table c refers to the unknown table nowhere
note 1:294 a check of table c cannot be read and is left out: b > 0 AND b GLOB 'x*'
note 1:73 c.a has no type and holds values of any
)"},
};

TEST(SqliteSchema, ReadsConstraints) {
  for (const SchemaCase& one : kSqliteConstraints) expect_sqlite_schema(one);
}

constexpr SchemaCase kSqliteStatements[] = {
    {R"(PRAGMA foreign_keys = ON; BEGIN; CREATE TABLE IF NOT EXISTS main.t (a INT, b TEXT); CREATE UNIQUE INDEX IF NOT EXISTS i ON t (a, b); CREATE UNIQUE INDEX j ON t (a) WHERE b IS NULL; CREATE TEMP TABLE u AS SELECT 1; CREATE VIRTUAL TABLE f USING fts5(a); CREATE TRIGGER g AFTER INSERT ON t BEGIN UPDATE t SET a = 1; END; DROP INDEX i; COMMIT)",
     R"(table t
  a integer64 [INT]
  b text [TEXT]
table u of unknown columns
table f of unknown columns
note 1:159 the unique index on table t is on some rows or on expressions, and is not followed
note 1:202 the columns of table u are those of a query
note 1:236 the columns of table f are those of a module, and are not read
)"},
    {R"(CREATE TABLE t (a INT, c INT CHECK (c > a)); ALTER TABLE t ADD COLUMN b INT NOT NULL DEFAULT (1+2); ALTER TABLE t RENAME COLUMN a TO x; ALTER TABLE t RENAME c TO y; ALTER TABLE t DROP COLUMN b; ALTER TABLE t RENAME TO u; DROP TABLE nowhere)",
     R"(table u
  x integer64 [INT]
  y integer64 [INT]
  check y > x <- (x,y)
note 1:233 no table nowhere is defined before, so this changes nothing
)"},
};

TEST(SqliteSchema, ReadsStatements) {
  for (const SchemaCase& one : kSqliteStatements) expect_sqlite_schema(one);
}

}  // namespace
}  // namespace heddle::sql
