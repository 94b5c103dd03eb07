// What operators and functions of SQL give.
#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "find/values/sql_value.h"
#include "frontend/sql/words/functions.h"

namespace heddle::find {

namespace {

// Those that may give null where no operand is, or none where one is: what JSON has for a name,
// what a pattern finds, how long an array without elements is.
constexpr std::array<std::string_view, 26> kOwnNulls = {"->",
                                                        "->>",
                                                        "#>",
                                                        "#>>",
                                                        "substring",
                                                        "regexp_match",
                                                        "regexp_substr",
                                                        "array_position",
                                                        "array_length",
                                                        "array_upper",
                                                        "array_lower",
                                                        "array_ndims",
                                                        "json_extract",
                                                        "json_value",
                                                        "json_query",
                                                        "json_unquote",
                                                        "json_extract_path",
                                                        "json_extract_path_text",
                                                        "jsonb_extract_path",
                                                        "jsonb_extract_path_text",
                                                        "jsonb_path_query_first",
                                                        "current_setting",
                                                        "str_to_date",
                                                        "concat_ws",
                                                        "format",
                                                        "array_append"};

// Whether it gives null where an operand is null, and nowhere else. What nobody knows may do so
// anywhere.
bool is_strict(const std::string& name) {
  if (std::ranges::find(kOwnNulls, name) != kOwnNulls.end()) return false;
  const bool is_operator = name.find_first_of("abcdefghijklmnopqrstuvwxyz") == name.npos;
  return is_operator || name == "text" || name == "time" || name == "like" || name == "ilike" ||
         sql::find_function(name, Dialect::postgres).known ||
         sql::find_function(name, Dialect::mysql).known;
}

bool joins(const Expression& expression) {
  return expression.kind == ExpressionKind::call &&
         (expression.text == "||" || (expression.text == "concat" && !expression.operands.empty()));
}

}  // namespace

SqlValue Evaluator::function(const std::string& name, const std::vector<SqlValue>& operands,
                             Sort sort) {
  if (is_cautious_) return unknown(name, sort);
  std::vector<Term> values;
  std::vector<Term> nulls;
  for (const SqlValue& operand : operands) {
    values.push_back(operand.value);
    nulls.push_back(operand.is_null);
  }
  const Term value = terms_.apply(name, sort, values);
  if (sort == Sort::integer) open_.insert(value);
  if (is_strict(name)) return {value, terms_.any(nulls)};
  values.insert(values.end(), nulls.begin(), nulls.end());
  return {value, terms_.apply(name + "?", Sort::truth, std::move(values))};
}

SqlValue Evaluator::arithmetic(const std::string& name, const SqlValue& a, const SqlValue& b) {
  const SqlValue result = computed(name, a, b);
  const bool is_open = open_.contains(a.value) || open_.contains(b.value);
  if (is_open && terms_.sort(result.value) == Sort::integer) open_.insert(result.value);
  return result;
}

SqlValue Evaluator::computed(const std::string& name, const SqlValue& a, const SqlValue& b) {
  const Term is_null = terms_.any(a.is_null, b.is_null);
  const bool numbers = terms_.sort(a.value) != Sort::truth && terms_.sort(b.value) != Sort::truth;
  const bool is_whole =
      terms_.sort(a.value) == Sort::integer && terms_.sort(b.value) == Sort::integer;
  if (is_cautious_ && (!is_whole || name == "/")) {
    return unknown(name, is_whole ? Sort::integer : Sort::fraction);
  }
  if (numbers && name == "+") return {terms_.add(a.value, b.value), is_null};
  if (numbers && name == "-") return {terms_.subtract(a.value, b.value), is_null};
  if (numbers && name == "*" && (terms_.is_constant(a.value) || terms_.is_constant(b.value))) {
    return {terms_.multiply(a.value, b.value), is_null};
  }
  const bool fraction =
      numbers && (terms_.sort(a.value) == Sort::fraction || terms_.sort(b.value) == Sort::fraction);
  if (numbers && name == "/" && terms_.is_constant(b.value)) return divide(a, b, fraction);
  if (is_whole && name == "%" && terms_.is_constant(b.value)) {
    const SqlValue quotient = divide(a, b, false);
    return {terms_.subtract(a.value, terms_.multiply(quotient.value, b.value)), is_null};
  }
  return function(name, {a, b}, fraction ? Sort::fraction : Sort::integer);
}

// By a constant. Whole numbers are cut off towards zero.
SqlValue Evaluator::divide(const SqlValue& a, const SqlValue& b, bool fraction) {
  const SqlValue result = function("/", {a, b}, fraction ? Sort::fraction : Sort::integer);
  const Term zero = terms_.number("0", terms_.sort(b.value));
  // Anything, where the divisor is not above zero: by zero it is an error.
  const Term is_usual = terms_.less(zero, b.value);
  const Term product = terms_.multiply(result.value, b.value);
  if (fraction) {
    facts_.push_back(terms_.implies(is_usual, terms_.equal(product, a.value)));
    return result;
  }
  const Term rest = terms_.subtract(a.value, product);
  const Term is_below = terms_.less(a.value, zero);
  const Term least = terms_.choose(is_below, terms_.subtract(terms_.integer(1), b.value), zero);
  const Term most = terms_.choose(is_below, zero, terms_.subtract(b.value, terms_.integer(1)));
  facts_.push_back(terms_.implies(
      is_usual, terms_.all(terms_.less_or_equal(least, rest), terms_.less_or_equal(rest, most))));
  return result;
}

SqlValue Evaluator::coalesce(const std::vector<SqlValue>& values) {
  SqlValue result = values.back();
  for (std::size_t i = values.size() - 1; i-- > 0;) {
    result = choose(terms_.negate(values[i].is_null), values[i], result);
  }
  return result;
}

// What the store's clock says; none: the expression asks something else.
std::optional<SqlValue> Evaluator::clock(const Expression& asked) {
  std::string_view name = asked.text;
  if (name.ends_with("()")) name.remove_suffix(2);
  const LiteralKind kind = clock_kind(name);
  if (kind == LiteralKind::text || !asked.operands.empty()) return std::nullopt;
  const SqlValue value = unknown(asked.text, Sort::integer, true);
  clocks_.push_back({.value = value.value, .is_day = kind == LiteralKind::day});
  return value;
}

// LEAST and GREATEST, which leave nulls out but for MySQL's.
SqlValue Evaluator::extreme(const std::string& name, const std::vector<SqlValue>& values) {
  SqlValue found = values.front();
  for (std::size_t i = 1; i < values.size(); ++i) {
    const SqlValue& next = values[i];
    const Truth is_better = compare(name == "least" ? "<" : ">", next, found);
    SqlValue chosen = choose(is_better.holds, next, found);
    if (truths_ == TruthValues::numbers) {
      chosen.is_null = terms_.any(found.is_null, next.is_null);
    } else {
      chosen = choose(found.is_null, next, chosen);
    }
    found = chosen;
  }
  return found;
}

SqlValue Evaluator::call(const Expression& expression, const Lookup& lookup) {
  if (const auto tested = test(expression, lookup)) return of_truth(*tested);
  if (joins(expression) && !is_cautious_) return joined(expression, lookup);
  std::vector<SqlValue> operands;
  for (const Expression& operand : expression.operands) operands.push_back(value(operand, lookup));
  const std::string& name = expression.text;
  if (name == "coalesce" && !operands.empty()) return coalesce(operands);
  if (name == "cardinality" && operands.size() == 1) return cardinality(operands[0]);
  if (name == "array") return array_of(operands);
  if (name == "array_append" && operands.size() == 2) return array_append(operands[0], operands[1]);
  if (name == "-" && operands.size() == 1 && terms_.sort(operands[0].value) != Sort::truth) {
    return {terms_.scale(operands[0].value, -1), operands[0].is_null};
  }
  static constexpr std::array<std::string_view, 5> kArithmetic = {"+", "-", "*", "/", "%"};
  if (operands.size() == 2 && std::ranges::find(kArithmetic, name) != kArithmetic.end()) {
    return arithmetic(name, operands[0], operands[1]);
  }
  if (operands.size() == 2 && name == "mod") return arithmetic("%", operands[0], operands[1]);
  if (operands.size() == 2 && name == "nullif") {
    return choose(compare("=", operands[0], operands[1]).holds, null(), operands[0]);
  }
  if (!operands.empty() && (name == "least" || name == "greatest")) return extreme(name, operands);
  if (operands.size() == 1 && name == "abs" && terms_.sort(operands[0].value) != Sort::truth) {
    const Term is_below =
        terms_.less(operands[0].value, terms_.number("0", terms_.sort(operands[0].value)));
    return choose(is_below, {terms_.scale(operands[0].value, -1), operands[0].is_null},
                  operands[0]);
  }
  const sql::FunctionTraits traits = sql::find_function(name, Dialect::postgres);
  if (traits.generated) return unknown(name, Sort::integer);
  return function(name, operands, Sort::integer);
}

// Of the first elements of a list it is known whether the value is one of them.
Truth Evaluator::among(const SqlValue& sought, const SqlValue& list) {
  constexpr std::int64_t kKnown = 3;
  const Term size = cardinality(list).value;
  const Term more = terms_.less(terms_.integer(kKnown), size);
  long_lists_.push_back(more);
  std::vector<Term> ways = {
      terms_.all(more, terms_.apply("is among", Sort::truth, {list.value, sought.value}))};
  std::vector<Term> are_known = {terms_.negate(sought.is_null), terms_.negate(list.is_null)};
  for (std::int64_t i = 1; i <= kKnown; ++i) {
    const Term place = terms_.integer(i);
    const SqlValue one = element(list, known(place), terms_.sort(sought.value));
    ways.push_back(compare("=", sought, one).holds);
    are_known.push_back(terms_.any(terms_.less(size, place), terms_.negate(one.is_null)));
  }
  const Term found = terms_.all({terms_.any(ways), are_known[0], are_known[1]});
  return {found, terms_.all(terms_.negate(found), terms_.all(are_known))};
}

}  // namespace heddle::find
