// Java to programs: overloads, enumerations, maps, streams and code that is given to others, where
// it shows in statements, and what is said where they are not followed.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "heddle/java_program.h"

namespace heddle {
namespace {

constexpr const char* kIdiomsSchema =
    "CREATE TABLE account (id int PRIMARY KEY, owner text, balance int NOT NULL);"
    "CREATE TABLE log (id serial PRIMARY KEY, note text);";

Result<Program> read_members(const std::string& members) {
  auto program = parse_program({{"schema.sql", kIdiomsSchema}});
  if (!program) return program;
  const std::string text =
      "import java.sql.*;\nimport java.util.*;\npublic class T {\nprivate Connection c;\n" +
      members + "\nprivate void run(String sql) throws SQLException {\n" +
      "  c.createStatement().executeUpdate(sql);\n}\n}\n";
  if (auto read = read_java_program({{"T.java", text}}, {}, *program); !read) return read.error();
  return program;
}

// The statements of all functionalities with their guards, one per line, and then the notes.
std::string listed(const Result<Program>& program) {
  if (!program) return to_string(program.error());
  std::string text;
  for (const Functionality& functionality : program->functionalities) {
    for (const ListedStatement& one : list_statements(functionality)) {
      text += functionality.name + ": " +
              named_text(one.statement->statement.text, one.statement->arguments);
      for (const Guard& guard : one.guards) {
        text += std::string(guard.holds ? " if " : " unless ") + print_expression(guard.condition);
      }
      if (one.loops > 0) text += " loops " + std::to_string(one.loops);
      text += "\n";
    }
  }
  for (const Diagnostic& note : program->notes) text += to_string(note) + "\n";
  return text;
}

TEST(JavaOverloads, are_chosen_by_declared_types) {
  EXPECT_EQ(
      listed(read_members(
          "public void f(int id, String name) throws SQLException {\n"
          "  Object any = name;\n  g(id); g(name); g(any); g(2L); g(id, id); g('x');\n}\n"
          "private void g(Object o) throws SQLException { run(\"DELETE FROM log WHERE id = 1\"); "
          "}\n"
          "private void g(long l) throws SQLException { run(\"DELETE FROM log WHERE id = 2\"); }\n"
          "private void g(String s) throws SQLException { run(\"DELETE FROM log WHERE id = 3\"); "
          "}\n"
          "private void g(int... i) throws SQLException { run(\"DELETE FROM log WHERE id = 4\"); "
          "}")),
      "f: DELETE FROM log WHERE id = 2\nf: DELETE FROM log WHERE id = 3\nf: DELETE FROM log WHERE "
      "id = 1\n"
      "f: DELETE FROM log WHERE id = 2\nf: DELETE FROM log WHERE id = 4\nf: DELETE FROM log WHERE "
      "id = 2\n");
}

TEST(JavaOverloads, that_cannot_be_told_apart_are_noted) {
  EXPECT_EQ(
      listed(read_members(
          "public void f(Library l) throws SQLException {\n  g(l.find());\n}\n"
          "private void g(Shape o) throws SQLException { run(\"DELETE FROM log WHERE id = 1\"); }\n"
          "private void g(Colour o) throws SQLException { run(\"DELETE FROM log WHERE id = 2\"); "
          "}")),
      "f: DELETE FROM log WHERE id = 1\n"
      "T.java:6:3: which of the methods g() this calls is not known, the first that fits is "
      "taken; cast the argument\n");
}

TEST(JavaOverloads, of_constructors_set_what_they_say) {
  EXPECT_EQ(
      listed(read_members("static class Q {\n  String t;\n  Q() { this(\"log\"); }\n"
                          "  Q(String t) { this.t = t; }\n  Q(int n) { this(\"account\"); }\n}\n"
                          "static class R extends Q { R(int n) { super(n); } }\n"
                          "public void f() throws SQLException {\n"
                          "  run(\"DELETE FROM \" + new Q().t);\n"
                          "  run(\"DELETE FROM \" + new R(1).t);\n}")),
      "f: DELETE FROM log\nf: DELETE FROM account\n");
}

TEST(JavaEnumerations, hold_texts_of_statements) {
  EXPECT_EQ(
      listed(read_members(
          "enum Table {\n  LOG(\"log\"), ACCOUNT(\"account\");\n  private final String t;\n"
          "  Table(String t) { this.t = t; }\n  String clear() { return \"DELETE FROM \" + t; "
          "}\n}\npublic void all() throws SQLException {\n"
          "  for (Table each : Table.values()) run(each.clear());\n}\n"
          "public void one(Table table) throws SQLException {\n  run(table.clear());\n}")),
      "all: DELETE FROM log\nall: DELETE FROM account\n"
      "one: DELETE FROM log if \"table\" IS NOT DISTINCT FROM 'LOG'\n"
      "one: DELETE FROM account unless \"table\" IS NOT DISTINCT FROM 'LOG'\n");
}

TEST(JavaMaps, of_known_texts_are_looked_up) {
  EXPECT_EQ(listed(read_members(
                "private static final Map<String, String> TEXTS = Map.of(\"a\", \"DELETE FROM "
                "log\", \"b\", \"DELETE FROM account\");\n"
                "public void f(int n) throws SQLException {\n  run(TEXTS.get(\"b\"));\n"
                "  run(TEXTS.get(n > 0 ? \"a\" : \"b\"));\n}")),
            "f: DELETE FROM account\nf: DELETE FROM log if n > 0\n"
            "f: DELETE FROM account unless n > 0\n");
}

// What another call left in it is not known.
TEST(JavaMaps, that_an_object_keeps_are_given) {
  const auto program = read_members(
      "private final Map<Integer, String> cache = new HashMap<>();\n"
      "public void f(int id) throws SQLException {\n"
      "  if (cache.containsKey(id)) return;\n  cache.put(id, \"x\");\n"
      "  run(\"DELETE FROM log\");\n}");
  EXPECT_EQ(listed(program), "f: DELETE FROM log unless place IS NOT NULL\n");
}

TEST(JavaMaps, whose_values_are_collections_are_noted) {
  EXPECT_EQ(
      listed(read_members(
          "public void f(int[] ids) throws SQLException {\n"
          "  Map<Integer, List<Integer>> m = new HashMap<>();\n"
          "  for (int id : ids) m.computeIfAbsent(id, k -> new ArrayList<>()).add(id);\n"
          "  for (int id : m.get(3)) run(\"DELETE FROM log WHERE id = \" + id);\n}")),
      "f: DELETE FROM log WHERE id = argument if heddle_unknown('m.get(3) has a next element') "
      "loops 1\n"
      "T.java:8:17: the values of this map are not followed, any value is taken for them\n"
      "T.java:11:3: SQL text that is put together from \"heddle_unknown('a text')\" while it "
      "runs, it is taken for one value; pass it as a parameter\n"
      "T.java:8:3: the value of \"m.get(3) has a next element\" is not known, any value is "
      "taken for it\n"
      "T.java:11:3: the value of \"a text\" is not known, any value is taken for it\n");
}

TEST(JavaStreams, keep_the_statements_of_their_steps) {
  EXPECT_EQ(listed(read_members(
                "public void f(List<Integer> ids) {\n"
                "  ids.stream().filter(i -> i > 2).forEach(i -> run(\"DELETE FROM log\"));\n"
                "  ids.stream().map(i -> { run(\"DELETE FROM account\"); return i; })\n"
                "      .collect(Collectors.unheardOf());\n}")),
            "f: DELETE FROM log if element > 2 loops 1\nf: DELETE FROM account loops 1\n"
            "T.java:7:3: collect() of a stream is not followed, its value is not known\n");
}

TEST(JavaCode, given_to_methods_of_the_program_is_followed) {
  EXPECT_EQ(
      listed(read_members(
          "interface Work { int run(Connection c) throws SQLException; }\n"
          "public int inTransaction(Work work) throws SQLException {\n"
          "  c.setAutoCommit(false);\n  int value = work.run(c);\n  c.commit();\n"
          "  return value;\n}\n"
          "public void lambda(int id) throws SQLException {\n"
          "  inTransaction(x -> x.createStatement().executeUpdate(\"DELETE FROM log\"));\n}\n"
          "public void named(int id) throws SQLException {\n  inTransaction(this::clear);\n}\n"
          "private int clear(Connection x) throws SQLException {\n"
          "  return x.createStatement().executeUpdate(\"DELETE FROM account\");\n}\n"
          "public void anonymous(int id) throws SQLException {\n"
          "  inTransaction(new Work() {\n    public int run(Connection x) throws "
          "SQLException {\n      return x.createStatement().executeUpdate(\"DELETE FROM log "
          "WHERE id = \" + id);\n    }\n  });\n}")),
      "lambda: DELETE FROM log\nlambda: COMMIT\nnamed: DELETE FROM account\nnamed: COMMIT\n"
      "anonymous: DELETE FROM log WHERE id = p_id\nanonymous: COMMIT\n");
}

TEST(JavaCode, given_to_what_has_no_source_may_run) {
  EXPECT_EQ(listed(read_members(
                "private Executor executor;\npublic void f(int id) {\n"
                "  executor.submit(() -> run(\"DELETE FROM log WHERE id = \" + id));\n"
                "  executor.call(connection -> {\n"
                "    connection.prepareStatement(\"DELETE FROM account\").executeUpdate();\n"
                "  });\n}")),
            "f: DELETE FROM log WHERE id = p_id if heddle_unknown('whether the code is called "
            "again') loops 1\n"
            "f: DELETE FROM account if heddle_unknown('whether the code is called again') "
            "loops 1\n"
            "T.java:7:3: this is given code and has no source here, the code is taken to run any "
            "number of times\n"
            "T.java:8:3: this is given code and has no source here, the code is taken to run any "
            "number of times\n"
            "T.java:7:3: the value of \"whether the code is called again\" is not known, any value "
            "is taken for it\n"
            "T.java:8:3: the value of \"whether the code is called again\" is not known, any value "
            "is taken for it\n");
}

// Which code it is, is not known; none of it is lost.
TEST(JavaCode, in_lists_and_maps_may_run) {
  const std::string text =
      listed(read_members("public void f(String name, int[] ids) throws SQLException {\n"
                          "  Map<String, Runnable> actions = new HashMap<>();\n"
                          "  actions.put(\"a\", () -> run(\"DELETE FROM log WHERE id = 1\"));\n"
                          "  Runnable action = actions.get(name);\n"
                          "  if (action != null) action.run();\n"
                          "  List<Runnable> later = new ArrayList<>();\n"
                          "  for (int id : ids) later.add(() -> run(\"DELETE FROM account\"));\n"
                          "  for (Runnable each : later) each.run();\n}"));
  EXPECT_EQ(text.substr(0, text.find("T.java")),
            "f: DELETE FROM log WHERE id = 1 if name IS NOT DISTINCT FROM 'a'\n"
            "f: DELETE FROM log WHERE id = 1 if heddle_unknown('whether the code is called again') "
            "loops 2\n"
            "f: DELETE FROM account if heddle_unknown('whether the code is called again') "
            "loops 2\n");
}

TEST(JavaCode, that_is_incomplete_is_read_without_harm) {
  EXPECT_EQ(
      listed(read_members(
                 "public void f(List<Integer> l) throws SQLException {\n"
                 "  Map<String, Integer> m = new HashMap<>();\n"
                 "  m.put(\"a\"); m.getOrDefault(\"a\"); m.merge(\"a\", 1); m.replace(); "
                 "m.forEach();\n"
                 "  l.stream().forEach(); l.stream().collect(); l.stream().reduce();\n"
                 "  l.stream().collect(Collectors.summingInt()); l.forEach();\n"
                 "  l.stream().collect(Collectors.groupingBy(x -> x, Collectors.summingInt()));\n"
                 "  Optional.of(1).ifPresentOrElse(x -> {}); Optional.of(1).map();\n"
                 "  Map.of(\"a\"); Map.ofEntries(1); String.join(\",\"); Collections.sort();\n"
                 "  run(\"DELETE FROM log\");\n}"))
          .substr(0, 20),
      "f: DELETE FROM log\nT");
}

// A round that ends a transaction or may be the last one, and does the same each time, is one of
// several attempts: they are a loop. Rounds that differ are read one by one.
TEST(JavaLoops, attempts_are_rounds_of_a_loop) {
  const auto loop = [](const std::string& body) {
    return listed(
        read_members("public void f(int id) throws SQLException {\n"
                     "  for (int i = 1; i < 4; i++) {\n" +
                     body + "  }\n}"));
  };
  const std::string attempt =
      "    PreparedStatement s = c.prepareStatement(\"DELETE FROM log WHERE id = ?\");\n"
      "    s.setInt(1, id);\n    if (s.executeUpdate() == 1) {\n      c.commit();\n"
      "      return;\n    }\n    c.rollback();\n";
  EXPECT_EQ(loop(attempt).find("f: DELETE FROM log WHERE id = p_id loops 1\n"), 0U)
      << loop(attempt);
  // On a connection that commits after each statement, perhaps one of each attempt's own.
  const std::string automatic =
      "    PreparedStatement s = c.prepareStatement(\"DELETE FROM log WHERE id = ?\");\n"
      "    s.setInt(1, id);\n    if (s.executeUpdate() == 1) return;\n";
  EXPECT_EQ(loop(automatic).find("f: DELETE FROM log WHERE id = p_id loops 1\n"), 0U)
      << loop(automatic);
  const std::string part =
      "    PreparedStatement s = c.prepareStatement(\"DELETE FROM log WHERE id = ?\");\n"
      "    s.setInt(1, i);\n    s.executeUpdate();\n    c.commit();\n";
  EXPECT_EQ(loop(part).find("f: DELETE FROM log WHERE id = 1\n"), 0U) << loop(part);
}

TEST(JavaValues, of_classes_dates_and_copies_are_known) {
  EXPECT_EQ(
      listed(read_members(
          "public void f(int id) throws SQLException {\n"
          "  PreparedStatement q = c.prepareStatement(\n"
          "      \"SELECT balance FROM account WHERE id = ?\");\n"
          "  q.setInt(1, id);\n  ResultSet r = q.executeQuery();\n  r.next();\n"
          "  Integer b = r.getObject(1, Integer.class);\n"
          "  PreparedStatement d = c.prepareStatement(\"DELETE FROM log WHERE id = ? AND \" +\n"
          "      \"note > ? AND note < ? AND id IN (\" +\n"
          "      String.join(\", \", Collections.nCopies(2, \"?\")) + \")\");\n"
          "  d.setInt(1, b + 1);\n  d.setDate(2, java.sql.Date.valueOf(\"2024-03-01\"));\n"
          "  d.setObject(3, LocalDate.parse(\"2024-04-01\"));\n  d.setInt(4, id);\n"
          "  d.setInt(5, 7);\n  d.executeUpdate();\n}")),
      "f: SELECT balance FROM account WHERE id = p_id\n"
      "f: DELETE FROM log WHERE id = argument AND note > '2024-03-01' AND note < '2024-04-01' AND "
      "id IN (p_id, 7) if found\n");
}

// Whoever gives the procedures alone is told what else is needed.
TEST(JavaConstants, are_named_where_their_source_is_missing) {
  for (const char* text : {R"("SELECT id FROM " + Names.LOG + " WHERE id = 1")",
                           R"("SELECT id FROM %s WHERE id = 1".formatted(Names.LOG))"}) {
    const std::string read = listed(read_members(
        std::string("public void f() throws SQLException {\n  run(") + text + ");\n}"));
    EXPECT_NE(read.find("has Names.LOG in the place of a name, whose source is not here"),
              std::string::npos)
        << read;
  }
}

}  // namespace
}  // namespace heddle
