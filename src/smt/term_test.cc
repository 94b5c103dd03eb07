#include "smt/term.h"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::smt {
namespace {

class TermTest : public testing::Test {
 protected:
  std::string text(Term term) const { return to_string(terms_, term); }

  Terms terms_;
  Term x_ = terms_.symbol("x", Sort::integer);
  Term p_ = terms_.symbol("p", Sort::truth);
  Term q_ = terms_.symbol("q", Sort::truth);
};

TEST_F(TermTest, equal_terms_are_one) {
  EXPECT_EQ(terms_.less(x_, terms_.integer(3)), terms_.less(x_, terms_.integer(3)));
  EXPECT_EQ(terms_.number("1.50", Sort::fraction), terms_.number("1.5", Sort::fraction));
  EXPECT_NE(terms_.fresh("x", Sort::integer), terms_.fresh("x", Sort::integer));
}

TEST_F(TermTest, equal_terms_are_one_among_many) {
  constexpr int kMany = 5'000;
  std::vector<Term> first;
  for (int i = 0; i < kMany; ++i) first.push_back(terms_.less(x_, terms_.integer(i)));
  const std::size_t size = terms_.size();
  for (int i = 0; i < kMany; ++i) {
    EXPECT_EQ(terms_.less(x_, terms_.integer(i)), first[static_cast<std::size_t>(i)]);
  }
  EXPECT_EQ(terms_.size(), size);
}

TEST_F(TermTest, says_what_it_is) {
  EXPECT_EQ(text(terms_.all(terms_.less(x_, terms_.integer(3)), terms_.negate(p_))),
            "(and (not p) (< x 3))");
  EXPECT_EQ(text(terms_.apply("f", Sort::truth, {x_})), "(f x)");
}

TEST_F(TermTest, conditions_are_simplified) {
  EXPECT_EQ(terms_.all(p_, terms_.truth(true)), p_);
  EXPECT_EQ(terms_.all(p_, terms_.truth(false)), terms_.truth(false));
  EXPECT_EQ(terms_.any(p_, terms_.negate(p_)), terms_.truth(true));
  EXPECT_EQ(terms_.all({p_, q_, p_}), terms_.all(q_, p_));
  EXPECT_EQ(terms_.all(terms_.all(p_, q_), terms_.negate(q_)), terms_.truth(false));
  // The opposite of several stands there with all of them.
  const Term not_both = terms_.negate(terms_.all(p_, q_));
  EXPECT_EQ(terms_.all({p_, not_both, q_}), terms_.truth(false));
  EXPECT_NE(terms_.all(p_, not_both), terms_.truth(false));
  const Term neither = terms_.negate(terms_.any(p_, q_));
  EXPECT_EQ(terms_.any({neither, p_, q_}), terms_.truth(true));
  EXPECT_EQ(terms_.negate(terms_.negate(p_)), p_);
  EXPECT_EQ(terms_.choose(p_, q_, q_), q_);
  EXPECT_EQ(terms_.equal(p_, terms_.truth(false)), terms_.negate(p_));
}

TEST_F(TermTest, constants_are_computed) {
  EXPECT_EQ(terms_.add(terms_.integer(2), terms_.integer(-5)), terms_.integer(-3));
  EXPECT_EQ(terms_.add(x_, terms_.integer(0)), x_);
  EXPECT_EQ(terms_.multiply(terms_.integer(1), x_), x_);
  EXPECT_TRUE(terms_.is_true(terms_.less(terms_.integer(2), terms_.integer(3))));
  EXPECT_TRUE(terms_.is_false(terms_.equal(terms_.integer(2), terms_.integer(3))));
  EXPECT_TRUE(terms_.is_true(terms_.less_or_equal(x_, x_)));
}

TEST_F(TermTest, whole_numbers_and_fractions_are_compared_as_fractions) {
  const Term half = terms_.symbol("h", Sort::fraction);
  EXPECT_EQ(text(terms_.less(x_, half)), "(< (to-fraction x) h)");
}

TEST(Terms, are_not_built_once_they_are_abandoned) {
  bool is_abandoned = false;
  Terms terms([&] { return is_abandoned; });
  const auto build = [&] {
    for (int i = 0; i < 5'000; ++i) terms.symbol("x" + std::to_string(i), Sort::integer);
  };
  EXPECT_NO_THROW(build());
  is_abandoned = true;
  EXPECT_THROW(build(), Abandoned);
}

}  // namespace
}  // namespace heddle::smt
