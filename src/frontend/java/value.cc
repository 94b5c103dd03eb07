#include "frontend/java/value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "base/text.h"

namespace heddle::java {

bool operator==(const Piece& a, const Piece& b) {
  if (a.words != b.words || a.value != b.value || a.is_string != b.is_string) return false;
  if (a.choice == b.choice) return true;
  return a.choice && b.choice && *a.choice == *b.choice;
}

bool operator==(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.expression != b.expression || a.text != b.text ||
      a.object != b.object) {
    return false;
  }
  if (a.choice == b.choice) return true;
  return a.choice && b.choice && *a.choice == *b.choice;
}

Expression literal(std::string text) {
  return {.kind = ExpressionKind::literal, .text = std::move(text), .operands = {}};
}

Expression number(long long value) { return literal(std::to_string(value)); }

Expression call(std::string name, std::vector<Expression> operands) {
  return {.kind = ExpressionKind::call, .text = std::move(name), .operands = std::move(operands)};
}

Expression cast(Expression value, std::string type) {
  return {.kind = ExpressionKind::cast, .text = std::move(type), .operands = {std::move(value)}};
}

Expression unknown(std::string what, std::vector<Expression> operands) {
  return {
      .kind = ExpressionKind::unknown, .text = std::move(what), .operands = std::move(operands)};
}

bool is_literal(const Expression& expression, std::string_view text) {
  return expression.kind == ExpressionKind::literal && expression.text == text;
}
bool is_true(const Expression& expression) { return is_literal(expression, "true"); }
bool is_false(const Expression& expression) { return is_literal(expression, "false"); }

namespace {

bool is_call(const Expression& expression, std::string_view name) {
  return expression.kind == ExpressionKind::call && expression.text == name;
}

struct Opposite {
  std::string_view one;
  std::string_view other;
};

// Where one is null, the other is null, too.
constexpr std::array kOpposites = {
    Opposite{"is null", "is not null"},
    Opposite{"is distinct from", "is not distinct from"},
    Opposite{"is true", "is not true"},
    Opposite{"=", "<>"},
    Opposite{"<", ">="},
    Opposite{"<=", ">"},
};

// One list of all that is joined, each once.
Expression joined(std::string_view name, const Expression& a, const Expression& b) {
  std::vector<Expression> operands;
  for (const Expression* side : {&a, &b}) {
    const bool is_list = is_call(*side, name);
    const std::vector<Expression> parts = is_list ? side->operands : std::vector<Expression>{*side};
    for (const Expression& part : parts) {
      // A condition of Java is never null.
      const bool is_opposite = std::ranges::find(operands, negation(part)) != operands.end();
      if (is_opposite) return literal(name == "or" ? "true" : "false");
      if (std::ranges::find(operands, part) == operands.end()) operands.push_back(part);
    }
  }
  if (operands.size() == 1) return operands[0];
  return call(std::string(name), std::move(operands));
}

}  // namespace

Expression negation(Expression operand) {
  if (is_true(operand)) return literal("false");
  if (is_false(operand)) return literal("true");
  if (is_call(operand, "not")) return std::move(operand.operands[0]);
  for (const Opposite& pair : kOpposites) {
    if (is_call(operand, pair.one) || is_call(operand, pair.other)) {
      operand.text = is_call(operand, pair.one) ? pair.other : pair.one;
      return operand;
    }
  }
  if (is_call(operand, "and") || is_call(operand, "or")) {
    operand.text = operand.text == "and" ? "or" : "and";
    for (Expression& part : operand.operands) part = negation(std::move(part));
    return operand;
  }
  return call("not", {std::move(operand)});
}

Expression conjunction(Expression a, Expression b) {
  if (is_true(a) || is_false(b)) return b;
  if (is_true(b) || is_false(a) || a == b) return a;
  return joined("and", a, b);
}

Expression disjunction(Expression a, Expression b) {
  if (is_false(a) || is_true(b)) return b;
  if (is_false(b) || is_true(a) || a == b) return a;
  return joined("or", a, b);
}

