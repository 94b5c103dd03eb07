#include "find/values/joined_texts.h"

#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "smt/solver.h"

namespace heddle::find {
namespace {

using smt::Satisfiable;
using smt::Solver;
using smt::Sort;

// Words, or a number that the solver chooses.
struct Pattern {
  std::string before;
  std::string after;
};

std::string text_of(const Pattern& pattern, int number) {
  return pattern.before + std::to_string(number) + pattern.after;
}

std::vector<JoinedPart> parts_of(const Pattern& pattern, Term number) {
  std::vector<JoinedPart> parts;
  if (!pattern.before.empty()) parts.push_back({.words = pattern.before, .value = {}});
  parts.push_back({.words = "", .value = number, .is_number = true});
  if (!pattern.after.empty()) parts.push_back({.words = pattern.after, .value = {}});
  return parts;
}

// Whether two texts may be equal where the numbers are these.
bool may_be_equal(const Pattern& a, int first, const Pattern& b, int second) {
  Terms terms;
  JoinedTexts texts(terms);
  std::vector<Term> facts;
  const Term one = texts.join(parts_of(a, terms.integer(first)), facts);
  const Term other = texts.join(parts_of(b, terms.integer(second)), facts);
  Solver solver(terms);
  for (const Term fact : facts) solver.add(fact);
  solver.add(terms.equal(one, other));
  return solver.check() == Satisfiable::yes;
}

// What is really equal is never ruled out, and of texts of one pattern all else is.
TEST(JoinedTexts, never_tell_equal_texts_apart) {
  const std::vector<std::string> words = {"", "a", "1", "a1", "1a"};
  std::mt19937 random(7);
  const auto any = [&](std::size_t size) {
    return std::uniform_int_distribution<std::size_t>(0, size - 1)(random);
  };
  std::size_t equal = 0;
  for (int round = 0; round < 400; ++round) {
    const Pattern a{words[any(words.size())], words[any(words.size())]};
    const Pattern b{words[any(words.size())], words[any(words.size())]};
    const int first = any(2) == 0 ? 1 : 11;
    const int second = any(2) == 0 ? 1 : 11;
    const bool are_equal = text_of(a, first) == text_of(b, second);
    if (are_equal) ++equal;
    const bool may_be = may_be_equal(a, first, b, second);
    EXPECT_TRUE(!are_equal || may_be) << text_of(a, first) << " and " << text_of(b, second);
    if (a.before == b.before && a.after == b.after) {
      EXPECT_EQ(are_equal, may_be);
    }
  }
  EXPECT_GT(equal, 10U);
}

TEST(JoinedTexts, have_known_texts_as_others) {
  Terms terms;
  JoinedTexts texts(terms);
  std::vector<Term> facts;
  const Term number = terms.symbol("n", Sort::integer);
  texts.tell_apart("user:1", terms.integer(1), facts);
  const Term user = texts.join(parts_of({"user:", ""}, number), facts);
  const Term cart = texts.join(parts_of({"cart:", ""}, number), facts);
  texts.tell_apart("cart:", terms.integer(2), facts);
  const auto may_be = [&](Term joined, int code) {
    Solver solver(terms);
    for (const Term fact : facts) solver.add(fact);
    solver.add(terms.equal(joined, terms.integer(code)));
    return solver.check() == Satisfiable::yes;
  };
  EXPECT_TRUE(may_be(user, 1));
  EXPECT_FALSE(may_be(cart, 1));
  EXPECT_FALSE(may_be(user, 2));
  EXPECT_TRUE(may_be(cart, 2));
}

}  // namespace
}  // namespace heddle::find
