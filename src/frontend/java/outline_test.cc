// Code that has more ways through it than can be listed: nothing of it is left out, what is taken
// for more than it does is counted, and it takes neither long nor much memory.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/bounds.h"
#include "base/interrupt.h"
#include "heddle/java_program.h"

namespace heddle {
namespace {

constexpr const char* kOutlineSchema =
    "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"
    "CREATE TABLE entry (id int PRIMARY KEY, amount int NOT NULL);";

struct ReadJava {
  Program program;
  Reading reading;

  std::size_t count(ReadingReason reason) const {
    const auto found = std::ranges::find(reading.counts, reason, &ReadingCount::reason);
    return found == reading.counts.end() ? 0 : found->count;
  }
  // The different texts of all statements.
  std::set<std::string> texts() const {
    std::set<std::string> found;
    for (const Functionality& each : program.functionalities) {
      for (const ListedStatement& listed : list_statements(each)) {
        found.insert(listed.statement->statement.text);
      }
    }
    return found;
  }
};

ReadJava read_with(JavaOptions options, const std::string& text) {
  ReadJava result;
  result.program = *parse_program({{"schema.sql", kOutlineSchema}});
  const auto reading =
      read_java_program({{"T.java", "import java.sql.*;\n" + text}}, options, result.program);
  EXPECT_TRUE(reading) << to_string(reading.error());
  result.reading = *reading;
  return result;
}

std::string update(int number) {
  return fmt::format(
      "PreparedStatement s{0} = c.prepareStatement(\"UPDATE account SET balance = {0} WHERE id = "
      "?\"); s{0}.setInt(1, x); s{0}.executeUpdate();\n",
      number);
}

// Each method branches so often and calls the next one in every branch.
std::string branching(int branches, int deep) {
  std::string text = "public class T { private Connection c;\n";
  for (int level = 0; level < deep; ++level) {
    text += fmt::format("{} int f{}(int x) throws SQLException {{ int y = x;\n",
                        level == 0 ? "public" : "private", level);
    for (int i = 0; i < branches; ++i) {
      const std::string call =
          level + 1 < deep ? fmt::format("y = y + f{}(x + {});\n", level + 1, i) : "";
      text += fmt::format("if (x > {}) {{ {}{} }}\n", i, update(level * branches + i), call);
    }
    text += "return y; }\n";
  }
  return text + "}\n";
}

TEST(JavaOutline, a_class_of_forty_branches_ten_deep_is_read_whole) {
  const ReadJava read = read_with({}, branching(40, 10));
  EXPECT_EQ(read.texts().size(), 400U);
  EXPECT_EQ(read.reading.exact, 0U);
  EXPECT_EQ(read.reading.approximated, 1U);
  EXPECT_EQ(read.count(ReadingReason::too_long), 1U);
  EXPECT_LT(print_program(read.program).size(), 2'000'000U);
  for (const std::string& text : read.texts()) EXPECT_TRUE(text.starts_with("UPDATE")) << text;
}

TEST(JavaOutline, what_can_be_followed_is_not_approximated) {
  const ReadJava read = read_with({}, branching(2, 3));
  EXPECT_EQ(read.texts().size(), 6U);
  EXPECT_EQ(read.reading.exact, 1U);
  EXPECT_TRUE(read.reading.counts.empty());
}

TEST(JavaOutline, printed_programs_read_as_equal_ones) {
  const std::string printed = print_program(read_with({}, branching(20, 6)).program);
  const auto again = parse_program({{"printed.sql", printed}});
  ASSERT_TRUE(again) << to_string(again.error());
  EXPECT_EQ(print_program(*again), printed);
}

TEST(JavaOutline, the_number_of_threads_changes_nothing) {
  std::string text = branching(20, 6);
  for (int i = 0; i < 20; ++i) {
    text += fmt::format(
        "class U{0} {{ T t; public void g{0}(int x) throws SQLException {{ "
        "for (int i = 0; i < x; ++i) t.f0(x + {0}); }} }}\n",
        i);
  }
  const JavaOptions options{.jobs = 1, .most_steps = 30'000};
  JavaOptions parallel = options;
  parallel.jobs = 4;
  const ReadJava one = read_with(options, text);
  EXPECT_EQ(one.program.functionalities.size(), 20U);
  EXPECT_EQ(one.count(ReadingReason::too_long), 20U);
  EXPECT_EQ(print_program(one.program), print_program(read_with(parallel, text).program));
}

// The only method that reaches the store is behind so many that nobody looks at it.
TEST(JavaOutline, what_is_behind_the_bound_may_reach_the_store) {
  constexpr int kMethods = 80;
  std::string text =
      "public class T { private static final Log log = new Log();\n"
      "public int root(Connection c, int x) throws SQLException { return mid(c, x); }\n"
      "private int mid(Connection c, int x) throws SQLException {\n";
  for (int i = 0; i < kMethods; ++i) text += fmt::format("x = x + step{}(c, x);\n", i);
  text += "return x; }\n";
  for (int i = 0; i < kMethods; ++i) {
    text += fmt::format("private int step{}(Connection c, int x) throws SQLException {{\n", i);
    // More than what is followed of a method in the place of its call.
    for (int j = 0; j < 320; ++j) text += "if (x > 0) x = x + log.commit();\n";
    text += i + 1 == kMethods ? update(1) + "return x; }\n" : "return x; }\n";
  }
  const ReadJava read = read_with({}, text + "}\n");
  ASSERT_EQ(read.program.functionalities.size(), 1U);
  EXPECT_EQ(read.program.functionalities.front().name, "root");
  EXPECT_EQ(read.texts().size(), 1U);
  EXPECT_EQ(read.count(ReadingReason::too_long), 1U);
}

// Methods that call each other share one loop.
TEST(JavaOutline, recursion_ends) {
  std::string text = "public class T { private Connection c;\n";
  for (int level = 0; level < 12; ++level) {
    text += fmt::format("{} void f{}(int x) throws SQLException {{\n",
                        level == 0 ? "public" : "private", level);
    for (int i = 0; i < 30; ++i) {
      text += fmt::format("if (x == {}) {{ {} f{}(x - 1); }}\n", i, update(level * 30 + i),
                          (level + 1 + i % 3) % 12);
    }
    text += "}\n";
  }
  const ReadJava read = read_with({}, text + "}\n");
  std::set<std::string> updates;
  for (const std::string& each : read.texts()) {
    if (each.starts_with("UPDATE")) updates.insert(each);
  }
  EXPECT_EQ(updates.size(), 360U);
}

// What the code behind a call that is cut does not know any more.
const char* const kLate = R"(
  public class T { private Connection c; private int kind = 1; StringBuilder sql = new StringBuilder();
    private Account found;
    public void f(int x) throws SQLException {
      %s
      kind = 5;
      sql.append("DELETE FROM entry WHERE id = ");
      Account a = find(x);
      if (a == null) { %s }
      if (kind == 7) { %s }
      try { refuse(x); } catch (IllegalStateException e) { %s }
    }
    Account find(int x) throws SQLException { kind = 7; %s return x > 100 ? null : new Account(); }
    void refuse(int x) throws SQLException { %s if (x > 3) throw new IllegalStateException("no"); }
    %s
  }
  class Account { int id; }
)";

TEST(JavaOutline, what_a_cut_call_may_do_is_taken_into_account) {
  std::string begin;
  for (int i = 0; i < 40; ++i) begin += fmt::format("if (x > {0}) many{0}(x);\n", i);
  std::string many;
  for (int i = 0; i < 40; ++i) {
    many += fmt::format("void many{}(int x) throws SQLException {{\n", i);
    for (int j = 0; j < 20; ++j) many += fmt::format("if (x == {}) {{ {} }}\n", j, update(1000));
    many += "}\n";
  }
  std::string long_code;
  for (int j = 0; j < 30; ++j) long_code += fmt::format("if (x == {}) {{ {} }}\n", j, update(1001));
  std::string text = kLate;
  for (const std::string& part :
       {begin, update(1), update(2), update(3), long_code, long_code, many}) {
    text.replace(text.find("%s"), 2, part);
  }
  const ReadJava read = read_with({}, text);
  EXPECT_EQ(read.count(ReadingReason::too_long), 1U);
  for (const int number : {1, 2, 3, 1000, 1001}) {
    EXPECT_TRUE(
        read.texts().contains(fmt::format("UPDATE account SET balance = {} WHERE id = $1", number)))
        << number;
  }
}

// Many functionalities share the steps and what is kept; none is left out.
TEST(JavaOutline, many_long_functionalities_share_what_there_is) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    std::string one = branching(12, 4);
    one.replace(one.find("class T"), 7, fmt::format("class T{}", i));
    text += one;
  }
  const JavaOptions options{.most_steps = 40'000, .most_actions = 12'000};
  const ReadJava read = read_with(options, text);
  EXPECT_EQ(read.program.functionalities.size(), 40U);
  EXPECT_EQ(read.reading.approximated, 40U);
  EXPECT_EQ(read.reading.unread, 0U);
  EXPECT_LT(print_program(read.program).size(), 6'000'000U);
}

