#include "smt/replace.h"

#include <utility>
#include <vector>

#include "base/assert.h"

namespace heddle::smt {

// Operands first, and without recursion: conditions of long programs are deep.
Term Replacer::operator()(Term term) {
  std::vector<Term> open = {term};
  while (!open.empty()) {
    const Term next = open.back();
    if (done_.contains(next.index)) {
      open.pop_back();
      continue;
    }
    const std::size_t before = open.size();
    for (const Term operand : terms_[next].operands) {
      if (!done_.contains(operand.index)) open.push_back(operand);
    }
    if (open.size() > before) continue;
    open.pop_back();
    const Term made = rebuilt(next);
    const std::optional<Term> other = replacement_(made);
    HEDDLE_ASSERT(!other || terms_.sort(*other) == terms_.sort(next));
    done_.emplace(next.index, other.value_or(made));
  }
  return done_.at(term.index);
}

Term Replacer::rebuilt(Term term) {
  const TermNode& node = terms_[term];
  std::vector<Term> operands;
  operands.reserve(node.operands.size());
  for (const Term operand : node.operands) operands.push_back(done_.at(operand.index));
  if (operands == node.operands) return term;
  switch (node.op) {
    case Op::constant:
    case Op::symbol:
      return term;
    case Op::apply:
      return terms_.apply(node.text, node.sort, std::move(operands));
    case Op::negation:
      return terms_.negate(operands[0]);
    case Op::conjunction:
      return terms_.all(operands);
    case Op::disjunction:
      return terms_.any(operands);
    case Op::equality:
      return terms_.equal(operands[0], operands[1]);
    case Op::less:
      return terms_.less(operands[0], operands[1]);
    case Op::less_or_equal:
      return terms_.less_or_equal(operands[0], operands[1]);
    case Op::choice:
      return terms_.choose(operands[0], operands[1], operands[2]);
    case Op::sum:
      return terms_.add(operands[0], operands[1]);
    case Op::product:
      return terms_.multiply(operands[0], operands[1]);
    case Op::fraction_of:
      return terms_.to_fraction(operands[0]);
  }
  return term;
}

}  // namespace heddle::smt
