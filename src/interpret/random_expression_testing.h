// Random expressions for tests: mostly well typed, now and then not.
#pragma once

#include <array>
#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/program.h"

namespace heddle::interpreter {

struct RandomVariable {
  std::string name;
  std::string type;
  std::string value;  // as a literal of SQL without its type
};

// Values that are worth a try, each as a variable.
inline const std::vector<RandomVariable>& random_variables() {
  static const std::vector<RandomVariable> all = [] {
    const std::vector<std::pair<std::string, std::vector<std::string>>> values = {
        {"boolean", {"true", "false", "null"}},
        {"smallint", {"0", "1", "-3", "32767", "-32768", "null"}},
        {"integer", {"0", "1", "2", "-7", "10", "2147483647", "-2147483648", "null"}},
        {"bigint", {"0", "-1", "5", "9223372036854775807", "3000000000", "null"}},
        {"numeric", {"0", "1.5", "-2.25", "0.001", "12345678901234567890", "100.00", "null"}},
        {"double precision", {"0", "1.5", "-2.5", "1e200", "3", "0.1", "null"}},
        {"real", {"0", "0.5", "-1.25", "1e30", "7", "null"}},
        {"text", {"''", "'a'", "'abc'", "'12'", "' x '", "'a%'", "'äb'", "'_b_'", "null"}},
        {"date", {"'2024-02-28'", "'1999-12-31'", "'2000-01-01'", "null"}},
    };
    std::vector<RandomVariable> variables;
    for (const auto& [type, literals] : values) {
      for (const std::string& literal : literals) {
        variables.push_back({"v" + std::to_string(variables.size()), type, literal});
      }
    }
    return variables;
  }();
  return all;
}

class RandomExpressions {
 public:
  explicit RandomExpressions(std::uint64_t seed) : random_(seed) {}

  // Of any type, over random_variables().
  Expression next(std::size_t depth) {
    Expression expression = make(any_kind(), depth);
    // What has no type cannot be asked for.
    return expression.kind == ExpressionKind::literal ? value("integer") : expression;
  }

  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }

 private:
  // What an operator takes and gives; $ in front: any kind, the same for all of them.
  struct Shape {
    std::string_view result;
    std::string_view name;
    std::vector<std::string_view> operands;
  };

  static Expression call(std::string_view name, std::vector<Expression> operands) {
    return {
        .kind = ExpressionKind::call, .text = std::string(name), .operands = std::move(operands)};
  }

  std::string_view any_kind() {
    static constexpr std::array<std::string_view, 9> kKinds = {
        "boolean",          "smallint", "integer", "bigint", "numeric",
        "double precision", "real",     "text",    "date"};
    return kKinds.at(below(kKinds.size()));
  }
  std::string_view number_kind() {
    static constexpr std::array<std::string_view, 6> kKinds = {
        "smallint", "integer", "bigint", "numeric", "double precision", "real"};
    return kKinds.at(below(kKinds.size()));
  }

  // A variable, or a literal that has no type yet.
  Expression value(std::string_view kind) {
    if (kind == "text" && below(3) == 0) {
      static constexpr std::array<std::string_view, 5> kTexts = {"''", "'a'", "'12'", "' x '",
                                                                 "null"};
      return {.kind = ExpressionKind::literal,
              .text = std::string(kTexts.at(below(kTexts.size()))),
              .operands = {}};
    }
    std::vector<const RandomVariable*> fitting;
    for (const RandomVariable& variable : random_variables()) {
      if (variable.type == kind) fitting.push_back(&variable);
    }
    return {.kind = ExpressionKind::variable,
            .text = fitting[below(fitting.size())]->name,
            .operands = {}};
  }

