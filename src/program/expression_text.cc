// Expressions as PostgreSQL writes them. Parentheses stand where its grammar asks for them, and
// where a reader would have to know it: around AND within OR, around what NOT and IS are about, and
// around BETWEEN, which has an AND of its own.
#include <array>
#include <string>
#include <string_view>

#include "base/text.h"
#include "heddle/program.h"
#include "program/text.h"

namespace heddle {

namespace {

// How tightly an operator binds: PostgreSQL's table of operator precedence.
enum Strength : std::uint8_t {
  or_,
  and_,
  not_,
  is,
  comparison,
  membership,
  other,
  addition,
  product,
  power,
  sign,
  postfix,
  atom
};

struct Operator {
  std::string_view name;
  std::size_t operands;  // 0: two or more
  Strength strength;
};

constexpr std::array kOperatorTexts = {
    Operator{"or", 0, or_},
    Operator{"and", 0, and_},
    Operator{"not", 1, not_},
    Operator{"is null", 1, is},
    Operator{"is not null", 1, is},
    Operator{"is true", 1, is},
    Operator{"is not true", 1, is},
    Operator{"is false", 1, is},
    Operator{"is not false", 1, is},
    Operator{"is unknown", 1, is},
    Operator{"is not unknown", 1, is},
    Operator{"is distinct from", 2, is},
    Operator{"is not distinct from", 2, is},
    Operator{"=", 2, comparison},
    Operator{"<>", 2, comparison},
    Operator{"<", 2, comparison},
    Operator{"<=", 2, comparison},
    Operator{">", 2, comparison},
    Operator{">=", 2, comparison},
    Operator{"like", 2, membership},
    Operator{"not like", 2, membership},
    Operator{"ilike", 2, membership},
    Operator{"not ilike", 2, membership},
    Operator{"+", 2, addition},
    Operator{"-", 2, addition},
    Operator{"*", 2, product},
    Operator{"/", 2, product},
    Operator{"%", 2, product},
    Operator{"^", 2, power},
    Operator{"-", 1, sign},
    Operator{"+", 1, sign},
};

bool is_symbolic(std::string_view name) {
  return name.find_first_not_of("+-*/<>=~!@#%^&|`?") == std::string_view::npos;
}

const Operator* find_operator(const Expression& expression) {
  static constexpr Operator kSymbol{"", 2, other};
  static constexpr Operator kPrefix{"", 1, other};
  if (expression.kind != ExpressionKind::call || expression.text.empty()) return nullptr;
  const std::size_t count = expression.operands.size();
  for (const Operator& known : kOperatorTexts) {
    const bool fits = known.operands == 0 ? count >= 2 : known.operands == count;
    if (known.name == expression.text && fits) return &known;
  }
  if (!is_symbolic(expression.text) || count == 0 || count > 2) return nullptr;
  return count == 2 ? &kSymbol : &kPrefix;
}

bool is_list(const Expression& expression, std::string_view name) {
  return expression.kind == ExpressionKind::call && expression.text == name &&
         expression.operands.size() >= 2;
}

bool is_between(const Expression& expression) {
  return expression.kind == ExpressionKind::call && expression.operands.size() == 3 &&
         (expression.text == "between" || expression.text == "not between");
}

Strength strength_of(const Expression& expression) {
  if (const Operator* known = find_operator(expression)) return known->strength;
  if (is_between(expression) || is_list(expression, "in") || is_list(expression, "not in")) {
    return membership;
  }
  if (expression.kind == ExpressionKind::cast || expression.kind == ExpressionKind::element) {
    return postfix;
  }
  const bool negative =
      expression.kind == ExpressionKind::literal && expression.text.starts_with('-');
  return negative ? sign : atom;
}

class ExpressionPrinter {
 public:
  std::string print(const Expression& expression) {
    if (depth_ == kDeepest) return "null";
    ++depth_;
    std::string text = print_one(expression);
    --depth_;
    return text;
  }

 private:
  static constexpr std::size_t kDeepest = 2000;

