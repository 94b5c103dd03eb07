#include "find/terms/sql_value.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "frontend/sql/words/functions.h"

namespace heddle::find {

namespace {

// Codes of texts, far from the numbers that programs count with.
constexpr std::int64_t kFirstText = 1'000'000'000;

bool is_number_text(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::ranges::count(text, '.') <= 1 && text != ".";
}

std::string unquoted(std::string_view literal) {
  std::string text;
  literal = literal.substr(1, literal.size() - 2);
  for (std::size_t i = 0; i < literal.size(); ++i) {
    text += literal[i];
    if (literal[i] == '\'') ++i;
  }
  return text;
}

// What is left of a text where case, blanks and punctuation do not count.
std::string bare(std::string_view text) {
  std::string letters;
  for (const char c : text) {
    const bool is_digit = c >= '0' && c <= '9';
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_lower = c >= 'a' && c <= 'z';
    if (is_upper) letters += static_cast<char>(c - 'A' + 'a');
    if (is_digit || is_lower) letters += c;
  }
  return letters;
}

// Whether no type and no collation takes the two texts for one value: words of plain letters.
bool surely_differ(std::string_view a, std::string_view b) {
  const auto is_word = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
             c == '_' || c == '-' || c == ' ';
    }) && ((text[0] >= 'a' && text[0] <= 'z') || (text[0] >= 'A' && text[0] <= 'Z'));
  };
  return is_word(a) && is_word(b) && bare(a) != bare(b);
}

// Whether a cast to the type leaves a whole number, a decimal or a truth value as it is.
bool keeps_value(std::string_view type) {
  static constexpr std::array<std::string_view, 8> kKeeping = {
      "integer", "int", "int4", "bigint", "int8", "numeric", "boolean", "bool"};
  return std::ranges::find(kKeeping, type) != kKeeping.end();
}

}  // namespace

Sort sort_of(ValueType type) {
  switch (type) {
    case ValueType::boolean:
      return Sort::truth;
    case ValueType::numeric:
    case ValueType::real32:
    case ValueType::real64:
      return Sort::fraction;
    default:
      return Sort::integer;
  }
}

Sort sort_of_type(std::string_view type) {
  if (type.ends_with(']')) return Sort::integer;
  if (type.starts_with("bool")) return Sort::truth;
  for (const std::string_view name : {"numeric", "decimal", "real", "double", "float"}) {
    if (type.starts_with(name)) return Sort::fraction;
  }
  return Sort::integer;
}

SqlValue Evaluator::unknown(std::string_view stem, Sort sort, bool never_null) {
  const Term is_null =
      never_null ? terms_.truth(false) : terms_.fresh(std::string(stem) + "?", Sort::truth);
  return {terms_.fresh(stem, sort), is_null};
}

// A number that nobody knows, other than those of texts that are surely other values.
SqlValue Evaluator::cautious_text(const std::string& text) {
  const Term mine = terms_.symbol("text " + text, Sort::integer);
  if (!texts_.try_emplace(text, 0).second) return known(mine);
  for (const auto& [other, code] : texts_) {
    if (!surely_differ(text, other)) continue;
    const Term theirs = terms_.symbol("text " + other, Sort::integer);
    facts_.push_back(terms_.negate(terms_.equal(mine, theirs)));
  }
  return known(mine);
}

SqlValue Evaluator::text(const std::string& text) {
  if (is_cautious_) return cautious_text(text);
  const auto next = kFirstText + static_cast<std::int64_t>(texts_.size());
  const auto [code, is_new] = texts_.try_emplace(text, next);
  const Term term = terms_.integer(code->second);
  if (is_new) joined_.tell_apart(text, term, facts_);
  return known(term);
}

