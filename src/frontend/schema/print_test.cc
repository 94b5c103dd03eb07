// Schemas as text for each dialect, and that this text says the same again.
#include <gtest/gtest.h>

#include "frontend/schema/rendering.h"

namespace heddle::sql {
namespace {

// What one text becomes in each dialect.
struct PrintCase {
  const char* sql;
  const char* postgres;
  const char* mysql;
  const char* sqlite;
};

constexpr PrintCase kPostgresSchema[] = {
    {R"(CREATE TABLE warehouse (w_id int NOT NULL, w_ytd decimal(12,2) NOT NULL DEFAULT 0, w_name varchar(10), w_zip char(9), PRIMARY KEY (w_id)); CREATE TABLE stock (s_w_id int NOT NULL, s_i_id int NOT NULL CHECK (s_i_id > 0), PRIMARY KEY (s_w_id, s_i_id), FOREIGN KEY (s_w_id) REFERENCES warehouse (w_id) ON DELETE CASCADE))",
     R"(CREATE TABLE warehouse (
  w_id int NOT NULL,
  w_ytd decimal(12,2) NOT NULL DEFAULT 0,
  w_name varchar(10),
  w_zip char(9),
  PRIMARY KEY (w_id)
);
CREATE TABLE stock (
  s_w_id int NOT NULL,
  s_i_id int NOT NULL,
  PRIMARY KEY (s_w_id, s_i_id),
  CHECK (s_i_id > 0),
  FOREIGN KEY (s_w_id) REFERENCES warehouse (w_id) ON DELETE CASCADE
);
)",
     R"(CREATE TABLE `warehouse` (
  `w_id` int NOT NULL,
  `w_ytd` decimal(12,2) NOT NULL DEFAULT 0,
  `w_name` varchar(10),
  `w_zip` char(9),
  PRIMARY KEY (`w_id`)
);
CREATE TABLE `stock` (
  `s_w_id` int NOT NULL,
  `s_i_id` int NOT NULL,
  PRIMARY KEY (`s_w_id`, `s_i_id`),
  CHECK (`s_i_id` > 0),
  FOREIGN KEY (`s_w_id`) REFERENCES `warehouse` (`w_id`) ON DELETE CASCADE
);
)",
     R"(CREATE TABLE "warehouse" (
  "w_id" INT NOT NULL,
  "w_ytd" NUMERIC NOT NULL DEFAULT 0,
  "w_name" TEXT,
  "w_zip" TEXT,
  PRIMARY KEY ("w_id")
);
CREATE TABLE "stock" (
  "s_w_id" INTEGER NOT NULL,
  "s_i_id" INTEGER NOT NULL,
  PRIMARY KEY ("s_w_id", "s_i_id"),
  CHECK ("s_i_id" > 0),
  FOREIGN KEY ("s_w_id") REFERENCES "warehouse" ("w_id") ON DELETE CASCADE
);
note 1:44 warehouse.w_ytd is not the same in SQLite: SQLite keeps decimals as floating-point numbers
note 1:84 warehouse.w_name is not the same in SQLite: SQLite checks no lengths
note 1:104 warehouse.w_zip is not the same in SQLite: SQLite checks no lengths and compares the blanks at the end, too
)"},
    {R"(CREATE TABLE a (id serial PRIMARY KEY, b int REFERENCES b DEFERRABLE INITIALLY DEFERRED); CREATE TABLE b (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, a int REFERENCES a ON DELETE SET DEFAULT, UNIQUE NULLS NOT DISTINCT (a)))",
     R"(CREATE TABLE a (
  id serial,
  b int,
  PRIMARY KEY (id)
);
CREATE TABLE b (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  a int,
  PRIMARY KEY (id),
  UNIQUE NULLS NOT DISTINCT (a),
  FOREIGN KEY (a) REFERENCES a (id) ON DELETE SET DEFAULT
);
ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b (id) DEFERRABLE INITIALLY DEFERRED;
)",
     R"(CREATE TABLE `a` (
  `id` int NOT NULL AUTO_INCREMENT,
  `b` bigint,
  PRIMARY KEY (`id`)
);
CREATE TABLE `b` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `a` int,
  PRIMARY KEY (`id`),
  UNIQUE (`a`),
  FOREIGN KEY (`a`) REFERENCES `a` (`id`)
);
ALTER TABLE `a` ADD FOREIGN KEY (`b`) REFERENCES `b` (`id`);
note 1:40 a.b is not the same in MariaDB: its foreign key needs the type of b.id
note 1:46 a constraint of table a is not the same in MariaDB: it checks none at COMMIT
note 1:201 a unique constraint of table b is not the same in MariaDB: each null is distinct there
note 1:165 a foreign key of table b is not the same in MariaDB: it has no SET DEFAULT
)",
     R"(CREATE TABLE "a" (
  "id" INTEGER NOT NULL,
  "b" INTEGER,
  PRIMARY KEY ("id"),
  FOREIGN KEY ("b") REFERENCES "b" ("id") DEFERRABLE INITIALLY DEFERRED
);
CREATE TABLE "b" (
  "id" INTEGER NOT NULL,
  "a" INTEGER,
  PRIMARY KEY ("id"),
  UNIQUE ("a"),
  FOREIGN KEY ("a") REFERENCES "a" ("id") ON DELETE SET DEFAULT
);
note 1:201 a unique constraint of table b is not the same in SQLite: each null is distinct there
)"},
    {R"(CREATE TYPE mood AS ENUM ('sad', 'it''s'); CREATE DOMAIN amount AS int DEFAULT 1 NOT NULL CHECK (VALUE > 0); CREATE SEQUENCE q; CREATE TABLE t (m mood DEFAULT 'sad', a amount, n int DEFAULT nextval('q')))",
     R"(CREATE TYPE mood AS ENUM ('sad', 'it''s');
CREATE SEQUENCE q;
CREATE DOMAIN amount AS int DEFAULT 1 NOT NULL CHECK (VALUE > 0);
CREATE TABLE t (
  m mood DEFAULT 'sad',
  a amount,
  n int DEFAULT nextval('q')
);
)",
     R"(CREATE SEQUENCE `q`;
