#include "find/forms/typed_literals.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "find/forms/expressions.h"
#include "find/forms/moments.h"

namespace heddle::find {

namespace {

bool is_quoted(const Expression& expression) {
  return expression.kind == ExpressionKind::literal && expression.text.starts_with('\'');
}

bool is_number_word(std::string_view word) {
  if (word.starts_with('-') || word.starts_with('+')) word.remove_prefix(1);
  const std::size_t point = word.find('.');
  const std::string_view whole = word.substr(0, point);
  const std::string_view rest = point == word.npos ? "0" : word.substr(point + 1);
  const auto are_digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  return are_digits(whole) && are_digits(rest);
}

// The constant that the text is for such a value; unknown: the store reads it otherwise.
Expression meant(const Expression& written, LiteralKind kind) {
  static constexpr std::array<std::string_view, 5> kTrue = {"t", "true", "yes", "on", "1"};
  static constexpr std::array<std::string_view, 5> kFalse = {"f", "false", "no", "off", "0"};
  const std::string inside = written.text.substr(1, written.text.size() - 2);
  const std::string word = to_lower(trim(inside));
  const auto number = [&](std::optional<std::int64_t> value) {
    return value ? literal_of(std::to_string(*value)) : unknown_value(written.text);
  };
  const auto is_in = [&](const auto& words) {
    return std::ranges::find(words, word) != words.end();
  };
  switch (kind) {
    case LiteralKind::number:
      if (!is_number_word(word)) return unknown_value(written.text);
      return literal_of(word.starts_with('+') ? word.substr(1) : word);
    case LiteralKind::truth:
      if (is_in(kTrue)) return literal_of("true");
      return is_in(kFalse) ? literal_of("false") : unknown_value(written.text);
    case LiteralKind::day: {
      const auto seconds = seconds_of_moment(trim(inside));
      if (!seconds) return unknown_value(written.text);
      const std::int64_t rest = (*seconds % kSecondsOfDay + kSecondsOfDay) % kSecondsOfDay;
      return number((*seconds - rest) / kSecondsOfDay);
    }
    case LiteralKind::moment:
      return number(seconds_of_moment(trim(inside)));
    case LiteralKind::time:
      return number(seconds_of_time(trim(inside)));
    case LiteralKind::span:
      return number(seconds_of_interval(inside));
    case LiteralKind::text:
      break;
  }
  return written;
}

bool is_word_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

bool computes(std::string_view name) { return is_word_of(name, {"+", "-", "*", "/", "%", "mod"}); }

// Whether its operands have one type.
bool compares(std::string_view name) {
  return is_word_of(name, {"=", "<>", "!=", "<", ">", "<=", ">=", "in", "not in", "between",
                           "not between", "coalesce", "greatest", "least", "nullif",
                           "is distinct from", "is not distinct from"});
}

LiteralKind kind_of_function(std::string_view name) {
  if (is_word_of(name, {"count", "sum", "avg", "abs", "length", "char_length", "round", "ceil",
                        "floor", "trunc", "extract", "date_part", "cardinality", "strpos", "sign",
                        "array_length", "position"})) {
    return LiteralKind::number;
  }
  return name == "date_trunc" ? LiteralKind::moment : clock_kind(name);
}

// Of a sum, a difference and the like.
LiteralKind kind_of_computed(std::string_view name, LiteralKind a, LiteralKind b) {
  using enum LiteralKind;
  const auto are = [&](LiteralKind first, LiteralKind second) {
    return (a == first && b == second) || (a == second && b == first);
  };
  if (a == text || b == text) {
    // PostgreSQL takes a text beside a value for one of its type.
    const LiteralKind known = a == text ? b : a;
    if (name == "-" && (known == moment || known == time)) return span;
    return name == "-" && known == day ? number : known;
  }
  if (name == "-" && a == b) return a == day ? number : a == moment || a == time ? span : a;
  if (are(day, span) || are(day, time)) return moment;
  for (const LiteralKind kind : {moment, day, time, span}) {
    if (a == kind || b == kind) return a == b || are(kind, number) || are(kind, span) ? kind : text;
  }
  return a == number && b == number ? number : text;
}

Expression seconds_of_day(Expression day) {
  return call_of("*", {std::move(day), literal_of(std::to_string(kSecondsOfDay))});
}

// Division cuts off towards zero: what is far enough behind a day long ago is rounded down.
Expression day_of(Expression moment) {
  constexpr std::int64_t kDaysBefore = 1'000'000;
  Expression positive =
      call_of("+", {std::move(moment), literal_of(std::to_string(kDaysBefore * kSecondsOfDay))});
  Expression days = call_of("/", {std::move(positive), literal_of(std::to_string(kSecondsOfDay))});
  return call_of("-", {std::move(days), literal_of(std::to_string(kDaysBefore))});
}

Expression turned(Expression value, LiteralKind from, LiteralKind to) {
  if (from == LiteralKind::day && to == LiteralKind::moment) {
    return seconds_of_day(std::move(value));
  }
  return from == LiteralKind::moment && to == LiteralKind::day ? day_of(std::move(value)) : value;
}

// Expressions are nested no deeper than their reader lets them.
// NOLINTBEGIN(misc-no-recursion)
class Typing {
 public:
  explicit Typing(const KindOfLeaf& kind_of) : kind_of_(kind_of) {}

