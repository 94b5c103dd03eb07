#include "frontend/marks/jdbc_sites.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle::marks {
namespace {

// "line method" of each site; with "!" behind where the database is handed over.
std::string sites(const std::string& text) {
  const Language& language = *language_of("A.java");
  const ScannedText scanned = scan(text, language);
  Declared declared;
  declare_types(scanned, language, declared);
  const JavaOutline outline = outline_java(scanned);
  std::string found;
  for (const JdbcSite& one : jdbc_sites(scanned, language, declared)) {
    const OutlinedMethod* method = outline.method_at(one.offset);
    found += fmt::format("{}{}-{} {}{}", found.empty() ? "" : ", ", one.first_line, one.last_line,
                         method == nullptr ? "nowhere" : method->name, one.hands_over ? "!" : "");
  }
  return found;
}

TEST(JdbcSites, executions_of_statements) {
  EXPECT_EQ("4-4 pay", sites("import java.sql.*;\nclass A {\n  void pay(PreparedStatement s) {\n"
                             "    s.executeUpdate();\n  }\n}"));
  EXPECT_EQ("4-6 pay", sites("import java.sql.*;\nclass A {\n  void pay(Connection c) {\n"
                             "    ResultSet r = c\n      .prepareStatement(\"SELECT 1\")\n      "
                             ".executeQuery();\n  }\n}"));
  EXPECT_EQ("3-3 pay, 3-3 pay", sites("class A {\n  void pay(Connection c) {\n"
                                      "    Statement s = c.createStatement(); "
                                      "s.execute(\"BEGIN\"); s.executeBatch();\n  }\n}"));
  // A statement of BenchBase, whose type nobody sees.
  EXPECT_EQ("3-3 run", sites("import java.sql.*;\nclass A { void run(Connection c) {\n"
                             "    var s = getPreparedStatement(c, sql); s.executeQuery();\n}}"));
}

TEST(JdbcSites, other_things_are_executed_too) {
  EXPECT_EQ(
      "",
      sites("import java.sql.*;\nclass A { void f(ExecutorService e) { e.execute(() -> {}); } }"));
  EXPECT_EQ("", sites("class A { void f(Query q) { q.executeUpdate(); } }"));
  EXPECT_EQ("", sites("import java.sql.*;\nclass A { void f(Command c) { c.executeQuery(); } }"));
  EXPECT_EQ("", sites("import java.sql.*;\nclass A { int executeUpdate(String s) { return 1; }\n"
                      "  void f() { this.executeUpdate(\"x\"); } }"));
}

TEST(JdbcSites, code_without_source_that_is_given_the_database) {
  EXPECT_EQ("3-3 pay!", sites("import java.sql.*;\nclass A { void pay(Connection c) {\n"
                              "  new Ledger().book(c, 1);\n} }"));
  EXPECT_EQ("3-3 A!", sites("import javax.sql.DataSource;\nclass A { A(DataSource d) {\n"
                            "  runner = new QueryRunner(d);\n} }"));
  EXPECT_EQ("", sites("import java.sql.*;\nclass A { void pay(Connection c) { book(c); }\n"
                      "  void book(Connection c) {} }"));
  EXPECT_EQ("", sites("import java.sql.*;\nclass A { A(Connection c) { super(c); list.add(c); "
                      "this.c = c; } }"));
  EXPECT_EQ("",
            sites("import java.sql.*;\nclass A { void f(Connection c, Work w) { w.accept(c); } }"));
  EXPECT_EQ(
      "", sites("import java.sql.*;\nabstract class A { abstract void f(Connection c, int x); }"));
}

TEST(JavaOutline, methods_in_all_kinds_of_types) {
  const ScannedText scanned = scan(
      "class A<T> extends B {\n  int x = f(() -> { g(); });\n  static { h(); }\n"
      "  @Deprecated({\"a\"}) private <U> List<U> one(@Named(\"x\") int a, Map<K, V> m) throws E, "
      "F {\n"
      "    if (a > 0) { two(); } else { new Thread(new Runnable() {\n"
      "      public void run() { three(this::four); }\n    }); }\n  }\n"
      "  record P(int x) { P { five(); } }\n  enum C { X { void six() { } }; }\n"
      "  public static void main(String[] a) { one(1); }\n  @Test void check() {}\n}",
      *language_of("A.java"));
  std::string names;
  for (const OutlinedMethod& one : outline_java(scanned).methods) {
    names += fmt::format("{}.{}{}{}{} ", one.type, one.name, one.is_private ? " private" : "",
                         one.is_main ? " main" : "", one.is_test ? " test" : "");
  }
  EXPECT_EQ("A.a static block A.one private Runnable.run P.P X.six A.main main A.check test ",
            names);
  EXPECT_TRUE(outline_java(scanned).has_tests);
  const JavaOutline outline = outline_java(scanned);
  EXPECT_TRUE(outline.methods[2].calls.contains("four"));
  EXPECT_TRUE(outline.methods[1].calls.contains("two"));
  EXPECT_TRUE(outline.methods[1].calls.contains("Runnable"));
}

TEST(JavaOutline, no_text_is_too_strange) {
  for (const char* text :
       {"", "{", "}", "}}}{{{", "class", "class A { void f(", "(){}", "){",
        "class A { void f() { ((( } }", "new X() {", "class A { new X() { } }"}) {
    const ScannedText scanned = scan(text, *language_of("A.java"));
    for (const OutlinedMethod& one : outline_java(scanned).methods) EXPECT_LE(one.begin, one.end);
  }
}

}  // namespace
}  // namespace heddle::marks
