// Values of SQL as terms: a value may be null, and a condition may be neither true nor false.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "find/forms/typed_literals.h"
#include "find/values/joined_texts.h"
#include "heddle/program.h"
#include "heddle/value_type.h"
#include "smt/term.h"

namespace heddle::find {

using smt::Sort;

// `value` means nothing where `is_null` holds.
struct SqlValue {
  Term value;
  Term is_null;
};

// A condition by SQL's three-valued logic; where neither holds it is null.
struct Truth {
  Term holds;
  Term fails;
};

// Texts, points in time and whatever else is only compared are whole numbers.
Sort sort_of(ValueType type);
// "numeric(12,2)", "integer[]": of a variable.
Sort sort_of_type(std::string_view type);

// What a leaf of an expression is: a variable, a field of a row, or a value that is not understood.
using Lookup = std::function<SqlValue(const Expression& leaf)>;

// How an evaluator takes what stores and clients may see in more ways than one.
enum class Reading : std::uint8_t {
  // As nearly all of them see it: a function of equal values has equal values and is null where
  // one of them is, two texts written in two ways are two values, decimals are not rounded.
  usual,
  // Any value it may have anywhere: what a formula rules out then cannot happen.
  cautious,
};

// What the store's clock says, in seconds, or in days (find/forms/moments.h).
struct ClockValue {
  Term value;
  bool is_day = false;
};

// What a truth value is next to a number.
enum class TruthValues : std::uint8_t {
  of_their_own,  // 0 and 1 are false and true, what others are is left open
  numbers,       // MySQL's: 1 and 0, and whatever is not 0 is true
};

// How most collations order texts: by their letters, whatever their case. Points in time that are
// written alike are in their own order.
struct TextOrder {
  bool operator()(std::string_view a, std::string_view b) const;
};

// Makes terms of expressions. What has no exact counterpart (products of two unknown values,
// functions) becomes an unknown function of its operands, and chance and the clock unknown values.
class Evaluator {
 public:
  explicit Evaluator(Terms& terms, Reading reading = Reading::usual,
                     TruthValues truths = TruthValues::of_their_own)
      : terms_(terms),
        is_cautious_(reading == Reading::cautious),
        truths_(truths),
        joined_(terms) {}

  SqlValue value(const Expression& expression, const Lookup& lookup);
  Truth truth(const Expression& expression, const Lookup& lookup);

  Terms& terms() { return terms_; }
  SqlValue null() { return {terms_.integer(0), terms_.truth(true)}; }
  SqlValue known(Term value) { return {value, terms_.truth(false)}; }
  SqlValue text(const std::string& text);
  // Any value, also null unless `never_null`.
  SqlValue unknown(std::string_view stem, Sort sort, bool never_null = false);
  SqlValue choose(Term condition, const SqlValue& then, const SqlValue& otherwise);
  // The same value as one of another sort.
  SqlValue as(const SqlValue& value, Sort sort);
  // The same, where it is a number: true is 1, false is 0.
  SqlValue as_number(const SqlValue& value, Sort sort);
  Truth compare(std::string_view operation, const SqlValue& a, const SqlValue& b);
  // What a text beside it means.
  void know_kind(Term value, LiteralKind kind) { kinds_.emplace(value, kind); }
  // What unknown() gave is a whole number.
  void know_whole(const SqlValue& value) { open_.erase(value.value); }

  // Arrays are whole numbers, too, with their elements and sizes as functions of them.
  SqlValue element(const SqlValue& array, const SqlValue& place, Sort sort);
  SqlValue cardinality(const SqlValue& array);
  // One that begins with what `array` has, whose elements are of the sort.
  SqlValue array_longer(const SqlValue& array, Sort sort);
  // The array with another value at a place, which is known to be there within the array alone.
  SqlValue array_with(const SqlValue& array, const SqlValue& place, const SqlValue& stored);
  // What holds of the arrays and values that were made, whatever else does.
  const std::vector<Term>& facts() const { return facts_; }
  void add_fact(Term fact) { facts_.push_back(fact); }
  // The arrays of which facts() tell how they were made.
  const std::vector<Term>& made_arrays() const { return made_arrays_; }
  // The numbers that stand for the texts of the program, in the order of these.
  const std::map<std::string, std::int64_t, TextOrder>& texts() const { return texts_; }
  const std::vector<ClockValue>& clocks() const { return clocks_; }
  // That a list has more elements than are looked at one by one where one of them is sought.
  const std::vector<Term>& long_lists() const { return long_lists_; }
  // Whether it was asked whether one of them comes before another value.
  bool orders_texts() const { return orders_texts_; }
  const std::vector<JoinedText>& joined_texts() const { return joined_.all(); }

 private:
  SqlValue literal(const std::string& text);
  SqlValue call(const Expression& expression, const Lookup& lookup);
  SqlValue choice(const Expression& expression, const Lookup& lookup);
  SqlValue coalesce(const std::vector<SqlValue>& values);
  std::optional<SqlValue> clock(const Expression& asked);
  SqlValue extreme(const std::string& name, const std::vector<SqlValue>& values);
  SqlValue computed(const std::string& name, const SqlValue& a, const SqlValue& b);
  SqlValue arithmetic(const std::string& name, const SqlValue& a, const SqlValue& b);
  SqlValue divide(const SqlValue& a, const SqlValue& b, bool fraction);
  SqlValue function(const std::string& name, const std::vector<SqlValue>& operands, Sort sort);
  SqlValue array_of(const std::vector<SqlValue>& elements);
  SqlValue array_like(const SqlValue& array, Sort sort, Term changed);
  SqlValue array_append(const SqlValue& array, const SqlValue& added);
  std::optional<Truth> test(const Expression& expression, const Lookup& lookup);
  Truth logic(const Expression& expression, const Lookup& lookup);
  Truth among(const SqlValue& sought, const SqlValue& list);
  Truth membership(const Expression& expression, const Lookup& lookup);
  SqlValue of_truth(const Truth& truth);
  Truth to_truth(const SqlValue& value);
  SqlValue meant_beside(const SqlValue& text, const SqlValue& other);
  SqlValue cautious_text(const std::string& text);
  std::int64_t code_between(std::optional<std::int64_t> low,
                            std::optional<std::int64_t> high) const;
  SqlValue joined(const Expression& expression, const Lookup& lookup);

  Terms& terms_;
  bool is_cautious_ = false;
  TruthValues truths_ = TruthValues::of_their_own;
  std::map<std::string, std::int64_t, TextOrder> texts_;
  std::set<Term> open_;  // whole numbers in the formula, which may be fractions in truth
  std::map<std::string, Term> text_codes_;
  std::map<Term, std::string> text_terms_;
  std::map<Term, LiteralKind> kinds_;  // of cells of columns
  bool orders_texts_ = false;
  JoinedTexts joined_;
  std::vector<Term> facts_;
  std::vector<Term> made_arrays_;
  std::vector<ClockValue> clocks_;
  std::vector<Term> long_lists_;
};

}  // namespace heddle::find
