#include "frontend/history/textbook.h"

#include <gtest/gtest.h>

#include "frontend/history/write/write_spelling.h"

namespace heddle {
namespace {

std::string spelled_textbook(const std::string& text) {
  const Result<TransactionHistory> history = read_textbook(text, "h.txt");
  if (!history) return to_string(history.error());
  EXPECT_EQ(find_flaw(*history), std::nullopt);
  return spell_history(*history);
}

TEST(Textbook, steps_have_their_place_as_time) {
  EXPECT_EQ(spelled_textbook("r1[x=0] r2[x=0] w1[x=1] c1 w2[x=2] a2"),
            "initial 0, times\n"
            "#0 committed [1, 4] r(\"x\")=0 w(\"x\")=1\n"
            "#1 aborted [2, 6] r(\"x\")=0 w(\"x\")=2\n");
}

TEST(Textbook, a_transaction_without_end_is_unknown) {
  EXPECT_EQ(spelled_textbook("b2\nb7 w7[x=1] # and then?"),
            "initial 0, times\n"
            "#0 unknown [1, 9223372036854775807]\n"
            "#1 unknown [2, 9223372036854775807] w(\"x\")=1\n");
}

TEST(Textbook, lists_texts_and_reads_that_were_not_seen) {
  EXPECT_EQ(spelled_textbook(
                R"(append1[x=3] append1["a b"=-4] c1 r2[x=[3 4]] r2[7=[]] r2[x=[?]] r2[y] r2[z=?]
                    w2[y=red] w2[y="12\"\\\x0a"] c2)"),
            "initial 0, times\n"
            "#0 committed [1, 3] append(\"x\")=3 append(\"a b\")=-4\n"
            "#1 committed [4, 11] r-list(\"x\")=[3 4 ] r-list(7)=[] "
            "r-list(\"x\")={\"unseen\": true} r(\"y\")={\"unseen\": true} "
            "r(\"z\")={\"unseen\": true} w(\"y\")=\"red\" w(\"y\")=\"12\\\"\\\\\\n\"\n");
}

TEST(Textbook, sessions_say_whose_transactions_they_are_and_in_which_order) {
  EXPECT_EQ(
      spelled_textbook("session alice: 3 1\nw1[x=1] c1 w2[x=2] c2 w3[x=3] c3\nsession \"b c\":\n"),
      "initial 0, times\n"
      "alice committed [5, 6] w(\"x\")=3\n"
      "T2 committed [3, 4] w(\"x\")=2\n"
      "alice committed [1, 2] w(\"x\")=1\n");
}

TEST(Textbook, initial_values) {
  EXPECT_EQ(spelled_textbook("initial: 5\nr1[x=5] c1"),
            "initial 5, times\n#0 committed [1, 2] r(\"x\")=5\n");
  EXPECT_EQ(spelled_textbook("initial: none"), "initial none, times\n");
  EXPECT_EQ(spelled_textbook("initial: \"none\""), "initial \"none\", times\n");
  EXPECT_EQ(spelled_textbook("r1[x=nil] w1[x=0] c1"),
            "initial null, times\n#0 committed [1, 3] r(\"x\")=null w(\"x\")=0\n");
  EXPECT_EQ(spelled_textbook("w1[x=0] c1 r2[x=0] c2"),
            "initial none, times\n#0 committed [1, 2] w(\"x\")=0\n"
            "#1 committed [3, 4] r(\"x\")=0\n");
}

TEST(Textbook, times_can_mean_nothing) {
  EXPECT_EQ(spelled_textbook("times: none\nw1[x=1] c1"), "initial 0\n#0 committed w(\"x\")=1\n");
}

TEST(Textbook, says_what_is_wrong_and_where) {
  EXPECT_EQ(spelled_textbook("x1"),
            "h.txt:1:1: expected a step, steps look like b1 r1[x=0] w1[x=1] "
            "append1[y=2] c1 a1");
  EXPECT_EQ(spelled_textbook("r[x=1]"), "h.txt:1:2: expected the number of a transaction");
  EXPECT_EQ(spelled_textbook("r1 x"), "h.txt:1:3: expected '[', an operation looks like r1[x=0]");
  EXPECT_EQ(spelled_textbook("w1[x]"), "h.txt:1:5: expected '=' and what is written");
  EXPECT_EQ(spelled_textbook("w1[x=?]"),
            "h.txt:1:6: expected a number, a word or a text in double quotes");
  EXPECT_EQ(spelled_textbook("r1[x=1"), "h.txt:1:7: expected ']'");
  EXPECT_EQ(spelled_textbook("r1[x=[1 2"),
            "h.txt:1:10: expected a number, a word or a text in double quotes");
  EXPECT_EQ(spelled_textbook("w1[x=1]w1[x=2]"), "h.txt:1:8: expected a blank");
  EXPECT_EQ(spelled_textbook("c1 c1"), "h.txt:1:6: transaction 1 has ended before");
  EXPECT_EQ(spelled_textbook("w1[x=1] b1"), "h.txt:1:11: transaction 1 has begun before");
  EXPECT_EQ(spelled_textbook("session a: 1"), "h.txt:1:12: transaction 1 has no steps");
  EXPECT_EQ(spelled_textbook("c1\nsession a: 1\nsession b: 1"),
            "h.txt:3:12: transaction 1 has a session already");
  EXPECT_EQ(spelled_textbook("session a: x"), "h.txt:1:12: expected the number of a transaction");
  EXPECT_EQ(spelled_textbook("session a 1"), "h.txt:1:11: expected ':'");
  EXPECT_EQ(spelled_textbook("initial:"),
            "h.txt:1:9: expected the initial value, it looks like initial: 0");
  EXPECT_EQ(spelled_textbook("initial: 1\ninitial: 2"), "h.txt:2:10: a second initial value");
  EXPECT_EQ(spelled_textbook("times: 3"), "h.txt:1:8: expected none, it looks like times: none");
  EXPECT_EQ(spelled_textbook("w1[\"x"), "h.txt:1:6: the text does not end on this line");
  EXPECT_EQ(spelled_textbook("w1[\"\\q"),
            "h.txt:1:6: expected \\\", \\\\ or two hexadecimal digits as in \\x0a");
}

}  // namespace
}  // namespace heddle
