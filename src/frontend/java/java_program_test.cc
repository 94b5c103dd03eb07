// Java to programs: each shape of class, each way to put SQL together, and the mistakes that tools
// before this one made.
#include "heddle/java_program.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr const char* kProgramSchema =
    "CREATE TABLE account (id int PRIMARY KEY, owner text, balance int NOT NULL, "
    "is_selected boolean, VIP int NOT NULL);"
    "CREATE TABLE log (id serial PRIMARY KEY, note text);";

Result<Program> read_files(const std::vector<SourceText>& files, const std::string& schema) {
  auto program = parse_program({{"schema.sql", schema}});
  if (!program) return program;
  if (auto read = read_java_program(files, {}, *program); !read) return read.error();
  return program;
}

// The body of a class with a connection.
Result<Program> read_methods(const std::string& methods) {
  return read_files({{"T.java",
                      "import java.sql.*;\nimport java.util.*;\npublic class T {\n"
                      "private Connection c;\n" +
                          methods + "\n}\n"}},
                    kProgramSchema);
}

// The functionalities as text, without the tables.
std::string printed(const Result<Program>& program) {
  if (!program) return to_string(program.error());
  Program bare = *program;
  bare.schema = {};
  return print_program(bare);
}

// The statements of all functionalities, one per line, with their guards.
std::string listed_guarded(const Result<Program>& program) {
  if (!program) return to_string(program.error());
  std::string text;
  for (const Functionality& functionality : program->functionalities) {
    for (const ListedStatement& one : list_statements(functionality)) {
      text += named_text(one.statement->statement.text, one.statement->arguments);
      for (const Guard& guard : one.guards) {
        text += std::string(guard.holds ? " if " : " unless ") + print_expression(guard.condition);
      }
      if (one.loops > 0) text += " loops " + std::to_string(one.loops);
      text += "\n";
    }
  }
  return text;
}

std::string notes_of(const Result<Program>& program) {
  if (!program) return to_string(program.error());
  std::string text;
  for (const Diagnostic& note : program->notes) text += to_string(note) + "\n";
  return text;
}

TEST(JavaProgram, reads_a_class_with_a_connection) {
  const auto program = read_methods(
      "public void pay(int id, int amount) throws SQLException {\n"
      "  PreparedStatement s = c.prepareStatement(\"SELECT balance FROM account WHERE id = ?\");\n"
      "  s.setInt(1, id);\n  ResultSet r = s.executeQuery();\n"
      "  if (!r.next()) throw new SQLException(\"no account\");\n"
      "  int left = r.getInt(\"balance\") - amount;\n  if (left < 0) return;\n"
      "  s = c.prepareStatement(\"UPDATE account SET balance = ? WHERE id = ?\");\n"
      "  s.setInt(1, left); s.setInt(2, id); s.executeUpdate();\n}");
  EXPECT_EQ(printed(program),
            "CREATE PROCEDURE pay(p_id integer, amount integer) LANGUAGE plpgsql AS $$\n"
            "DECLARE\n  row record;\n  argument integer;\nBEGIN\n"
            "  SELECT balance INTO row FROM account WHERE id = p_id;\n"
            "  IF NOT found THEN\n    RAISE EXCEPTION 'no account' USING HINT = 'SQLException';\n  "
            "END IF;\n"
            "  IF row.balance - amount < 0 THEN\n    RETURN;\n  END IF;\n"
            "  argument := row.balance - amount;\n"
            "  UPDATE account SET balance = argument WHERE id = p_id;\nEND $$;\n");
  EXPECT_EQ(notes_of(program), "");
}

TEST(JavaProgram, reads_a_procedure_of_benchbase) {
  const auto program = read_files(
      {{"Pay.java",
        "package p;\nimport static p.Names.ACCOUNT;\npublic class Pay extends Procedure {\n"
        "  public final SQLStmt pay = new SQLStmt(\"UPDATE \" + ACCOUNT + \" SET balance = "
        "balance + ? WHERE id = ?\");\n"
        "  public final SQLStmt all = new SQLStmt(\"SELECT id FROM account WHERE id IN (?\?)\", 2);"
        "\n  public void run(Connection conn, int id) throws SQLException {\n"
        "    try (PreparedStatement s = this.getPreparedStatement(conn, pay, -1, id)) {\n"
        "      s.executeUpdate();\n    }\n"
        "    this.getPreparedStatement(conn, all, id, 7).executeQuery();\n  }\n}\n"},
       {"Names.java", "package p;\npublic interface Names { String ACCOUNT = \"account\"; }\n"}},
      kProgramSchema);
  EXPECT_EQ(listed_guarded(program),
            "UPDATE account SET balance = balance + -1 WHERE id = p_id\n"
            "SELECT id FROM account WHERE id IN (p_id,7)\n");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->functionalities.at(0).name, "Pay");
}

