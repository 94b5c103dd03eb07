#include "smt/solver.h"

#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/interrupt.h"

namespace heddle::smt {
namespace {

TEST(Solver, finds_values) {
  Terms terms;
  const Term x = terms.symbol("x", Sort::integer);
  const Term y = terms.symbol("y", Sort::fraction);
  Solver solver(terms);
  solver.add(terms.equal(terms.add(x, terms.integer(1)), terms.integer(3)));
  solver.add(terms.equal(terms.scale(y, 2), terms.number("1", Sort::fraction)));
  ASSERT_EQ(solver.check(), Satisfiable::yes);
  EXPECT_EQ(solver.value(x), "2");
  EXPECT_EQ(solver.value(y), "1/2");
  EXPECT_EQ(solver.value(terms.less(x, terms.integer(2))), "false");
  EXPECT_EQ(solver.checks(), 1U);
}

TEST(Solver, forgets_what_was_added_between_push_and_pop) {
  Terms terms;
  const Term p = terms.symbol("p", Sort::truth);
  Solver solver(terms);
  solver.add(p);
  solver.push();
  solver.add(terms.negate(p));
  EXPECT_EQ(solver.check(), Satisfiable::no);
  solver.pop();
  EXPECT_EQ(solver.check(), Satisfiable::yes);
}

TEST(Solver, unknown_functions_give_equal_values_for_equal_arguments) {
  Terms terms;
  const Term x = terms.symbol("x", Sort::integer);
  const Term y = terms.symbol("y", Sort::integer);
  Solver solver(terms);
  solver.add(terms.equal(x, y));
  solver.add(terms.negate(
      terms.equal(terms.apply("f", Sort::integer, {x}), terms.apply("f", Sort::integer, {y}))));
  EXPECT_EQ(solver.check(), Satisfiable::no);
}

// The same name for a truth value and a number are two functions.
TEST(Solver, functions_of_other_sorts_are_others) {
  Terms terms;
  const Term x = terms.symbol("x", Sort::integer);
  Solver solver(terms);
  solver.add(terms.apply("f", Sort::truth, {x}));
  solver.add(terms.equal(terms.apply("f", Sort::integer, {x}), terms.integer(1)));
  EXPECT_EQ(solver.check(), Satisfiable::yes);
}

// Twelve pigeons in eleven holes: no machine lives to see the answer.
void add_pigeons(Terms& terms, Solver& solver) {
  constexpr int kHoles = 11;
  const auto sits = [&](int pigeon, int hole) {
    return terms.symbol(std::to_string(pigeon) + " in " + std::to_string(hole), Sort::truth);
  };
  for (int pigeon = 0; pigeon <= kHoles; ++pigeon) {
    std::vector<Term> somewhere;
    for (int hole = 0; hole < kHoles; ++hole) somewhere.push_back(sits(pigeon, hole));
    solver.add(terms.any(somewhere));
    for (int other = 0; other < pigeon; ++other) {
      for (int hole = 0; hole < kHoles; ++hole) {
        solver.add(terms.negate(terms.all(sits(pigeon, hole), sits(other, hole))));
      }
    }
  }
}

TEST(Solver, a_question_under_way_ends_with_its_time) {
  const Solver::Clock::time_point begin = Solver::Clock::now();
  Terms terms;
  Solver solver(terms, 0, begin + std::chrono::milliseconds(100));
  add_pigeons(terms, solver);
  EXPECT_EQ(solver.check(), Satisfiable::unknown);
  EXPECT_LT(Solver::Clock::now() - begin, std::chrono::seconds(20));
  EXPECT_EQ(solver.check(), Satisfiable::unknown);
}

TEST(Solver, a_question_under_way_ends_at_an_interrupt) {
  Terms terms;
  Solver solver(terms);
  solver.push();
  add_pigeons(terms, solver);
  std::thread other([] { raise_interrupt(); });
  EXPECT_EQ(solver.check(), Satisfiable::unknown);
  other.join();
  clear_interrupt();
  solver.pop();
  solver.add(terms.symbol("p", Sort::truth));
  EXPECT_EQ(solver.check(), Satisfiable::yes);
}

TEST(Solver, says_which_assumptions_cannot_be) {
  Terms terms;
  const Term x = terms.symbol("x", Sort::integer);
  const Term small = terms.symbol("small", Sort::truth);
  const Term even = terms.symbol("even", Sort::truth);
  const Term large = terms.symbol("large", Sort::truth);
  Solver solver(terms);
  solver.add(terms.implies(small, terms.less(x, terms.integer(3))));
  solver.add(terms.implies(large, terms.less(terms.integer(5), x)));
  ASSERT_EQ(solver.check({small, even, large}), Satisfiable::no);
  EXPECT_EQ(solver.core(), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(solver.check({small, even}), Satisfiable::yes);
}

TEST(Solver, gives_up_at_its_bound_and_says_so) {
  Terms terms;
  std::vector<Term> pigeons;
  constexpr int kHoles = 9;
  for (int i = 0; i <= kHoles; ++i) {
    std::vector<Term> holes;
    for (int j = 0; j < kHoles; ++j) {
      holes.push_back(terms.symbol("p" + std::to_string(i) + "." + std::to_string(j), Sort::truth));
    }
    pigeons.push_back(terms.any(holes));
  }
  Solver solver(terms, 1000);
  for (const Term pigeon : pigeons) solver.add(pigeon);
  for (int j = 0; j < kHoles; ++j) {
    for (int i = 0; i <= kHoles; ++i) {
      for (int k = 0; k < i; ++k) {
        const auto in = [&](int pigeon) {
          return terms.symbol("p" + std::to_string(pigeon) + "." + std::to_string(j), Sort::truth);
        };
        solver.add(terms.negate(terms.all(in(i), in(k))));
      }
    }
  }
  EXPECT_EQ(solver.check(), Satisfiable::unknown);
}

TEST(Solver, keeps_values_that_it_has_found) {
  Terms terms;
  const Term x = terms.symbol("x", Sort::integer);
  const Term y = terms.symbol("y", Sort::integer);
  Solver solver(terms);
  solver.add(terms.equal(x, terms.integer(3)));
  ASSERT_EQ(solver.check(), Satisfiable::yes);
  solver.keep_values();
  solver.push();
  solver.add(terms.less(x, terms.integer(3)));
  EXPECT_EQ(solver.check(), Satisfiable::no);
  solver.pop();
  EXPECT_TRUE(solver.is_true_by_kept_values(terms.less(x, terms.integer(4))));
  EXPECT_FALSE(solver.is_true_by_kept_values(terms.less(x, terms.integer(3))));
  // Of what it was not asked about it makes up values, the same ones each time.
  const Term is_less = terms.less(y, terms.integer(0));
  EXPECT_NE(solver.is_true_by_kept_values(is_less),
            solver.is_true_by_kept_values(terms.negate(is_less)));
}

TEST(Solver, takes_formulas_that_are_deep) {
  Terms terms;
  const Term x = terms.symbol("x", Sort::integer);
  Term deep = x;
  while (terms.depth(deep) + 2 < Solver::kDeepest) {
    const Term condition = terms.symbol("p" + std::to_string(terms.depth(deep) % 7), Sort::truth);
    deep = terms.choose(condition, x, terms.add(deep, terms.symbol("y", Sort::integer)));
  }
  Solver solver(terms);
  solver.add(terms.equal(deep, terms.integer(1)));
  EXPECT_EQ(solver.check(), Satisfiable::yes);
}

TEST(Solver, says_nothing_once_something_was_added_too_late) {
  Terms terms;
  Solver solver(terms, 0, Solver::Clock::now());
  solver.push();
  solver.add(terms.truth(false));
  solver.pop();
  EXPECT_EQ(solver.check(), Satisfiable::unknown);
}

}  // namespace
}  // namespace heddle::smt