  LiteralKind kind(const Expression& expression) const {
    switch (expression.kind) {
      case ExpressionKind::literal: {
        const bool is_truth = expression.text == "true" || expression.text == "false";
        if (is_truth) return LiteralKind::truth;
        return is_number_word(expression.text) ? LiteralKind::number : LiteralKind::text;
      }
      case ExpressionKind::cast:
        return literal_kind(expression.text);
      case ExpressionKind::choice:
        return common_kind(values_of(expression));
      case ExpressionKind::call:
        return kind_of_call(expression);
      case ExpressionKind::unknown:  // such as the store's clock
        return kind_of_function(expression.text);
      default:
        return kind_of_(expression);
    }
  }

  Expression typed(Expression expression, LiteralKind wanted) const {
    if (is_quoted(expression)) return meant(expression, wanted);
    const LiteralKind own = kind(expression);
    Expression value = inside(std::move(expression), wanted);
    return turned(std::move(value), own, wanted);
  }

 private:
  Expression inside(Expression expression, LiteralKind wanted) const {
    std::vector<Expression>& operands = expression.operands;
    if (expression.kind == ExpressionKind::cast) return typed_cast(std::move(expression));
    if (expression.kind == ExpressionKind::choice) {
      for (std::size_t i = 0; i < operands.size(); ++i) {
        operands[i] =
            typed(std::move(operands[i]), is_value(expression, i) ? wanted : LiteralKind::truth);
      }
      return expression;
    }
    if (expression.kind != ExpressionKind::call) return expression;
    if (is_word_of(expression.text, {"||", "concat"})) {
      for (Expression& operand : operands) operand = as_text(std::move(operand));
    }
    if (computes(expression.text) && operands.size() == 2) return computed(std::move(expression));
    const LiteralKind common =
        compares(expression.text) ? common_kind(operands) : LiteralKind::text;
    for (Expression& operand : operands) operand = typed(std::move(operand), common);
    return expression;
  }

  // A constant that is written as a text is what it is cast to, a day that becomes a moment too.
  Expression typed_cast(Expression cast) const {
    const LiteralKind to = literal_kind(cast.text);
    Expression& operand = cast.operands.at(0);
    const LiteralKind from = kind(operand);
    const bool is_time_of_other = to != from && is_time(to) && is_time(from);
    const bool is_written = to != LiteralKind::text && is_quoted(operand);
    if (is_time_of_other || is_written) return typed(std::move(operand), to);
    if (to == LiteralKind::time && from == LiteralKind::moment) {
      return call_of("time", {typed(std::move(operand), from)});
    }
    operand = typed(std::move(operand), LiteralKind::text);
    return cast;
  }