// a || b || c, whose parts may be such texts themselves.
SqlValue Evaluator::joined(const Expression& expression, const Lookup& lookup) {
  std::vector<JoinedPart> parts;
  std::vector<Term> nulls;
  const auto add = [&](JoinedPart part) {
    const bool goes_on = !part.value && !parts.empty() && !parts.back().value;
    if (goes_on) {
      parts.back().words += part.words;
    } else {
      parts.push_back(std::move(part));
    }
  };
  std::vector<const Expression*> open = {&expression};
  while (!open.empty()) {
    const Expression& one = *open.back();
    open.pop_back();
    if (one.kind == ExpressionKind::call && one.text == "||") {
      for (std::size_t i = one.operands.size(); i-- > 0;) open.push_back(&one.operands[i]);
      continue;
    }
    if (one.kind == ExpressionKind::literal && one.text.starts_with('\'')) {
      add({.words = unquoted(one.text), .value = {}});
      continue;
    }
    const bool is_number = one.kind == ExpressionKind::cast && one.text == "text";
    const SqlValue part = value(is_number ? one.operands[0] : one, lookup);
    nulls.push_back(part.is_null);
    if (const JoinedText* inner = joined_.find(part.value)) {
      for (const JoinedPart& each : inner->parts) add(each);
    } else {
      add({.words = "", .value = part.value, .is_number = is_number});
    }
  }
  const bool is_known =
      std::ranges::none_of(parts, [](const JoinedPart& part) { return part.value.has_value(); });
  if (is_known) return text(parts.empty() ? "" : parts.front().words);
  const Term term = joined_.join(parts, facts_);
  // With other characters than digits it is no number.
  const bool has_words = std::ranges::any_of(parts, [](const JoinedPart& part) {
    return part.words.find_first_not_of("0123456789.-") != std::string::npos;
  });
  if (has_words) facts_.push_back(terms_.less_or_equal(terms_.integer(kFirstText), term));
  return {term, terms_.any(nulls)};
}

SqlValue Evaluator::literal(const std::string& text_of) {
  if (text_of == "null") return null();
  if (text_of == "true" || text_of == "false") return known(terms_.truth(text_of == "true"));
  if (text_of.starts_with('\'')) return text(unquoted(text_of));
  if (!is_number_text(text_of)) return unknown(text_of, Sort::integer, true);
  const Sort sort = text_of.find('.') == std::string::npos ? Sort::integer : Sort::fraction;
  if (is_cautious_ && sort == Sort::fraction) return unknown(text_of, sort, true);
  return known(terms_.number(text_of, sort));
}

SqlValue Evaluator::as(const SqlValue& value, Sort sort) {
  const Sort from = terms_.sort(value.value);
  if (from == sort) return value;
  // A null has no sort of its own.
  if (terms_.is_true(value.is_null)) {
    return {sort == Sort::truth ? terms_.truth(false) : terms_.number("0", sort), value.is_null};
  }
  if (from == Sort::integer && sort == Sort::fraction) {
    return {terms_.to_fraction(value.value), value.is_null};
  }
  return {terms_.apply("as", sort, {value.value}), value.is_null};
}

SqlValue Evaluator::choose(Term condition, const SqlValue& then, const SqlValue& otherwise) {
  SqlValue a = then;
  SqlValue b = otherwise;
  const Sort left = terms_.sort(a.value);
  const Sort right = terms_.sort(b.value);
  if (left != right) {
    const bool numbers = left != Sort::truth && right != Sort::truth;
    const Sort sort = terms_.is_true(a.is_null) ? right : numbers ? Sort::fraction : left;
    a = as(a, terms_.is_true(b.is_null) ? left : sort);
    b = as(b, terms_.sort(a.value));
  }
  return {terms_.choose(condition, a.value, b.value),
          terms_.choose(condition, a.is_null, b.is_null)};
}

SqlValue Evaluator::of_truth(const Truth& truth) {
  return {truth.holds, terms_.negate(terms_.any(truth.holds, truth.fails))};
}

Truth Evaluator::to_truth(const SqlValue& value) {
  const SqlValue truth = as(value, Sort::truth);
  const Term known = terms_.negate(truth.is_null);
  return {terms_.all(known, truth.value), terms_.all(known, terms_.negate(truth.value))};
}