CREATE TABLE `t` (
  `m` enum('sad','it''s') DEFAULT 'sad',
  `a` int NOT NULL DEFAULT 1,
  `n` int AUTO_INCREMENT,
  KEY (`n`),
  CHECK (`a` > 0)
);
)",
     R"(CREATE TABLE "t" (
  "m" TEXT DEFAULT 'sad',
  "a" INTEGER NOT NULL DEFAULT 1,
  "n" INTEGER,
  CHECK ("m" IN ('sad', 'it''s')),
  CHECK ("a" > 0)
);
note 1:126 sequence q is not the same in SQLite: it has no sequences
note 1:145 t.m is not the same in SQLite: it has no enumerations; labels compare as text
note 1:177 t.n is not the same in SQLite: only a primary key of one column counts up
)"},
    {R"(CREATE TABLE t (a text PRIMARY KEY, b text DEFAULT 'x'::character varying, c timestamptz DEFAULT now(), d int DEFAULT 1 + 2, e text DEFAULT 'a' || 'b', f numeric, g int[], h interval, i jsonb, j uuid DEFAULT gen_random_uuid(), k time with time zone, l bytea UNIQUE, m bit varying(3), CHECK (length(b) > 2 AND a LIKE 'x%'), CHECK (char_length(b) > 2 AND a <> '\'), CHECK (a = lower(b))))",
     R"(CREATE TABLE t (
  a text NOT NULL,
  b text DEFAULT 'x'::character varying,
  c timestamptz DEFAULT now(),
  d int DEFAULT 1 + 2,
  e text DEFAULT 'a' || 'b',
  f numeric,
  g int[],
  h interval,
  i jsonb,
  j uuid DEFAULT gen_random_uuid(),
  k time with time zone,
  l bytea,
  m bit varying(3),
  PRIMARY KEY (a),
  UNIQUE (l),
  CHECK (length(b) > 2 AND a LIKE 'x%'),
  CHECK (char_length(b) > 2 AND a <> '\'),
  CHECK (a = lower(b))
);
)",
     R"(CREATE TABLE `t` (
  `a` varchar(255) NOT NULL,
  `b` longtext DEFAULT 'x',
  `c` timestamp NULL DEFAULT CURRENT_TIMESTAMP,
  `d` int DEFAULT (1 + 2),
  `e` longtext,
  `f` decimal(65,30),
  `g` longtext,
  `h` varchar(64),
  `i` json,
  `j` uuid DEFAULT (uuid()),
  `k` time,
  `l` varbinary(255),
  `m` bit(64),
  PRIMARY KEY (`a`),
  UNIQUE (`l`),
  CHECK (char_length(`b`) > 2 AND `a` <> '\\'),
  CHECK (`a` = lower(`b`))
);
note 1:17 t.a is not the same in MariaDB: a key of MariaDB needs a bounded length
note 1:76 t.c is not the same in MariaDB: MariaDB's points in time end with the year 2038
note 1:126 the default of t.e is not the same in MariaDB: | has no counterpart that is known to be the same
note 1:153 t.f is not the same in MariaDB: MariaDB's decimals have 65 digits at most, 38 of a fraction
note 1:164 t.g is not the same in MariaDB: there is no such type; its values become text
note 1:173 t.h is not the same in MariaDB: there is no such type; its values become text
note 1:228 t.k is not the same in MariaDB: MariaDB's times have no zone
note 1:251 t.l is not the same in MariaDB: a key of MariaDB needs a bounded length
note 1:267 t.m is not the same in MariaDB: MariaDB has no bit strings but numbers
note 1:285 the check length(b) > 2 AND a LIKE 'x%' of table t is not the same in MariaDB: LIKE has no counterpart that is known to be the same
)",
     R"(CREATE TABLE "t" (
  "a" TEXT NOT NULL,
  "b" TEXT DEFAULT 'x',
  "c" TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  "d" INTEGER DEFAULT (1 + 2),
  "e" TEXT,
  "f" NUMERIC,
  "g" TEXT,
  "h" TEXT,
  "i" TEXT,
  "j" TEXT,
  "k" TIME,
  "l" BLOB,
  "m" TEXT,
  PRIMARY KEY ("a"),
  UNIQUE ("l"),
  CHECK (length("b") > 2 AND "a" <> '\'),
  CHECK ("a" = lower("b"))
);
note 1:76 t.c is not the same in SQLite: SQLite keeps dates and times as text
note 1:126 the default of t.e is not the same in SQLite: | has no counterpart that is known to be the same
note 1:153 t.f is not the same in SQLite: SQLite keeps decimals as floating-point numbers
note 1:164 t.g is not the same in SQLite: there is no such type; its values become text
note 1:173 t.h is not the same in SQLite: there is no such type; its values become text
note 1:185 t.i is not the same in SQLite: SQLite does not check what is JSON
note 1:194 t.j is not the same in SQLite: SQLite compares identifiers as text
note 1:194 the default of t.j is not the same in SQLite: gen_random_uuid has no counterpart that is known to be the same
note 1:228 t.k is not the same in SQLite: SQLite keeps dates and times as text
note 1:267 t.m is not the same in SQLite: there is no such type; its values become text
note 1:285 the check length(b) > 2 AND a LIKE 'x%' of table t is not the same in SQLite: LIKE has no counterpart that is known to be the same
)"},
    {R"(CREATE TABLE s.t (a int, g int GENERATED ALWAYS AS (a * 2) STORED, h int GENERATED ALWAYS AS (a / 2) STORED); CREATE TABLE r.t (b int); CREATE TABLE q.q AS SELECT 1; CREATE TABLE e ())",
     R"(CREATE SCHEMA IF NOT EXISTS r;
CREATE SCHEMA IF NOT EXISTS s;
CREATE TABLE s.t (
  a int,
  g int GENERATED ALWAYS AS (a * 2) STORED,
  h int GENERATED ALWAYS AS (a / 2) STORED
);
CREATE TABLE r.t (
  b int
);
CREATE TABLE e (
);
note 1:150 table q is not the same in PostgreSQL: its columns are those of a query
)",
     R"(CREATE TABLE `t` (
  `a` int,
  `g` int GENERATED ALWAYS AS (`a` * 2) STORED,
  `h` int
);
note 1:68 the value of t.h is not the same in MariaDB: / has no counterpart that is known to be the same
note 1:124 table r.t is not the same in MariaDB: there is another table of that name
note 1:150 table q is not the same in MariaDB: its columns are those of a query
note 1:180 table e is not the same in MariaDB: a table needs a column
)",
     R"(CREATE TABLE "t" (
  "a" INTEGER,
  "g" INTEGER GENERATED ALWAYS AS ("a" * 2) STORED,
  "h" INTEGER
);
note 1:68 the value of t.h is not the same in SQLite: / has no counterpart that is known to be the same
note 1:124 table r.t is not the same in SQLite: there is another table of that name
note 1:150 table q is not the same in SQLite: its columns are those of a query
note 1:180 table e is not the same in SQLite: a table needs a column
)"},
};