  std::string print_one(const Expression& expression) {
    switch (expression.kind) {
      case ExpressionKind::literal:
        return expression.text;
      case ExpressionKind::variable:
        return program::name_text(expression.text);
      case ExpressionKind::field:
        return print(expression.operands.at(0)) + "." + program::name_text(expression.text);
      case ExpressionKind::element:
        return print_element(expression);
      case ExpressionKind::cast:
        return within(expression.operands.at(0), postfix) + "::" + expression.text;
      case ExpressionKind::choice:
        return print_choice(expression);
      case ExpressionKind::unknown:
        return print_unknown(expression);
      case ExpressionKind::call:
        return print_call(expression);
    }
    return "";
  }

  // In parentheses where it binds less tightly than asked for.
  std::string within(const Expression& expression, Strength least) {
    std::string text = print(expression);
    return strength_of(expression) < least ? "(" + text + ")" : text;
  }

  // Only names may stand bare before an index.
  std::string print_element(const Expression& element) {
    const Expression& array = element.operands.at(0);
    const bool is_bare = array.kind == ExpressionKind::variable ||
                         array.kind == ExpressionKind::field ||
                         array.kind == ExpressionKind::element;
    const std::string text = print(array);
    return (is_bare ? text : "(" + text + ")") + "[" + print(element.operands.at(1)) + "]";
  }

  static Strength above(Strength strength) { return static_cast<Strength>(strength + 1); }

  std::string print_choice(const Expression& choice) {
    std::string text = "CASE";
    const std::size_t pairs = choice.operands.size() / 2;
    for (std::size_t i = 0; i < pairs; ++i) {
      text +=
          " WHEN " + print(choice.operands[2 * i]) + " THEN " + print(choice.operands[2 * i + 1]);
    }
    if (choice.operands.size() % 2 == 1) text += " ELSE " + print(choice.operands.back());
    return text + " END";
  }

  std::string print_unknown(const Expression& unknown) {
    std::string text =
        std::string(program::kUnknownFunction) + "(" + program::string_text(unknown.text);
    for (const Expression& operand : unknown.operands) text += ", " + print(operand);
    return text + ")";
  }

  std::string print_call(const Expression& call) {
    if (const Operator* known = find_operator(call)) return print_operator(call, *known);
    const std::vector<Expression>& operands = call.operands;
    if (is_between(call)) {
      return within(operands[0], other) + " " + program::keyword_text(call.text) + " " +
             within(operands[1], other) + " AND " + within(operands[2], other);
    }
    if (is_list(call, "in") || is_list(call, "not in")) {
      return within(operands[0], other) + " " + program::keyword_text(call.text) + " (" +
             print_list(operands, 1) + ")";
    }
    if (call.text == "array") return "ARRAY[" + print_list(operands, 0) + "]";
    return call.text + "(" + print_list(operands, 0) + ")";
  }

  std::string print_list(const std::vector<Expression>& operands, std::size_t first) {
    std::string text;
    for (std::size_t i = first; i < operands.size(); ++i) {
      if (i > first) text += ", ";
      text += print(operands[i]);
    }
    return text;
  }

  std::string print_operator(const Expression& call, const Operator& known) {
    const std::string name = program::keyword_text(call.text);
    const std::vector<Expression>& operands = call.operands;
    if (known.operands == 0) return print_chain(call, known.strength, " " + name + " ");
    if (operands.size() == 1) {
      // Below these only arithmetic needs no thought.
      if (known.strength == is) return within(operands[0], other) + " " + name;
      if (known.strength == not_) return name + " " + within(operands[0], sign);
      const std::string operand = within(operands[0], known.strength);
      return is_symbolic(operand.substr(0, 1)) ? name + " " + operand : name + operand;
    }
    // What associates to the left needs none on its left; comparisons do not associate.
    const bool chains = known.strength >= other;
    const std::string left = within(operands[0], chains ? known.strength : above(known.strength));
    return left + " " + name + " " + within(operands[1], above(known.strength));
  }

  std::string print_chain(const Expression& call, Strength strength, const std::string& between) {
    std::string text;
    for (const Expression& operand : call.operands) {
      if (!text.empty()) text += between;
      const bool misleads =
          is_between(operand) || (strength == or_ && strength_of(operand) == and_);
      text += misleads ? "(" + print(operand) + ")" : within(operand, above(strength));
    }
    return text;
  }

  std::size_t depth_ = 0;
};

}  // namespace

std::string print_expression(const Expression& expression) {
  return ExpressionPrinter().print(expression);
}

}  // namespace heddle
