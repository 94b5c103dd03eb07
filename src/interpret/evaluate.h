// The value of an expression.
#pragma once

#include <map>
#include <optional>

#include "heddle/interpret.h"
#include "interpret/analyze.h"
#include "interpret/value.h"

namespace heddle::interpreter {

class Evaluator {
 public:
  // Both must outlive the evaluator.
  Evaluator(const Variables& variables, const ValueSource& unknown_value)
      : variables_(variables), unknown_value_(unknown_value) {}

  // Of its own type; a literal in quotes is of type unknown. `source` is the place for whom it is
  // asked.
  Value evaluate(const Expression& expression, const SourceLocation& source, Errors& errors);

  // The caller's word, where Errors::Kind::other was raised.
  const std::optional<Diagnostic>& trouble() const { return trouble_; }

 private:
  Value evaluate_node(const Node& node, Errors& errors);
  Value evaluate_step(const Node& node, Errors& errors);
  Value decide(const Node& node, bool decisive, Errors& errors);
  Value choose(const Node& node, Errors& errors);
  Value first_known(const Node& node, Errors& errors);
  Value field(const Expression& expression) const;
  Arguments evaluate_all(const Node& node, Errors& errors);
  Value ask(const Node& node, const Arguments& arguments, Errors& errors);
  Value ask_once(const Node& node, Errors& errors);

  const Variables& variables_;
  const ValueSource& unknown_value_;
  const SourceLocation* source_ = nullptr;
  std::map<const Expression*, Value> asked_;  // BETWEEN uses its first operand twice
  std::optional<Diagnostic> trouble_;
};

// As it goes to a store.
ClientValue client_value(const Value& value);

}  // namespace heddle::interpreter