constexpr PrintCase kMysqlSchema[] = {
    {R"(CREATE TABLE `Order` (`Id` int(10) unsigned NOT NULL AUTO_INCREMENT, `flag` tinyint(1) NOT NULL DEFAULT '0', `state` enum('new','it''s') NOT NULL DEFAULT 'new', ts timestamp NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, d datetime(3) DEFAULT CURRENT_TIMESTAMP(3), z datetime DEFAULT '0000-00-00 00:00:00', `Price` decimal(8,2) CHECK (`Price` > 0), b bit(1) DEFAULT b'0', big bigint unsigned, PRIMARY KEY (`Id`), UNIQUE KEY uk (flag, `state`)))",
     R"(CREATE TYPE order_state_enum AS ENUM ('new', 'it''s');
CREATE TABLE "order" (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  flag boolean NOT NULL DEFAULT false,
  state order_state_enum NOT NULL DEFAULT 'new',
  ts timestamptz DEFAULT CURRENT_TIMESTAMP,
  d timestamp(3) DEFAULT CURRENT_TIMESTAMP(3),
  z timestamp,
  price numeric(8,2),
  b varbit DEFAULT b'0',
  big numeric(20),
  PRIMARY KEY (id),
  UNIQUE (flag, state),
  CHECK (price > 0),
  CHECK (id >= 0),
  CHECK (big >= 0)
);
note 1:162 Order.ts is not the same in PostgreSQL: it has no ON UPDATE CURRENT_TIMESTAMP, which writes a column with any UPDATE
note 1:279 the default of Order.z is not the same in PostgreSQL: it has no such date
)",
     R"(CREATE TABLE `Order` (
  `Id` int(10) unsigned NOT NULL AUTO_INCREMENT,
  `flag` tinyint(1) NOT NULL DEFAULT '0',
  `state` enum('new','it''s') NOT NULL DEFAULT 'new',
  `ts` timestamp NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
  `d` datetime(3) DEFAULT CURRENT_TIMESTAMP(3),
  `z` datetime DEFAULT '0000-00-00 00:00:00',
  `Price` decimal(8,2),
  `b` bit(1) DEFAULT b'0',
  `big` bigint unsigned,
  PRIMARY KEY (`Id`),
  CONSTRAINT `uk` UNIQUE (`flag`, `state`),
  CHECK (`price` > 0)
);
)",
     R"(CREATE TABLE "Order" (
  "Id" INTEGER NOT NULL,
  "flag" BOOLEAN NOT NULL DEFAULT false,
  "state" TEXT NOT NULL DEFAULT 'new',
  "ts" TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  "d" TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  "z" TIMESTAMP DEFAULT '0000-00-00 00:00:00',
  "Price" NUMERIC,
  "b" TEXT,
  "big" NUMERIC,
  PRIMARY KEY ("Id"),
  UNIQUE ("flag", "state"),
  CHECK ("price" > 0),
  CHECK ("Id" >= 0),
  CHECK ("state" IN ('new', 'it''s')),
  CHECK ("big" >= 0)
);
note 1:110 Order.state is not the same in SQLite: it has no enumerations; labels compare as text
note 1:162 Order.ts is not the same in SQLite: SQLite keeps dates and times as text
note 1:162 Order.ts is not the same in SQLite: it has no ON UPDATE CURRENT_TIMESTAMP, which writes a column with any UPDATE
note 1:235 Order.d is not the same in SQLite: SQLite keeps dates and times as text
note 1:279 Order.z is not the same in SQLite: SQLite keeps dates and times as text
note 1:321 Order.Price is not the same in SQLite: SQLite keeps decimals as floating-point numbers
note 1:363 Order.b is not the same in SQLite: there is no such type; its values become text
note 1:363 the default of Order.b is not the same in SQLite: b'0' has no counterpart that is known to be the same
note 1:386 Order.big is not the same in SQLite: SQLite keeps decimals as floating-point numbers
)"},
    {R"(CREATE TABLE p (id int, k int, KEY (k), PRIMARY KEY (id)); CREATE TABLE c (a int, b int, CONSTRAINT f FOREIGN KEY (a) REFERENCES p (id) ON UPDATE CASCADE, FOREIGN KEY (b) REFERENCES p (k)); CREATE TABLE s (id SERIAL))",
     R"(CREATE TABLE p (
  id integer NOT NULL,
  k integer,
  PRIMARY KEY (id)
);
CREATE TABLE c (
  a integer,
  b integer,
  FOREIGN KEY (a) REFERENCES p (id) ON UPDATE CASCADE
);
CREATE TABLE s (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  UNIQUE (id),
  CHECK (id >= 0)
);
note 1:156 a foreign key of table c is not the same in PostgreSQL: the columns of p are no key
note 1:207 s.id is not the same in PostgreSQL: its numbers end at 63 bits
)",
     R"(CREATE TABLE `p` (
  `id` int NOT NULL,
  `k` int,
  PRIMARY KEY (`id`),
  KEY (`k`)
);
CREATE TABLE `c` (
  `a` int,
  `b` int,
  CONSTRAINT `f` FOREIGN KEY (`a`) REFERENCES `p` (`id`) ON UPDATE CASCADE,
  FOREIGN KEY (`b`) REFERENCES `p` (`k`)
);
CREATE TABLE `s` (
  `id` bigint unsigned NOT NULL AUTO_INCREMENT,
  UNIQUE (`id`)
);
)",
     R"(CREATE TABLE "p" (
  "id" INT NOT NULL,
  "k" INTEGER,
  PRIMARY KEY ("id")
);
CREATE TABLE "c" (
  "a" INTEGER,
  "b" INTEGER,
  FOREIGN KEY ("a") REFERENCES "p" ("id") ON UPDATE CASCADE
);
CREATE TABLE "s" (
  "id" NUMERIC NOT NULL,
  UNIQUE ("id"),
  CHECK ("id" >= 0)
);
note 1:156 a foreign key of table c is not the same in SQLite: the columns of p are no key
note 1:207 s.id is not the same in SQLite: SQLite keeps decimals as floating-point numbers
note 1:207 s.id is not the same in SQLite: only a primary key of one column counts up
)"},
};