TEST(JavaProgram, says_which_method_is_read) {
  const auto program = read_files(
      {{"Bank.java",
        "package shop.bank;\npublic class Bank {\n  public static class Desk {\n"
        "    public void pay(java.sql.Connection c, int[] ids, java.util.List<Long> more)\n"
        "        throws SQLException {\n"
        "      c.prepareStatement(\"DELETE FROM account\").executeUpdate();\n    }\n  }\n}\n"}},
      kProgramSchema);
  ASSERT_TRUE(program);
  EXPECT_EQ(program->functionalities.at(0).method,
            "shop.bank.Bank$Desk.pay(Connection, int[], List)");
}

TEST(JavaProgram, follows_services_through_their_data_access_objects) {
  const auto program = read_files(
      {{"Service.java",
        "public class Service {\n  private final Dao dao = new Dao();\n  private DataSource source;"
        "\n  public void pay(int id) throws SQLException {\n"
        "    try (Connection c = source.getConnection()) {\n"
        "      dao.find(c, id).orElseThrow(() -> new IllegalStateException(\"none\"));\n"
        "      dao.pay(c, id);\n    }\n  }\n}\n"},
       {"Dao.java",
        "class Dao {\n  public Optional<Integer> find(Connection c, int id) throws SQLException {\n"
        "    try (PreparedStatement s = c.prepareStatement(\"SELECT VIP FROM account WHERE id = "
        "?\")) {\n      s.setInt(1, id);\n      try (ResultSet r = s.executeQuery()) {\n"
        "        return r.next() ? Optional.of(r.getInt(1)) : Optional.empty();\n      }\n    }\n"
        "  }\n  public void pay(Connection c, int id) throws SQLException {\n"
        "    try (Statement s = c.createStatement()) {\n"
        "      s.executeUpdate(String.format(\"UPDATE account SET balance = 0 WHERE id = %d\", "
        "id));\n    }\n  }\n}\n"}},
      kProgramSchema);
  EXPECT_EQ(listed_guarded(program),
            "SELECT VIP FROM account WHERE id = p_id\nCOMMIT\n"
            "UPDATE account SET balance = 0 WHERE id = p_id if found\nCOMMIT if found\n");
}

TEST(JavaProgram, keeps_comparisons_as_they_are) {
  EXPECT_EQ(listed_guarded(read_methods(
                "public void f(int a) throws SQLException {\n"
                "if (a < 1) c.createStatement().executeUpdate(\"DELETE FROM log WHERE id = 1\");\n"
                "if (a <= 1) c.createStatement().executeUpdate(\"DELETE FROM log WHERE id = 2\");\n"
                "if (a >= 2) c.createStatement().executeUpdate(\"DELETE FROM log WHERE id = 3\");"
                "}")),
            "DELETE FROM log WHERE id = 1 if a < 1\n"
            "DELETE FROM log WHERE id = 2 if a <= 1\n"
            "DELETE FROM log WHERE id = 3 if a >= 2\n");
}

TEST(JavaProgram, compares_columns_regardless_of_case) {
  const auto program = read_methods(
      "public int f(int id) throws SQLException {\n"
      "PreparedStatement s = c.prepareStatement(\"SELECT Balance, vip FROM ACCOUNT WHERE ID = ?\");"
      "\ns.setInt(1, id); ResultSet r = s.executeQuery(); r.next();\n"
      "return r.getInt(\"BALANCE\") + r.getInt(\"Vip\"); }");
  ASSERT_TRUE(program) << to_string(program.error());
  const auto statements = list_statements(program->functionalities.at(0));
  EXPECT_EQ(statements.at(0).statement->statement.tables.at(0).columns_read,
            (std::vector<std::string>{"balance", "id", "vip"}));
  EXPECT_EQ(notes_of(program), "");
}