SqlValue Evaluator::function(const std::string& name, const std::vector<SqlValue>& operands,
                             Sort sort) {
  if (is_cautious_) return unknown(name, sort);
  std::vector<Term> values;
  std::vector<Term> nulls;
  for (const SqlValue& operand : operands) {
    values.push_back(operand.value);
    nulls.push_back(operand.is_null);
  }
  return {terms_.apply(name, sort, std::move(values)), terms_.any(nulls)};
}

SqlValue Evaluator::arithmetic(const std::string& name, const SqlValue& a, const SqlValue& b) {
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

SqlValue Evaluator::cardinality(const SqlValue& array) {
  const Term size = terms_.apply("cardinality", Sort::integer, {array.value});
  facts_.push_back(terms_.less_or_equal(terms_.integer(0), size));
  return {size, array.is_null};
}

SqlValue Evaluator::element(const SqlValue& array, const SqlValue& place, Sort sort) {
  const Term at = as(place, Sort::integer).value;
  const Term inside = terms_.all({terms_.less_or_equal(terms_.integer(1), at),
                                  terms_.less_or_equal(at, cardinality(array).value),
                                  terms_.negate(array.is_null), terms_.negate(place.is_null)});
  const Term is_null = terms_.apply("element?", Sort::truth, {array.value, at});
  return {terms_.apply("element", sort, {array.value, at}),
          terms_.any(is_null, terms_.negate(inside))};
}

SqlValue Evaluator::array_of(const std::vector<SqlValue>& elements) {
  const Term array = terms_.fresh("array", Sort::integer);
  made_arrays_.push_back(array);
  const auto size = static_cast<std::int64_t>(elements.size());
  facts_.push_back(terms_.equal(cardinality(known(array)).value, terms_.integer(size)));
  for (std::int64_t i = 0; i < size; ++i) {
    const SqlValue& given = elements[static_cast<std::size_t>(i)];
    const SqlValue place =
        element(known(array), known(terms_.integer(i + 1)), terms_.sort(given.value));
    facts_.push_back(terms_.equal(place.value, given.value));
    facts_.push_back(terms_.equal(place.is_null, given.is_null));
  }
  return known(array);
}

// An array that has what `array` has in the places that are not `changed`. Longer arrays than these
// few come from loops with more rounds than are looked at.
SqlValue Evaluator::array_like(const SqlValue& array, Sort sort, Term changed) {
  const Term made = terms_.fresh("array", Sort::integer);
  made_arrays_.push_back(made);
  constexpr std::int64_t kMostKept = 4;
  for (std::int64_t i = 1; i <= kMostKept; ++i) {
    const SqlValue place = known(terms_.integer(i));
    const SqlValue before = element(array, place, sort);
    const SqlValue after = element(known(made), place, sort);
    const Term stays = terms_.all(terms_.less_or_equal(place.value, cardinality(array).value),
                                  terms_.negate(terms_.equal(place.value, changed)));
    facts_.push_back(
        terms_.implies(stays, terms_.all(terms_.equal(before.value, after.value),
                                         terms_.equal(before.is_null, after.is_null))));
  }
  return known(made);
}

SqlValue Evaluator::array_append(const SqlValue& array, const SqlValue& added) {
  const Sort sort = terms_.sort(added.value);
  const Term size = terms_.add(cardinality(array).value, terms_.integer(1));
  const SqlValue grown = array_like(array, sort, size);
  facts_.push_back(terms_.equal(cardinality(grown).value, size));
  const SqlValue last = element(grown, known(size), sort);
  facts_.push_back(terms_.equal(last.value, added.value));
  facts_.push_back(terms_.equal(last.is_null, added.is_null));
  return grown;
}

SqlValue Evaluator::array_longer(const SqlValue& array, Sort sort) {
  const SqlValue grown = array_like(array, sort, terms_.integer(0));
  facts_.push_back(terms_.less_or_equal(cardinality(array).value, cardinality(grown).value));
  return grown;
}

SqlValue Evaluator::array_with(const SqlValue& array, const SqlValue& place,
                               const SqlValue& stored) {
  const Sort sort = terms_.sort(stored.value);
  const Term at = as(place, Sort::integer).value;
  const SqlValue made = array_like(array, sort, at);
  const Term size = cardinality(array).value;
  const Term is_inside =
      terms_.all(terms_.less_or_equal(terms_.integer(1), at), terms_.less_or_equal(at, size));
  facts_.push_back(terms_.implies(is_inside, terms_.equal(cardinality(made).value, size)));
  const SqlValue now = element(made, known(at), sort);
  facts_.push_back(
      terms_.implies(is_inside, terms_.all(terms_.equal(now.value, stored.value),
                                           terms_.equal(now.is_null, stored.is_null))));
  return made;
}

SqlValue Evaluator::choice(const Expression& expression, const Lookup& lookup) {
  const auto& parts = expression.operands;
  SqlValue result = parts.size() % 2 == 1 ? value(parts.back(), lookup) : null();
  for (std::size_t i = parts.size() / 2; i-- > 0;) {
    result = choose(truth(parts[2 * i], lookup).holds, value(parts[2 * i + 1], lookup), result);
  }
  return result;
}

SqlValue Evaluator::call(const Expression& expression, const Lookup& lookup) {
  if (const auto tested = test(expression, lookup)) return of_truth(*tested);
  if (expression.text == "||" && !is_cautious_) return joined(expression, lookup);
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
  static constexpr std::array<std::string_view, 4> kArithmetic = {"+", "-", "*", "/"};
  if (operands.size() == 2 && std::ranges::find(kArithmetic, name) != kArithmetic.end()) {
    return arithmetic(name, operands[0], operands[1]);
  }
  const sql::FunctionTraits traits = sql::find_function(name, Dialect::postgres);
  if (traits.generated) return unknown(name, Sort::integer);
  return function(name, operands, Sort::integer);
}

SqlValue Evaluator::value(const Expression& expression, const Lookup& lookup) {
  switch (expression.kind) {
    case ExpressionKind::literal:
      return literal(expression.text);
    case ExpressionKind::variable:
    case ExpressionKind::field:
    case ExpressionKind::element:
    case ExpressionKind::unknown:
      return lookup(expression);
    case ExpressionKind::cast: {
      const SqlValue operand = value(expression.operands[0], lookup);
      // The text of a number is another value than the number.
      const bool is_array = expression.text.ends_with("[]");
      const bool is_text =
          !is_array && (expression.text.starts_with("text") || expression.text.starts_with("var"));
      if (is_text) return function("text", {operand}, Sort::integer);
      if (is_array && expression.operands[0].kind == ExpressionKind::literal &&
          expression.operands[0].text == "'{}'") {
        return array_of({});
      }
      if (is_cautious_ && !keeps_value(expression.text)) {
        return unknown("cast", sort_of_type(expression.text));
      }
      return as(operand, sort_of_type(expression.text));
    }
    case ExpressionKind::choice:
      return choice(expression, lookup);
    case ExpressionKind::call:
      return call(expression, lookup);
  }
  return null();
}

Truth Evaluator::compare(std::string_view operation, const SqlValue& a, const SqlValue& b) {
  const Term known = terms_.negate(terms_.any(a.is_null, b.is_null));
  SqlValue left = a;
  SqlValue right = b;
  if ((terms_.sort(a.value) == Sort::truth) != (terms_.sort(b.value) == Sort::truth)) {
    left = as(a, Sort::integer);
    right = as(b, Sort::integer);
  }
  Term holds = terms_.truth(false);
  if (operation == "=" || operation == "<>" || operation == "!=") {
    holds = terms_.equal(left.value, right.value);
    if (operation != "=") holds = terms_.negate(holds);
  } else if (terms_.sort(left.value) == Sort::truth) {
    holds = terms_.apply(std::string(operation), Sort::truth, {left.value, right.value});
  } else if (operation == "<" || operation == ">") {
    holds = operation == "<" ? terms_.less(left.value, right.value)
                             : terms_.less(right.value, left.value);
  } else {
    holds = operation == "<=" ? terms_.less_or_equal(left.value, right.value)
                              : terms_.less_or_equal(right.value, left.value);
  }
  return {terms_.all(known, holds), terms_.all(known, terms_.negate(holds))};
}

Truth Evaluator::logic(const Expression& expression, const Lookup& lookup) {
  std::vector<Term> holds;
  std::vector<Term> fails;
  for (const Expression& operand : expression.operands) {
    const Truth one = truth(operand, lookup);
    holds.push_back(one.holds);
    fails.push_back(one.fails);
  }
  if (expression.text == "not") return {fails[0], holds[0]};
  if (expression.text == "and") {
    return {terms_.all(holds), terms_.any(fails)};
  }
  return {terms_.any(holds), terms_.all(fails)};
}

// IN and BETWEEN.
Truth Evaluator::membership(const Expression& expression, const Lookup& lookup) {
  std::vector<SqlValue> operands;
  for (const Expression& operand : expression.operands) operands.push_back(value(operand, lookup));
  Truth result{terms_.truth(false), terms_.truth(true)};
  if (expression.text.ends_with("between") && operands.size() == 3) {
    const Truth low = compare(">=", operands[0], operands[1]);
    const Truth high = compare("<=", operands[0], operands[2]);
    result = {terms_.all(low.holds, high.holds), terms_.any(low.fails, high.fails)};
  } else {
    for (std::size_t i = 1; i < operands.size(); ++i) {
      const Truth one = compare("=", operands[0], operands[i]);
      result = {terms_.any(result.holds, one.holds), terms_.all(result.fails, one.fails)};
    }
  }
  if (expression.text.starts_with("not")) std::swap(result.holds, result.fails);
  return result;
}

// A call that is a condition; none: it is not.
std::optional<Truth> Evaluator::test(const Expression& expression, const Lookup& lookup) {
  const std::string& name = expression.text;
  const auto is_one_of = [&](auto... names) { return ((name == names) || ...); };
  const std::size_t count = expression.operands.size();
  if (is_one_of("and", "or", "not") && count > 0) return logic(expression, lookup);
  if (is_one_of("in", "not in", "between", "not between")) return membership(expression, lookup);
  const auto operand = [&](std::size_t i) { return value(expression.operands[i], lookup); };
  if (count == 2 && is_one_of("=", "<>", "!=", "<", ">", "<=", ">=")) {
    return compare(name, operand(0), operand(1));
  }
  if (count == 1 && is_one_of("is null", "is not null")) {
    const Term is_null = operand(0).is_null;
    const Truth result{is_null, terms_.negate(is_null)};
    return name == "is null" ? result : Truth{result.fails, result.holds};
  }
  if (count == 1 && name.starts_with("is ")) {
    const Truth of = truth(expression.operands[0], lookup);
    const bool is_negated = name.starts_with("is not ");
    const std::string what = name.substr(is_negated ? 7 : 3);
    const Term is = what == "true"    ? of.holds
                    : what == "false" ? of.fails
                                      : terms_.negate(terms_.any(of.holds, of.fails));
    const Truth result{is, terms_.negate(is)};
    return is_negated ? Truth{result.fails, result.holds} : result;
  }
  if (count == 2 && is_one_of("is distinct from", "is not distinct from")) {
    const SqlValue a = operand(0);
    const SqlValue b = operand(1);
    const Term same = terms_.any(terms_.all(a.is_null, b.is_null), compare("=", a, b).holds);
    const Truth result{same, terms_.negate(same)};
    return name == "is not distinct from" ? result : Truth{result.fails, result.holds};
  }
  static constexpr std::array<std::string_view, 4> kMatches = {"like", "ilike", "~~", "~"};
  if (count == 2 && std::ranges::find(kMatches, name) != kMatches.end()) {
    return to_truth(function(name, {operand(0), operand(1)}, Sort::truth));
  }
  if (count == 2 && is_one_of("not like", "not ilike")) {
    const Truth like = to_truth(function(name.substr(4), {operand(0), operand(1)}, Sort::truth));
    return Truth{like.fails, like.holds};
  }
  return std::nullopt;
}

Truth Evaluator::truth(const Expression& expression, const Lookup& lookup) {
  if (expression.kind == ExpressionKind::call) {
    if (const auto tested = test(expression, lookup)) return *tested;
  }
  return to_truth(value(expression, lookup));
}

}  // namespace heddle::find
