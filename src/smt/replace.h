// Terms with other terms in the place of some of theirs.
#pragma once

#include <functional>
#include <optional>
#include <unordered_map>
#include <utility>

#include "smt/term.h"

namespace heddle::smt {

class Replacer {
 public:
  // What stands in the place of a term, of its sort, whose own operands have been replaced already;
  // none: nothing else does.
  using Replacement = std::function<std::optional<Term>(Term)>;

  // `terms` outlives it.
  Replacer(Terms& terms, Replacement replacement)
      : terms_(terms), replacement_(std::move(replacement)) {}

  Term operator()(Term term);
  // From now on the replacement answers otherwise.
  void forget() { done_.clear(); }

 private:
  Term rebuilt(Term term);

  Terms& terms_;
  Replacement replacement_;
  std::unordered_map<std::uint32_t, Term> done_;  // by index
};

}  // namespace heddle::smt