  static const std::vector<Shape>& shapes() {
    static const std::vector<Shape> all = {
        {"boolean", "and", {"boolean", "boolean"}},
        {"boolean", "or", {"boolean", "boolean"}},
        {"boolean", "not", {"boolean"}},
        {"boolean", "=", {"$", "$"}},
        {"boolean", "<>", {"#", "#"}},
        {"boolean", "<", {"#", "#"}},
        {"boolean", ">=", {"$", "$"}},
        {"boolean", "is null", {"*"}},
        {"boolean", "is distinct from", {"$", "$"}},
        {"boolean", "in", {"#", "#", "#"}},
        {"boolean", "not in", {"$", "$", "$"}},
        {"boolean", "between", {"#", "#", "#"}},
        {"boolean", "is not true", {"boolean"}},
        {"boolean", "like", {"text", "text"}},
        {"boolean", "not ilike", {"text", "text"}},
        {"number", "+", {"#", "#"}},
        {"number", "-", {"#", "#"}},
        {"number", "*", {"#", "#"}},
        {"number", "/", {"#", "#"}},
        {"number", "%", {"#", "#"}},
        {"number", "-", {"#"}},
        {"number", "abs", {"#"}},
        {"number", "sign", {"#"}},
        {"number", "round", {"#"}},
        {"number", "floor", {"#"}},
        {"number", "ceil", {"#"}},
        {"number", "trunc", {"#"}},
        {"number", "round", {"numeric", "smallint"}},
        {"number", "sqrt", {"#"}},
        {"number", "greatest", {"#", "#"}},
        {"number", "least", {"#", "#", "#"}},
        {"number", "length", {"text"}},
        {"number", "strpos", {"text", "text"}},
        {"number", "&", {"integer", "integer"}},
        {"number", "|", {"bigint", "integer"}},
        {"number", "#", {"integer", "smallint"}},
        {"number", "<<", {"integer", "smallint"}},
        {"number", "-", {"date", "date"}},
        {"text", "||", {"text", "text"}},
        {"text", "||", {"text", "*"}},
        {"text", "concat", {"*", "*", "text"}},
        {"text", "upper", {"text"}},
        {"text", "btrim", {"text"}},
        {"text", "ltrim", {"text", "text"}},
        {"text", "substr", {"text", "integer"}},
        {"text", "substring", {"text", "smallint", "smallint"}},
        {"text", "replace", {"text", "text", "text"}},
        {"text", "left", {"text", "smallint"}},
        {"text", "right", {"text", "smallint"}},
        {"text", "reverse", {"text"}},
        {"date", "+", {"date", "smallint"}},
        {"date", "-", {"date", "smallint"}},
        {"$", "coalesce", {"$", "$"}},
        {"$", "nullif", {"$", "$"}},
        {"$", "case", {"boolean", "$", "boolean", "$", "$"}},
        {"$", "case", {"boolean", "$"}},
        {"$", "cast", {"*"}},
    };
    return all;
  }

  Expression make(std::string_view kind, std::size_t depth) {
    if (below(150) == 0) kind = any_kind();
    if (depth == 0 || below(5) == 0) return value(kind);
    const bool is_number = kind != "boolean" && kind != "text" && kind != "date";
    std::vector<const Shape*> fitting;
    for (const Shape& shape : shapes()) {
      const bool fits =
          shape.result == kind || shape.result == "$" || (shape.result == "number" && is_number);
      if (fits) fitting.push_back(&shape);
    }
    Expression expression = make_shape(*fitting[below(fitting.size())], kind, depth - 1);
    if (!is_number || below(4) == 0) return expression;
    return {.kind = ExpressionKind::cast,
            .text = std::string(kind),
            .operands = {std::move(expression)}};
  }

  Expression make_shape(const Shape& shape, std::string_view kind, std::size_t depth) {
    std::vector<Expression> operands;
    const std::string_view same = shape.result == "$" ? kind : any_kind();
    for (const std::string_view operand : shape.operands) {
      const std::string_view wanted = operand == "$"   ? same
                                      : operand == "#" ? number_kind()
                                      : operand == "*" ? any_kind()
                                                       : operand;
      operands.push_back(make(wanted, depth));
    }
    if (shape.name == "case") {
      return {.kind = ExpressionKind::choice, .text = "", .operands = std::move(operands)};
    }
    // PostgreSQL leaves such a cast undone where it sees beforehand that the result is null.
    if (shape.name == "cast" && kind == "date") return value(kind);
    if (shape.name == "cast") {
      return {.kind = ExpressionKind::cast,
              .text = below(4) == 0 ? "varchar(3)" : std::string(kind),
              .operands = std::move(operands)};
    }
    return call(shape.name, std::move(operands));
  }

  std::mt19937_64 random_;
};

}  // namespace heddle::interpreter
