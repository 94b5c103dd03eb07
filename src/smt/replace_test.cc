#include "smt/replace.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "smt/solver.h"

namespace heddle::smt {
namespace {

TEST(Replacer, puts_terms_in_the_place_of_others) {
  Terms terms;
  const Term x = terms.symbol("x", Sort::integer);
  const Term y = terms.symbol("y", Sort::integer);
  const Term three = terms.integer(3);
  Replacer replacer(terms,
                    [&](Term term) { return term == x ? std::optional(three) : std::nullopt; });
  EXPECT_EQ(replacer(terms.less(terms.add(x, terms.integer(1)), y)),
            terms.less(terms.integer(4), y));
  EXPECT_EQ(replacer(terms.apply("f", Sort::integer, {x, y})),
            terms.apply("f", Sort::integer, {three, y}));
  EXPECT_EQ(replacer(y), y);
  EXPECT_EQ(replacer(terms.less(terms.integer(5), x)), terms.truth(false));
}

TEST(Replacer, replaces_within_what_it_replaces) {
  Terms terms;
  const Term x = terms.symbol("x", Sort::integer);
  const Term y = terms.symbol("y", Sort::integer);
  const Term inner = terms.apply("f", Sort::integer, {x});
  const Term outer = terms.apply("f", Sort::integer, {inner});
  Replacer replacer(terms, [&](Term term) {
    if (term == x) return std::optional(y);
    if (terms[term].op != Op::apply) return std::optional<Term>();
    return std::optional(terms.add(terms[term].operands[0], terms.integer(1)));
  });
  EXPECT_EQ(replacer(outer), terms.add(terms.add(y, terms.integer(1)), terms.integer(1)));
}

TEST(Replacer, goes_as_deep_as_terms_are) {
  Terms terms;
  Term term = terms.symbol("x", Sort::integer);
  const Term x = term;
  constexpr int kDepth = 200'000;
  for (int i = 0; i < kDepth; ++i) term = terms.apply("f", Sort::integer, {term});
  Replacer replacer(
      terms, [&](Term one) { return one == x ? std::optional(terms.integer(0)) : std::nullopt; });
  EXPECT_EQ(terms.depth(replacer(term)), terms.depth(term));
}

// Any term of numbers and truth values.
class RandomTerms {
 public:
  RandomTerms(Terms& terms, std::uint64_t seed) : terms_(terms), random_(seed) {}

  Term number(int depth) {
    switch (below(depth == 0 ? 2 : 6)) {
      case 0:
        return terms_.integer(below(4));
      case 1:
        return below(2) == 0 ? x() : y();
      case 2:
        return terms_.add(number(depth - 1), number(depth - 1));
      case 3:
        return terms_.scale(number(depth - 1), below(5) - 2);
      case 4:
        return terms_.choose(truth(depth - 1), number(depth - 1), number(depth - 1));
      default:
        return terms_.apply("f", Sort::integer, {number(depth - 1)});
    }
  }

  Term truth(int depth) {
    switch (below(depth == 0 ? 1 : 5)) {
      case 0:
        return terms_.less(number(depth), number(depth));
      case 1:
        return terms_.equal(number(depth - 1), number(depth - 1));
      case 2:
        return terms_.negate(truth(depth - 1));
      case 3:
        return terms_.any(truth(depth - 1), truth(depth - 1));
      default:
        return terms_.all(truth(depth - 1), truth(depth - 1));
    }
  }

  Term x() { return terms_.symbol("x", Sort::integer); }
  Term y() { return terms_.symbol("y", Sort::integer); }

 private:
  int below(int limit) { return std::uniform_int_distribution<int>(0, limit - 1)(random_); }

  Terms& terms_;
  std::mt19937_64 random_;
};

// Where x is y, a term with y in the place of x says the same as it did.
TEST(Replacer, says_the_same_where_equals_are_replaced) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Terms terms;
    RandomTerms random(terms, seed);
    const Term term = random.truth(4);
    Replacer replacer(terms, [&](Term one) {
      return one == random.x() ? std::optional(random.y()) : std::nullopt;
    });
    Solver solver(terms);
    solver.add(terms.equal(random.x(), random.y()));
    solver.add(terms.negate(terms.equal(term, replacer(term))));
    EXPECT_EQ(solver.check({}), Satisfiable::no) << to_string(terms, term);
  }
}

}  // namespace
}  // namespace heddle::smt
