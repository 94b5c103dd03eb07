// Programs read and printed again: what is expected is the text that heddle prints, and reading
// that gives the same text.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "heddle/program.h"

namespace heddle {
namespace {

std::string reprinted(const std::string& text) {
  const auto program = parse_program({{"p.sql", text}});
  if (!program) return to_string(program.error());
  return print_program(*program);
}

// The body of a procedure p(a integer, b text) with the variables n, r, c and those that reading
// adds.
std::string body(const std::string& statements) {
  const std::string head =
      "CREATE PROCEDURE p(a integer, b text) LANGUAGE plpgsql AS $$\nDECLARE\n"
      "  n integer;\n  r record;\n  c refcursor;\n";
  const std::string end = "END $$;\n";
  const std::string begin = "BEGIN\n";
  std::string printed = reprinted(head + begin + statements + end);
  if (!printed.starts_with(head) || !printed.ends_with(end)) return printed;
  EXPECT_EQ(reprinted(printed), printed);
  const std::size_t first = printed.find(begin) + begin.size();
  return printed.substr(first, printed.size() - first - end.size());
}

struct Case {
  std::string_view text;
  std::string_view printed;
};

class Body : public testing::TestWithParam<Case> {};

TEST_P(Body, is_read_and_printed) {
  EXPECT_EQ(body(std::string(GetParam().text)), GetParam().printed);
}

constexpr Case kStatements[] = {
    {"update t set x = x + a where id = n;", "  update t set x = x + a where id = n;\n"},
    {"UPDATE t SET (x, y) = (r.x, n + r.y) WHERE id = a RETURNING x INTO n;",
     "  UPDATE t SET (x, y) = (r.x, n + r.y) WHERE id = a RETURNING x INTO n;\n"},
    {"SELECT x INTO n FROM t WHERE id = a;", "  SELECT x INTO n FROM t WHERE id = a;\n"},
    {"SELECT INTO STRICT r * FROM t;", "  SELECT * INTO STRICT r FROM t;\n"},
    {"SELECT INTO r*FROM t;", "  SELECT * INTO r FROM t;\n"},
    {"INSERT INTO t(a, b) VALUES (a, p.b) RETURNING id INTO n;",
     "  INSERT INTO t(a, b) VALUES (a, b) RETURNING id INTO n;\n"},
    {"PERFORM 1 FROM t /* all */ WHERE x = r.y\n FOR UPDATE;",
     "  PERFORM 1 FROM t WHERE x = r.y FOR UPDATE;\n"},
    {"SELECT sum(x) AS n FROM t GROUP BY y ORDER BY n INTO n;",
     "  SELECT sum(x) AS n INTO n FROM t GROUP BY y ORDER BY n;\n"},
    {"EXECUTE 'DELETE FROM t WHERE x = $1 AND y = $2' USING a, n + 1;",
     "  argument := n + 1;\n  DELETE FROM t WHERE x = a AND y = argument;\n"},
    {"EXECUTE 'UPDATE t SET x = $2 WHERE y = $1 AND x = $2' USING r.y, r.x;",
     "  UPDATE t SET x = r.x WHERE y = r.y AND x = r.x;\n"},
    {"EXECUTE 'DELETE FROM t WHERE x $2' USING a, n;", "  PERFORM heddle_unknown('EXECUTE');\n"},
    {"EXECUTE 'DELETE FROM t' INT; EXECUTE 'SELECT $1' INT;",
     "  DELETE FROM t;\n  PERFORM heddle_unknown('EXECUTE');\n"},
    {"EXECUTE E'DELETE FROM t WHERE x = \\'\\\\\\'';", "  PERFORM heddle_unknown('EXECUTE');\n"},
    {"EXECUTE 'SELECT x FROM t WHERE x = INTERVAL $1' INTO r USING a;",
     "  SELECT heddle_unknown('EXECUTE') INTO r;\n"},
    {"EXECUTE 'DELETE FROM ' || b; EXECUTE b || a INTO STRICT r USING a, r.x;",
     "  EXECUTE 'DELETE FROM ' || b;\n  EXECUTE b || a INTO STRICT r USING a, r.x;\n"},
    {"OPEN c FOR EXECUTE b USING a; FOR r IN EXECUTE b || 'x' USING a LOOP NULL; END LOOP;",
     "  OPEN c FOR EXECUTE b USING a;\n  FOR r IN EXECUTE b || 'x' USING a LOOP\n    NULL;\n  END "
     "LOOP;\n"},
    {"COMMIT; ROLLBACK;", "  COMMIT;\n  ROLLBACK;\n"},
    {"OPEN c FOR SELECT x FROM t WHERE y = a; FETCH NEXT FROM c INTO n; MOVE c; CLOSE c;",
     "  OPEN c FOR SELECT x FROM t WHERE y = a;\n  FETCH c INTO n;\n  MOVE c;\n  CLOSE c;\n"},
    {"GET DIAGNOSTICS n = ROW_COUNT;", "  GET DIAGNOSTICS n = ROW_COUNT;\n"},
};

constexpr Case kValues[] = {
    {"n := (a + 1) * 2 - (3 - 4);", "  n := (a + 1) * 2 - (3 - 4);\n"},
    {"n = -5; n := - a; n := 1 - -5;", "  n := -5;\n  n := -a;\n  n := 1 - -5;\n"},
    {"n := - -5; n := -(5); n := 1 - (-(-(2)));", "  n := 5;\n  n := -5;\n  n := 1 - 2;\n"},
    {"r.x := b || 'it''s' || 1.50;", "  r.x := b || 'it''s' || 1.50;\n"},
    {"n := CASE a WHEN 1 THEN 2 ELSE 3 END;", "  n := CASE WHEN a = 1 THEN 2 ELSE 3 END;\n"},
    {"n := (ARRAY[a, 2])[1] + (array_append(r, 1))[2];",
     "  n := (ARRAY[a, 2])[1] + (array_append(r, 1))[2];\n"},
    {"n := a::bigint + CAST(b AS numeric(6,2));", "  n := a::bigint + b::numeric(6,2);\n"},
    {"n := coalesce(a, greatest(1, 2), abs(-3));",
     "  n := coalesce(a, greatest(1, 2), abs(-3));\n"},
    {"n := (SELECT max(x) FROM t WHERE y < a);",
     "  SELECT (SELECT max(x) FROM t WHERE y < a) INTO n;\n"},
    {"n := x FROM t WHERE y < a;", "  SELECT x INTO n FROM t WHERE y < a;\n"},
    {"IF NOT (a < 1 OR a <= 2 AND b IS NULL) THEN NULL; END IF;",
     "  IF NOT (a < 1 OR (a <= 2 AND b IS NULL)) THEN\n    NULL;\n  END IF;\n"},
    {"IF a IN (1, 2) AND a NOT BETWEEN 1 AND 2 AND b NOT LIKE 'x%' THEN NULL; END IF;",
     "  IF a IN (1, 2) AND (a NOT BETWEEN 1 AND 2) AND b NOT LIKE 'x%' THEN\n    NULL;\n  END "
     "IF;\n"},
};

constexpr Case kControl[] = {
    {"IF a = 1 THEN n := 1; ELSIF a = 2 THEN n := 2; ELSEIF a > 3 THEN NULL; ELSE n := 3; END IF;",
     "  IF a = 1 THEN\n    n := 1;\n  ELSIF a = 2 THEN\n    n := 2;\n  ELSIF a > 3 THEN\n    "
     "NULL;\n"
     "  ELSE\n    n := 3;\n  END IF;\n"},
    {"IF EXISTS (SELECT 1 FROM t WHERE x = a) THEN RETURN; END IF;",
     "  SELECT EXISTS (SELECT 1 FROM t WHERE x = a) INTO value;\n  IF value THEN\n    RETURN;\n"
     "  END IF;\n"},
    {"WHILE a < 3 LOOP EXIT WHEN n = 1; CONTINUE; END LOOP;",
     "  WHILE a < 3 LOOP\n    IF n = 1 THEN\n      EXIT;\n    END IF;\n    CONTINUE;\n  END "
     "LOOP;\n"},
    {"<<outer>> LOOP LOOP EXIT outer; END LOOP; END LOOP outer;",
     "  <<\"outer\">>\n  LOOP\n    LOOP\n      EXIT \"outer\";\n    END LOOP;\n  END LOOP;\n"},
    {"FOR r IN SELECT x FROM t WHERE y = a LOOP DELETE FROM u WHERE x = r.x; END LOOP;",
     "  FOR r IN SELECT x FROM t WHERE y = a LOOP\n    DELETE FROM u WHERE x = r.x;\n  END "
     "LOOP;\n"},
    {"FOR i IN REVERSE 10..a BY 2 LOOP n := n + i; END LOOP;",
     "  FOR i IN REVERSE 10 .. a BY 2 LOOP\n    n := n + i;\n  END LOOP;\n"},
    {"FOREACH n IN ARRAY ARRAY[1, 2] LOOP NULL; END LOOP;",
     "  FOREACH n IN ARRAY ARRAY[1, 2] LOOP\n    NULL;\n  END LOOP;\n"},
    {"CASE a WHEN 1, 2 THEN n := 1; ELSE n := 2; END CASE;",
     "  IF a = 1 OR a = 2 THEN\n    n := 1;\n  ELSE\n    n := 2;\n  END IF;\n"},
    {"BEGIN INSERT INTO t VALUES (1); EXCEPTION WHEN unique_violation OR SQLSTATE '40001' THEN "
     "n := 1; WHEN others THEN RAISE; END;",
     "  BEGIN\n    INSERT INTO t VALUES (1);\n  EXCEPTION\n  WHEN unique_violation OR SQLSTATE "
     "'40001' THEN\n    n := 1;\n  WHEN others THEN\n    RAISE;\n  END;\n"},
    {"<<heddle_client>> BEGIN DELETE FROM t; EXCEPTION WHEN others THEN b := SQLERRM; IF SQLSTATE "
     "= "
     "'40001' THEN ROLLBACK; END IF; DELETE FROM t WHERE x = sqlstate; END;",
     "  <<heddle_client>>\n  BEGIN\n    DELETE FROM t;\n  EXCEPTION\n  WHEN others THEN\n    b := "
     "sqlerrm;\n    IF sqlstate = '40001' THEN\n      ROLLBACK;\n    END IF;\n    DELETE FROM t "
     "WHERE x = sqlstate;\n  END;\n"},
    {"RAISE NOTICE 'x %', a; RAISE EXCEPTION 'no %', a USING ERRCODE = 'P0002';",
     "  RAISE EXCEPTION 'no %', a USING ERRCODE = 'P0002';\n"},
};

INSTANTIATE_TEST_SUITE_P(Statements, Body, testing::ValuesIn(kStatements));
INSTANTIATE_TEST_SUITE_P(Values, Body, testing::ValuesIn(kValues));
INSTANTIATE_TEST_SUITE_P(Control, Body, testing::ValuesIn(kControl));

TEST(ProgramReader, knows_routines_of_all_kinds) {
  EXPECT_EQ(
      reprinted("CREATE TABLE t (x int);\n"
                "CREATE OR REPLACE FUNCTION s.f(int, b text, OUT c int) LANGUAGE plpgsql AS '\n"
                "BEGIN SELECT x INTO c FROM t WHERE y = $1 AND z = ''it''''s''; RETURN; END';"
                "CREATE FUNCTION g(a int) RETURNS SETOF t LANGUAGE sql AS "
                "$x$ SELECT * FROM t WHERE x = $1 OR x = a $x$;"
                "CREATE PROCEDURE h(a int) BEGIN ATOMIC DELETE FROM t WHERE x = a; END;"
                "INSERT INTO t VALUES (1);"),
      "CREATE TABLE t (\n  x int\n);\n\n"
      "CREATE FUNCTION f(parameter_1 integer, b text) RETURNS integer LANGUAGE plpgsql AS $$\n"
      "DECLARE\n  c integer;\nBEGIN\n"
      "  SELECT x INTO c FROM t WHERE y = parameter_1 AND z = 'it''s';\n  RETURN c;\nEND $$;\n\n"
      "CREATE FUNCTION g(a integer) RETURNS SETOF t LANGUAGE plpgsql AS $$\nBEGIN\n"
      "  RETURN QUERY SELECT * FROM t WHERE x = a OR x = a;\nEND $$;\n\n"
      "CREATE PROCEDURE h(a integer) LANGUAGE plpgsql AS $$\nBEGIN\n"
      "  DELETE FROM t WHERE x = a;\nEND $$;\n");
}

TEST(ProgramReader, keeps_inner_variables_apart) {
  EXPECT_EQ(
      reprinted("CREATE PROCEDURE p(a int) LANGUAGE plpgsql AS $$ <<one>> DECLARE x int := 1; "
                "BEGIN <<two>> DECLARE x int; y int := one.x; BEGIN x := one.x + p.a; END two; "
                "x := 2; END one $$;"),
      "CREATE PROCEDURE p(a integer) LANGUAGE plpgsql AS $$\nDECLARE\n  x int;\n  x_2 int;\n"
      "  y int;\nBEGIN\n  x := 1;\n  x_2 := null;\n  y := x;\n  x_2 := x + a;\n  x := 2;\n"
      "END $$;\n");
}

TEST(ProgramReader, says_what_is_wrong_and_where) {
  const auto trouble = [](const std::string& statements) {
    const auto program =
        parse_program({{"p.sql", "CREATE PROCEDURE p(a int) LANGUAGE plpgsql AS $$\nBEGIN\n" +
                                     statements + "\nEND $$;"}});
    return program ? "" : to_string(program.error());
  };
  EXPECT_EQ(trouble("  a := b + 1;"),
            "p.sql:3:8: there is no variable \"b\", declare it, or check the expression");
  EXPECT_EQ(trouble("IF a = 1 THEN NULL;"),
            "p.sql:4:5: IF is missing at the end of the body, look at p()");
  EXPECT_EQ(trouble("  SELEC 1;"),
            "p.sql:3:3: syntax error at or near \"SELEC\", check the statement's syntax");
  EXPECT_EQ(trouble("SELECT 1 INTO zz;"),
            "p.sql:3:15: INTO needs variables that are declared; a name is missing before \"zz\", "
            "look at p()");
  EXPECT_EQ(trouble("a := *;"), "p.sql:3:6: * is no value, declare it, or check the expression");
  EXPECT_EQ(trouble("SELECT INTO a 1 INTO a;"),
            "p.sql:3:17: INTO may be there once before \"INTO\", look at p()");
}

TEST(ProgramReader, notes_what_it_does_not_follow) {
  const auto program = parse_program(
      {{"p.sql",
        "CREATE PROCEDURE p(a text) LANGUAGE plpgsql AS $$\nBEGIN\n  EXECUTE a || ' x';\nEND $$;\n"
        "CREATE FUNCTION t() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;\n"
        "CREATE FUNCTION u() RETURNS int LANGUAGE c AS 'u';"}});
  ASSERT_TRUE(program) << to_string(program.error());
  std::string notes;
  for (const Diagnostic& note : program->notes) notes += to_string(note) + "\n";
  EXPECT_EQ(
      notes,
      "p.sql:3:11: EXECUTE of a text that is made while the routine runs is not followed, it is "
      "taken to read and write anything\n"
      "p.sql:5:1: trigger function t() is not followed, put it into a CREATE PROCEDURE if it "
      "should be\n"
      "p.sql:6:1: u() in language c is not read, put it into a CREATE PROCEDURE if it should "
      "be\n");
}

TEST(ProgramReader, keeps_names_and_types_as_postgres_reads_them) {
  const std::string text =
      "CREATE FUNCTION f(\"left\" timestamp(3) with time zone, \"Mixed\" \"Mood\", c char(3)[]) "
      "RETURNS double precision LANGUAGE plpgsql AS $$\nDECLARE\n  \"loop\" integer;\nBEGIN\n"
      "  \"loop\" := \"left\";\nEND $$;\n";
  EXPECT_EQ(reprinted(text), text);
}

TEST(ProgramReader, reads_other_encodings_with_a_note) {
  const std::string latin =
      "CREATE PROCEDURE p(a text) LANGUAGE plpgsql AS $$\nBEGIN\n"
      "  UPDATE t SET caf\xe9 = 'na\xefve' WHERE x = a;\nEND $$;\n";
  const auto program = parse_program({{"p.sql", latin}});
  ASSERT_TRUE(program) << to_string(program.error());
  ASSERT_EQ(program->notes.size(), 1U);
  EXPECT_EQ(to_string(program->notes[0]),
            "p.sql:3:19: the text is not UTF-8; bytes that are not are taken for Latin-1, convert "
            "the file to UTF-8");
  EXPECT_EQ(print_program(*program),
            "CREATE PROCEDURE p(a text) LANGUAGE plpgsql AS $$\nBEGIN\n"
            "  UPDATE t SET caf\xc3\xa9 = 'na\xc3\xafve' WHERE x = a;\nEND $$;\n");
}

TEST(ProgramReader, leaves_out_files_with_errors_where_it_may) {
  const std::vector<SourceText> files = {{"a.sql", "CREATE TABLE a (id int,,);"},
                                         {"b.sql", "CREATE TABLE b (id int);"},
                                         {"c.sql", "ALTER TABLE nowhere ADD x int;"},
                                         {"d.sql", "CREATE TABLE a (id int);"}};
  EXPECT_FALSE(parse_program(files).has_value());
  const auto program = parse_program(files, {.skips_unreadable = true});
  ASSERT_TRUE(program) << to_string(program.error());
  ASSERT_EQ(program->schema.tables.size(), 2U);
  EXPECT_EQ(program->schema.tables[1].name, "a");
  ASSERT_EQ(program->notes.size(), 2U);
  EXPECT_EQ(program->notes[0].file, "a.sql");
  EXPECT_EQ(program->notes[1].file, "c.sql");
}

// A value of another type would let the statement fail.
TEST(Program, gives_what_execute_uses_the_type_of_its_value) {
  const auto program = parse_program({{"p.sql", R"(
CREATE TABLE t (x numeric(9,2), y date, z text);
CREATE PROCEDURE p(a integer, b bigint, d date, l integer[]) LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  SELECT * INTO r FROM t;
  EXECUTE 'SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9'
    USING a + b, r.x * 2, d - 1, r.y - d, l[1] + 1, a > 1, coalesce(r.z, 'none'), 1.5 * a, -a;
END $$;)"}});
  ASSERT_TRUE(program) << to_string(program.error());
  std::vector<std::string> types;
  for (const Variable& variable : program->functionalities[0].variables) {
    if (variable.name.starts_with("argument")) types.push_back(variable.type);
  }
  EXPECT_EQ(types, (std::vector<std::string>{"bigint", "numeric", "date", "integer", "integer",
                                             "boolean", "text", "numeric", "integer"}));
}

// Each is a variable once, also where the tree has it for each column that is set.
TEST(Program, binds_what_several_columns_are_set_to_at_once) {
  const auto program = parse_program({{"p.sql", R"(
CREATE TABLE t (id int PRIMARY KEY, x int, y int);
CREATE PROCEDURE p(a int, b int) LANGUAGE plpgsql AS $$
BEGIN UPDATE t SET (x, y) = (a + 1, b) WHERE id = b; END $$;)"}});
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_TRUE(program->notes.empty());
  const ListedStatement only = list_statements(program->functionalities[0]).at(0);
  EXPECT_EQ(only.statement->statement.text, "UPDATE t SET (x, y) = ($1 + 1, $2) WHERE id = $3");
  EXPECT_EQ(only.statement->arguments.size(), 3U);
}

// A routine that is a query is asked in the place of its call.
TEST(Program, reads_queries_of_routines_in_from) {
  const std::string tables = R"(
CREATE TABLE t (id int PRIMARY KEY, x int);
CREATE FUNCTION rows_of(p int) RETURNS SETOF t LANGUAGE sql AS $$ SELECT * FROM t WHERE id = p $$;
CREATE FUNCTION columns_of(p int, low int DEFAULT 3) RETURNS TABLE (i int, "Y" int)
LANGUAGE plpgsql AS $$
BEGIN RETURN QUERY SELECT id, x + 1 FROM t WHERE id = p AND x > low; END $$;
CREATE FUNCTION values_of(p int) RETURNS SETOF int LANGUAGE sql AS $$ SELECT x FROM t WHERE x < $1 $$;
CREATE FUNCTION marked(p int) RETURNS SETOF t LANGUAGE plpgsql AS $$
BEGIN UPDATE t SET x = 0 WHERE id = p; RETURN QUERY SELECT * FROM t; END $$;
CREATE PROCEDURE p(a int) LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  {}
END $$;)";
  const auto last = [&](const std::string& statement) {
    std::string text = tables;
    const auto program = parse_program({{"p.sql", text.replace(text.find("{}"), 2, statement)}});
    if (!program) return to_string(program.error());
    const std::string printed = print_program(*program);
    const std::string begin = "  n int;\nBEGIN\n  ";
    const std::size_t at = printed.rfind(begin) + begin.size();
    return printed.substr(at, printed.rfind("\nEND") - at);
  };
  EXPECT_EQ(last("SELECT x INTO n FROM rows_of(a + 1) WHERE x > 2;"),
            "SELECT x INTO n FROM (SELECT * FROM t WHERE id = (a + 1)) AS rows_of WHERE x > 2;");
  EXPECT_EQ(last("SELECT c.i INTO n FROM t JOIN columns_of(a) AS c ON c.\"Y\" = t.id;"),
            "SELECT c.i INTO n FROM t JOIN (SELECT id AS i, x + 1 AS \"Y\" FROM t WHERE id = a AND "
            "x > 3) AS c ON c.\"Y\" = t.id;");
  EXPECT_EQ(last("SELECT max(v) INTO n FROM t, values_of(a) v WHERE t.id = v;"),
            "SELECT max(v) INTO n FROM t, (SELECT x AS v FROM t WHERE x < a) v WHERE t.id = v;");
  EXPECT_EQ(last("SELECT x INTO n FROM marked(a);"), "SELECT x INTO n FROM marked(a);");
  for (const std::string statement : {"SELECT x INTO n FROM rows_of(a) FOR UPDATE;",
                                      "SELECT r.x INTO n FROM t, rows_of(t.id) r;"}) {
    EXPECT_EQ(last(statement), statement);
  }
}

}  // namespace
}  // namespace heddle