TEST(JavaProgram, takes_a_column_named_like_a_keyword_for_what_it_is) {
  const auto program = read_methods(
      "public void f(int id) throws SQLException {\n"
      "PreparedStatement s = c.prepareStatement(\"UPDATE account SET is_selected = true WHERE id = "
      "?\");\ns.setInt(1, id); s.executeUpdate(); }");
  ASSERT_TRUE(program) << to_string(program.error());
  const auto statements = list_statements(program->functionalities.at(0));
  EXPECT_EQ(statements.at(0).statement->statement.kind, StatementKind::update);
}

TEST(JavaProgram, respects_the_columns_that_an_insert_names) {
  const auto program = read_methods(
      "public void f(String note) throws SQLException {\n"
      "PreparedStatement s = c.prepareStatement(\"INSERT INTO log (note) VALUES (?)\");\n"
      "s.setString(1, note); s.execute(); }");
  ASSERT_TRUE(program) << to_string(program.error());
  const Statement& insert =
      list_statements(program->functionalities.at(0)).at(0).statement->statement;
  EXPECT_EQ(insert.tables.at(0).columns_written, std::vector<std::string>{"note"});
  EXPECT_EQ(insert.values.at(0).column, "note");
}

TEST(JavaProgram, guards_what_comes_after_an_early_return) {
  EXPECT_EQ(
      listed_guarded(read_methods("public void f(int a, int b) throws SQLException {\n"
                                  "if (a == 1) { if (b == 2) return; }\n"
                                  "c.createStatement().executeUpdate(\"DELETE FROM log\"); }")),
      "DELETE FROM log unless a = 1 AND b = 2\n");
}

TEST(JavaProgram, keeps_the_order_of_many_statements) {
  std::string body;
  std::string expected;
  for (int i = 1; i <= 25; ++i) {
    const std::string text = "DELETE FROM log WHERE id = " + std::to_string(i);
    body += "c.createStatement().executeUpdate(\"" + text + "\");\n";
    expected += text + "\n";
  }
  EXPECT_EQ(listed_guarded(read_methods("public void f() throws SQLException {\n" + body + "}")),
            expected);
}

TEST(JavaProgram, tells_methods_apart_whose_names_begin_alike) {
  const auto program = read_methods(
      "public void pay() throws SQLException {"
      " c.createStatement().executeUpdate(\"DELETE FROM log WHERE id = 1\"); }\n"
      "public void payAll() throws SQLException {"
      " c.createStatement().executeUpdate(\"DELETE FROM log WHERE id = 2\"); }");
  EXPECT_EQ(listed_guarded(program),
            "DELETE FROM log WHERE id = 1\nDELETE FROM log WHERE id = 2\n");
  ASSERT_TRUE(program);
  EXPECT_EQ(program->functionalities.at(1).name, "payAll");
}

TEST(JavaProgram, reads_updates_that_use_what_they_change) {
  const auto program = read_methods(
      "public void f(int id) throws SQLException {\n"
      "PreparedStatement s = c.prepareStatement(\"UPDATE account SET balance = balance + ? WHERE "
      "id = ?\"); s.setInt(1, 5); s.setInt(2, id); s.executeUpdate(); }");
  EXPECT_EQ(listed_guarded(program), "UPDATE account SET balance = balance + 5 WHERE id = p_id\n");
}

TEST(JavaProgram, puts_text_together_as_the_code_does) {
  EXPECT_EQ(
      listed_guarded(read_methods(
          "public void f(Integer low, String owner) throws SQLException {\n"
          "StringBuilder sql = new StringBuilder(\"SELECT id FROM account WHERE VIP = 1\");\n"
          "if (low != null) sql.append(\" AND balance > ?\");\n"
          "if (owner != null) sql.append(\" AND owner = ?\");\n"
          "PreparedStatement s = c.prepareStatement(sql.toString());\nint i = 1;\n"
          "if (low != null) s.setInt(i++, low);\nif (owner != null) s.setString(i++, owner);"
          "\ns.executeQuery(); }")),
      "SELECT id FROM account WHERE VIP = 1 AND balance > low AND owner = p_owner "
      "if low IS NOT NULL if p_owner IS NOT NULL\n"
      "SELECT id FROM account WHERE VIP = 1 AND balance > low "
      "if low IS NOT NULL unless p_owner IS NOT NULL\n"
      "SELECT id FROM account WHERE VIP = 1 AND owner = p_owner "
      "unless low IS NOT NULL if p_owner IS NOT NULL\n"
      "SELECT id FROM account WHERE VIP = 1 unless low IS NOT NULL unless p_owner IS NOT NULL\n");
}

