// Java to programs: what BenchBase's procedures, and others that share code of a framework without
// source, do beside the statements themselves.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "heddle/java_program.h"

namespace heddle {
namespace {

constexpr const char* kProceduresSchema =
    "CREATE TABLE page (id serial PRIMARY KEY, title text, latest int);"
    "CREATE TABLE revision (id serial PRIMARY KEY, page int NOT NULL, stamp varchar(14));"
    "CREATE TABLE watch (who int NOT NULL, page int NOT NULL, PRIMARY KEY (who, page));";

// `members` of a class that extends BenchBase's.
Result<Program> read_procedure(const std::string& members) {
  auto program = parse_program({{"schema.sql", kProceduresSchema}});
  if (!program) return program;
  const std::string text =
      "import java.sql.*;\nimport java.util.*;\npublic class T extends Procedure {\n" + members +
      "\n}\n";
  if (auto read = read_java_program({{"T.java", text}}, {}, *program); !read) return read.error();
  return program;
}

// The statements of all functionalities, one per line, and then the notes.
std::string statements_and_notes(const Result<Program>& program) {
  if (!program) return to_string(program.error());
  std::string text;
  for (const Functionality& functionality : program->functionalities) {
    for (const ListedStatement& one : list_statements(functionality)) {
      text += functionality.name + ": " +
              named_text(one.statement->statement.text, one.statement->arguments) + "\n";
    }
  }
  for (const Diagnostic& note : program->notes) text += to_string(note) + "\n";
  return text;
}

TEST(JavaProcedures, are_given_the_keys_that_they_ask_for_by_place) {
  EXPECT_EQ(
      statements_and_notes(read_procedure(
          "public final SQLStmt add = new SQLStmt(\"INSERT INTO revision (page) VALUES (?)\");\n"
          "public final SQLStmt set = new SQLStmt(\"UPDATE page SET latest = ? WHERE id = ?\");\n"
          "public void run(Connection conn, int page) throws SQLException {\n"
          "  long made;\n"
          "  try (PreparedStatement s = this.getPreparedStatementReturnKeys(conn, add, new "
          "int[]{1}))"
          " {\n"
          "    s.setInt(1, page); execute(conn, s);\n"
          "    try (ResultSet keys = s.getGeneratedKeys()) { keys.next(); made = keys.getLong(1); "
          "}\n"
          "  }\n"
          "  this.getPreparedStatement(conn, set, made, page).executeUpdate();\n}\n"
          "public void execute(Connection conn, PreparedStatement p) throws SQLException {\n"
          "  p.execute();\n}")),
      "T: INSERT INTO revision (page) VALUES (p_page) RETURNING *\n"
      "T: UPDATE page SET latest = keys.id WHERE id = p_page\n");
}

TEST(JavaProcedures, go_on_where_code_without_source_reads_rows) {
  EXPECT_EQ(
      statements_and_notes(
          read_procedure("public List<Object[]> run(Connection conn) throws SQLException {\n"
                         "  List<Object[]> all;\n"
                         "  try (ResultSet rows = conn.prepareStatement(\"SELECT id FROM "
                         "page\").executeQuery()) {\n"
                         "    all = SQLUtil.toList(rows);\n  }\n  return all;\n}")),
      "T: SELECT id FROM page\n"
      "T.java:7:11: toList() has no source here and is given rows, it is taken to read them and to "
      "do nothing else; give its source, too\n"
      "T.java:7:11: the value of \"SQLUtil.toList(rows)\" is not known, any value is taken for "
      "it\n");
}

TEST(JavaProcedures, read_columns_by_place_where_one_of_several_texts_has_more) {
  const auto listed = [](const char* second) {
    return statements_and_notes(read_procedure(
        std::string("public void run(Connection conn, boolean all, int id) throws SQLException {\n"
                    "  String sql = all ? \"SELECT ") +
        second +
        " FROM watch WHERE page = ?\" : \"SELECT who FROM watch WHERE page = ?\";\n"
        "  PreparedStatement s = conn.prepareStatement(sql); s.setInt(1, id);\n"
        "  ResultSet rows = s.executeQuery(); rows.next();\n"
        "  int more = 0; if (all) more = rows.getInt(2);\n"
        "  conn.prepareStatement(\"DELETE FROM watch WHERE who = \" + rows.getInt(1) + \" AND page "
        "= \" + more).executeUpdate();\n}"));
  };
  const std::string known = listed("who, page");
  EXPECT_EQ(known.find("not known"), std::string::npos) << known;
  // The first column has another name in each.
  const std::string other = listed("page, who");
  EXPECT_NE(other.find("which column this reads is not known"), std::string::npos) << other;
}

TEST(JavaProcedures, know_who_had_the_key_first) {
  const auto program = read_procedure(
      "public void run(Connection conn, int who, int page) throws SQLException {\n"
      "  try (PreparedStatement s = conn.prepareStatement(\"INSERT INTO watch VALUES (?, ?)\")) {\n"
      "    s.setInt(1, who); s.setInt(2, page); s.executeUpdate();\n"
      "  } catch (SQLException e) {\n"
      "    if (SQLUtil.isDuplicateKeyException(e)) throw new UserAbortException(\"twice\");\n"
      "    throw e;\n  }\n}");
  ASSERT_TRUE(program);
  EXPECT_TRUE(program->notes.empty()) << statements_and_notes(program);
  EXPECT_NE(print_program(*program).find("23505"), std::string::npos) << print_program(*program);
}

// It is a parameter, and may be nothing where the type allows it.
TEST(JavaProcedures, choose_what_code_without_source_gives_whoever_asks) {
  const auto program = read_procedure(
      "public void run(Connection conn, int page) throws SQLException {\n"
      "  PreparedStatement s = conn.prepareStatement(\n"
      "      \"UPDATE revision SET stamp = ? WHERE page = ?\");\n"
      "  s.setString(1, TimeUtil.getCurrentTimeString14()); s.setInt(2, page);\n"
      "  s.executeUpdate();\n"
      "  int more = Settings.number(\"revisions\");\n"
      "  conn.prepareStatement(\"DELETE FROM revision WHERE id = \" + more).executeUpdate();\n}");
  ASSERT_TRUE(program);
  const std::string printed = print_program(*program);
  EXPECT_NE(printed.find("\"T\"(p_page integer, get_current_time_string14 text, more integer)"),
            std::string::npos)
      << printed;
  EXPECT_NE(printed.find("more IS NOT NULL"), std::string::npos) << printed;
  EXPECT_EQ(printed.find("string14 IS NOT NULL"), std::string::npos) << printed;
  EXPECT_NE(statements_and_notes(program).find(
                "the value of \"TimeUtil.getCurrentTimeString14()\" is not known, any value is "
                "taken for it"),
            std::string::npos);
}

TEST(JavaProcedures, join_the_names_of_columns) {
  for (const char* const joined : {"StringUtil.join(\", \", new String[] {\"who\", \"page\"})",
                                   "StringUtils.join(new String[] {\"who\", \"page\"}, \", \")"}) {
    EXPECT_EQ(statements_and_notes(read_procedure(
                  std::string("public void run(Connection conn) throws SQLException {\n"
                              "  conn.prepareStatement(\"SELECT \" + ") +
                  joined + " + \" FROM watch\").executeQuery();\n}")),
              "T: SELECT who, page FROM watch\n")
        << joined;
  }
  EXPECT_EQ(statements_and_notes(read_procedure(
                "public static final String COLUMNS[] = {\"who\", \"page\"};\n"
                "public static final String ALL = StringUtil.join(\", \", COLUMNS);\n"
                "public void run(Connection conn) throws SQLException {\n"
                "  conn.prepareStatement(\"SELECT \" + ALL + \" FROM watch\").executeQuery();\n}")),
            "T: SELECT who, page FROM watch\n");
}

// Each of them on a way of its own, and the same one at every call.
TEST(JavaProcedures, may_call_one_of_several_classes) {
  auto program = parse_program({{"schema.sql", kProceduresSchema}});
  ASSERT_TRUE(program);
  const auto read = read_java_program(
      {{"Notice.java", "public interface Notice { void send(Connection c, int who); }\n"},
       {"ByPage.java",
        "import java.sql.*;\npublic class ByPage implements Notice {\n"
        "  public void send(Connection c, int who) throws SQLException {\n"
        "    c.prepareStatement(\"UPDATE page SET latest = 1 WHERE id = \" + who)"
        ".executeUpdate();\n  }\n}\n"},
       {"ByWatch.java",
        "import java.sql.*;\npublic class ByWatch implements Notice {\n"
        "  public void send(Connection c, int who) throws SQLException {\n"
        "    c.prepareStatement(\"DELETE FROM watch WHERE who = \" + who).executeUpdate();\n"
        "  }\n}\n"},
       {"Desk.java",
        "import java.sql.*;\npublic class Desk {\n  private final Notice notice;\n"
        "  public Desk(Notice notice) { this.notice = notice; }\n"
        "  public void tell(Connection c, int one, int other) throws SQLException {\n"
        "    notice.send(c, one);\n    notice.send(c, other);\n  }\n}\n"}},
      {}, *program);
  ASSERT_TRUE(read) << to_string(read.error());
  EXPECT_EQ(
      statements_and_notes(program),
      "tell: UPDATE page SET latest = 1 WHERE id = one\n"
      "tell: UPDATE page SET latest = 1 WHERE id = other\n"
      "tell: DELETE FROM watch WHERE who = one\n"
      "tell: DELETE FROM watch WHERE who = other\n"
      "Desk.java:6:5: several classes implement Notice, each of them is followed; give the one "
      "that is meant\n");
  const std::string printed = print_program(*program);
  EXPECT_NE(printed.find("(one integer, other integer, class integer)"), std::string::npos)
      << printed;
}

// What depends on rows is none of that, nor is what the object itself may have kept of them.
TEST(JavaProcedures, do_not_choose_what_is_computed_from_rows) {
  for (const char* const next : {"int next = Numbers.after(rows.getInt(1));\n",
                                 "keep(rows.getInt(1)); int next = kept();\n"}) {
    const auto program = read_procedure(
        std::string("public void run(Connection conn, int page) throws SQLException {\n"
                    "  ResultSet rows = conn.prepareStatement(\"SELECT latest FROM "
                    "page\").executeQuery();\n"
                    "  rows.next();\n  ") +
        next +
        "  conn.prepareStatement(\"DELETE FROM revision WHERE id = \" + next).executeUpdate();\n}");
    ASSERT_TRUE(program);
    // A value that is chosen is a parameter.
    EXPECT_EQ(program->functionalities.at(0).parameters.size(), 1U) << print_program(*program);
  }
}

// A worker of BenchBase's chooses among procedures, which are functionalities of their own.
TEST(JavaProcedures, of_workers_are_none) {
  auto program = parse_program({{"schema.sql", kProceduresSchema}});
  ASSERT_TRUE(program);
  ASSERT_TRUE(read_java_program(
      {{"Ask.java",
        "import java.sql.*;\npublic class Ask extends Procedure {\n"
        "  public void run(Connection c) throws SQLException {\n"
        "    c.prepareStatement(\"DELETE FROM watch\").executeUpdate();\n  }\n}\n"},
       {"Hand.java",
        "import java.sql.*;\npublic class Hand extends Worker<Benchmark> {\n"
        "  protected Status executeWork(Connection c, Kind kind) throws SQLException {\n"
        "    ((Ask) getProcedure(kind)).run(c);\n    return Status.DONE;\n  }\n}\n"}},
      {}, *program));
  EXPECT_EQ(statements_and_notes(program), "Ask: DELETE FROM watch\n");
}

}  // namespace
}  // namespace heddle
