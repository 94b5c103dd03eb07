// Terms: formulas over truth values, whole numbers and fractions, as a graph in which equal terms
// are one. Nothing here decides anything: src/smt/solver.h does.
//
//   Terms terms;
//   const Term x = terms.symbol("x", Sort::integer);
//   const Term grown = terms.equal(terms.add(x, terms.integer(1)), terms.integer(3));
//
// Builders simplify what is plain from their operands alone, so that most conditions of a program
// that are decided by constants never reach a solver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::smt {

enum class Sort : std::uint8_t { truth, integer, fraction };

enum class Op : std::uint8_t {
  constant,  // text: true, false, 12, -3, 1.50
  symbol,    // text: its name
  apply,     // an unknown function of that name; equal arguments give equal values
  negation,
  conjunction,
  disjunction,
  equality,
  less,
  less_or_equal,
  choice,  // of a truth value: the second operand, else the third
  sum,
  product,  // of at most one operand that is no constant
  fraction_of,
};

// An index into its Terms.
struct Term {
  std::uint32_t index = 0;

  friend bool operator==(Term, Term) = default;
  friend auto operator<=>(Term, Term) = default;
};

struct TermNode {
  Op op = Op::constant;
  Sort sort = Sort::truth;
  std::string text;
  std::vector<Term> operands;

  friend bool operator==(const TermNode&, const TermNode&) = default;
};

// What a builder throws when nobody waits for its terms any more.
struct Abandoned {};

// Owns terms; they are never taken back. Not for several threads.
class Terms {
 public:
  // `is_abandoned` is asked now and then while terms are built; empty: they are wanted to the end.
  explicit Terms(std::function<bool()> is_abandoned = {});

  const TermNode& operator[](Term term) const { return nodes_[term.index]; }
  std::size_t size() const { return nodes_.size(); }
  // Of operands in operands. A solver's recursion goes as deep.
  std::size_t depth(Term term) const { return depths_[term.index]; }
  Sort sort(Term term) const { return (*this)[term].sort; }

  Term truth(bool value) const { return value ? Term{1} : Term{0}; }
  Term integer(std::int64_t value);
  // A decimal number without an exponent, of that sort.
  Term number(std::string_view decimal, Sort sort);
  Term symbol(std::string name, Sort sort);
  // Of a name that no other symbol has.
  Term fresh(std::string_view stem, Sort sort);
  Term apply(std::string name, Sort sort, std::vector<Term> operands);

  Term negate(Term term);
  Term all(const std::vector<Term>& terms);
  Term all(Term a, Term b) { return all(std::vector{a, b}); }
  Term any(const std::vector<Term>& terms);
  Term any(Term a, Term b) { return any(std::vector{a, b}); }
  Term implies(Term a, Term b) { return any(negate(a), b); }
  // Of numbers and of truth values; a whole number and a fraction are compared as fractions.
  Term equal(Term a, Term b);
  Term less(Term a, Term b);
  Term less_or_equal(Term a, Term b);
  Term choose(Term condition, Term then, Term otherwise);
  Term add(Term a, Term b);
  Term subtract(Term a, Term b) { return add(a, scale(b, -1)); }
  // REQUIRES: one of them is a constant, see is_constant.
  Term multiply(Term a, Term b);
  Term scale(Term term, std::int64_t factor);
  Term to_fraction(Term term);

  bool is_constant(Term term) const { return (*this)[term].op == Op::constant; }
  bool is_true(Term term) const { return term.index == 1; }
  bool is_false(Term term) const { return term.index == 0; }

 private:
  // A place of the index: one more than the term's number, and some of its hash. Most of what is
  // built is known, so that this is looked at more than anything else.
  struct Place {
    std::uint32_t number = 0;  // 0: free
    std::uint32_t hash = 0;
  };

  Term intern(TermNode node);
  Place& place_of(const TermNode& node, std::uint32_t hash);
  void grow();
  Term join(Op op, const std::vector<Term>& terms);
  Term compare(Op op, Term a, Term b);
  void match_sorts(Term& a, Term& b);

  std::deque<TermNode> nodes_;
  std::vector<Place> index_;  // a power of two, half of them free at least
  std::vector<std::size_t> depths_;
  std::size_t next_fresh_ = 0;
  std::function<bool()> is_abandoned_;
  std::size_t asked_for_ = 0;
};

// As an s-expression: (and (< x 3) p). For messages of tests.
std::string to_string(const Terms& terms, Term term);

}  // namespace heddle::smt
