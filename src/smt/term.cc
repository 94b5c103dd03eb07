#include "smt/term.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <utility>

#include "base/assert.h"

namespace heddle::smt {

namespace {

// The value of a constant that fits; larger ones are left to the solver.
std::optional<std::int64_t> small_integer(const TermNode& node) {
  if (node.op != Op::constant || node.sort != Sort::integer) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = node.text.data() + node.text.size();
  const auto [at, error] = std::from_chars(node.text.data(), end, value);
  constexpr std::int64_t kLargest = std::int64_t{1} << 31;
  if (error != std::errc() || at != end || value > kLargest || value < -kLargest) {
    return std::nullopt;
  }
  return value;
}

// Longer lists of conditions are kept as they are, so that one that grows step by step is not
// copied at each of them.
constexpr std::size_t kMostMerged = 64;

// 1.50 and 1.5 are one number.
std::string plain_decimal(std::string_view text) {
  std::string digits(text);
  if (digits.find('.') != std::string::npos) {
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.ends_with('.')) digits.pop_back();
  }
  return digits.empty() || digits == "-" || digits == "-0" ? "0" : digits;
}

std::uint32_t hash_of(const TermNode& node) {
  constexpr std::uint64_t kPrime = 1'099'511'628'211U;
  std::uint64_t hash = std::hash<std::string>()(node.text);
  hash = (hash ^ static_cast<std::uint64_t>(node.op)) * kPrime;
  hash = (hash ^ static_cast<std::uint64_t>(node.sort)) * kPrime;
  for (const Term operand : node.operands) hash = (hash ^ operand.index) * kPrime;
  // The upper half has been mixed most.
  return static_cast<std::uint32_t>(hash >> 32U);
}

constexpr std::size_t kPlacesAtFirst = 1024;

}  // namespace

Terms::Terms(std::function<bool()> is_abandoned)
    : index_(kPlacesAtFirst), is_abandoned_(std::move(is_abandoned)) {
  for (const std::string_view word : {"false", "true"}) {
    intern({.op = Op::constant, .sort = Sort::truth, .text = std::string(word), .operands = {}});
  }
}

Term Terms::intern(TermNode node) {
  constexpr std::size_t kTermsBetweenQuestions = 1024;
  ++asked_for_;
  if (is_abandoned_ && asked_for_ % kTermsBetweenQuestions == 0 && is_abandoned_()) {
    throw Abandoned{};
  }
  const std::uint32_t hash = hash_of(node);
  Place& place = place_of(node, hash);
  if (place.number != 0) return Term{place.number - 1};
  const Term next{static_cast<std::uint32_t>(nodes_.size())};
  place = {.number = next.index + 1, .hash = hash};
  std::size_t depth = 0;
  for (const Term operand : node.operands) depth = std::max(depth, depths_[operand.index]);
  depths_.push_back(depth + 1);
  nodes_.push_back(std::move(node));
  if (2 * nodes_.size() > index_.size()) grow();
  return next;
}

// Where it is, or the free place where it would be.
Terms::Place& Terms::place_of(const TermNode& node, std::uint32_t hash) {
  const std::size_t mask = index_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Place& place = index_[at];
    const bool is_it =
        place.number == 0 || (place.hash == hash && nodes_[place.number - 1] == node);
    if (is_it) return place;
  }
}

void Terms::grow() {
  std::vector<Place> grown(2 * index_.size());
  const std::size_t mask = grown.size() - 1;
  for (const Place& place : index_) {
    if (place.number == 0) continue;
    std::size_t at = place.hash & mask;
    while (grown[at].number != 0) at = (at + 1) & mask;
    grown[at] = place;
  }
  index_ = std::move(grown);
}

Term Terms::integer(std::int64_t value) { return number(std::to_string(value), Sort::integer); }

Term Terms::number(std::string_view decimal, Sort sort) {
  return intern({.op = Op::constant, .sort = sort, .text = plain_decimal(decimal), .operands = {}});
}

Term Terms::symbol(std::string name, Sort sort) {
  return intern({.op = Op::symbol, .sort = sort, .text = std::move(name), .operands = {}});
}

Term Terms::fresh(std::string_view stem, Sort sort) {
  return symbol(std::string(stem) + "'" + std::to_string(next_fresh_++), sort);
}

Term Terms::apply(std::string name, Sort sort, std::vector<Term> operands) {
  if (operands.empty()) return symbol(std::move(name), sort);
  return intern(
      {.op = Op::apply, .sort = sort, .text = std::move(name), .operands = std::move(operands)});
}

Term Terms::negate(Term term) {
  const TermNode& node = (*this)[term];
  if (is_true(term) || is_false(term)) return truth(is_false(term));
  if (node.op == Op::negation) return node.operands[0];
  return intern({.op = Op::negation, .sort = Sort::truth, .text = "", .operands = {term}});
}

