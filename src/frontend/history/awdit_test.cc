#include "frontend/history/awdit.h"

#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "frontend/history/write/samples_testing.h"
#include "frontend/history/write/write_spelling.h"

namespace heddle {
namespace {

std::string read(const std::string& text) {
  const Result<TransactionHistory> history = read_awdit(text, "h.txt");
  if (!history) return to_string(history.error());
  EXPECT_EQ(find_flaw(*history), std::nullopt);
  return spell_history(*history);
}

TEST(Awdit, reads_sessions_and_transactions) {
  EXPECT_EQ(read("w 0 0\nw 1 1\n=====\nw 0 2\n-----\nr 0 2\nr 1 1"),
            "initial none\n"
            "#0 committed w(0)=0 w(1)=1\n"
            "#1 committed w(0)=2\n"
            "#1 committed r(0)=2 r(1)=1\n");
}

TEST(Awdit, nothing_between_separators_is_no_transaction) {
  EXPECT_EQ(read("=\n-\n--\nw 0 0\n-\n=\n-\n===\n\nr 0 0\n-\n=\n"),
            "initial none\n#0 committed w(0)=0\n#1 committed r(0)=0\n");
  EXPECT_EQ(read(""), "initial none\n");
}

TEST(Awdit, takes_blanks) {
  EXPECT_EQ(read("  w\t3   4 \r\n ----- \r\n r 3 4"),
            "initial none\n#0 committed w(3)=4\n#0 committed r(3)=4\n");
}

TEST(Awdit, remembers_lines) {
  const auto history = read_awdit("w 0 0\nw 0 1\n---\n\nw 0 2\n", "h.txt");
  ASSERT_TRUE(history);
  EXPECT_EQ(history->transactions[0].line, 1U);
  EXPECT_EQ(history->transactions[1].line, 5U);
}

TEST(Awdit, says_what_is_wrong_and_where) {
  const std::string advice = ", a line looks like \"r 3 17\", \"w 3 18\"";
  EXPECT_EQ(read("w 1 2\nx"), "h.txt:2:1: expected r, w, ----- or =====" + advice);
  EXPECT_EQ(read("w1 2"), "h.txt:1:2: expected a blank" + advice);
  EXPECT_EQ(read("w 1"), "h.txt:1:4: expected a blank" + advice);
  EXPECT_EQ(read("w 1 x"), "h.txt:1:5: expected the value, a number" + advice);
  EXPECT_EQ(read("w 1 2 3"), "h.txt:1:7: expected the end of the line" + advice);
  EXPECT_EQ(read("-----="), "h.txt:1:6: expected the end of the line" + advice);
}

// The format read in the simplest way.
std::string read_slowly(const std::string& text) {
  std::string out = "initial none\n";
  std::istringstream lines(text);
  unsigned session = 0;
  bool session_is_empty = true;
  std::string open;
  const auto end = [&] {
    if (open.empty()) return;
    out += fmt::format("#{} committed{}\n", session, open);
    open.clear();
    session_is_empty = false;
  };
  for (std::string line; std::getline(lines, line);) {
    if (line[0] == '-' || line[0] == '=') end();
    if (line[0] == '=' && !session_is_empty) {
      ++session;
      session_is_empty = true;
    }
    std::istringstream parts(line);
    std::string kind;
    std::string key;
    std::string value;
    if (parts >> kind >> key >> value) open += " " + kind + "(" + key + ")=" + value;
  }
  end();
  return out;
}

std::string random_text(std::mt19937& random) {
  std::string text;
  const auto below = [&](unsigned end) { return random() % end; };
  for (unsigned i = below(30); i > 0; --i) {
    const unsigned kind = below(8);
    text += kind == 0   ? "=====\n"
            : kind == 1 ? "-----\n"
                        : fmt::format("{} {} {}\n", kind % 2 == 0 ? 'r' : 'w', below(4), below(9));
  }
  return text;
}

TEST(Awdit, agrees_with_the_simplest_reader) {
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    const std::string text = random_text(random);
    ASSERT_EQ(read(text), read_slowly(text)) << "seed " << seed << "\n" << text;
  }
}

// That the comparison can fail: without the ends of sessions.
TEST(Awdit, the_comparison_notices_a_reader_that_misses_sessions) {
  unsigned differences = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const std::string text = random_text(random);
    std::string blunt = text;
    std::ranges::replace(blunt, '=', '-');
    if (read(blunt) != read_slowly(text)) ++differences;
  }
  EXPECT_GT(differences, 50U);
}

TEST(Awdit, public_histories) {
  for (const auto& path : find_samples("awdit", ".txt")) {
    const std::string text = read_sample(path);
    const Result<TransactionHistory> history = read_awdit(text, path.filename());
    ASSERT_TRUE(history) << to_string(history.error());
    EXPECT_EQ(find_flaw(*history), std::nullopt);
    EXPECT_EQ(spell_history(*history), read_slowly(text)) << path.filename();
    EXPECT_FALSE(history->transactions.empty()) << path.filename();
  }
}

}  // namespace
}  // namespace heddle
