#include "find/values/sql_value.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.h"
#include "frontend/sql/words/functions.h"

namespace heddle::find {

namespace {

// Codes of texts, far from the numbers that programs count with.
constexpr std::int64_t kFirstText = 1'000'000'000;
// Between the numbers of two texts there is room for others.
constexpr std::int64_t kMiddleText = 2'000'000'000;
constexpr std::int64_t kTextStep = 65'536;

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

bool is_number_type(std::string_view type) {
  const bool is_whole = type.starts_with("int") && !type.starts_with("interval");
  return is_whole || type.starts_with("bigint") || type.starts_with("smallint") ||
         sort_of_type(type) == Sort::fraction;
}

// Whether a cast to the type leaves a whole number, a decimal or a truth value as it is.
bool keeps_value(std::string_view type) {
  static constexpr std::array<std::string_view, 8> kKeeping = {
      "integer", "int", "int4", "bigint", "int8", "numeric", "boolean", "bool"};
  return std::ranges::find(kKeeping, type) != kKeeping.end();
}

// "1e3" and "2.5E-1" without the exponent; none: it is none of these.
std::optional<std::string> without_exponent(std::string_view number) {
  const std::size_t at = number.find_first_of("eE");
  if (at == number.npos || !is_number_text(number.substr(0, at))) return std::nullopt;
  std::string_view written = number.substr(at + 1);
  if (written.starts_with('+')) written.remove_prefix(1);
  int exponent = 0;
  const char* const begin = written.data();  // NOLINT(bugprone-suspicious-stringview-data-usage)
  const char* const end = begin + written.size();
  const bool is_read = !written.empty() && std::from_chars(begin, end, exponent).ptr == end;
  constexpr int kMost = 15;
  if (!is_read || std::abs(exponent) > kMost) return std::nullopt;
  std::string digits(number.substr(0, at));
  const bool is_below = digits.starts_with('-');
  if (is_below) digits.erase(0, 1);
  int shift = exponent;
  if (const std::size_t point = digits.find('.'); point != digits.npos) {
    shift -= static_cast<int>(digits.size() - point - 1);
    digits.erase(point, 1);
  }
  if (shift > 0) digits.append(static_cast<std::size_t>(shift), '0');
  if (shift < 0) {
    const auto decimals = static_cast<std::size_t>(-shift);
    if (digits.size() <= decimals) digits.insert(0, decimals + 1 - digits.size(), '0');
    digits.insert(digits.size() - decimals, ".");
  }
  return (is_below ? "-" : "") + digits;
}

}  // namespace

bool TextOrder::operator()(std::string_view a, std::string_view b) const {
  const auto plain = [](char c) {
    return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  };
  const auto [left, right] = std::ranges::mismatch(a, b, {}, plain, plain);
  if (left == a.end() && right == b.end()) return a < b;
  if (left == a.end() || right == b.end()) return left == a.end();
  return plain(*left) < plain(*right);
}

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
  const Term value = terms_.fresh(stem, sort);
  if (sort == Sort::integer) open_.insert(value);
  return {value, is_null};
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

// One that no text has; where there is no room left, it says nothing of their order.
std::int64_t Evaluator::code_between(std::optional<std::int64_t> low,
                                     std::optional<std::int64_t> high) const {
  if (!low && !high) return kMiddleText;
  if (!high) return *low + kTextStep;
  if (!low && *high - kTextStep > kFirstText) return *high - kTextStep;
  if (low && *high - *low > 1) return *low + (*high - *low) / 2;
  return kFirstText + static_cast<std::int64_t>(texts_.size());
}

SqlValue Evaluator::text(const std::string& text) {
  if (is_cautious_) return cautious_text(text);
  const auto [code, is_new] = texts_.try_emplace(text, 0);
  if (!is_new) return known(text_codes_.at(text));
  const auto previous = code == texts_.begin() ? texts_.end() : std::prev(code);
  const auto next = std::next(code);
  const auto number_of = [&](auto place) {
    return place == texts_.end() ? std::nullopt : std::optional(place->second);
  };
  code->second = code_between(number_of(previous), number_of(next));
  Term term = terms_.integer(code->second);
  joined_.tell_apart(text, term, facts_);
  // To most collations of MySQL it is the same text in other letters.
  for (const auto other : {previous, next}) {
    const bool may_be_equal = truths_ == TruthValues::numbers && other != texts_.end() &&
                              to_lower(other->first) == to_lower(text);
    if (!may_be_equal || !terms_.is_constant(term)) continue;
    const Term either = terms_.symbol("text " + text, Sort::integer);
    facts_.push_back(
        terms_.any(terms_.equal(either, term), terms_.equal(either, text_codes_.at(other->first))));
    term = either;
  }
  text_terms_.emplace(term, text);
  text_codes_.emplace(text, term);
  return known(term);
}

// a || b || c, whose parts may be such texts themselves, or concat(a, b, c), which leaves nulls
// out, but for MySQL's.
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
  const bool skips_nulls = expression.text == "concat" && truths_ != TruthValues::numbers;
  std::vector<const Expression*> open = {&expression};
  while (!open.empty()) {
    const Expression& one = *open.back();
    open.pop_back();
    if (one.kind == ExpressionKind::call && one.text == expression.text) {
      for (std::size_t i = one.operands.size(); i-- > 0;) open.push_back(&one.operands[i]);
      continue;
    }
    if (one.kind == ExpressionKind::literal && one.text.starts_with('\'')) {
      add({.words = unquoted(one.text), .value = {}});
      continue;
    }
    bool is_number = one.kind == ExpressionKind::cast && one.text == "text";
    SqlValue part = value(is_number ? one.operands[0] : one, lookup);
    if (skips_nulls && !terms_.is_true(terms_.negate(part.is_null))) {
      const SqlValue digits = unknown("digits", Sort::integer, true);
      part = choose(part.is_null, text(""), is_number ? digits : part);
      is_number = false;
    }
    if (!skips_nulls) nulls.push_back(part.is_null);
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
  if (const auto plain = without_exponent(text_of)) return literal(*plain);
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
  // What nobody knows may have been a fraction all along.
  const bool is_open = open_.contains(value.value);
  if (from == Sort::integer && sort == Sort::fraction && !is_open) {
    return {terms_.to_fraction(value.value), value.is_null};
  }
  const Term other = terms_.apply("as", sort, {value.value});
  if (from != Sort::integer || sort != Sort::truth) return {other, value.is_null};
  const Term is_zero = terms_.equal(value.value, terms_.integer(0));
  if (truths_ == TruthValues::numbers) return {terms_.negate(is_zero), value.is_null};
  const Term is_one = terms_.equal(value.value, terms_.integer(1));
  return {terms_.any(is_one, terms_.all(terms_.negate(is_zero), other)), value.is_null};
}

SqlValue Evaluator::as_number(const SqlValue& value, Sort sort) {
  if (terms_.sort(value.value) != Sort::truth || sort == Sort::truth) return as(value, sort);
  const Term number = terms_.choose(value.value, terms_.integer(1), terms_.integer(0));
  return as({number, value.is_null}, sort);
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
  const Term value = terms_.choose(condition, a.value, b.value);
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
    const auto kind = kinds_.find(one.value);
    const bool is_of_kind = terms_.is_true(other.is_null) || kinds_.contains(other.value);
    if (kind != kinds_.end() && is_of_kind) know_kind(value, LiteralKind(kind->second));
  }
  return {value, terms_.choose(condition, a.is_null, b.is_null)};
}

