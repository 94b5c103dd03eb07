// Which texts are sent to a ring piece by piece; ring_test.cc has the rest, on real servers.
#include "store/ring/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;

std::vector<std::string> pieces(const std::string& text) {
  std::vector<std::string> all;
  for (const RingPiece& piece : split_for_ring(text)) {
    all.push_back(piece.command   ? "command " + replicated::tag_of(*piece.command)
                  : piece.refusal ? "refused"
                                  : std::to_string(piece.statements) + piece.text);
  }
  return all;
}

TEST(RingPieces, are_statements_and_commands) {
  EXPECT_THAT(pieces("BEGIN; SELECT 1; SELECT a FROM t; MOVE TO r2; UPDATE t SET a = ';'"),
              ElementsAre("0BEGIN", "0SELECT 1", "1SELECT a FROM t", "command MOVE",
                          "1UPDATE t SET a = ';'"));
  EXPECT_THAT(pieces("DELIVER; SHOW SEEN"), ElementsAre("refused", "refused"));
}

// What only MariaDB itself can take apart is left to it.
TEST(RingPieces, stay_together_where_semicolons_may_mean_something_else) {
  for (const std::string text :
       {"INSERT INTO t VALUES ('it\\'s; so'); DELETE FROM t", "DELETE FROM t; # one; two",
        "CREATE TRIGGER x AFTER INSERT ON t FOR EACH ROW BEGIN DELETE FROM u; END",
        "BEGIN NOT ATOMIC DELETE FROM t; END"}) {
    EXPECT_EQ(pieces(text).size(), 1U) << text;
  }
}

TEST(RingPieces, have_numbers_of_transactions_by_domain) {
  EXPECT_EQ(number_in_domain("1-1-42", 1), 42U);
  EXPECT_EQ(number_in_domain("1-1-42,2-2-7", 2), 7U);
  EXPECT_EQ(number_in_domain("12-1-42", 1), 0U);
  EXPECT_EQ(number_in_domain("", 1), 0U);
}

}  // namespace
}  // namespace heddle