constexpr PrintCase kSqliteSchema[] = {
    {R"(CREATE TABLE t (id INTEGER PRIMARY KEY, v, k TEXT UNIQUE, b BOOLEAN DEFAULT 1, d DATETIME DEFAULT CURRENT_TIMESTAMP, x VARCHAR(3) DEFAULT "hey", CHECK (length(x) > 1)); CREATE TABLE w (id INTEGER PRIMARY KEY, r REFERENCES t ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED) WITHOUT ROWID)",
     R"(CREATE TABLE t (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  v text,
  k text,
  b boolean DEFAULT true,
  d timestamp DEFAULT CURRENT_TIMESTAMP,
  x text DEFAULT 'hey',
  PRIMARY KEY (id),
  UNIQUE (k),
  CHECK (length(x) > 1)
);
CREATE TABLE w (
  id bigint NOT NULL,
  r bigint,
  PRIMARY KEY (id),
  FOREIGN KEY (r) REFERENCES t (id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
note 1:41 t.v is not the same in PostgreSQL: there is no such type; its values become text
note 1:210 w.r is not the same in PostgreSQL: its foreign key needs the type of t.id
)",
     R"(CREATE TABLE `t` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `v` longtext,
  `k` varchar(255),
  `b` boolean DEFAULT true,
  `d` datetime DEFAULT CURRENT_TIMESTAMP,
  `x` longtext DEFAULT 'hey',
  PRIMARY KEY (`id`),
  UNIQUE (`k`)
);
CREATE TABLE `w` (
  `id` bigint NOT NULL,
  `r` bigint,
  PRIMARY KEY (`id`),
  FOREIGN KEY (`r`) REFERENCES `t` (`id`) ON DELETE CASCADE
);
note 1:41 t.v is not the same in MariaDB: there is no such type; its values become text
note 1:44 t.k is not the same in MariaDB: a key of MariaDB needs a bounded length
note 1:146 the check length(x) > 1 of table t is not the same in MariaDB: length has no counterpart that is known to be the same
note 1:210 w.r is not the same in MariaDB: its foreign key needs the type of t.id
note 1:212 a constraint of table w is not the same in MariaDB: it checks none at COMMIT
)",
     R"(CREATE TABLE "t" (
  "id" INTEGER NOT NULL,
  "v",
  "k" TEXT,
  "b" BOOLEAN DEFAULT 1,
  "d" DATETIME DEFAULT CURRENT_TIMESTAMP,
  "x" VARCHAR(3) DEFAULT 'hey',
  PRIMARY KEY ("id"),
  UNIQUE ("k"),
  CHECK (length(x) > 1)
);
CREATE TABLE "w" (
  "id" INTEGER NOT NULL,
  "r",
  PRIMARY KEY ("id"),
  FOREIGN KEY ("r") REFERENCES "t" ("id") ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
) WITHOUT ROWID;
)"},
};

