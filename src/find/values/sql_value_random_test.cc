// What the interpreter says that an expression is, the terms of it allow: a search that works with
// them misses no way that a program takes. The interpreter is compared with PostgreSQL by itself.
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/forms/moments.h"
#include "find/forms/typed_literals.h"
#include "find/values/sql_value.h"
#include "interpret/evaluate.h"
#include "interpret/random_expression_testing.h"
#include "interpret/value.h"
#include "smt/solver.h"

namespace heddle::find {
namespace {

using interpreter::RandomVariable;

constexpr std::size_t kExpressions = 3'000;
constexpr std::size_t kDepth = 3;

const RandomVariable* variable_named(const std::string& name) {
  for (const RandomVariable& variable : interpreter::random_variables()) {
    if (variable.name == name) return &variable;
  }
  return nullptr;
}

// Binary fractions are rounded, and so is a quotient of decimals, which the terms do not follow;
// numbers of twenty digits are none of the solver's.
bool is_followed(const Expression& expression) {
  if (expression.kind == ExpressionKind::variable) {
    const RandomVariable* variable = variable_named(expression.text);
    return variable->type != "real" && variable->type != "double precision" &&
           variable->value.size() < 12;
  }
  const bool is_real = expression.text == "real" || expression.text == "double precision";
  if (expression.kind == ExpressionKind::cast && is_real) return false;
  if (expression.text == "/" || expression.text == "%" || expression.text == "sqrt") return false;
  return std::ranges::all_of(expression.operands, is_followed);
}

interpreter::Variables values_here() {
  interpreter::Variables variables;
  for (const RandomVariable& variable : interpreter::random_variables()) {
    interpreter::Errors errors;
    const interpreter::Type type = interpreter::parse_type(variable.type);
    const bool quoted = variable.value.starts_with('\'');
    const std::string text =
        quoted ? variable.value.substr(1, variable.value.size() - 2) : variable.value;
    variables.insert(
        {variable.name,
         {type, variable.value == "null" ? interpreter::null_of(type)
                                         : interpreter::read_value_text(text, type, errors)}});
  }
  return variables;
}

// A solver that knows the values of the variables, and what comes of them.
class Allowed {
 public:
  explicit Allowed(const Expression& expression)
      : expression_(with_typed_literals(expression, [](const Expression& leaf) {
          const RandomVariable* variable =
              leaf.kind == ExpressionKind::variable ? variable_named(leaf.text) : nullptr;
          return variable == nullptr ? LiteralKind::text : literal_kind(variable->type);
        })) {}

  // Whether the terms allow this to be its value.
  smt::Satisfiable allow(const ClientValue& result) {
    const SqlValue value = evaluator_.value(expression_, [&](const Expression& leaf) {
      if (leaf.kind != ExpressionKind::variable)
        return evaluator_.unknown(leaf.text, Sort::integer);
      const RandomVariable& variable = *variable_named(leaf.text);
      return evaluator_.as(known(variable.value, variable.type), sort_of_type(variable.type));
    });
    const bool is_null = !result.text;
    const SqlValue wanted = is_null ? evaluator_.null() : known(*result.text, result.type);
    const Term same = is_null ? value.is_null
                              : terms_.all(terms_.negate(value.is_null),
                                           evaluator_.compare("=", value, wanted).holds);
    smt::Solver solver(terms_, 10'000'000);
    for (const Term fact : evaluator_.facts()) solver.add(fact);
    solver.add(same);
    return solver.check();
  }

 private:
  SqlValue known(const std::string& written, const std::string& type) {
    if (written == "null") return evaluator_.null();
    const bool quoted = written.starts_with('\'');
    const std::string text = quoted ? written.substr(1, written.size() - 2) : written;
    if (type == "boolean") return evaluator_.known(terms_.truth(text.starts_with('t')));
    if (type == "date") {
      const auto days = seconds_of_moment(text).value_or(0) / kSecondsOfDay;
      return evaluator_.known(terms_.integer(days));
    }
    if (type == "text" || type == "unknown") return evaluator_.text(text);
    return evaluator_.known(terms_.number(text, sort_of_type(type)));
  }

  Terms terms_;
  Evaluator evaluator_{terms_};
  Expression expression_;
};

// How many were compared.
std::size_t compare_with_interpreter(std::uint64_t seed, std::size_t count, bool is_wrong) {
  const interpreter::Variables variables = values_here();
  const ValueSource none;
  interpreter::RandomExpressions random(seed);
  std::size_t compared = 0;
  std::size_t refused = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Expression expression = random.next(kDepth);
    if (!is_followed(expression)) continue;
    interpreter::Errors errors;
    interpreter::Evaluator interpreter(variables, none);
    const interpreter::Value value = interpreter.evaluate(expression, {}, errors);
    if (errors.any()) continue;
    ClientValue result = interpreter::client_value(value);
    if (is_wrong && result.type == "boolean" && result.text) {
      result.text = result.text->starts_with('t') ? "f" : "t";
    }
    ++compared;
    const bool is_allowed = Allowed(expression).allow(result) != smt::Satisfiable::no;
    if (!is_allowed) ++refused;
    if (!is_wrong) {
      EXPECT_TRUE(is_allowed) << print_expression(expression) << " is "
                              << result.text.value_or("null") << ", a " << result.type;
    }
  }
  if (is_wrong) {
    EXPECT_GT(refused, compared / 20);
  }
  return compared;
}

TEST(SqlValueRandom, allows_what_the_interpreter_says) {
  EXPECT_GT(compare_with_interpreter(11, test_rounds(kExpressions), false), kExpressions / 10);
}

TEST(SqlValueRandom, would_notice_a_wrong_value) {
  EXPECT_GT(compare_with_interpreter(11, kExpressions, true), kExpressions / 10);
}

}  // namespace
}  // namespace heddle::find