SqlValue Evaluator::of_truth(const Truth& truth) {
  return {truth.holds, terms_.negate(terms_.any(truth.holds, truth.fails))};
}

Truth Evaluator::to_truth(const SqlValue& value) {
  const SqlValue truth = as(value, Sort::truth);
  const Term known = terms_.negate(truth.is_null);
  return {terms_.all(known, truth.value), terms_.all(known, terms_.negate(truth.value))};
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

SqlValue Evaluator::value(const Expression& expression, const Lookup& lookup) {
  switch (expression.kind) {
    case ExpressionKind::literal:
      return literal(expression.text);
    case ExpressionKind::variable:
    case ExpressionKind::field:
    case ExpressionKind::element:
      return lookup(expression);
    case ExpressionKind::unknown:
      if (const auto now = clock(expression)) return *now;
      return lookup(expression);
    case ExpressionKind::cast: {
      const SqlValue operand = value(expression.operands[0], lookup);
      // The text of a number is another value than the number.
      const bool is_array = expression.text.ends_with("[]");
      const bool is_text =
          !is_array && (expression.text.starts_with("text") || expression.text.starts_with("var"));
      const bool is_written = expression.operands[0].text.starts_with('\'') &&
                              expression.operands[0].kind == ExpressionKind::literal;
      if (is_text && is_written) return operand;
      if (is_text) return function("text", {operand}, Sort::integer);
      if (is_array && expression.operands[0].kind == ExpressionKind::literal &&
          expression.operands[0].text == "'{}'") {
        return array_of({});
      }
      if (is_cautious_ && !keeps_value(expression.text)) {
        return unknown("cast", sort_of_type(expression.text));
      }
      const Sort sort = sort_of_type(expression.text);
      return is_number_type(expression.text) ? as_number(operand, sort) : as(operand, sort);
    }
    case ExpressionKind::choice:
      return choice(expression, lookup);
    case ExpressionKind::call:
      return call(expression, lookup);
  }
  return null();
}

// The constant that a text of the program is beside the value of a column.
SqlValue Evaluator::meant_beside(const SqlValue& text, const SqlValue& other) {
  const auto words = text_terms_.find(text.value);
  const auto kind = kinds_.find(other.value);
  if (words == text_terms_.end() || kind == kinds_.end()) return text;
  const Expression meant = with_typed_literals(
      {.kind = ExpressionKind::literal, .text = "'" + words->second + "'", .operands = {}},
      [](const Expression& /*leaf*/) { return LiteralKind::text; }, kind->second);
  return meant.kind == ExpressionKind::literal
             ? literal(meant.text)
             : unknown(words->second, terms_.sort(other.value), true);
}

Truth Evaluator::compare(std::string_view operation, const SqlValue& a, const SqlValue& b) {
  const Term known = terms_.negate(terms_.any(a.is_null, b.is_null));
  SqlValue left = meant_beside(a, b);
  SqlValue right = meant_beside(b, a);
  if ((terms_.sort(left.value) == Sort::truth) != (terms_.sort(right.value) == Sort::truth)) {
    const bool are_numbers = truths_ == TruthValues::numbers;
    left = are_numbers ? as_number(left, Sort::integer) : as(left, Sort::truth);
    right = are_numbers ? as_number(right, Sort::integer) : as(right, Sort::truth);
  }
  if (terms_.sort(left.value) == Sort::fraction) right = as(right, Sort::fraction);
  if (terms_.sort(right.value) == Sort::fraction) left = as(left, Sort::fraction);
  const bool are_texts = text_terms_.contains(left.value) || text_terms_.contains(right.value);
  Term holds = terms_.truth(false);
  if (operation == "=" || operation == "<>" || operation == "!=") {
    holds = terms_.equal(left.value, right.value);
    if (operation != "=") holds = terms_.negate(holds);
  } else if (terms_.sort(left.value) == Sort::truth) {
    holds = terms_.apply(std::string(operation), Sort::truth, {left.value, right.value});
  } else if (operation == "<" || operation == ">") {
    orders_texts_ = orders_texts_ || are_texts;
    holds = operation == "<" ? terms_.less(left.value, right.value)
                             : terms_.less(right.value, left.value);
  } else {
    orders_texts_ = orders_texts_ || are_texts;
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
  const bool is_any = expression.text == "= any";
  if (expression.kind == ExpressionKind::unknown && expression.operands.size() == 2 &&
      (is_any || expression.text == "<> all")) {
    const Truth found =
        among(value(expression.operands[0], lookup), value(expression.operands[1], lookup));
    return is_any ? found : Truth{found.fails, found.holds};
  }
  if (expression.kind == ExpressionKind::call) {
    if (const auto tested = test(expression, lookup)) return *tested;
  }
  return to_truth(value(expression, lookup));
}

}  // namespace heddle::find
