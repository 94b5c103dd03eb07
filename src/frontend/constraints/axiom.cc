// The grammar, loosest first: implication, "or", "and", "not", and what is in parentheses.
#include "frontend/constraints/axiom.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.h"
#include "frontend/spec/block_positions.h"
#include "frontend/sql/words/lexer.h"

namespace heddle {

namespace {

using enum OrderFormulaKind;

struct Predicate {
  std::string_view word;
  OrderFormulaKind kind;
  std::size_t operations;
  bool has_name;
};

constexpr std::array kPredicates = {
    Predicate{"vis", visible, 2, false},           Predicate{"ar", arbitrated, 2, false},
    Predicate{"so", session_order, 2, false},      Predicate{"st", same_transaction, 2, false},
    Predicate{"same_store", same_store, 2, false}, Predicate{"same_row", same_row, 2, false},
    Predicate{"write", writes, 1, false},          Predicate{"read", reads, 1, false},
    Predicate{"of", of_functionality, 1, true},    Predicate{"on", on_table, 1, true},
};

constexpr std::size_t kMostDepth = 100;
// Each axiom is said of all choices of operations, so that more would never end.
constexpr std::size_t kMostOperations = 4;
constexpr std::size_t kMostPredicates = 1'000'000;

bool is_connective(std::string_view word) {
  static constexpr std::array<std::string_view, 5> kWords = {"and", "or", "not", "imply",
                                                             "implies"};
  return std::ranges::find(kWords, word) != kWords.end();
}

// Equal for formulas that say the same word for word. They are no deeper than kMostDepth lets them.
std::string key_of(const OrderFormula& formula) {
  std::string key =
      fmt::format("{}:{} {} {}(", static_cast<int>(formula.kind),
                  fmt::join(formula.operations, ","), formula.name.size(), formula.name);
  for (const OrderFormula& part : formula.parts) key += key_of(part);
  return key + ")";
}

// Each method reads one construct that begins at `at_` and leaves `at_` behind it; none: `error_`
// is set.
class AxiomReader {
 public:
  AxiomReader(std::string name, const SqlBlock& block, const std::string& file)
      : tokens_(block.text), positions_(block), end_(block.text.size()), file_(file) {
    axiom_.name = std::move(name);
  }

  Result<OrderAxiom> read() {
    std::optional<OrderFormula> formula = implication();
    if (formula && at_ < tokens_.size()) {
      formula = fail(fmt::format("\"{}\" stands behind the axiom", tokens_.text(at_)),
                     "join formulas by: and, or, implies");
    }
    if (!formula) return *std::move(error_);
    axiom_.formula = *std::move(formula);
    return std::move(axiom_);
  }

 private:
  using Parsed = std::optional<OrderFormula>;

  Parsed fail(std::string what, std::string what_to_do) {
    const std::size_t offset = at_ < tokens_.size() ? tokens_[at_].offset : end_;
    error_ = Diagnostic{.what = std::move(what),
                        .what_to_do = std::move(what_to_do),
                        .file = file_,
                        .position = positions_.at(offset),
                        .trouble = Trouble::bad_input};
    return std::nullopt;
  }

  std::string next() const {
    return at_ < tokens_.size() ? fmt::format("\"{}\"", tokens_.text(at_)) : "the end";
  }

  // One node of all parts, however many, so that long axioms are not deep. A part said twice is
  // said once.
  static OrderFormula joined(OrderFormulaKind kind, std::vector<OrderFormula> parts) {
    if (parts.size() == 1) return std::move(parts.front());
    OrderFormula all{.kind = kind, .position = parts.front().position};
    std::set<std::string> seen;
    for (OrderFormula& part : parts) {
      if (seen.insert(key_of(part)).second) all.parts.push_back(std::move(part));
    }
    return all.parts.size() == 1 ? std::move(all.parts.front()) : std::move(all);
  }

  Parsed implication() {
    Parsed left = disjunction();
    const std::string word = tokens_.word(at_);
    if (!left || (word != "imply" && word != "implies")) return left;
    ++at_;
    Parsed right = disjunction();
    if (!right) return right;
    const std::string again = tokens_.word(at_);
    if (again == "imply" || again == "implies") {
      return fail("an implication of an implication", "put one of them in parentheses");
    }
    OrderFormula whole{.kind = OrderFormulaKind::implication, .position = left->position};
    whole.parts.push_back(*std::move(left));
    whole.parts.push_back(*std::move(right));
    return whole;
  }

  Parsed disjunction() {
    return chain("or", OrderFormulaKind::disjunction, &AxiomReader::conjunction);
  }

  Parsed conjunction() {
    return chain("and", OrderFormulaKind::conjunction, &AxiomReader::negation);
  }

