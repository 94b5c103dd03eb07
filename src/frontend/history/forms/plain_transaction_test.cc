// Plain transactions are read as the readers of all of EDN and JSON read them, or not at all.
#include "frontend/history/forms/plain_transaction.h"

#include <random>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "frontend/history/forms/plain_transaction_testing.h"

namespace heddle {
namespace {

std::string plain_text(std::string_view text, PlainForm form = PlainForm::edn) {
  std::vector<PlainOperation> operations;
  const std::size_t end = read_plain_transaction(text, 0, form, operations);
  return fmt::format("{}: {}", end, dump_plain(operations));
}

TEST(PlainTransaction, is_read_in_one_pass) {
  EXPECT_EQ(plain_text("[[:append 3 4] [:r 5 [1 -2, 3]], [:r 6 nil][:w -7 0] ] more"),
            "54: append 3 4, r 5 [1 -2 3 ], r 6 nil, w -7 0, ");
  EXPECT_EQ(plain_text("[[:r 1 []]]"), "11: r 1 [], ");
  EXPECT_EQ(plain_text("[[:r 1 [1 2 3 4 5 6 7 8 9 10 11 12 13]]]"),
            "40: r 1 [1 2 3 4 5 6 7 8 9 10 11 12 13 ], ");
  EXPECT_EQ(plain_text(R"([["append",3,4], ["r" , 5, [1,-2 , 3]],["r",6,null],["w",-7,0]] more)",
                       PlainForm::json),
            "63: append 3 4, r 5 [1 -2 3 ], r 6 nil, w -7 0, ");
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
    EXPECT_EQ(plain_text(text), "0: ") << text;
  }
  for (const char* text :
       {"[]", R"([["r",1,nil]])", R"([["r",1,null],])", R"([["r",1,null]["r",1,null]])",
        R"([["r",1,[1,]]])", R"([["r",1,[,1]]])", R"([["r",1,[1 2]]])", R"([["r",1,[1,,2]]])",
        R"([["r",1,[01]]])", R"([["r",01,null]])", R"([["r",1,-]])", R"([["r",1,[1.5]]])",
        R"([["w",1,null]])", R"([["r" 1,null]])", R"([["r",1]])", R"([[:r 1 nil]])"}) {
    EXPECT_EQ(plain_text(text, PlainForm::json), "0: ") << text;
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

std::string random_pieces(std::mt19937& random, std::span<const char* const> pieces) {
  std::string text;
  for (auto left = random() % 12; left > 0; --left) text += pieces[random() % pieces.size()];
  return text;
}

TEST(PlainTransaction, is_read_as_all_of_edn_is) {
  static constexpr const char* kPieces[] = {
      "[[:r 1 ", "[:append 2 ", "[:w 3 ", "nil]",       "7]",        "[1 2 -3]]",  "]",
      " ",       ",",           "[[:r ",  "[:r 1 nil]", "]]",        "[1 2 3, 4]", "[",
      "-",       "5",           "nil",    "#_ 1 ",      "[[:w 1 2]", "1.5",        "9N",
      ":x",      "\"]\"",       "; ]\n",  "(1 2)"};
  std::mt19937 random(1);
  std::size_t count = 0;
  for (std::size_t round = test_rounds(200'000); round > 0; --round) {
    const std::string text = random_pieces(random, kPieces);
    ASSERT_TRUE(plain_transactions_agree(text, PlainForm::edn, count)) << text;
  }
  EXPECT_GT(count, 1'000U);
}

TEST(PlainTransaction, is_read_as_all_of_json_is) {
  static constexpr const char* kPieces[] = {"[[\"r\",1,",
                                            "[\"append\",2,",
                                            "[\"w\",3,",
                                            "null]",
                                            "7]",
                                            "[1,2,-3]]",
                                            "]",
                                            " ",
                                            ",",
                                            "[[\"r\",",
                                            "[\"r\",1,null]",
                                            "]]",
                                            "[1 , 4]",
                                            "[",
                                            "-",
                                            "5",
                                            "0",
                                            "],",
                                            "[[\"w\",1,2]",
                                            "1.5",
                                            "01",
                                            "null",
                                            "\"]\"",
                                            "[",
                                            "[]"};
  std::mt19937 random(2);
  std::size_t count = 0;
  for (std::size_t round = test_rounds(200'000); round > 0; --round) {
    const std::string text = random_pieces(random, kPieces);
    ASSERT_TRUE(plain_transactions_agree(text, PlainForm::json, count)) << text;
  }
  EXPECT_GT(count, 1'000U);
}

// Shows that the comparison can fail.
TEST(PlainTransaction, is_told_from_another) {
  std::vector<PlainOperation> plain;
  const std::string text = "[[:r 1 [1 2]] [:w 2 3]]";
  ASSERT_EQ(read_plain_transaction(text, 0, PlainForm::edn, plain), text.size());
  const auto with_all = [](std::string_view other) {
    std::size_t end = 0;
    return dump_with_all(*reader_of_all(PlainForm::edn, other), 0, end);
  };
  EXPECT_EQ(with_all(text), dump_plain(plain));
  for (const char* other : {"[[:r 1 [1 3]] [:w 2 3]]", "[[:r 1 [1 2]] [:w 2 4]]",
                            "[[:r 4 [1 2]] [:w 2 3]]", "[[:r 1 [1 2]] [:r 2 3]]"}) {
    EXPECT_NE(with_all(other), dump_plain(plain)) << other;
  }
}

}  // namespace
}  // namespace heddle