// Sorted, without what is neutral and without doubles. What stands there with its opposite decides,
// also where that is the opposite of several that stand there.
Term Terms::join(Op op, const std::vector<Term>& terms) {
  const bool neutral = op == Op::conjunction;
  std::vector<Term> kept;
  for (const Term term : terms) {
    const TermNode& node = (*this)[term];
    if (term == truth(!neutral)) return term;
    if (node.op == op && node.operands.size() < kMostMerged) {
      kept.insert(kept.end(), node.operands.begin(), node.operands.end());
    } else if (term != truth(neutral)) {
      kept.push_back(term);
    }
  }
  std::ranges::sort(kept);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  const auto stands = [&](Term term) { return std::ranges::binary_search(kept, term); };
  for (const Term term : kept) {
    if ((*this)[term].op != Op::negation) continue;
    const Term opposite = (*this)[term].operands[0];
    const TermNode& several = (*this)[opposite];
    const bool decides =
        stands(opposite) || (several.op == op && std::ranges::all_of(several.operands, stands));
    if (decides) return truth(!neutral);
  }
  if (kept.empty()) return truth(neutral);
  if (kept.size() == 1) return kept[0];
  return intern({.op = op, .sort = Sort::truth, .text = "", .operands = std::move(kept)});
}

Term Terms::all(const std::vector<Term>& terms) { return join(Op::conjunction, terms); }
Term Terms::any(const std::vector<Term>& terms) { return join(Op::disjunction, terms); }

Term Terms::to_fraction(Term term) {
  const TermNode& node = (*this)[term];
  if (node.sort == Sort::fraction) return term;
  if (node.op == Op::constant) return number(node.text, Sort::fraction);
  return intern({.op = Op::fraction_of, .sort = Sort::fraction, .text = "", .operands = {term}});
}

void Terms::match_sorts(Term& a, Term& b) {
  if (sort(a) == sort(b)) return;
  HEDDLE_ASSERT(sort(a) != Sort::truth && sort(b) != Sort::truth);
  a = to_fraction(a);
  b = to_fraction(b);
}

Term Terms::compare(Op op, Term a, Term b) {
  match_sorts(a, b);
  if (a == b) return truth(op != Op::less);
  const auto left = small_integer((*this)[a]);
  const auto right = small_integer((*this)[b]);
  if (left && right) {
    return truth(op == Op::equality ? *left == *right
                 : op == Op::less   ? *left < *right
                                    : *left <= *right);
  }
  if (op == Op::equality && b < a) std::swap(a, b);
  return intern({.op = op, .sort = Sort::truth, .text = "", .operands = {a, b}});
}

Term Terms::equal(Term a, Term b) {
  if (sort(a) == Sort::truth && sort(b) == Sort::truth) {
    if (is_true(a) || is_true(b)) return is_true(a) ? b : a;
    if (is_false(a) || is_false(b)) return negate(is_false(a) ? b : a);
  }
  return compare(Op::equality, a, b);
}

Term Terms::less(Term a, Term b) { return compare(Op::less, a, b); }
Term Terms::less_or_equal(Term a, Term b) { return compare(Op::less_or_equal, a, b); }

Term Terms::choose(Term condition, Term then, Term otherwise) {
  match_sorts(then, otherwise);
  if (is_true(condition) || then == otherwise) return then;
  if (is_false(condition)) return otherwise;
  if (sort(then) == Sort::truth) {
    return all(implies(condition, then), any(condition, otherwise));
  }
  return intern(
      {.op = Op::choice, .sort = sort(then), .text = "", .operands = {condition, then, otherwise}});
}

Term Terms::add(Term a, Term b) {
  match_sorts(a, b);
  const auto left = small_integer((*this)[a]);
  const auto right = small_integer((*this)[b]);
  if (left && right) return integer(*left + *right);
  if (is_constant(a) && (*this)[a].text == "0") return b;
  if (is_constant(b) && (*this)[b].text == "0") return a;
  if (b < a) std::swap(a, b);
  return intern({.op = Op::sum, .sort = sort(a), .text = "", .operands = {a, b}});
}

Term Terms::multiply(Term a, Term b) {
  match_sorts(a, b);
  HEDDLE_ASSERT(is_constant(a) || is_constant(b));
  const auto left = small_integer((*this)[a]);
  const auto right = small_integer((*this)[b]);
  if (left && right) return integer(*left * *right);
  if (is_constant(a) && (*this)[a].text == "1") return b;
  if (is_constant(b) && (*this)[b].text == "1") return a;
  return intern({.op = Op::product, .sort = sort(a), .text = "", .operands = {a, b}});
}

Term Terms::scale(Term term, std::int64_t factor) {
  return multiply(number(std::to_string(factor), sort(term)), term);
}

std::string to_string(const Terms& terms, Term term) {
  static constexpr std::string_view kWords[] = {"",  "",   "",    "not", "and", "or",         "=",
                                                "<", "<=", "ite", "+",   "*",   "to-fraction"};
  const TermNode& node = terms[term];
  if (node.operands.empty()) return node.text;
  std::string text = "(";
  text += node.op == Op::apply ? std::string_view(node.text)
                               : kWords[static_cast<std::size_t>(node.op)];
  for (const Term operand : node.operands) text += " " + to_string(terms, operand);
  return text + ")";
}

}  // namespace heddle::smt
