#include "frontend/history/plume.h"

#include <map>
#include <random>
#include <regex>
#include <sstream>

#include <gtest/gtest.h>

#include "frontend/history/write/samples_testing.h"
#include "frontend/history/write/write_spelling.h"

namespace heddle {
namespace {

std::string spelled_plume(const std::string& text) {
  const Result<TransactionHistory> history = read_plume(text, "h.txt");
  if (!history) return to_string(history.error());
  EXPECT_EQ(find_flaw(*history), std::nullopt);
  return spell_history(*history);
}

TEST(Plume, reads_operations_by_session_and_transaction) {
  EXPECT_EQ(spelled_plume("w(1,5,0,0)\nr(1,5,1,1)\nr(2,0,1,1)\nw(1,6,0,2)\n"),
            "initial 0\n"
            "0 committed w(1)=5\n"
            "1 committed r(1)=5 r(2)=0\n"
            "0 committed w(1)=6\n");
}

TEST(Plume, takes_blanks_and_empty_lines) {
  EXPECT_EQ(spelled_plume("\r\n w( 1 , 5,0, 0 ) \r\n\n\tr(1,5,0,0)"),
            "initial 0\n0 committed w(1)=5 r(1)=5\n");
  EXPECT_EQ(spelled_plume(""), "initial 0\n");
}

// Blanks make no difference, also where one digit more would not fit; other bytes do.
TEST(Plume, reads_lines_with_blanks_as_those_without) {
  std::mt19937 random(1);
  const auto number = [&] {
    constexpr std::string_view kNumbers[] = {"0",
                                             "1",
                                             "-1",
                                             "07",
                                             "12",
                                             "-",
                                             "123456789012345678",
                                             "1234567890123456789",
                                             "-9223372036854775808"};
    return std::string(kNumbers[random() % std::size(kNumbers)]);
  };
  std::size_t read = 0;
  for (int round = 0; round < 3'000; ++round) {
    std::string plain;
    std::string spaced;
    for (auto lines = 1 + random() % 3; lines > 0; --lines) {
      const std::string parts[] = {random() % 2 == 0 ? "r" : "w",
                                   "(",
                                   number(),
                                   ",",
                                   number(),
                                   ",",
                                   std::to_string(random() % 3),
                                   ",",
                                   random() % 9 == 0 ? number() : "5",
                                   ")",
                                   random() % 30 == 0 ? "x" : "",
                                   "\n"};
      for (const std::string& part : parts) {
        plain += part;
        spaced += (&part == parts ? "" : " ") + part;
      }
    }
    const auto found = read_plume(plain, "h.txt");
    const auto expected = read_plume(spaced, "h.txt");
    ASSERT_EQ(found.has_value(), expected.has_value()) << plain;
    if (!found) continue;
    ASSERT_EQ(spell_history(*found), spell_history(*expected)) << plain;
    ++read;
  }
  EXPECT_GT(read, 500U);
}

TEST(Plume, puts_mixed_lines_in_order) {
  EXPECT_EQ(spelled_plume("w(1,1,7,10)\nw(2,2,8,11)\nr(3,0,7,10)\nr(4,0,8,11)\nw(1,3,7,10)\n"),
            "initial 0\n"
            "7 committed w(1)=1 r(3)=0 w(1)=3\n"
            "8 committed w(2)=2 r(4)=0\n");
}

TEST(Plume, tells_transactions_of_different_sessions_apart) {
  EXPECT_EQ(spelled_plume("w(1,1,0,5)\nw(2,2,1,5)\n"),
            "initial 0\n0 committed w(1)=1\n1 committed w(2)=2\n");
}

TEST(Plume, transaction_minus_one_aborted) {
  EXPECT_EQ(spelled_plume("w(1,1,0,-1)\nw(2,2,0,-1)\nr(1,1,1,4)\nw(3,3,0,-1)\n"),
            "initial 0\n"
            "0 aborted w(1)=1 w(2)=2\n"
            "1 committed r(1)=1\n"
            "0 aborted w(3)=3\n");
}

TEST(Plume, the_initial_transaction_of_polysi_is_the_initial_state) {
  EXPECT_EQ(spelled_plume("w(1,0,-1,-1)\nw(2,0,-1,-1)\nr(1,0,1,4)\n"),
            "initial 0\n1 committed r(1)=0\n");
  EXPECT_EQ(spelled_plume("w(1,7,-1,-1)\nr(1,7,1,4)\nw(2,8,-1,-1)\n"),
            "initial 0\n-1 committed w(1)=7 w(2)=8\n1 committed r(1)=7\n");
}

TEST(Plume, a_session_of_zeros_is_the_initial_state) {
  EXPECT_EQ(spelled_plume("r(1,0,1,4)\nw(1,0,3,5)\nw(2,0,3,5)\nw(2,1,4,6)\n"),
            "initial 0\n1 committed r(1)=0\n4 committed w(2)=1\n");
}

TEST(Plume, a_zero_that_is_written_is_read_from_there) {
  EXPECT_EQ(spelled_plume("w(1,0,0,0)\nw(1,3,0,1)\nr(1,0,1,2)\n"),
            "initial none\n0 committed w(1)=0\n0 committed w(1)=3\n1 committed r(1)=0\n");
  EXPECT_EQ(spelled_plume("w(1,0,0,0)\nw(1,3,0,1)\nr(1,0,1,2)\nr(2,0,1,2)\n"),
            "initial null\n0 committed w(1)=0\n0 committed w(1)=3\n"
            "1 committed r(1)=0 r(2)=null\n");
  EXPECT_EQ(spelled_plume("w(1,0,0,-1)\nr(1,0,1,2)\n"),
            "initial 0\n0 aborted w(1)=0\n1 committed r(1)=0\n");
}

TEST(Plume, numbers_of_any_size) {
  EXPECT_EQ(spelled_plume("w(18446744073709551615,9223372036854775807,0,0)\n"
                          "r(18446744073709551615,-9223372036854775808,0,0)\n"),
            "initial 0\n0 committed w(\"18446744073709551615\")=9223372036854775807 "
            "r(\"18446744073709551615\")=\"-9223372036854775808\"\n");
}

TEST(Plume, remembers_lines) {
  const auto history = read_plume("w(1,1,0,0)\nw(1,2,0,0)\n\nw(1,3,0,1)\n", "h.txt");
  ASSERT_TRUE(history);
  EXPECT_EQ(history->transactions[0].line, 1U);
  EXPECT_EQ(history->transactions[1].line, 4U);
}

TEST(Plume, says_what_is_wrong_and_where) {
  const std::string advice = ", a line looks like r(3,17,0,12)";
  EXPECT_EQ(spelled_plume("r(1,2,3,4)\nx(1)\n"),
            "h.txt:2:1: expected r(key,value,session,transaction) or w(...)" + advice);
  EXPECT_EQ(spelled_plume("r[1,2,3,4]"), "h.txt:1:2: expected '('" + advice);
  EXPECT_EQ(spelled_plume("r(a,2,3,4)"), "h.txt:1:3: expected the key, a number" + advice);
  EXPECT_EQ(spelled_plume("r(1,2,3"), "h.txt:1:8: expected ','" + advice);
  EXPECT_EQ(spelled_plume("r(1,2,3,4) r(1,2,3,4)"),
            "h.txt:1:12: expected the end of the line" + advice);
  EXPECT_EQ(spelled_plume("r(1,2,3,99999999999999999999)"),
            "h.txt:1:29: the number of the transaction is too large" + advice);
}

// The format read in the simplest way: a regular expression per line and maps.
std::string read_plume_slowly(const std::string& text) {
  static const std::regex kLine("([rw])\\((\\d+),(\\d+),(\\d+),(\\d+)\\)");
  std::vector<std::pair<std::string, std::string>> order;
  std::map<std::pair<std::string, std::string>, std::string> transactions;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (!std::regex_match(line, parts, kLine)) return "bad line";
    const std::pair<std::string, std::string> name(parts[4], parts[5]);
    if (!transactions.contains(name)) order.push_back(name);
    transactions[name] += " " + parts[1].str() + "(" + parts[2].str() + ")=" + parts[3].str();
  }
  std::string out = "initial 0\n";
  for (const auto& name : order) out += name.first + " committed" + transactions[name] + "\n";
  return out;
}

std::string random_plume_text(std::mt19937& random) {
  std::string text;
  const auto below = [&](unsigned end) { return random() % end; };
  const unsigned lines = below(30);
  unsigned txn = 0;
  for (unsigned i = 0; i < lines; ++i) {
    if (below(2) == 0) txn = below(6);
    text += fmt::format("{}({},{},{},{})\n", below(2) == 0 ? 'r' : 'w', below(4), 1 + below(9),
                        txn / 2, txn);
  }
  return text;
}

TEST(Plume, agrees_with_the_simplest_reader) {
  for (unsigned seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    const std::string text = random_plume_text(random);
    ASSERT_EQ(spelled_plume(text), read_plume_slowly(text)) << "seed " << seed << "\n" << text;
  }
}

// That the comparison can fail: a reader that takes each run of lines for a transaction.
TEST(Plume, the_comparison_notices_a_reader_that_does_not_group) {
  unsigned differences = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::istringstream lines(random_plume_text(random));
    std::string text;
    std::string last;
    unsigned run = 0;
    for (std::string line; std::getline(lines, line);) {
      const std::string tail = line.substr(line.rfind(','));
      run += tail == last ? 0 : 1;
      last = tail;
      text += fmt::format("{},{})\n", line.substr(0, line.rfind(',')), run);
    }
    std::mt19937 again(seed);
    if (spelled_plume(text) != read_plume_slowly(random_plume_text(again))) ++differences;
  }
  EXPECT_GT(differences, 100U);
}

TEST(Plume, public_histories) {
  for (const auto& path : find_samples("plume", ".txt")) {
    const Result<TransactionHistory> history = read_plume(read_sample(path), path.filename());
    ASSERT_TRUE(history) << to_string(history.error());
    EXPECT_EQ(find_flaw(*history), std::nullopt);
    // Transaction 0 is nothing but zeros.
    EXPECT_EQ(history->transactions.size(), 20U);
    EXPECT_EQ(history->operations.size(), 40U);
    EXPECT_EQ(history->initial, Value::number(0));
  }
}

}  // namespace
}  // namespace heddle