  Expression computed(Expression expression) const {
    std::vector<Expression>& operands = expression.operands;
    const LiteralKind a = kind(operands[0]);
    const LiteralKind b = kind(operands[1]);
    const bool is_sum = kind(expression) == LiteralKind::moment;
    for (std::size_t i = 0; i < 2; ++i) {
      const LiteralKind own = i == 0 ? a : b;
      const LiteralKind other = i == 0 ? b : a;
      const bool becomes_moment = is_sum && own == LiteralKind::day;
      const LiteralKind wanted = becomes_moment             ? LiteralKind::moment
                                 : own == LiteralKind::text ? other
                                                            : own;
      operands[i] = typed(std::move(operands[i]), wanted);
    }
    // A day and a moment.
    const bool is_mixed = a != b && is_time(a) && is_time(b) && !is_sum;
    if (!is_mixed) return expression;
    for (std::size_t i = 0; i < 2; ++i) {
      const LiteralKind own = i == 0 ? a : b;
      operands[i] = turned(std::move(operands[i]), own, LiteralKind::moment);
    }
    return expression;
  }

  static bool is_time(LiteralKind kind) {
    return kind == LiteralKind::day || kind == LiteralKind::moment;
  }

  LiteralKind kind_of_call(const Expression& call) const {
    if (computes(call.text) && call.operands.size() == 2) {
      return kind_of_computed(call.text, kind(call.operands[0]), kind(call.operands[1]));
    }
    if (call.text == "-" && call.operands.size() == 1) return kind(call.operands[0]);
    if (is_word_of(call.text, {"coalesce", "greatest", "least", "nullif", "min", "max"})) {
      return common_kind(call.operands);
    }
    if (compares(call.text) || is_word_of(call.text, {"and", "or", "not"})) {
      return LiteralKind::truth;
    }
    return kind_of_function(call.text);
  }

  // What are joined to a text are the digits of a number.
  Expression as_text(Expression operand) const {
    if (kind(operand) != LiteralKind::number) return operand;
    if (operand.kind == ExpressionKind::literal) return literal_of("'" + operand.text + "'");
    if (operand.kind == ExpressionKind::cast && operand.text == "text") return operand;
    return {.kind = ExpressionKind::cast, .text = "text", .operands = {std::move(operand)}};
  }

  // Moments, where days are compared with them.
  LiteralKind common_kind(const std::vector<Expression>& operands) const {
    LiteralKind common = LiteralKind::text;
    for (const Expression& operand : operands) {
      const LiteralKind found = kind(operand);
      const bool is_wider = common == LiteralKind::day && found == LiteralKind::moment;
      if (common == LiteralKind::text || is_wider) common = found;
    }
    return common;
  }

  static bool is_value(const Expression& choice, std::size_t operand) {
    return operand % 2 == 1 || operand + 1 == choice.operands.size();
  }

  static std::vector<Expression> values_of(const Expression& choice) {
    std::vector<Expression> values;
    for (std::size_t i = 0; i < choice.operands.size(); ++i) {
      if (is_value(choice, i)) values.push_back(choice.operands[i]);
    }
    return values;
  }

  const KindOfLeaf& kind_of_;
};
// NOLINTEND(misc-no-recursion)

// What the columns of a statement's tables are.
class ColumnKinds {
 public:
  ColumnKinds(const Schema& schema, const StatementForm& form) : schema_(schema), form_(form) {}

  LiteralKind of(const Expression& leaf) const {
    const auto source = leaf.kind == ExpressionKind::field ? source_of(leaf) : std::nullopt;
    return source ? of(form_.sources[*source], leaf.text) : LiteralKind::text;
  }

  LiteralKind of(const RowSource& source, const std::string& column) const {
    const TableColumn* found =
        source.table == nullptr ? nullptr : find_column(*source.table, column, schema_.dialect);
    if (found == nullptr) return LiteralKind::text;
    const LiteralKind kind = literal_kind(found->type.type);
    // MySQL's truth values are numbers.
    const bool is_number = kind == LiteralKind::truth && schema_.dialect == Dialect::mysql;
    return is_number ? LiteralKind::number : kind;
  }

