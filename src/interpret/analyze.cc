#include "interpret/analyze.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::interpreter {

namespace {

constexpr std::size_t kDeepest = 600;

// Functions of the clock, of chance and of sequences: their types are known, their values are not.
struct Source {
  std::string_view name;
  std::string_view type;
};
constexpr std::array kSources = {
    Source{"now", "timestamptz"},
    Source{"current_timestamp", "timestamptz"},
    Source{"transaction_timestamp", "timestamptz"},
    Source{"statement_timestamp", "timestamptz"},
    Source{"clock_timestamp", "timestamptz"},
    Source{"localtimestamp", "timestamp"},
    Source{"current_date", "date"},
    Source{"localtime", "time"},
    Source{"random", "float8"},
    Source{"nextval", "int8"},
    Source{"currval", "int8"},
    Source{"lastval", "int8"},
    Source{"gen_random_uuid", "uuid"},
    Source{"current_user", "text"},
    Source{"session_user", "text"},
};

// What a literal with quotes says.
std::string unquoted(std::string_view token) {
  std::string value;
  for (std::size_t i = 1; i + 1 < token.size(); ++i) {
    if (token[i] == '\'') ++i;
    value += token[i];
  }
  return value;
}

class Analyzer {
 public:
  Analyzer(const Variables& variables, Errors& errors) : variables_(variables), errors_(errors) {}

  Node analyze(const Expression& expression) {
    if (depth_ == kDeepest) errors_.bound("the expression is nested too deeply");
    if (errors_.any()) return {};
    ++depth_;
    Node node = analyze_one(expression);
    --depth_;
    if (node.source == nullptr) node.source = &expression;
    return node;
  }

 private:
  Node analyze_one(const Expression& expression) {
    switch (expression.kind) {
      case ExpressionKind::literal:
        return literal(expression);
      case ExpressionKind::variable:
        return variable(expression);
      case ExpressionKind::field:
        return field(expression);
      case ExpressionKind::element:
        return element(expression);
      case ExpressionKind::call:
        return call(expression);
      case ExpressionKind::cast:
        return cast(expression);
      case ExpressionKind::choice:
        return choice(expression);
      case ExpressionKind::unknown:
        return ask(expression, analyze_all(expression.operands));
    }
    return {};
  }

  std::vector<Node> analyze_all(const std::vector<Expression>& expressions) {
    std::vector<Node> nodes;
    for (const Expression& expression : expressions) nodes.push_back(analyze(expression));
    return nodes;
  }

  static Node ask(const Expression& expression, std::vector<Node> operands) {
    Node node{.step = Node::Step::ask, .type = {}, .source = &expression};
    node.operands = std::move(operands);
    return node;
  }

  static Node constant(Value value) {
    Node node{.step = Node::Step::constant, .type = value.type};
    node.constant = std::move(value);
    return node;
  }

  Node literal(const Expression& expression) {
    const std::string& text = expression.text;
    const std::string word = to_lower(text);
    if (word == "null") return constant(null_of({}));
    if (word == "true" || word == "false") return constant(boolean_value(word == "true"));
    if (text.size() >= 2 && text.starts_with('\'')) {
      return constant({type_of(Base::unknown), unquoted(text)});
    }
    const auto number = Decimal::parse(text);
    if (!number) return ask(expression, {});
    const bool is_whole = text.find_first_of(".eE") == std::string::npos;
    const auto whole = is_whole ? number->to_integer() : std::nullopt;
    if (!whole) return constant(decimal_value(*number));
    const bool is_narrow = *whole >= INT32_MIN && *whole <= INT32_MAX;
    return constant(integer_value(is_narrow ? Base::int4 : Base::int8, *whole));
  }

  Node variable(const Expression& expression) {
    const auto found = variables_.find(expression.text);
    if (found == variables_.end()) return ask(expression, {});
    return {.step = Node::Step::variable, .type = found->second.type, .source = &expression};
  }

  Node field(const Expression& expression) {
    Node of = analyze(expression.operands.at(0));
    const auto found = variables_.find(expression.operands[0].text);
    const bool is_row = of.step == Node::Step::variable && of.type.base == Base::row;
    if (!is_row || found == variables_.end()) return ask(expression, {});
    if (found->second.value.is_null()) {
      errors_.raise("55000", fmt::format("record \"{}\" is not assigned yet", found->first));
      return {};
    }
    const Fields& fields = found->second.value.fields();
    const auto name = std::ranges::find(fields.names, expression.text);
    if (name == fields.names.end()) {
      errors_.raise(
          "42703", fmt::format("record \"{}\" has no field \"{}\"", found->first, expression.text));
      return {};
    }
    const auto index = static_cast<std::size_t>(name - fields.names.begin());
    return {.step = Node::Step::field, .type = fields.values[index].type, .source = &expression};
  }

  Node element(const Expression& expression) {
    std::vector<Node> operands = analyze_all(expression.operands);
    if (errors_.any()) return {};
    if (!operands[0].type.is_array) return ask(expression, std::move(operands));
    Node node{.step = Node::Step::special, .type = element_of(operands[0].type)};
    operands[1] = coerced(std::move(operands[1]), type_of(Base::int4), Cast::assigned, errors_);
    node.special = [](const Node& self, const Arguments& arguments, Errors& /*errors*/) {
      if (arguments[0].is_null() || arguments[1].is_null()) return null_of(self.type);
      const Array& array = arguments[0].array();
      const std::int64_t index = arguments[1].integer() - array.lower;
      const bool is_inside = index >= 0 && index < std::ssize(array.elements);
      return is_inside ? array.elements[static_cast<std::size_t>(index)] : null_of(self.type);
    };
    node.operands = std::move(operands);
    return node;
  }

