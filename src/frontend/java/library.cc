// What the Java library does to strings and numbers.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "frontend/java/functionality_reader.h"

namespace heddle::java {

namespace {

Value string_of(Expression value) {
  return string_value(
      {Piece{.words = "", .value = std::move(value), .is_string = true, .choice = nullptr}});
}

}  // namespace

namespace {

bool is_written_apart(std::string_view type) {
  return type == "timestamp" || type == "double precision" || type == "real";
}

// Java writes 2024-01-01 12:00:00.0 and 480.0, where PostgreSQL has no .0; of large and small
// numbers it writes an exponent.
Expression as_written(const Expression& value, const std::string& type) {
  if (!is_written_apart(type)) return value;
  const Expression text = cast(value, "text");
  const Expression is_short = call("=", {call("strpos", {text, literal("'.'")}), number(0)});
  Expression written = call("||", {text, choice(is_short, literal("'.0'"), literal("''"))});
  if (type == "timestamp") return written;
  const Expression size = call("abs", {value});
  const Expression is_plain = call(
      "or", {call("=", {value, number(0)}), call("and", {call(">=", {size, literal("0.001")}),
                                                         call("<", {size, literal("10000000")})})});
  return choice(is_plain, written, unknown("a number with an exponent", {value}));
}

}  // namespace

// A value as a part of a string.
Text FunctionalityReader::as_text(const Value& value) const {
  switch (value.kind) {
    case ValueKind::text:
      return value.text;
    case ValueKind::scalar:
      if (value.expression.kind == ExpressionKind::literal) {
        return words(value.expression.text);
      }
      if (value.expression.kind == ExpressionKind::choice && is_constant_choice(value.expression)) {
        Piece piece;
        piece.choice = std::make_shared<TextChoice>(TextChoice{
            value.expression.operands[0], as_text(scalar(value.expression.operands[1], value.type)),
            as_text(scalar(value.expression.operands[2], value.type))});
        return {piece};
      }
      return {Piece{.words = "",
                    .value = as_written(value.expression, column_type(value.type)),
                    .is_string = is_written_apart(column_type(value.type)),
                    .choice = nullptr,
                    .type = value.type}};
    case ValueKind::null:
      return words("null");
    case ValueKind::object: {
      const Object& object = state_.heap.at(value.object);
      if (object.kind == ObjectKind::builder || object.kind == ObjectKind::sql) return object.text;
      break;
    }
    case ValueKind::choice: {
      Piece piece;
      piece.choice = std::make_shared<TextChoice>(TextChoice{
          value.choice->condition, as_text(value.choice->then), as_text(value.choice->otherwise)});
      return {piece};
    }
    case ValueKind::nothing:
      if (value.expression.kind != ExpressionKind::unknown) break;
      return {Piece{.words = "", .value = value.expression, .is_string = true, .choice = nullptr}};
  }
  return {Piece{.words = "", .value = unknown("a text"), .is_string = true, .choice = nullptr}};
}

// String.format: %s, %d and the like without flags; others are values.
Value FunctionalityReader::formatted(const Text& format, const Arguments& arguments,
                                     std::size_t first) const {
  Text result;
  std::size_t next = first;
  for (const Piece& piece : format) {
    if (piece.value || piece.choice) {
      append(result, {piece});
      continue;
    }
    const std::string& text = piece.words;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '%' || i + 1 == text.size()) {
        append(result, words(text.substr(i, 1)));
        continue;
      }
      std::size_t end = i + 1;
      while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) == 0 &&
             text[end] != '%') {
        ++end;
      }
      const std::string flags = text.substr(i + 1, end - i - 1);
      const char kind = end < text.size() ? text[end] : ' ';
      std::size_t index = next;
      if (flags.ends_with('$')) {
        std::size_t given = 0;
        std::from_chars(flags.data(), flags.data() + flags.size(), given);
        index = first + given - 1;
      } else if (kind != '%' && kind != 'n') {
        ++next;
      }
      if (kind == '%' || kind == 'n') {
        append(result, words(kind == '%' ? "%" : "\n"));
      } else if (index < arguments.size() && (flags.empty() || flags.ends_with('$'))) {
        append(result, as_text(arguments[index]));
      } else {
        append(result, {Piece{.words = "",
                              .value = unknown("format %" + flags + kind),
                              .is_string = true,
                              .choice = nullptr}});
      }
      i = end;
    }
  }
  return string_value(std::move(result));
}