  Parsed chain(std::string_view word, OrderFormulaKind kind, Parsed (AxiomReader::*read_part)()) {
    std::vector<OrderFormula> parts;
    do {
      if (!parts.empty()) ++at_;
      Parsed part = (this->*read_part)();
      if (!part) return part;
      parts.push_back(*std::move(part));
    } while (tokens_.word(at_) == word);
    return joined(kind, std::move(parts));
  }

  Parsed negation() {
    if (++depth_ > kMostDepth) return fail("an axiom this deep cannot be read", "write it flatter");
    Parsed read;
    if (tokens_.word(at_) == "not") {
      OrderFormula whole{.kind = OrderFormulaKind::negation, .position = position()};
      ++at_;
      if (Parsed part = negation()) {
        whole.parts.push_back(*std::move(part));
        read = std::move(whole);
      }
    } else if (tokens_.is_symbol(at_, '(')) {
      ++at_;
      read = implication();
      if (read && !take(')')) read = std::nullopt;
    } else {
      read = predicate();
    }
    --depth_;
    return read;
  }

  SourcePosition position() { return positions_.at(tokens_[at_].offset); }

  bool take(char symbol) {
    if (!tokens_.is_symbol(at_, symbol)) {
      fail(fmt::format("{} stands where \"{}\" is expected", next(), symbol),
           "predicates look like: vis(a, b)");
      return false;
    }
    ++at_;
    return true;
  }

  Parsed predicate() {
    const std::string word = tokens_.word(at_);
    const auto* found = std::ranges::find(kPredicates, word, &Predicate::word);
    if (found == kPredicates.end()) return unknown_predicate(word);
    if (++predicates_ > kMostPredicates) {
      return fail(fmt::format("an axiom of more than {} predicates", kMostPredicates),
                  "divide it into several axioms");
    }
    OrderFormula read{.kind = found->kind, .position = position()};
    ++at_;
    if (!take('(')) return std::nullopt;
    for (std::size_t i = 0; i < found->operations; ++i) {
      if (i > 0 && !take(',')) return std::nullopt;
      const auto operation = variable();
      if (!operation) return std::nullopt;
      read.operations.push_back(*operation);
    }
    if (found->has_name && !take_name(read)) return std::nullopt;
    if (!take(')')) return std::nullopt;
    return read;
  }

  Parsed unknown_predicate(const std::string& word) {
    std::vector<std::string> known;
    for (const Predicate& each : kPredicates) known.emplace_back(each.word);
    const std::string closest = closest_word(word, known);
    return fail(fmt::format("{} stands where a predicate is expected", next()),
                closest.empty() ? fmt::format("use one of: {}", join(known, ", "))
                                : fmt::format("did you mean \"{}\"?", closest));
  }

  std::optional<std::size_t> variable() {
    const std::string word = tokens_.word(at_);
    if (word.empty() || is_connective(word)) {
      fail(fmt::format("{} stands where an operation is expected", next()),
           "name operations by words such as a and b");
      return std::nullopt;
    }
    std::vector<std::string>& names = axiom_.operations;
    const auto known = std::ranges::find(names, word);
    const auto number = static_cast<std::size_t>(known - names.begin());
    if (known == names.end()) {
      if (names.size() == kMostOperations) {
        fail(fmt::format("an axiom of more than {} operations", kMostOperations),
             "say it with fewer");
        return std::nullopt;
      }
      names.push_back(word);
    }
    ++at_;
    return number;
  }

  bool take_name(OrderFormula& formula) {
    if (!take(',')) return false;
    const bool is_quoted = at_ < tokens_.size() && tokens_[at_].kind == sql::TokenKind::quoted_name;
    if (!is_quoted && tokens_.word(at_).empty()) {
      fail(fmt::format("{} stands where a name is expected", next()),
           formula.kind == on_table ? "write the name of a table: on(a, account)"
                                    : "write the name of a functionality: of(a, transfer)");
      return false;
    }
    formula.position = position();
    formula.name = std::string(tokens_.text(at_));
    if (is_quoted && formula.name.size() >= 2) {
      formula.name = formula.name.substr(1, formula.name.size() - 2);
    }
    ++at_;
    return true;
  }

  sql::Tokens tokens_;
  BlockPositions positions_;
  std::size_t end_ = 0;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::size_t predicates_ = 0;
  OrderAxiom axiom_;
  std::optional<Diagnostic> error_;
};

}  // namespace

Result<OrderAxiom> read_axiom(std::string name, const SqlBlock& formula, const std::string& file) {
  return AxiomReader(std::move(name), formula, file).read();
}

}  // namespace heddle
