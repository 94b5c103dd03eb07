// Plain transactions are read as the reader of all of EDN reads them, or not at all.
#include "frontend/history/forms/plain_transaction.h"

#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "frontend/history/forms/plain_transaction_testing.h"

namespace heddle {
namespace {

std::string plain_text(std::string_view text) {
  std::vector<PlainOperation> operations;
  const std::size_t end = read_plain_transaction(text, 0, operations);
  std::string read = fmt::format("{}:", end);
  for (const PlainOperation& operation : operations) {
    read += fmt::format(" {} {} ", to_string(operation.action), operation.key);
    read += operation.kind == PlainOperation::Kind::nil ? "nil"
            : operation.kind == PlainOperation::Kind::number
                ? fmt::to_string(operation.number)
                : fmt::format("<{}>", operation.numbers);
  }
  return read;
}

TEST(PlainTransaction, is_read_in_one_pass) {
  EXPECT_EQ(plain_text("[[:append 3 4] [:r 5 [1 -2, 3]], [:r 6 nil][:w -7 0] ] more"),
            "54: append 3 4 r 5 <1 -2, 3> r 6 nil w -7 0");
  EXPECT_EQ(plain_text("[[:r 1 []]]"), "11: r 1 <>");
  EXPECT_EQ(plain_text("[[:r 1 [1 2 3 4 5 6 7 8 9 10 11 12 13]]]"),
            "40: r 1 <1 2 3 4 5 6 7 8 9 10 11 12 13>");
}

TEST(PlainTransaction, is_nothing_else) {
  for (const char* text : {"",
                           "[",
                           "[]",
                           "[[",
                           "[[:r 1 nil]",
                           "[[:r 1 nil",
                           "[:r 1 nil]",
                           "[[:r 1]]",
                           "[[:r 1 nil 2]]",
                           "[[:r :x nil]]",
                           "[[:x 1 2]]",
                           "[[:r 1 2N]]",
                           "[[:r 1 2.5]]",
                           "[[:r 1 +2]]",
                           "[[:w 1 nil]]",
                           "[[:append 1 [2]]]",
                           "[[:r 1 nill]]",
                           "[[:r 1 [2 a]]]",
                           "[[:r 1 [2\n3]]]",
                           "[[:r 1 - ]]",
                           "[[:r 1 1234567890123456789]]",
                           "[ #_1 [:r 1 nil]]",
                           "[[:r 1 [2] 3]]",
                           "[[:r 1 [\"]\"]]]",
                           "[\n[:r 1 nil]]",
                           "[[:r 1 [2;]\n]]]",
                           "[[:r\t1 nil]]"}) {
    EXPECT_EQ(plain_text(text), "0:") << text;
  }
}

TEST(PlainTransaction, numbers_end_at_the_first_other_byte) {
  for (std::size_t size = 0; size < 40; ++size) {
    for (const char other : {']', 'a', '"', '\n', '\xff', '/', ':', '+', '.'}) {
      const std::string text =
          std::string(size, size % 2 == 0 ? '9' : ' ') + other + "00000000000000000";
      for (std::size_t at = 0; at <= size; ++at) EXPECT_EQ(numbers_end(text, at), size) << other;
      EXPECT_EQ(numbers_end(text.substr(0, size), 0), size);
    }
  }
}

std::string random_pieces(std::mt19937& random) {
  static constexpr const char* kPieces[] = {
      "[[:r 1 ", "[:append 2 ", "[:w 3 ", "nil]",       "7]",        "[1 2 -3]]",  "]",
      " ",       ",",           "[[:r ",  "[:r 1 nil]", "]]",        "[1 2 3, 4]", "[",
      "-",       "5",           "nil",    "#_ 1 ",      "[[:w 1 2]", "1.5",        "9N",
      ":x",      "\"]\"",       "; ]\n",  "(1 2)"};
  std::string text;
  for (auto left = random() % 12; left > 0; --left) text += kPieces[random() % std::size(kPieces)];
  return text;
}

TEST(PlainTransaction, is_read_as_all_of_edn_is) {
  std::mt19937 random(1);
  std::size_t count = 0;
  for (std::size_t round = test_rounds(200'000); round > 0; --round) {
    const std::string text = random_pieces(random);
    ASSERT_TRUE(plain_transactions_agree(text, count)) << text;
  }
  EXPECT_GT(count, 1'000U);
}

// Shows that the comparison can fail.
TEST(PlainTransaction, is_told_from_another) {
  const std::string text = "[[:r 1 [1 2]] [:w 2 3]]";
  std::vector<PlainOperation> plain;
  std::vector<PlainOperation> all;
  ASSERT_EQ(read_plain_transaction(text, 0, plain), text.size());
  for (const char* other : {"[[:r 1 [1 3]] [:w 2 3]]", "[[:r 1 [1 2]] [:w 2 4]]",
                            "[[:r 4 [1 2]] [:w 2 3]]", "[[:r 1 [1 2]] [:r 2 3]]"}) {
    EdnFormReader reader(other, "text");
    EXPECT_EQ(read_transaction_of_edn(reader, 0, all), text.size());
    EXPECT_NE(all, plain) << other;
  }
}

}  // namespace
}  // namespace heddle