// What is not read is counted and said.
TEST(JavaOutline, reading_ends_at_the_bounds_of_the_command) {
  bound_time(1, "--timeout=1ms");
  while (!interrupted()) std::this_thread::yield();
  const ReadJava read = read_with({}, branching(3, 2));
  const std::string reason = stop_reason();
  clear_bounds();
  EXPECT_TRUE(read.program.functionalities.empty());
  EXPECT_EQ(read.reading.unread, 1U);
  EXPECT_EQ(read.count(ReadingReason::ended), 1U);
  ASSERT_EQ(read.program.notes.size(), 1U);
  EXPECT_EQ(read.program.notes[0].what, "1 methods were not read: " + reason);
  EXPECT_EQ(reason, "--timeout=1ms");
}

TEST(JavaOutline, methods_that_nobody_calls_are_counted) {
  const std::string body = "(int x) throws SQLException { " + update(1) + "}\n";
  const std::string users =
      "class U { void a(Mystery m, int x) throws SQLException { new T().called(x); m.lost(x); } "
      "}\n";
  const ReadJava read = read_with(
      {}, "class T { Connection c; void called" + body + "void lost" + body + "}\n" + users);
  EXPECT_EQ(read.reading.methods, 3U);
  EXPECT_EQ(read.count(ReadingReason::uncalled), 1U);
  EXPECT_EQ(describe(read.reading).back(),
            "Java: 1 method may reach a store, and no functionality was seen to call it: T.java:4");
}

TEST(JavaOutline, generated_classes_and_tests_are_counted) {
  const std::string method = "public void f(int x) throws SQLException { " + update(1) + "}\n";
  const ReadJava read =
      read_with({.declarations_only = {"T.java"}}, "class T { Connection c; " + method + "}\n");
  EXPECT_TRUE(read.program.functionalities.empty());
  EXPECT_EQ(read.count(ReadingReason::generated), 1U);
  const ReadJava tests = read_with({}, "class T { Connection c; @Test " + method + "}\n");
  EXPECT_EQ(tests.count(ReadingReason::test), 1U);
}

}  // namespace
}  // namespace heddle