// Math.max, Integer.sum
std::optional<Value> FunctionalityReader::call_static_number(const std::string& type,
                                                             const std::string& name,
                                                             const Arguments& arguments) {
  if (arguments.empty() || !std::ranges::all_of(arguments, is_single)) return std::nullopt;
  const Value& first = arguments[0];
  const bool is_pair = arguments.size() == 2;
  const bool is_box = type == "Integer" || type == "Long" || type == "Double";
  if (is_box && is_pair && name == "sum") return arithmetic("+", first, arguments[1]);
  if ((is_box || type == "Math") && is_pair && (name == "max" || name == "min")) {
    Value result = arithmetic("+", first, arguments[1]);
    result.expression = call(name == "max" ? "greatest" : "least",
                             {to_expression(first), to_expression(arguments[1])});
    return result;
  }
  if (type != "Math") return std::nullopt;
  static constexpr std::array<std::string_view, 6> kSame = {"abs",   "floor", "ceil",
                                                            "round", "sqrt",  "signum"};
  if (std::ranges::find(kSame, name) == kSame.end()) return std::nullopt;
  const bool is_whole = name == "round";
  Expression value = to_expression(first);
  // Java rounds halves up; PostgreSQL rounds those of doubles to even.
  if (is_whole) value = call("floor", {call("+", {std::move(value), literal("0.5")})});
  if (!is_whole) value = call(name == "signum" ? "sign" : name, {std::move(value)});
  return scalar(is_whole ? cast(std::move(value), "bigint") : std::move(value),
                is_whole ? "long" : first.type);
}

namespace {

bool is_exception(const Value& value, const State& state) {
  return value.kind == ValueKind::object &&
         state.heap.at(value.object).kind == ObjectKind::exception;
}

}  // namespace

std::optional<Value> FunctionalityReader::call_static(const std::string& type,
                                                      const std::string& name,
                                                      const Arguments& arguments) {
  Value first = arguments.empty() ? Value() : arguments[0];
  const bool is_one = arguments.size() == 1 && is_single(first);
  if (type == "String" && name == "format" && first.kind == ValueKind::text) {
    return formatted(first.text, arguments, 1);
  }
  // Apache's StringUtils has the elements first.
  if (type.starts_with("String") && name == "join" && arguments.size() > 1) {
    const bool is_turned = first.kind == ValueKind::object && arguments.size() == 2;
    if (auto text = join_texts(is_turned ? Arguments{arguments[1], first} : arguments)) return text;
  }
  if ((type == "String" && (name == "valueOf" || name == "copyValueOf")) ||
      (name == "toString" && arguments.size() == 1)) {
    return string_value(as_text(first));
  }
  const bool parses = name == "valueOf" || name.starts_with("parse");
  // java.sql.Date has valueOf(), java.util.Date has none.
  const bool is_old_date = type.ends_with("Date") && type != "LocalDate" && name != "valueOf";
  const std::string parsed = type.ends_with("sql.Date") || type == "Date" ? "LocalDate" : type;
  if (is_one && parses && !column_type(parsed).empty() && !is_old_date) {
    const std::string column = column_type(parsed);
    if (const auto known = known_words(first.text); first.kind == ValueKind::text && known) {
      const bool is_quoted = column == "timestamp" || column == "date" || column == "time";
      return scalar(literal(is_quoted ? "'" + *known + "'" : *known), parsed);
    }
    if (column_type(first.type) == column) {
      Value same = first;
      same.type = parsed;
      return same;
    }
    return scalar(cast(to_expression(first), column), parsed);
  }
  if (std::optional<Value> known = call_static_number(type, name, arguments)) return known;
  if (type == "Objects" && name == "equals" && arguments.size() == 2) {
    return read_comparison({}, "=", arguments[0], arguments[1]);
  }
  if (type == "Objects" && name == "requireNonNull" && !arguments.empty()) return first;
  // BenchBase's.
  if (type == "SQLUtil" && name == "isDuplicateKeyException" && is_exception(first, state_)) {
    return read_comparison({}, "=", *call_on_exception(first, "getSQLState", {}),
                           string_value(words(asks_postgres() ? "23505" : "23000")));
  }
  if (type == "Optional") {
    if (name == "empty") return null_value();
    if (name == "of" || name == "ofNullable") return first;
  }
  if ((type == "List" || type == "Arrays" || type == "Set") &&
      (name == "of" || name == "asList" || (name == "copyOf" && arguments.size() == 1))) {
    const bool is_list = arguments.size() == 1 && first.kind == ValueKind::object &&
                         state_.heap.at(first.object).kind == ObjectKind::list;
    return is_list ? first : new_list(arguments.empty() ? "" : first.type, arguments);
  }
  if (type == "Collections" && name.starts_with("empty") && name != "emptyMap") {
    return new_list("", {});
  }
  if (type == "Collections" && name == "nCopies" && arguments.size() == 2) {
    return copies(first, arguments[1]);
  }
  if (std::optional<Value> map = static_map(type, name, arguments)) return map;
  if (std::optional<Value> stream = static_stream(type, name, arguments)) return stream;
  if (type == "DriverManager" && name == "getConnection") return new_connection(true);
  // Spring's: that of the transaction which is open.
  if (type == "DataSourceUtils" && (name == "getConnection" || name == "doGetConnection")) {
    return new_connection(false);
  };
  if (type == "Arrays" && name == "copyOf" && arguments.size() == 2) return first;
  return std::nullopt;
}

