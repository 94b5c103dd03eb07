// Java that would take a careless reader forever, or all memory: each is read at once, and what is
// too much is said.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "heddle/java_program.h"

namespace heddle {
namespace {

constexpr const char* kSchema = "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);";

constexpr std::string_view kStore =
    "PreparedStatement s = c.prepareStatement(\"UPDATE account SET balance = ? WHERE id = 1\");\n"
    "s.setInt(1, x); s.executeUpdate();\n";

Program read_classes(const std::string& text, std::size_t jobs = 1) {
  auto program = parse_program({{"schema.sql", kSchema}});
  EXPECT_TRUE(program);
  const auto read = read_java_program(
      {{"T.java", "import java.sql.*;\nimport java.util.*;\n" + text}}, {.jobs = jobs}, *program);
  EXPECT_TRUE(read) << to_string(read.error());
  return *program;
}

Program read_body(const std::string& body, const std::string& others = "") {
  return read_classes(
      "public class T { private Connection c;\npublic void f(int x) throws "
      "SQLException {\n" +
      body + std::string(kStore) + "}\n" + others + "}\n");
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

std::size_t statements_of(const Program& program) {
  std::size_t count = 0;
  for (const Functionality& each : program.functionalities) count += list_statements(each).size();
  return count;
}

TEST(JavaBounds, classes_nested_too_deeply_are_refused) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += fmt::format("class A{} {{ int a;\n", i);
  text += repeated("}", 20'000);
  auto program = parse_program({{"schema.sql", kSchema}});
  ASSERT_TRUE(program);
  const auto read = read_java_program({{"T.java", text}}, {.jobs = 1}, *program);
  ASSERT_FALSE(read);
  EXPECT_EQ(to_string(read.error()),
            "T.java:102:1: classes are nested too deeply here to be read, let some of them stand "
            "beside each other");
  EXPECT_EQ(read.error().trouble, Trouble::bound);
  const auto left_out =
      read_java_program({{"T.java", text}}, {.jobs = 1, .skips_unreadable = true}, *program);
  EXPECT_TRUE(left_out);
  ASSERT_FALSE(program->notes.empty());
  EXPECT_NE(program->notes.back().what.find("left out"), std::string::npos);
}

TEST(JavaBounds, bodies_of_classes_nested_too_deeply_are_refused) {
  const std::string text =
      "class A { Object f = " + repeated("new Object() { Object f = ", 20'000) + "null" +
      repeated("; }", 20'000) + "; }";
  auto program = parse_program({{"schema.sql", kSchema}});
  ASSERT_TRUE(program);
  const auto read = read_java_program({{"T.java", text}}, {.jobs = 1}, *program);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().trouble, Trouble::bound);
}

TEST(JavaBounds, a_value_that_doubles_in_each_line) {
  for (const char* line : {"x = x * x + x;\n", "x = x > 9 ? x - 1 : x + 1;\n", "x = g(x, x);\n",
                           "x = x ^ (x >>> 7) ^ (x >>> 4);\n"}) {
    const Program program = read_body(repeated(line, 60), "int g(int a, int b) { return a * b; }");
    EXPECT_EQ(statements_of(program), 1U) << line;
    EXPECT_LT(print_program(program).size(), 100'000U) << line;
  }
}

TEST(JavaBounds, a_text_that_doubles_in_each_line) {
  for (const char* line : {"t = t + t;\n", "t = t + x + t;\n", "b.append(b.toString());\n"}) {
    const Program program = read_body(
        "String t = \"a\"; StringBuilder b = new StringBuilder(\"b\");\n" + repeated(line, 60) +
        "Statement u = c.createStatement();\n" +
        "u.executeUpdate(\"DELETE FROM account WHERE id = 1 OR '\" + t + b + \"' = ''\");");
    EXPECT_GE(statements_of(program), 1U) << line;
    EXPECT_LT(print_program(program).size(), 4'000'000U) << line;
  }
}

TEST(JavaBounds, objects_that_lead_back_to_themselves) {
  const Program program = read_classes(
      "class N { int id; N left; N right; N up; N(int id) { this.id = id; left = this; right = "
      "this; "
      "up = this; } }\n"
      "public class T { private Connection c;\npublic void f(int x) throws SQLException {\n"
      "List<N> all = new ArrayList<>(); N n = new N(x); N m = new N(x + 1); n.left = m; m.right = "
      "n;\n"
      "all.add(n); all.add(m);\n" +
      std::string(kStore) + "} }\n");
  EXPECT_EQ(statements_of(program), 1U);
}

TEST(JavaBounds, a_value_that_is_one_of_many_objects) {
  std::string body = "A a = new A(0); A b = new A(1);\n";
  for (int i = 0; i < 40; ++i) {
    body += fmt::format(
        "if (x > {0}) {{ A o = a; a = b; b = o; }} if (b != null && a.v > {0}) b = new A({0});\n",
        i);
  }
  const Program program = read_classes(
      "class A { int v; A(int v) { this.v = v; } }\npublic class T { private Connection c;\n"
      "public void f(int x) throws SQLException {\n" +
      body + std::string(kStore) + "} }\n");
  EXPECT_GE(statements_of(program), 1U);
}

TEST(JavaBounds, rounds_that_are_left_in_their_middle) {
  const Program program =
      read_body("for (int i = 0; i < 60; i++) { x += g(i, x); }\n",
                "int g(int i, int x) throws SQLException { StringBuilder b = new StringBuilder(); "
                "b.append(i); "
                "try { if (x > i) return 1; if (x < -i) throw new IllegalStateException(); } "
                "catch (RuntimeException e) { return 2; } return 3; }");
  EXPECT_GE(statements_of(program), 1U);
}

TEST(JavaBounds, calls_that_branch_out) {
  std::string others;
  for (int i = 0; i < 20; ++i) {
    others += fmt::format("int g{}(int x) {{ return x > {} ? g{}(x + 1) : g{}(x - 1); }}\n", i, i,
                          i + 1, i + 1);
  }
  const Program program = read_body("x = g0(x);\n", others + "int g20(int x) { return x; }");
  ASSERT_EQ(statements_of(program), 1U);
  EXPECT_FALSE(program.notes.empty());
}

// As many threads as one likes find the same.
TEST(JavaBounds, a_class_of_ten_thousand_lines) {
  std::string methods;
  for (int i = 0; i < 700; ++i) {
    methods += fmt::format(
        "public int m{0}(int id, int x) throws SQLException {{\n"
        "  try (PreparedStatement s = c.prepareStatement(\"SELECT balance FROM account WHERE id = "
        "?\")) {{\n    s.setInt(1, id);\n    try (ResultSet r = s.executeQuery()) {{\n"
        "      if (!r.next()) throw new IllegalArgumentException(\"none\");\n"
        "      if (r.getInt(1) < {0})\n        return -1;\n"
        "      PreparedStatement u = c.prepareStatement(\n"
        "          \"UPDATE account SET balance = ? WHERE id = ?\");\n"
        "      u.setInt(1, r.getInt(1) + x);\n      u.setInt(2, id);\n"
        "      return u.executeUpdate();\n    }}\n  }}\n}}\n",
        i);
  }
  const std::string text = "public class T { private Connection c;\n" + methods + "}\n";
  const Program one = read_classes(text);
  EXPECT_EQ(statements_of(one), 1400U);
  EXPECT_EQ(print_program(read_classes(text, 4)), print_program(one));
}

TEST(JavaBounds, tests_are_not_the_program) {
  const std::string method = "(int x) throws SQLException { " + std::string(kStore) + "}\n";
  const std::string old = "public class T extends B { Connection c; public void testIt" + method +
                          "public void prepare" + method + "}\nclass B extends TestCase {}";
  EXPECT_EQ(statements_of(read_classes(old)), 0U);
  const std::string recent = "public class T { Connection c; @Test public void it" + method +
                             "public void prepare" + method + "}";
  EXPECT_EQ(statements_of(read_classes(recent)), 0U);
}

}  // namespace
}  // namespace heddle