  Node cast(const Expression& expression) {
    Node operand = analyze(expression.operands.at(0));
    const Type to = parse_type(expression.text);
    if (errors_.any()) return {};
    if (!has_cast(operand.type, to)) {
      errors_.raise("42846", fmt::format("cannot cast type {} to {}", type_name(operand.type),
                                         type_name(to)));
      return {};
    }
    Node node = coerced(std::move(operand), to, Cast::asked, errors_);
    if (node.step == Node::Step::convert) node.source = &expression;
    return node;
  }

  Node as_condition(Node node, std::string_view of) {
    if (category_of(node.type) != Category::boolean &&
        category_of(node.type) != Category::unknown) {
      errors_.raise("42804", fmt::format("argument of {} must be type boolean, not type {}", of,
                                         type_name(node.type)));
    }
    return coerced(std::move(node), type_of(Base::boolean), Cast::asked, errors_);
  }

  // The values of all arms have one type; that of ELSE is looked at first, as PostgreSQL does.
  Node choice(const Expression& expression) {
    std::vector<Node> operands;
    std::vector<Node> values;
    const bool has_else = expression.operands.size() % 2 == 1;
    for (const Expression& operand : expression.operands) {
      const bool is_last = &operand == &expression.operands.back();
      const bool is_condition = operands.size() % 2 == 0 && !(has_else && is_last);
      Node node = analyze(operand);
      operands.push_back(is_condition ? as_condition(std::move(node), "CASE/WHEN")
                                      : std::move(node));
      if (!is_condition)
        values.insert(is_last && has_else ? values.begin() : values.end(), operands.back());
    }
    Node node{.step = Node::Step::choice, .type = common_type(values, "CASE", errors_)};
    for (std::size_t i = 0; i < operands.size(); ++i) {
      const bool is_value = i % 2 == 1 || (has_else && i + 1 == operands.size());
      if (is_value) {
        operands[i] = coerced(std::move(operands[i]), node.type, Cast::asked, errors_);
      }
    }
    node.operands = std::move(operands);
    return node;
  }

  Node call(const Expression& expression) {
    const std::string name = expression.text == "!=" ? "<>" : expression.text;
    if (name == "and" || name == "or") return logic(expression);
    if (name == "between" || name == "not between") return range(expression);
    std::vector<Node> operands = analyze_all(expression.operands);
    if (errors_.any()) return {};
    if (const auto source = std::ranges::find(kSources, name, &Source::name);
        source != kSources.end()) {
      Node node = ask(expression, std::move(operands));
      node.type = parse_type(source->type);
      return node;
    }
    Node node{.step = Node::Step::special, .type = {}, .source = &expression};
    node.operands = std::move(operands);
    if (analyze_special(node, name, errors_)) return node;
    return function_call(std::move(node), name);
  }

  Node function_call(Node node, std::string_view name) {
    const Function* function = resolve_function(name, node.operands, errors_);
    if (function == nullptr) {
      node.step = Node::Step::ask;
      return node;
    }
    node.step = Node::Step::call;
    node.type = type_of(function->result);
    node.function = function;
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      node.operands[i] = coerced(std::move(node.operands[i]), type_of(function->parameters[i]),
                                 Cast::asked, errors_);
    }
    return node;
  }

  Node logic(const Expression& expression) {
    const bool is_and = expression.text == "and";
    Node node{.step = is_and ? Node::Step::all : Node::Step::any, .type = type_of(Base::boolean)};
    for (const Expression& operand : expression.operands) {
      node.operands.push_back(as_condition(analyze(operand), is_and ? "AND" : "OR"));
    }
    return node;
  }

  // a BETWEEN b AND c is a >= b AND a <= c.
  Node range(const Expression& expression) {
    const bool inside = expression.text == "between";
    const Node value = analyze(expression.operands.at(0));
    const auto side = [&](std::string_view name, Node bound) {
      Node node{.step = Node::Step::special, .type = {}, .source = &expression};
      node.operands = {value, std::move(bound)};
      if (errors_.any() || analyze_special(node, name, errors_)) return node;
      return function_call(std::move(node), name);
    };
    Node node{.step = inside ? Node::Step::all : Node::Step::any, .type = type_of(Base::boolean)};
    node.operands.push_back(side(inside ? ">=" : "<", analyze(expression.operands.at(1))));
    node.operands.push_back(side(inside ? "<=" : ">", analyze(expression.operands.at(2))));
    return node;
  }

  const Variables& variables_;
  Errors& errors_;
  std::size_t depth_ = 0;
};

}  // namespace

Node analyze(const Expression& expression, const Variables& variables, Errors& errors) {
  return Analyzer(variables, errors).analyze(expression);
}

Node coerced(Node node, const Type& type, Cast cast, Errors& errors) {
  const bool has_length = type.precision >= 0;
  if (errors.any() || (node.type == type && !has_length)) return node;
  if (node.step == Node::Step::constant && node.type.base == Base::unknown) {
    // Read before anything is evaluated; what only the server can read is asked for then.
    Errors trouble;
    Value value = convert(node.constant, type, cast, trouble);
    if (trouble.kind() != Errors::Kind::unsupported) {
      if (trouble.any()) errors = trouble;
      node.constant = std::move(value);
      node.type = type;
      return node;
    }
  }
  Node outer{.step = Node::Step::convert, .type = type};
  outer.cast = cast;
  outer.source = node.source;
  outer.operands.push_back(std::move(node));
  return outer;
}

}  // namespace heddle::interpreter