namespace {

// Where the condition is known: its choices are made.
void decide(Expression& expression, const Expression& condition, bool holds) {
  while (expression.kind == ExpressionKind::choice && expression.operands.size() == 3 &&
         expression.operands[0] == condition) {
    Expression made = std::move(expression.operands[holds ? 1 : 2]);
    expression = std::move(made);
  }
  for (Expression& operand : expression.operands) decide(operand, condition, holds);
}

}  // namespace

Expression choice(const Expression& condition, Expression then, Expression otherwise) {
  constexpr std::size_t kMostParts = 300;  // each choice looks through them once more
  if (!is_larger(then, kMostParts)) decide(then, condition, true);
  if (!is_larger(otherwise, kMostParts)) decide(otherwise, condition, false);
  if (then == otherwise || is_true(condition)) return then;
  if (is_false(condition)) return otherwise;
  if (is_true(then)) return disjunction(condition, std::move(otherwise));
  if (is_false(then)) return conjunction(negation(condition), std::move(otherwise));
  if (is_false(otherwise)) return conjunction(condition, std::move(then));
  if (is_true(otherwise)) return disjunction(negation(condition), std::move(then));
  return {.kind = ExpressionKind::choice,
          .text = "",
          .operands = {condition, std::move(then), std::move(otherwise)}};
}

bool is_larger(const Expression& expression, std::size_t most) {
  std::vector<const Expression*> open = {&expression};
  for (std::size_t seen = 0; !open.empty(); ++seen) {
    if (seen == most) return true;
    const Expression& one = *open.back();
    open.pop_back();
    for (const Expression& operand : one.operands) open.push_back(&operand);
  }
  return false;
}

bool is_larger(const Value& value, std::size_t most) {
  if (value.kind != ValueKind::choice) return false;
  std::vector<const Value*> open = {&value};
  std::size_t seen = 0;
  while (!open.empty()) {
    const Value& one = *open.back();
    open.pop_back();
    if (one.kind == ValueKind::choice) {
      open.push_back(&one.choice->then);
      open.push_back(&one.choice->otherwise);
    } else if (++seen > most) {
      return true;
    }
  }
  return false;
}

