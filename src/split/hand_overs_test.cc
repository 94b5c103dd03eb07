// Hand-overs of a run: the ways of a branch are told apart, and loops have rounds.
#include "split/hand_overs.h"

#include <string>

#include <gtest/gtest.h>

#include "split/chop.h"
#include "split/split_testing.h"

namespace heddle::chopping {
namespace {

using split_testing::cut_of;
using split_testing::kOne;
using split_testing::kTwo;
using split_testing::parse;
using split_testing::routine;

std::size_t hand_overs(const std::string& body, const std::string& services = kTwo) {
  const Program program = parse(std::string(split_testing::kTables) + routine("f(i int)", body));
  const Cut cut = cut_of(services);
  const TableServices owners(cut, program.schema);
  const ChoppedFunctionality chopped =
      chop_functionality(program.functionalities[0], program.schema, owners);
  return count_hand_overs(chopped.functionality, owners, 2);
}

const std::string kOnAccount = "UPDATE account SET balance = 1 WHERE id = i;\n";
const std::string kOnWallet = "UPDATE wallet SET balance = 1 WHERE id = i;\n";

TEST(HandOvers, are_those_between_services) {
  EXPECT_EQ(hand_overs("BEGIN\n" + kOnAccount + kOnWallet + "END"), 1U);
  EXPECT_EQ(hand_overs("BEGIN\n" + kOnAccount + kOnWallet + kOnAccount + "END"), 2U);
  EXPECT_EQ(hand_overs("BEGIN\n" + kOnAccount + kOnWallet + "END", kOne), 0U);
  EXPECT_EQ(hand_overs("BEGIN\nEND"), 0U);
}

// A transaction that ends on the way hands over to nobody.
TEST(HandOvers, are_no_ends_of_transactions) {
  EXPECT_EQ(hand_overs("BEGIN\n" + kOnAccount + "COMMIT;\n" + kOnAccount + "END"), 0U);
}

TEST(HandOvers, go_one_way_of_a_branch) {
  const std::string apart = "IF i > 0 THEN\n" + kOnAccount + "ELSE\n" + kOnWallet + "END IF;\n";
  EXPECT_EQ(hand_overs("BEGIN\n" + apart + "END"), 0U);
  EXPECT_EQ(hand_overs("BEGIN\n" + apart + "END", kOne), 0U);
  EXPECT_EQ(hand_overs("BEGIN\n" + apart + kOnWallet + "END"), 1U);
  EXPECT_EQ(hand_overs("BEGIN\n" + kOnAccount + "IF i > 0 THEN\n" + kOnWallet + kOnAccount +
                       "ELSE\n" + kOnWallet + "END IF;\nEND"),
            2U);
}

// Who returns hands over to nobody any more.
TEST(HandOvers, end_with_the_run) {
  EXPECT_EQ(
      hand_overs("BEGIN\nIF i > 0 THEN\n" + kOnAccount + "RETURN;\nEND IF;\n" + kOnWallet + "END"),
      0U);
}

// What fails goes on in what handles errors, from wherever it was.
TEST(HandOvers, go_from_an_error_to_its_recovery) {
  const auto attempt = [](const std::string& body) {
    return "BEGIN\nBEGIN\n" + body + "EXCEPTION WHEN others THEN\n" + kOnWallet + "END;\nEND";
  };
  EXPECT_EQ(hand_overs(attempt(kOnAccount)), 1U);
  EXPECT_EQ(
      hand_overs(attempt("IF i > 0 THEN\n" + kOnAccount + "RAISE EXCEPTION 'no';\nEND IF;\n")), 1U);
  EXPECT_EQ(hand_overs(attempt(kOnWallet + "IF i > 0 THEN\n" + kOnAccount + "RETURN;\nEND IF;\n")),
            2U);
  EXPECT_EQ(hand_overs(attempt("IF i > 0 THEN\nRAISE EXCEPTION 'no';\nEND IF;\n")), 0U);
}

TEST(HandOvers, come_again_in_each_round) {
  const auto loop = [](const std::string& body) {
    return "BEGIN\nFOR k IN 1..i LOOP\n" + body + "END LOOP;\nEND";
  };
  EXPECT_EQ(hand_overs(loop(kOnAccount)), 0U);
  EXPECT_EQ(hand_overs(loop(kOnAccount + kOnWallet)), 3U);
  EXPECT_EQ(hand_overs(loop(kOnAccount + "EXIT;\n" + kOnWallet)), 0U);
  EXPECT_EQ(hand_overs(loop(kOnAccount + "EXIT WHEN i = 2;\n" + kOnWallet)), 3U);
}

}  // namespace
}  // namespace heddle::chopping