// Collections.nCopies(3, "?"), of a number that is known.
std::optional<Value> FunctionalityReader::copies(const Value& number, const Value& of) {
  constexpr int kMostCopies = 32;
  const Expression count = to_expression(number);
  if (count.kind != ExpressionKind::literal || count.text.size() > 2) return std::nullopt;
  int times = 0;
  std::from_chars(count.text.data(), count.text.data() + count.text.size(), times);
  if (times < 1 || times > kMostCopies) return std::nullopt;
  return new_list(of.type, Arguments(static_cast<std::size_t>(times), of));
}

// String.join(", ", list), String.join(", ", a, b)
std::optional<Value> FunctionalityReader::join_texts(const Arguments& arguments) const {
  Arguments parts(arguments.begin() + 1, arguments.end());
  const bool is_list = parts.size() == 1 && parts[0].kind == ValueKind::object &&
                       state_.heap.at(parts[0].object).kind == ObjectKind::list;
  if (is_list) {
    const auto& fields = state_.heap.at(parts[0].object).fields;
    const auto only = fields.find("");
    if (only == fields.end()) return std::nullopt;
    const Expression array = to_expression(only->second);
    const bool is_known = array.kind == ExpressionKind::call && array.text == "array";
    if (!is_known) return string_of(call("array_to_string", {array, to_expression(arguments[0])}));
    parts.clear();
    for (std::size_t i = 0; i < array.operands.size(); ++i) {
      parts.push_back(array_element(only->second, number(static_cast<long long>(i) + 1)));
    }
  }
  Text text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) append(text, as_text(arguments[0]));
    append(text, as_text(parts[i]));
  }
  return string_value(std::move(text));
}