std::string printed_schema(const char* sql, Dialect from, Dialect to) {
  const SchemaReading reading = parse_schema(sql, from);
  EXPECT_EQ(render("error", reading.errors), "") << sql;
  const SchemaPrinting printing = print_schema(reading.schema, to);
  return printing.text + render("note", printing.notes);
}

TEST(SchemaPrint, PrintsPostgres) {
  for (const PrintCase& one : kPostgresSchema) {
    EXPECT_EQ(printed_schema(one.sql, Dialect::postgres, Dialect::postgres), one.postgres);
    EXPECT_EQ(printed_schema(one.sql, Dialect::postgres, Dialect::mysql), one.mysql);
    EXPECT_EQ(printed_schema(one.sql, Dialect::postgres, Dialect::sqlite), one.sqlite);
  }
}

TEST(SchemaPrint, PrintsMysql) {
  for (const PrintCase& one : kMysqlSchema) {
    EXPECT_EQ(printed_schema(one.sql, Dialect::mysql, Dialect::postgres), one.postgres);
    EXPECT_EQ(printed_schema(one.sql, Dialect::mysql, Dialect::mysql), one.mysql);
    EXPECT_EQ(printed_schema(one.sql, Dialect::mysql, Dialect::sqlite), one.sqlite);
  }
}