TEST(JavaProgram, takes_a_list_of_marks_for_an_array) {
  EXPECT_EQ(listed_guarded(read_methods(
                "public void f(int[] ids) throws SQLException {\n"
                "String sql = \"DELETE FROM log WHERE id IN (\";\n"
                "for (int i = 0; i < ids.length; i++) { if (i > 0) sql += \",\"; sql += \"?\"; }\n"
                "PreparedStatement s = c.prepareStatement(sql + \")\");\n"
                "for (int i = 0; i < ids.length; i++) s.setInt(i + 1, ids[i]);\n"
                "s.executeUpdate(); }")),
            "DELETE FROM log WHERE id = ANY(many)\n");
}

TEST(JavaProgram, notes_text_that_is_made_while_it_runs) {
  const auto program = read_methods(
      "public void f(String where) throws SQLException {\n"
      "c.createStatement().executeQuery(\"SELECT id FROM log WHERE \" + where); }");
  EXPECT_EQ(notes_of(program),
            "T.java:6:1: SQL text that is put together from \"where\" while it runs, it is taken "
            "for one value; pass it as a parameter\n");
}

TEST(JavaProgram, states_boundaries_where_the_code_does) {
  const auto program = read_methods(
      "public void f(int id) throws SQLException {\n  c.setAutoCommit(false);\n  try {\n"
      "    c.createStatement().executeUpdate(\"DELETE FROM log\");\n    c.commit();\n"
      "  } catch (SQLException e) {\n    c.rollback();\n    throw e;\n  } finally {\n"
      "    c.setAutoCommit(true);\n  }\n}");
  EXPECT_EQ(listed_guarded(program), "DELETE FROM log\nCOMMIT\n");
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->functionalities.at(0).states_boundaries);
}

TEST(JavaProgram, reads_rows_in_loops) {
  EXPECT_EQ(printed(read_methods(
                "public int f() throws SQLException {\n  int sum = 0;\n"
                "  try (ResultSet r = c.createStatement().executeQuery(\"SELECT balance FROM "
                "account\")) {\n    while (r.next()) sum += r.getInt(1);\n  }\n  return sum;\n}")),
            "CREATE FUNCTION f() RETURNS integer LANGUAGE plpgsql AS $$\n"
            "DECLARE\n  sum integer;\n  row record;\nBEGIN\n  sum := 0;\n"
            "  FOR row IN SELECT balance FROM account LOOP\n    sum := sum + row.balance;\n"
            "  END LOOP;\n  RETURN sum;\nEND $$;\n");
}

TEST(JavaProgram, catches_errors_as_a_client_does) {
  EXPECT_EQ(printed(read_methods(
                "public String f(int id) throws SQLException {\n  try {\n"
                "    c.createStatement().executeUpdate(\"DELETE FROM log\");\n"
                "    return \"gone\";\n  } catch (SQLException e) {\n"
                "    if (!e.getSQLState().startsWith(\"40\")) throw e;\n"
                "    c.rollback();\n    return e.getMessage() + e.getErrorCode();\n  }\n}")),
            "CREATE FUNCTION f(p_id integer) RETURNS text LANGUAGE plpgsql AS $$\n"
            "DECLARE\n  state text;\n  message text;\nBEGIN\n  <<heddle_client>>\n  BEGIN\n"
            "    DELETE FROM log;\n    RETURN 'gone';\n  EXCEPTION\n  WHEN others THEN\n"
            "    state := sqlstate;\n    message := sqlerrm;\n"
            "    IF left(state, length('40')) <> '40' THEN\n      RAISE;\n    END IF;\n"
            "    ROLLBACK;\n    RETURN 'ERROR: ' || message || '0';\n  END;\nEND $$;\n");
}