std::optional<Value> FunctionalityReader::call_on_text(const Value& value, const std::string& name,
                                                       const Arguments& arguments) {
  const Expression text = to_expression(value);
  const auto operand = [&](std::size_t i) { return to_expression(arguments.at(i)); };
  const auto known = known_words(value.text);
  const std::size_t count = arguments.size();
  if (name == "toString" || name == "name" || name == "intern" || name == "strip") return value;
  if (name == "formatted") return formatted(value.text, arguments, 0);
  if (name == "isEmpty") return read_comparison({}, "=", value, string_value({}));
  if (name == "concat" && count == 1) {
    Text joined = value.text;
    append(joined, as_text(arguments[0]));
    return string_value(std::move(joined));
  }
  if (name == "length") {
    if (known) return scalar(number(static_cast<long long>(known->size())), "int");
    return scalar(call("length", {text}), "int");
  }
  if (name == "trim" && count == 0) {
    if (known) return string_value(words(std::string(trim(*known))));
    return string_of(call("btrim", {text}));
  }
  if (name == "toLowerCase" || name == "toUpperCase") {
    const bool lowers = name == "toLowerCase";
    if (known) {
      std::string other = *known;
      for (char& c : other) {
        const auto byte = static_cast<unsigned char>(c);
        c = static_cast<char>(lowers ? std::tolower(byte) : std::toupper(byte));
      }
      return string_value(words(other));
    }
    return string_of(call(lowers ? "lower" : "upper", {text}));
  }
  if (name == "equalsIgnoreCase" && count == 1 && is_single(arguments[0])) {
    return scalar(call("=", {call("lower", {text}), call("lower", {operand(0)})}), "boolean");
  }
  if (name == "substring" && count > 0 && is_single(arguments[0])) {
    const auto from = to_number(operand(0));
    const auto to = count > 1 ? to_number(operand(1)) : std::nullopt;
    const bool fits = known && from && *from >= 0 &&
                      static_cast<std::size_t>(*from) <= known->size() &&
                      (count == 1 || (to && *to >= *from));
    if (fits) {
      return string_value(
          words(known->substr(static_cast<std::size_t>(*from),
                              to ? static_cast<std::size_t>(*to - *from) : std::string::npos)));
    }
    std::vector<Expression> operands = {text, folded("+", {operand(0), number(1)})};
    if (count > 1) operands.push_back(folded("-", {operand(1), operand(0)}));
    return string_of(call("substr", std::move(operands)));
  }
  if ((name == "startsWith" || name == "endsWith" || name == "contains") && count == 1 &&
      is_single(arguments[0])) {
    const Expression size = call("length", {operand(0)});
    if (name == "contains") {
      return scalar(call(">", {call("strpos", {text, operand(0)}), number(0)}), "boolean");
    }
    return scalar(
        call("=", {call(name == "startsWith" ? "left" : "right", {text, size}), operand(0)}),
        "boolean");
  }
  if (name == "replace" && count == 2) {
    return string_of(call("replace", {text, operand(0), operand(1)}));
  }
  if (name == "compareTo" || name == "hashCode" || name == "indexOf") return std::nullopt;
  return std::nullopt;
}

std::optional<Value> FunctionalityReader::call_on_number(const Value& value,
                                                         const std::string& name,
                                                         const Arguments& arguments) {
  struct Operation {
    std::string_view method;
    std::string_view name;
  };
  static constexpr std::array kOperations = {Operation{"add", "+"}, Operation{"subtract", "-"},
                                             Operation{"multiply", "*"}, Operation{"min", "least"},
                                             Operation{"max", "greatest"}};
  const Expression& number_value = value.expression;
  const auto* const known = std::ranges::find(kOperations, name, &Operation::method);
  if (known != kOperations.end() && arguments.size() == 1 && is_single(arguments[0])) {
    return scalar(folded(std::string(known->name), {number_value, to_expression(arguments[0])}),
                  value.type);
  }
  // round() of a numeric rounds halves away from zero.
  const bool rounds = name == "setScale" && arguments.size() == 2 &&
                      known_words(arguments[1].text) == "HALF_UP" && is_single(arguments[0]);
  if (rounds) {
    return scalar(call("round", {number_value, to_expression(arguments[0])}), value.type);
  }
  if (name == "negate") return scalar(folded("-", {number_value}), value.type);
  if (name == "abs") return scalar(call("abs", {number_value}), value.type);
  if (name == "toString" || name == "toPlainString") return string_value(as_text(value));
  if (name == "name") return value;
  if (name.ends_with("Value") && arguments.empty()) {
    const std::string type = name.substr(0, name.size() - std::string_view("Value").size());
    const std::string to = column_type(type);
    if (to.empty() || to == column_type(value.type)) return value;
    const bool is_whole = to == "integer" || to == "bigint" || to == "smallint";
    Expression operand = number_value;
    if (is_whole && column_type(value.type) == "numeric") operand = call("trunc", {operand});
    return scalar(cast(std::move(operand), to), type);
  }
  if ((name == "compareTo" || name == "compare") && arguments.size() == 1 &&
      is_single(arguments[0])) {
    // sign(a - b), which comparisons with 0 make one comparison of.
    return scalar(call("sign", {call("-", {number_value, to_expression(arguments[0])})}), "int");
  }
  if (name == "before" || name == "after" || name == "isBefore" || name == "isAfter") {
    const bool before = name == "before" || name == "isBefore";
    return scalar(call(before ? "<" : ">", {number_value, to_expression(arguments.at(0))}),
                  "boolean");
  }
  return std::nullopt;
}