TEST(SchemaPrint, PrintsSqlite) {
  for (const PrintCase& one : kSqliteSchema) {
    EXPECT_EQ(printed_schema(one.sql, Dialect::sqlite, Dialect::postgres), one.postgres);
    EXPECT_EQ(printed_schema(one.sql, Dialect::sqlite, Dialect::mysql), one.mysql);
    EXPECT_EQ(printed_schema(one.sql, Dialect::sqlite, Dialect::sqlite), one.sqlite);
  }
}

TEST(SchemaPrint, LooksNamesUpAsTheDialectDoes) {
  const Schema postgres =
      parse_schema("CREATE TABLE s.t (a int); CREATE TABLE \"T\" (\"A\" int)", Dialect::postgres)
          .schema;
  EXPECT_EQ(find_table(postgres, "t", Dialect::postgres)->schema, "s");
  EXPECT_EQ(find_table(postgres, "t", Dialect::postgres, "s")->name, "t");
  EXPECT_EQ(find_table(postgres, "t", Dialect::postgres, "other"), nullptr);
  const Table* quoted = find_table(postgres, "T", Dialect::postgres);
  ASSERT_NE(quoted, nullptr);
  EXPECT_EQ(find_column(*quoted, "a", Dialect::postgres), nullptr);
  EXPECT_NE(find_column(*quoted, fold_name("\"A\"", Dialect::postgres), Dialect::postgres),
            nullptr);
  for (const Dialect dialect : {Dialect::mysql, Dialect::sqlite}) {
    const Schema other = parse_schema("CREATE TABLE `Users` (`Id` int)", dialect).schema;
    const Table* users = find_table(other, "users", dialect);
    ASSERT_NE(users, nullptr);
    EXPECT_EQ(users->name, "Users");
    EXPECT_EQ(find_column(*users, "ID", dialect)->name, "Id");
    EXPECT_EQ(find_column(*users, "x", dialect), nullptr);
  }
}

TEST(SchemaPrint, FoldsNames) {
  EXPECT_EQ(fold_name("Foo", Dialect::postgres), "foo");
  EXPECT_EQ(fold_name("\"Foo\"\"x\"", Dialect::postgres), "Foo\"x");
  EXPECT_EQ(fold_name("Foo", Dialect::mysql), "Foo");
  EXPECT_EQ(fold_name("`a``b`", Dialect::mysql), "a`b");
  EXPECT_EQ(fold_name("[a b]", Dialect::sqlite), "a b");
}

}  // namespace
}  // namespace heddle::sql