TEST(JavaProgram, keeps_the_message_of_an_exception_around_an_error) {
  const std::string thrown =
      "public void f() {\n  try {\n    c.createStatement().executeUpdate(\"DELETE FROM log\");\n"
      "  } catch (SQLException e) {\n    throw ";
  const auto raised = [&](const std::string& exception) {
    const std::string text = printed(read_methods(thrown + exception + ";\n  }\n}"));
    const std::size_t at = text.find("RAISE");
    return at == std::string::npos ? text : text.substr(at, text.find('\n', at) - at);
  };
  EXPECT_EQ(raised("new IllegalStateException(\"100% lost\", e)"),
            "RAISE EXCEPTION '100%% lost' USING HINT = 'IllegalStateException';");
  EXPECT_EQ(raised("new RuntimeException(e)"),
            "RAISE EXCEPTION '%', 'org.postgresql.util.PSQLException: ERROR: ' || message USING "
            "HINT = 'RuntimeException';");
  EXPECT_EQ(raised("new RuntimeException(new IllegalStateException(e.getMessage()))"),
            "RAISE EXCEPTION '%', 'java.lang.IllegalStateException: ERROR: ' || message USING HINT "
            "= 'RuntimeException';");
  EXPECT_EQ(raised("new SQLException(\"lost\", \"40001\", e)"),
            "RAISE EXCEPTION 'lost' USING ERRCODE = '40001', HINT = 'SQLException';");
}

// Of java.sql's exceptions PostgreSQL's driver throws none but SQLException and that of a batch.
TEST(JavaProgram, notes_exceptions_that_the_driver_does_not_throw) {
  const auto program = read_methods(
      "public void f() throws SQLException {\n  try {\n"
      "    c.createStatement().executeUpdate(\"DELETE FROM log\");\n"
      "  } catch (SQLIntegrityConstraintViolationException e) {\n    c.rollback();\n  }\n}");
  EXPECT_EQ(listed_guarded(program), "DELETE FROM log\n");
  EXPECT_EQ(notes_of(program),
            "T.java:8:5: PostgreSQL's driver throws no SQLIntegrityConstraintViolationException, "
            "this catch takes no error of the store; compare getSQLState()\n");
}

TEST(JavaProgram, undoes_a_statement_that_fails_where_each_commits) {
  EXPECT_EQ(listed_guarded(read_methods(
                "public void f() throws SQLException {\n  c.setAutoCommit(true);\n  try {\n"
                "    c.createStatement().executeUpdate(\"DELETE FROM log\");\n"
                "  } catch (SQLException e) {\n"
                "    c.createStatement().executeUpdate(\"UPDATE account SET VIP = 0\");\n  }\n}")),
            "DELETE FROM log\nCOMMIT\n"
            "ROLLBACK if heddle_unknown('error others')\n"
            "UPDATE account SET VIP = 0 if heddle_unknown('error others')\n"
            "COMMIT if heddle_unknown('error others')\n");
}

// An object that is one of several: the others keep what they have.
TEST(JavaProgram, changes_the_object_that_is_meant) {
  const std::string read = printed(
      read_methods("static class One { int n; int m; void add(int by) { n += by; } }\n"
                   "public void f(int a, int b, boolean first) throws SQLException {\n"
                   "  One x = new One(); x.n = a;\n  One y = new One(); y.n = b;\n"
                   "  One one = first ? x : y;\n  one.n -= 1;\n  one.m = 2;\n  one.n++;\n"
                   "  c.createStatement().executeUpdate(\"UPDATE log SET id = \" + x.n);\n"
                   "  c.createStatement().executeUpdate(\"UPDATE log SET id = \" + y.m);\n}"));
  EXPECT_NE(read.find("CASE WHEN first THEN a - 1 + 1 ELSE a END"), std::string::npos) << read;
  EXPECT_NE(read.find("UPDATE log SET id = 0;\n  ELSE\n    UPDATE log SET id = 2;"),
            std::string::npos)
      << read;
}

// An object that both ways have stays what the other way has of it.
TEST(JavaProgram, keeps_an_object_of_both_ways_that_one_way_changes) {
  const std::string read = printed(read_methods(
      "static class One { int n; }\n"
      "public void f(One given, boolean first) throws SQLException {\n  One one = null;\n"
      "  if (first) {\n"
      "    ResultSet r = c.createStatement().executeQuery(\"SELECT id FROM log\");\n"
      "    r.next(); given.n = r.getInt(1); one = given;\n"
      "  }\n"
      "  c.createStatement().executeUpdate(\"UPDATE log SET id = \" + given.n);\n}"));
  EXPECT_NE(read.find("  ELSE\n    n := given_n;"), std::string::npos) << read;
}