std::optional<long long> to_number(const Expression& expression) {
  if (expression.kind != ExpressionKind::literal) return std::nullopt;
  long long value = 0;
  const std::string& text = expression.text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

namespace {

// Within 32 bits, so that no type is exceeded that the code may mean.
std::optional<long long> compute(std::string_view name, long long a, long long b) {
  std::optional<long long> result;
  if (name == "+") result = a + b;
  if (name == "-") result = a - b;
  if (name == "*") result = a * b;
  if (name == "/" && b != 0) result = a / b;
  if (name == "%" && b != 0) result = a % b;
  if (result && (*result > std::numeric_limits<std::int32_t>::max() ||
                 *result < std::numeric_limits<std::int32_t>::min())) {
    return std::nullopt;
  }
  return result;
}

std::optional<bool> compare(std::string_view name, long long a, long long b) {
  if (name == "=") return a == b;
  if (name == "<>") return a != b;
  if (name == "<") return a < b;
  if (name == "<=") return a <= b;
  if (name == ">") return a > b;
  if (name == ">=") return a >= b;
  return std::nullopt;
}

bool is_small(long long value) {
  return value < std::numeric_limits<std::int32_t>::max() &&
         value > std::numeric_limits<std::int32_t>::min();
}

}  // namespace

Expression folded(std::string name, std::vector<Expression> operands) {
  if (operands.size() == 2) {
    const auto a = to_number(operands[0]);
    const auto b = to_number(operands[1]);
    if (a && b && is_small(*a) && is_small(*b)) {
      if (const auto result = compute(name, *a, *b)) return number(*result);
      if (const auto result = compare(name, *a, *b)) return literal(*result ? "true" : "false");
    }
    // (x - 1) + 1, as between indices that count from 0 and from 1.
    const bool is_sum = name == "+" || name == "-";
    if (is_sum && b && is_small(*b) && (is_call(operands[0], "+") || is_call(operands[0], "-")) &&
        operands[0].operands.size() == 2) {
      const auto inner = to_number(operands[0].operands[1]);
      if (inner && is_small(*inner)) {
        const long long sum =
            (operands[0].text == "+" ? *inner : -*inner) + (name == "+" ? *b : -*b);
        Expression base = std::move(operands[0].operands[0]);
        if (sum == 0) return base;
        return call(sum > 0 ? "+" : "-", {std::move(base), number(sum > 0 ? sum : -sum)});
      }
    }
  }
  if (name == "-" && operands.size() == 1) {
    if (const auto a = to_number(operands[0]); a && is_small(*a)) return number(-*a);
  }
  return call(std::move(name), std::move(operands));
}

Text words(std::string text) {
  if (text.empty()) return {};
  return {Piece{.words = std::move(text), .value = {}, .is_string = false, .choice = nullptr}};
}

void append(Text& text, const Text& more) {
  for (const Piece& piece : more) {
    const bool both_known =
        !piece.value && !piece.choice && !text.empty() && !text.back().value && !text.back().choice;
    if (both_known) {
      text.back().words += piece.words;
    } else {
      text.push_back(piece);
    }
  }
}

std::optional<std::string> known_words(const Text& text) {
  if (text.empty()) return "";
  if (text.size() > 1 || text[0].value || text[0].choice) return std::nullopt;
  return text[0].words;
}

namespace {

Expression string_literal(const std::string& value) {
  std::string text = "'";
  for (const char c : value) {
    text += c;
    if (c == '\'') text += c;
  }
  return literal(text + "'");
}

}  // namespace

Expression text_value(const Text& text) {
  if (text.empty()) return literal("''");
  std::vector<Expression> parts;
  for (const Piece& piece : text) {
    if (piece.choice) {
      parts.push_back(choice(piece.choice->condition, text_value(piece.choice->then),
                             text_value(piece.choice->otherwise)));
    } else if (piece.value) {
      parts.push_back(piece.is_string ? *piece.value
                                      : Expression{.kind = ExpressionKind::cast,
                                                   .text = "text",
                                                   .operands = {*piece.value}});
    } else {
      parts.push_back(string_literal(piece.words));
    }
  }
  Expression result = std::move(parts[0]);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    result = call("||", {std::move(result), std::move(parts[i])});
  }
  return result;
}

Text text_pieces(const Expression& value) {
  const bool is_words = value.kind == ExpressionKind::literal && value.text.starts_with('\'');
  if (is_words) {
    std::string known;
    for (std::size_t i = 1; i + 1 < value.text.size(); ++i) {
      if (value.text[i] == '\'') ++i;
      known += value.text[i];
    }
    return words(std::move(known));
  }
  if (is_call(value, "||")) {
    Text text;
    for (const Expression& operand : value.operands) append(text, text_pieces(operand));
    return text;
  }
  Piece piece;
  if (value.kind == ExpressionKind::choice && value.operands.size() == 3) {
    piece.choice = std::make_shared<TextChoice>(TextChoice{
        value.operands[0], text_pieces(value.operands[1]), text_pieces(value.operands[2])});
    return {piece};
  }
  const bool is_written = value.kind == ExpressionKind::cast && value.text == "text";
  piece.value = is_written ? value.operands[0] : value;
  piece.is_string = !is_written;
  return {piece};
}

Value scalar(Expression expression, std::string type) {
  Value value;
  value.kind = ValueKind::scalar;
  value.expression = std::move(expression);
  value.type = std::move(type);
  return value;
}

Value string_value(Text text) {
  Value value;
  value.kind = ValueKind::text;
  value.text = std::move(text);
  value.type = "String";
  return value;
}

Value null_value() {
  Value value;
  value.kind = ValueKind::null;
  return value;
}

Value object_value(std::size_t object, std::string type) {
  Value value;
  value.kind = ValueKind::object;
  value.object = object;
  value.type = std::move(type);
  return value;
}

