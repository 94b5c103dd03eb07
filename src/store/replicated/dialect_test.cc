#include "store/replicated/dialect.h"

#include <string>

#include <gtest/gtest.h>

#include "base/text.h"

namespace heddle::replicated {

namespace {

std::string rewritten(const std::string& text) { return join(to_sqlite(read_tokens(text)), "; "); }

}  // namespace

TEST(Dialect, leaves_what_sqlite_knows) {
  for (const char* text :
       {"SELECT a, count(*)  FROM t WHERE b IS NOT DISTINCT FROM 1 ORDER BY a NULLS FIRST",
        "INSERT INTO t VALUES (1, 'it''s') ON CONFLICT (a) DO UPDATE SET b = excluded.b",
        "UPDATE t SET a = true WHERE b = -1.5e-3 RETURNING a", "DELETE FROM t AS x WHERE x.a = 1",
        "WITH x AS (SELECT 1) SELECT * FROM x"}) {
    EXPECT_EQ(rewritten(text), text);
  }
}

TEST(Dialect, drops_locking_clauses) {
  EXPECT_EQ(rewritten("SELECT * FROM t FOR UPDATE"), "SELECT * FROM t");
  EXPECT_EQ(rewritten("SELECT * FROM (SELECT 1 FROM t FOR NO KEY UPDATE OF t, u NOWAIT) x"),
            "SELECT * FROM (SELECT 1 FROM t) x");
  EXPECT_EQ(rewritten("SELECT * FROM t FOR SHARE SKIP LOCKED"), "SELECT * FROM t");
  EXPECT_EQ(rewritten("SELECT * FROM t FOR KEY SHARE"), "SELECT * FROM t");
}

TEST(Dialect, rewrites_casts) {
  EXPECT_EQ(rewritten("SELECT a.b::int + '5'::bigint"),
            "SELECT CAST(a.b AS INTEGER) + CAST('5' AS INTEGER)");
  EXPECT_EQ(rewritten("SELECT (a + 1)::numeric(10, 2), sum(a)::text"),
            "SELECT CAST((a + 1) AS NUMERIC), CAST(sum(a) AS TEXT)");
  EXPECT_EQ(rewritten("SELECT 't'::boolean, 'f'::bool, x::timestamp with time zone"),
            "SELECT 1, 0, (x)");
  EXPECT_EQ(rewritten("SELECT CAST(CAST(a AS varchar(3)) AS double precision)"),
            "SELECT CAST(CAST(a AS TEXT) AS REAL)");
  EXPECT_EQ(rewritten("SELECT a::text::int"), "SELECT CAST(CAST(a AS TEXT) AS INTEGER)");
  EXPECT_EQ(rewritten("SELECT a WHERE b IN (1)::int"), "SELECT a WHERE b IN CAST((1) AS INTEGER)");
}

TEST(Dialect, rewrites_words) {
  EXPECT_EQ(rewritten("SELECT a FROM public.t WHERE b ILIKE 'x%' FETCH FIRST 2 ROWS ONLY"),
            "SELECT a FROM t WHERE b LIKE 'x%' LIMIT 2");
  EXPECT_EQ(rewritten("SELECT E'a\\n\\'b', $$it's$$"), "SELECT 'a\n''b', 'it''s'");
  EXPECT_EQ(rewritten("UPDATE t x SET a = 1"), "UPDATE t AS x SET a = 1");
  EXPECT_EQ(rewritten("DELETE FROM t x WHERE x.a = 1"), "DELETE FROM t AS x WHERE x.a = 1");
  EXPECT_EQ(rewritten("INSERT INTO t (a) OVERRIDING SYSTEM VALUE VALUES ('1')"),
            "INSERT INTO t (a) VALUES ('1')");
  EXPECT_EQ(rewritten("TRUNCATE TABLE t CASCADE"), "DELETE FROM t");
}

TEST(Dialect, rewrites_tables) {
  EXPECT_EQ(rewritten("CREATE TABLE t (id serial PRIMARY KEY, name varchar(20) NOT NULL UNIQUE, "
                      "made timestamp DEFAULT now(), price numeric(10,2) DEFAULT 0::numeric)"),
            "CREATE TABLE t (id int PRIMARY KEY NOT NULL DEFAULT (nextval('t_id_seq')), "
            "name varchar(20) NOT NULL, made timestamp DEFAULT (now()), "
            "price numeric(10,2) DEFAULT (CAST(0 AS NUMERIC))); "
            "CREATE UNIQUE INDEX \"t_name_key\" ON \"t\" (\"name\")");
  EXPECT_EQ(rewritten("CREATE TABLE t (id bigint GENERATED ALWAYS AS IDENTITY (START 1), a int, b "
                      "int, CONSTRAINT both UNIQUE (a, b), PRIMARY KEY (id)) WITH (fillfactor=50)"),
            "CREATE TABLE t (id bigint NOT NULL DEFAULT (nextval('t_id_seq')), a int, b int, "
            "PRIMARY KEY (id)); CREATE UNIQUE INDEX \"both\" ON \"t\" (a, b)");
  EXPECT_EQ(rewritten("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)"),
            "CREATE TABLE t (id int PRIMARY KEY NOT NULL DEFAULT (nextval('t_id_seq')))");
  EXPECT_EQ(rewritten("CREATE TABLE t (a int CHECK (a > 0), b text DEFAULT 'x') WITHOUT ROWID"),
            "CREATE TABLE t (a int CHECK (a > 0), b text DEFAULT 'x') WITHOUT ROWID");
}

TEST(Dialect, drops_one_thing_at_a_time) {
  EXPECT_EQ(rewritten("DROP TABLE IF EXISTS a, \"b c\" CASCADE"),
            "DROP TABLE IF EXISTS a; DROP TABLE IF EXISTS \"b c\"");
  EXPECT_EQ(rewritten("DROP INDEX a"), "DROP INDEX a");
}

TEST(Dialect, knows_the_kind_of_a_statement) {
  EXPECT_EQ(kind_of(read_tokens("with x as (select 1) insert into t select * from x")), "INSERT");
  EXPECT_EQ(kind_of(read_tokens("values (1)")), "SELECT");
  EXPECT_EQ(kind_of(read_tokens("Update t set a = 1")), "UPDATE");
}

TEST(Tokens, split_statements) {
  const auto statements = split_tokens(
      "SELECT ';'; -- a; comment\n;; CREATE TRIGGER x AFTER INSERT ON t BEGIN UPDATE t SET a = "
      "CASE "
      "WHEN 1 THEN 2 END; DELETE FROM u; END; DELIVER s1.2 TO r2");
  ASSERT_EQ(statements.size(), 3U);
  EXPECT_EQ(to_text(statements[0]), "SELECT ';'");
  EXPECT_TRUE(to_text(statements[1]).ends_with("DELETE FROM u; END"));
  EXPECT_EQ(to_text(statements[2]), "DELIVER s1.2 TO r2");
}

}  // namespace heddle::replicated