// PL/pgSQL refuses a field of a record that was never fetched, even where it is not taken.
TEST(JavaProgram, asks_an_object_of_one_query_or_another_for_no_record_that_is_not_there) {
  const std::string read = printed(read_methods(
      "static class One { int n; }\n"
      "public void f(int a, boolean first) throws SQLException {\n  One one;\n"
      "  if (first) {\n"
      "    ResultSet r = c.createStatement().executeQuery(\"SELECT id FROM log\");\n"
      "    r.next(); one = new One(); one.n = r.getInt(1);\n"
      "  } else {\n"
      "    ResultSet r = c.createStatement().executeQuery(\"SELECT id FROM account\");\n"
      "    r.next(); one = new One(); one.n = r.getInt(1);\n"
      "  }\n"
      "  c.createStatement().executeUpdate(\"UPDATE log SET id = \" + one.n);\n}"));
  EXPECT_NE(read.find("argument := CASE WHEN first THEN n ELSE v_n END;"), std::string::npos)
      << read;
}

TEST(JavaProgram, runs_a_batch_of_texts_when_it_is_executed) {
  EXPECT_EQ(
      printed(read_methods("public int f(int[] ids) throws SQLException {\n"
                           "  Statement s = c.createStatement();\n"
                           "  for (int id : ids) s.addBatch(\"DELETE FROM log WHERE id = \" + "
                           "id);\n"
                           "  c.createStatement().executeUpdate(\"DELETE FROM account\");\n"
                           "  return s.executeBatch().length;\n}")),
      "CREATE FUNCTION f(ids integer[]) RETURNS integer LANGUAGE plpgsql AS $$\n"
      "DECLARE\n"
      "  v_id integer;\n"
      "  piece integer[];\n"
      "  counts integer[];\n"
      "  entry integer;\n"
      "  argument integer;\n"
      "  count integer;\n"
      "BEGIN\n"
      "  piece := '{}'::integer[];\n"
      "  FOREACH v_id IN ARRAY ids LOOP\n"
      "    piece := array_append(piece, v_id);\n"
      "  END LOOP;\n"
      "  DELETE FROM account;\n"
      "  counts := '{}'::integer[];\n"
      "  FOR entry IN 1 .. cardinality(piece) LOOP\n"
      "    argument := piece[entry];\n"
      "    DELETE FROM log WHERE id = argument;\n"
      "    GET DIAGNOSTICS count = ROW_COUNT;\n"
      "    counts := array_append(counts, count);\n"
      "  END LOOP;\n"
      "  RETURN cardinality(counts);\n"
      "END $$;\n");
  EXPECT_EQ(
      listed_guarded(read_methods("public void f(boolean more) throws SQLException {\n"
                                  "  Statement s = c.createStatement();\n"
                                  "  s.addBatch(\"DELETE FROM log\"); s.clearBatch();\n"
                                  "  s.addBatch(\"DELETE FROM log WHERE id = 1\");\n"
                                  "  c.createStatement().executeUpdate(\"DELETE FROM account\");\n"
                                  "  s.executeBatch(); s.executeBatch();\n}")),
      "DELETE FROM account\nDELETE FROM log WHERE id = 1\n");
}

TEST(JavaProgram, makes_texts_with_names_that_are_put_together) {
  EXPECT_EQ(
      printed(read_methods(
          "public int f(int year, int id) throws SQLException {\n"
          "  PreparedStatement s = c.prepareStatement(\"SELECT balance FROM account_\" + year "
          "+ \" WHERE id = ?\");\n"
          "  s.setInt(1, id);\n  ResultSet r = s.executeQuery();\n"
          "  return r.next() ? r.getInt(\"balance\") : 0;\n}")),
      "CREATE FUNCTION f(year integer, p_id integer) RETURNS integer LANGUAGE plpgsql AS $$\n"
      "DECLARE\n"
      "  rows refcursor;\n"
      "  row record;\n"
      "  has_row boolean;\n"
      "BEGIN\n"
      "  OPEN rows FOR EXECUTE 'SELECT balance FROM account_' || year::text || ' WHERE id = $1' "
      "USING p_id;\n"
      "  FETCH rows INTO row;\n"
      "  has_row := found;\n"
      "  RETURN CASE WHEN has_row THEN coalesce(row.balance, 0) ELSE 0 END;\n"
      "END $$;\n");
}