namespace {

struct TypeName {
  std::string_view java;
  std::string_view column;
};

constexpr std::array kTypes = {
    TypeName{"int", "integer"},
    TypeName{"Integer", "integer"},
    TypeName{"long", "bigint"},
    TypeName{"Long", "bigint"},
    TypeName{"AtomicLong", "bigint"},
    TypeName{"BigInteger", "numeric"},
    TypeName{"short", "smallint"},
    TypeName{"Short", "smallint"},
    TypeName{"byte", "smallint"},
    TypeName{"Byte", "smallint"},
    TypeName{"double", "double precision"},
    TypeName{"Double", "double precision"},
    TypeName{"float", "real"},
    TypeName{"Float", "real"},
    TypeName{"BigDecimal", "numeric"},
    TypeName{"boolean", "boolean"},
    TypeName{"Boolean", "boolean"},
    TypeName{"String", "text"},
    TypeName{"CharSequence", "text"},
    TypeName{"char", "text"},
    TypeName{"Character", "text"},
    TypeName{"Timestamp", "timestamp"},
    TypeName{"LocalDateTime", "timestamp"},
    TypeName{"Instant", "timestamp with time zone"},
    TypeName{"OffsetDateTime", "timestamp with time zone"},
    TypeName{"ZonedDateTime", "timestamp with time zone"},
    TypeName{"Date", "timestamp"},
    TypeName{"LocalDate", "date"},
    TypeName{"Time", "time"},
    TypeName{"LocalTime", "time"},
    TypeName{"Duration", "interval"},
    TypeName{"UUID", "uuid"},
    TypeName{"byte[]", "bytea"},
};

}  // namespace

std::string column_type(std::string_view java_type) {
  const std::string simple = simple_type(java_type);
  const auto* const known = std::ranges::find(kTypes, simple, &TypeName::java);
  return known == kTypes.end() ? "" : std::string(known->column);
}

bool is_text_type(std::string_view java_type) { return column_type(java_type) == "text"; }

std::string unquoted(std::string_view literal_text) {
  std::string text;
  for (std::size_t i = 1; i + 1 < literal_text.size(); ++i) {
    text += literal_text[i];
    if (literal_text[i] == '\'') ++i;
  }
  return text;
}

bool is_builder_type(std::string_view java_type) {
  const std::string simple = simple_type(java_type);
  return simple == "StringBuilder" || simple == "StringBuffer";
}

bool is_map_type(std::string_view java_type) {
  static constexpr std::array<std::string_view, 9> kMaps = {
      "Map",       "HashMap",      "LinkedHashMap", "TreeMap",      "ConcurrentHashMap",
      "SortedMap", "NavigableMap", "EnumMap",       "ConcurrentMap"};
  return std::ranges::find(kMaps, simple_type(java_type)) != kMaps.end();
}

bool is_primitive(std::string_view java_type) {
  static constexpr std::array<std::string_view, 8> kPrimitives = {
      "int", "long", "short", "byte", "double", "float", "boolean", "char"};
  return std::ranges::find(kPrimitives, java_type) != kPrimitives.end();
}

bool is_function_type(std::string_view java_type) {
  static constexpr std::array<std::string_view, 8> kEndings = {"Function",  "Supplier",  "Consumer",
                                                               "Predicate", "Operator",  "Runnable",
                                                               "Callable",  "Comparator"};
  const std::string simple = simple_type(java_type);
  return std::ranges::any_of(kEndings,
                             [&](std::string_view ending) { return simple.ends_with(ending); });
}

std::string variable_type(std::string_view java_type) {
  if (java_type == "ResultSet") return "record";
  if (java_type.ends_with("[]") && java_type != "byte[]") {
    const std::string element = column_type(element_type(java_type));
    return (element.empty() ? "text" : element) + "[]";
  }
  const std::string column = column_type(java_type);
  return column.empty() ? "text" : column;
}

}  // namespace heddle::java