 private:
  const Schema& schema_;
  const StatementForm& form_;
};

}  // namespace

LiteralKind clock_kind(std::string_view function) {
  if (function == "current_date") return LiteralKind::day;
  const bool is_moment =
      is_word_of(function, {"now", "current_timestamp", "localtimestamp", "clock_timestamp",
                            "statement_timestamp", "transaction_timestamp"});
  return is_moment ? LiteralKind::moment : LiteralKind::text;
}

LiteralKind literal_kind(ValueType type) {
  switch (type) {
    case ValueType::integer16:
    case ValueType::integer32:
    case ValueType::integer64:
    case ValueType::numeric:
    case ValueType::real32:
    case ValueType::real64:
      return LiteralKind::number;
    case ValueType::boolean:
      return LiteralKind::truth;
    case ValueType::date:
      return LiteralKind::day;
    case ValueType::timestamp:
    case ValueType::timestamp_with_zone:
      return LiteralKind::moment;
    case ValueType::time:
    case ValueType::time_with_zone:
      return LiteralKind::time;
    case ValueType::interval:
      return LiteralKind::span;
    default:
      return LiteralKind::text;
  }
}

LiteralKind literal_kind(std::string_view type) {
  if (type.ends_with(']')) return LiteralKind::text;
  const std::string name = to_lower(type);
  const auto begins = [&](std::string_view word) { return name.starts_with(word); };
  if (begins("bool")) return LiteralKind::truth;
  if (begins("timestamp") || begins("datetime")) return LiteralKind::moment;
  if (begins("date")) return LiteralKind::day;
  if (begins("time")) return LiteralKind::time;
  if (begins("interval")) return LiteralKind::span;
  static constexpr std::array<std::string_view, 10> kNumbers = {
      "int2",   "int4",    "int8", "bigint", "smallint",
      "serial", "numeric", "real", "double", "decimal"};
  const bool is_number = name == "int" || begins("integer") || begins("float") ||
                         std::ranges::any_of(kNumbers, begins);
  return is_number ? LiteralKind::number : LiteralKind::text;
}

Expression with_typed_literals(Expression expression, const KindOfLeaf& kind_of,
                               LiteralKind wanted) {
  return Typing(kind_of).typed(std::move(expression), wanted);
}

KindOfLeaf kinds_of_arguments(const ProgramStatement& statement,
                              const Functionality& functionality) {
  const KindOfLeaf of_variable = [&functionality](const Expression& leaf) {
    if (leaf.kind != ExpressionKind::variable) return LiteralKind::text;
    for (const auto* variables : {&functionality.parameters, &functionality.variables}) {
      const auto known = std::ranges::find(*variables, leaf.text, &Variable::name);
      if (known != variables->end()) return literal_kind(known->type);
    }
    return LiteralKind::text;
  };
  std::vector<LiteralKind> kinds;
  for (const Expression& argument : statement.arguments) {
    kinds.push_back(Typing(of_variable).kind(argument));
  }
  return [kinds](const Expression& leaf) {
    if (leaf.kind != ExpressionKind::variable) return LiteralKind::text;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      if (leaf.text == "$" + std::to_string(i + 1)) return kinds[i];
    }
    return LiteralKind::text;
  };
}

void type_literals(const Schema& schema, const KindOfLeaf& of_client, StatementForm& form) {
  const ColumnKinds kinds(schema, form);
  const KindOfLeaf kind_of = [&](const Expression& leaf) {
    return source_of(leaf) ? kinds.of(leaf) : of_client(leaf);
  };
  const auto type = [&](Expression& expression) {
    expression = with_typed_literals(std::move(expression), kind_of);
  };
  const auto type_values = [&](const RowSource& target, std::vector<Assignment>& assignments) {
    for (Assignment& assignment : assignments) {
      assignment.value = with_typed_literals(std::move(assignment.value), kind_of,
                                             kinds.of(target, assignment.column));
    }
  };
  std::ranges::for_each(form.conjuncts, type);
  for (auto& [source, condition] : form.absences) type(condition);
  for (auto& [source, condition] : form.joined_by) type(condition);
  for (InnerValue& inner : form.inner_values) type(inner.value);
  std::ranges::for_each(form.checks, type);
  std::ranges::for_each(form.outputs, type);
  for (const RowSource& source : form.sources) {
    if (!source.is_written || !source.is_named()) continue;
    type_values(source, form.assignments);
    for (std::vector<Assignment>& row : form.made) type_values(source, row);
    type_values(source, form.updates);
  }
}

}  // namespace heddle::find