TEST(JavaProgram, refuses_negative_places_of_builders) {
  EXPECT_EQ(
      listed_guarded(read_methods(
          "public void f(int[] ids) throws SQLException {\n"
          "  StringBuilder b = new StringBuilder();\n  for (int id : ids) b.append(\"?,\");\n"
          "  b.setLength(b.length() - 1);\n"
          "  PreparedStatement s = c.prepareStatement(\"DELETE FROM log WHERE id IN (\" + b + "
          "\")\");\n  for (int i = 0; i < ids.length; i++) s.setInt(i + 1, ids[i]);\n"
          "  s.executeUpdate();\n}")),
      "DELETE FROM log WHERE id = ANY(many) unless length(text) - 1 < 0\n");
}

TEST(JavaProgram, refuses_what_is_not_java) {
  EXPECT_EQ(notes_of(read_files({{"T.java", "class T {\n  void f( {\n}\n"}}, kProgramSchema)),
            "T.java:2:10: \")\" is missing, check the syntax; heddle reads Java up to "
            "version 21");
  EXPECT_EQ(notes_of(read_files({{"T.java", "class T { // \xff\n}"}}, kProgramSchema)),
            "T.java:1:1: the file is not UTF-8, convert it, as with iconv -t UTF-8");
}

TEST(JavaProgram, does_not_follow_recursion) {
  const auto program = read_methods(
      "public void f(int n) throws SQLException {\n"
      "  c.createStatement().executeUpdate(\"DELETE FROM log\");\n  if (n > 0) f(n - 1);\n}");
  EXPECT_EQ(notes_of(program),
            "T.java:7:14: f() calls itself, which is not followed, it is taken to read and write "
            "anything\n");
}

TEST(JavaProgram, takes_what_a_framework_calls_for_functionalities) {
  const auto program =
      read_files({{"S.java",
                   "public class S extends HttpServlet {\n"
                   "protected void doPost(Request r) throws Exception { helper(); }\n"
                   "protected void helper() throws Exception { Connection c = Pool.borrow();\n"
                   "c.prepareStatement(\"DELETE FROM log WHERE id = 1\").executeUpdate(); } }"}},
                 kProgramSchema);
  ASSERT_EQ(program->functionalities.size(), 1U);
  EXPECT_EQ(program->functionalities[0].name, "doPost");
  EXPECT_EQ(listed_guarded(program), "DELETE FROM log WHERE id = 1\n");
}

TEST(JavaProgram, takes_what_nothing_calls_for_functionalities_unless_it_is_private) {
  const auto text = [](const std::string& name) {
    return "void " + name + "() throws Exception { Connection c = Pool.borrow();\n" +
           "c.prepareStatement(\"DELETE FROM log WHERE id = 1\").executeUpdate(); }\n";
  };
  const auto program = read_files(
      {{"S.java", "class S {\n" + text("run") + "private " + text("unused") + text("called") +
                      "void caller() throws Exception { called(); } }"}},
      kProgramSchema);
  ASSERT_EQ(program->functionalities.size(), 2U);
  EXPECT_EQ(program->functionalities[0].name, "run");
  EXPECT_EQ(program->functionalities[1].name, "caller");
}

TEST(JavaProgram, takes_a_string_in_quotes_for_a_value_and_says_so) {
  const auto program = read_methods(
      "public void f(String note, int id) throws SQLException {\n"
      "c.createStatement().executeUpdate(\"DELETE FROM log WHERE note = '\" + note + \"'\");\n"
      "c.createStatement().executeUpdate(\"DELETE FROM log WHERE note = '\" + id + \"'\"); }");
  EXPECT_EQ(listed_guarded(program).find("DELETE FROM log WHERE note = p_note\n"), 0U);
  EXPECT_EQ(
      notes_of(program),
      "T.java:6:1: SQL text that is put together from \"note\" while it runs, it is taken for "
      "one value; pass it as a parameter\n");
}