std::optional<Value> FunctionalityReader::call_on_builder(const Value& builder,
                                                          const std::string& name,
                                                          const Arguments& arguments,
                                                          const Node& node, Block& out) {
  const Object& object = state_.heap.at(builder.object);
  if (name == "toString") return string_value(object.text);
  if (name == "append" && arguments.size() == 1) {
    Text text = object.text;
    append(text, as_text(arguments[0]));
    count_cost(text);
    state_.heap.change(builder.object).text = std::move(text);
    return builder;
  }
  if (name == "length") {
    if (const auto known = known_words(object.text)) {
      return scalar(number(static_cast<long long>(known->size())), "int");
    }
    return scalar(call("length", {text_value(object.text)}), "int");
  }
  if (name == "charAt" || name == "indexOf" || name == "isEmpty" || name == "lastIndexOf") {
    return call_on_text(string_value(object.text), name, arguments);
  }
  // Cuts the last characters off: deleteCharAt(length() - 1), delete(length() - 2, length()).
  const bool deletes = (name == "deleteCharAt" && arguments.size() == 1) ||
                       (name == "delete" && arguments.size() == 2);
  const bool sets = name == "setLength" && arguments.size() == 1;
  if ((!deletes && !sets) || !is_single(arguments[0])) return std::nullopt;
  const Expression index = to_expression(arguments[0]);
  Text message = words(sets ? "String index out of range: " : "index ");
  if (name == "delete") message = words("start ");
  append(message, as_text(scalar(index, "int")));
  if (name == "delete") {
    append(message, words(", end "));
    append(message, as_text(arguments[1]));
    append(message, words(", "));
  }
  if (name == "deleteCharAt") append(message, words(", "));
  if (!sets) {
    append(message, words("length "));
    append(message, as_text(scalar(call("length", {text_value(object.text)}), "int")));
  }
  refuse_index(builder, index, message, node, out);
  if (state_.is_dead) return Value();
  return set_length(builder, index);
}

namespace {

// How many characters a text has at least.
std::size_t least_length(const Text& text) {
  std::size_t length = 0;
  for (const Piece& piece : text) {
    length += piece.choice ? std::min(least_length(piece.choice->then),
                                      least_length(piece.choice->otherwise))
                           : piece.words.size();
  }
  return length;
}

}  // namespace

// No place of a builder is negative.
void FunctionalityReader::refuse_index(const Value& builder, const Expression& index,
                                       const Text& message, const Node& node, Block& out) {
  const Text& text = state_.heap.at(builder.object).text;
  const auto place = to_number(index);
  const bool is_difference =
      index.kind == ExpressionKind::call && index.text == "-" && index.operands.size() == 2;
  const auto by = is_difference ? to_number(index.operands[1]) : std::nullopt;
  const bool is_length = by && index.operands[0] == call("length", {text_value(text)});
  if (place && *place >= 0) return;
  if (is_length && least_length(text) >= static_cast<std::size_t>(std::max(*by, 0LL))) return;
  const Expression is_negative = place ? literal("true") : folded("<", {index, number(0)});
  branch(
      place_of_call(node), is_negative, out,
      [&](Block& block) {
        Object error;
        error.kind = ObjectKind::exception;
        error.type = "StringIndexOutOfBoundsException";
        error.text = message;
        const std::string type = error.type;
        raise(node, object_value(state_.heap.add(std::move(error)), type), block);
      },
      [](Block&) {});
}

Value FunctionalityReader::set_length(const Value& builder, const Expression& size) {
  Text text = state_.heap.at(builder.object).text;
  const auto known = known_words(text);
  const auto count = to_number(size);
  const bool is_difference =
      size.kind == ExpressionKind::call && size.text == "-" && size.operands.size() == 2;
  const auto by = is_difference ? to_number(size.operands[1]) : std::nullopt;
  const bool has_words = !text.empty() && !text.back().value && !text.back().choice;
  if (known && count && *count >= 0) {
    text = words(known->substr(0, static_cast<std::size_t>(*count)));
  } else if (by && has_words && text.back().words.size() >= static_cast<std::size_t>(*by)) {
    text.back().words.resize(text.back().words.size() - static_cast<std::size_t>(*by));
  } else if (by && !text.empty() && text.back().value) {
    text.back().value = call("left", {*text.back().value, number(-*by)});
  } else {
    text = {Piece{.words = "",
                  .value = call("left", {text_value(text), size}),
                  .is_string = true,
                  .choice = nullptr}};
  }
  state_.heap.change(builder.object).text = std::move(text);
  return builder;
}

}  // namespace heddle::java