// The body of the `try` returns, but its `catch` runs after what it assigned.
TEST(JavaProgram, knows_not_what_a_try_assigned_before_it_failed) {
  const auto of = [](const std::string& assigned) {
    return listed_guarded(read_methods(
        "public void f() throws SQLException { int x = 1; int y = 2; try { " + assigned +
        " c.createStatement().executeUpdate(\"DELETE FROM log\"); return; }\n"
        "catch (SQLException e) { c.rollback(); }\n"
        "PreparedStatement p = c.prepareStatement(\"DELETE FROM account WHERE id = ?\");\n"
        "p.setInt(1, x); p.executeUpdate(); }"));
  };
  EXPECT_NE(of("y = 3;").find("WHERE id = 1\n"), std::string::npos) << of("y = 3;");
  EXPECT_EQ(of("x = 3;").find("WHERE id = 1\n"), std::string::npos) << of("x = 3;");
}

// Other calls have changed them before.
TEST(JavaProgram, knows_of_fields_only_what_no_method_changes) {
  const auto of = [](const std::string& changes) {
    return listed_guarded(
        read_methods("private final List<Integer> ids = new ArrayList<>();\n"
                     "private final int[] counts = new int[3];\n"
                     "private final StringBuilder sql = new StringBuilder(\"DELETE FROM log\");\n" +
                     changes +
                     "public void f() throws SQLException { Statement s = c.createStatement();\n"
                     "if (ids.isEmpty() && counts[1] == 0) s.executeUpdate(sql.toString()); }"));
  };
  const std::string none = "cardinality('{}'::integer[]) = 0";
  EXPECT_EQ(of(""), "DELETE FROM log if " + none + " AND element = 0\n");
  EXPECT_EQ(of("private void g() { if (counts[1] == 7) f(); }"),
            "DELETE FROM log if " + none + " AND element = 0\n");
  EXPECT_EQ(of("private void g() { ids.add(1); }"),
            "DELETE FROM log if cardinality(ids) = 0 AND element = 0\n");
  EXPECT_EQ(of("private void g() { counts[1]++; }"),
            "DELETE FROM log if " + none + " AND counts[2] = 0\n");
  EXPECT_EQ(of("private void g() { sql.append(';'); }"),
            "SELECT heddle_unknown('the text of the statement is not known here') if " + none +
                " AND element = 0\n");
}

// Whatever a statement comes from, it runs.
TEST(JavaProgram, loses_no_statement_of_unknown_origin) {
  const std::string update = "c.prepareStatement(\"UPDATE account SET balance = 1 WHERE id = 2\")";
  const std::string exact = "UPDATE account SET balance = 1 WHERE id = 2\n";
  const std::string unknown =
      "SELECT heddle_unknown('the text of the statement is not known here')\n";
  const auto of = [](const std::string& body) {
    return listed_guarded(read_methods(
        "Helper helper;\npublic void f(Object o, int x) throws Exception {\n" + body + "\n}\n"));
  };
  EXPECT_EQ(of("Connection d = Pool.borrow(); d" + update.substr(1) + ".executeUpdate();"), exact);
  EXPECT_EQ(of("helper.open()" + update.substr(1) + ".executeUpdate();"), exact);
  EXPECT_EQ(of("PreparedStatement p = new LoggedStatement(" + update + "); p.execute();"), exact);
  EXPECT_EQ(of("((PreparedStatement) o).executeQuery();"), unknown);
  EXPECT_EQ(of("helper.statement().executeUpdate();"), unknown);
  EXPECT_EQ(of("PreparedStatement p = helper.next(); p.execute();"), unknown);
  EXPECT_EQ(of("PreparedStatement p; if (x > 1) p = helper.next(); else p = " + update +
               "; p.executeUpdate();"),
            unknown.substr(0, unknown.size() - 1) + " if x > 1\n" +
                exact.substr(0, exact.size() - 1) + " unless x > 1\n");
}

TEST(JavaProgram, notes_tables_and_columns_that_do_not_exist) {
  const auto program = read_methods(
      "public void f() throws SQLException {\n"
      "  c.createStatement().executeUpdate(\"UPDATE acount SET balanc = 1\");\n"
      "  c.createStatement().executeUpdate(\"UPDATE account SET balanc = 1\");\n}");
  EXPECT_EQ(notes_of(program),
            "T.java:6:3: unknown table \"acount\" (did you mean \"account\"?), it is taken as the "
            "statement names it\n"
            "T.java:7:3: unknown column \"balanc\" of account (did you mean \"balance\"?), it is "
            "taken as the statement names it\n");
}

}  // namespace
}  // namespace heddle
