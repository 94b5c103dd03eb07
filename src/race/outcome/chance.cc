// Rows of equal runs are paired, those first that differ in the fewest cells, and cells that differ
// get a rule. With each rule more rows are equal, so that this is repeated until no rule is added.
#include "race/outcome/chance.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "race/outcome/field_words.h"
#include "race/outcome/tuple_comparison.h"

namespace heddle {

namespace {

// Digits of a number that is an identity, a time in fine units, or made by chance.
constexpr std::size_t kManyDigits = 9;
constexpr std::size_t kLongText = 16;
// Rows for which the best partner is looked for among all; of more, the next one is taken.
constexpr std::size_t kMostPaired = 200;
constexpr std::size_t kShownLength = 60;

std::string shown_value(const TupleCell& cell) {
  if (cell.is_null) return "NULL";
  if (cell.text.size() <= kShownLength) return cell.text;
  return cell.text.substr(0, kShownLength) + "...";
}

std::size_t count_differing_cells(const TupleRow& one, const TupleRow& other) {
  std::size_t count = one.cells.size() == other.cells.size() ? 0 : 1'000;
  for (std::size_t i = 0; i < std::min(one.cells.size(), other.cells.size()); ++i) {
    count +=
        one.cells[i].is_null != other.cells[i].is_null || one.cells[i].text != other.cells[i].text
            ? 1
            : 0;
  }
  return count;
}

// A token of JWT has the second in it, so that two are equal when they were made in one.
bool is_signed(const TextToken& token) { return token.text.starts_with("eyJ"); }

using RowPair = std::pair<const TupleRow*, const TupleRow*>;

// The rows of one label, paired; both lists are of one length.
std::vector<RowPair> pair_rows(std::vector<const TupleRow*> one,
                               std::vector<const TupleRow*> other) {
  std::vector<RowPair> pairs;
  if (one.size() > kMostPaired) {
    for (std::size_t i = 0; i < one.size(); ++i) pairs.emplace_back(one[i], other[i]);
    return pairs;
  }
  while (!one.empty()) {
    std::size_t best = 1'000'000;
    std::pair<std::size_t, std::size_t> chosen;
    for (std::size_t i = 0; i < one.size(); ++i) {
      for (std::size_t j = 0; j < other.size(); ++j) {
        const std::size_t differing = count_differing_cells(*one[i], *other[j]);
        if (differing >= best) continue;
        best = differing;
        chosen = {i, j};
      }
    }
    pairs.emplace_back(one[chosen.first], other[chosen.second]);
    one.erase(one.begin() + static_cast<std::ptrdiff_t>(chosen.first));
    other.erase(other.begin() + static_cast<std::ptrdiff_t>(chosen.second));
  }
  return pairs;
}

class ChanceLearner {
 public:
  explicit ChanceLearner(OutcomeRules& rules) : rules_(rules) {}

  std::vector<std::string> learn(const std::vector<EqualRuns>& pairs) {
    do {
      has_learned_ = false;
      trouble_.clear();
      for (const EqualRuns& runs : pairs) learn_from(runs);
    } while (has_learned_);
    for (const EqualRuns& runs : pairs) learn_errors(*runs.one, *runs.other);
    std::ranges::sort(trouble_);
    const auto repeated = std::ranges::unique(trouble_);
    trouble_.erase(repeated.begin(), repeated.end());
    return std::move(trouble_);
  }

 private:
  struct OpenRows {
    std::vector<const TupleRow*> one;
    std::vector<const TupleRow*> other;
  };

  void learn_from(const EqualRuns& runs) {
    std::map<std::pair<BlockKind, std::string>, std::map<std::string, OpenRows>> open;
    for (const TupleBlock& block : runs.one->blocks) {
      for (const TupleRow& row : block.rows) {
        open[{block.kind, block.title}][row.label].one.push_back(&row);
      }
    }
    for (const TupleBlock& block : runs.other->blocks) {
      for (const TupleRow& row : block.rows) {
        open[{block.kind, block.title}][row.label].other.push_back(&row);
      }
    }
    for (auto& [key, rows_of] : open) {
      for (auto& [label, rows] : rows_of) {
        drop_equal_rows(runs, rows);
        if (rows.one.size() != rows.other.size()) {
          note_counts(key, label, rows);
          continue;
        }
        for (const auto& [one, other] : pair_rows(rows.one, rows.other)) {
          for (std::size_t i = 0; i < std::min(one->cells.size(), other->cells.size()); ++i) {
            learn_cell(key, runs, {&one->cells[i], &other->cells[i]});
          }
        }
      }
    }
  }

  void drop_equal_rows(const EqualRuns& runs, OpenRows& rows) const {
    std::unordered_map<std::string, std::vector<const TupleRow*>> by_outline;
    for (const TupleRow* row : rows.other) {
      by_outline[outline_text(*runs.other, *row, rules_)].push_back(row);
    }
    std::vector<const TupleRow*> left;
    for (const TupleRow* row : rows.one) {
      std::vector<const TupleRow*>& equal = by_outline[outline_text(*runs.one, *row, rules_)];
      if (equal.empty()) {
        left.push_back(row);
      } else {
        std::erase(rows.other, equal.back());
        equal.pop_back();
      }
    }
    rows.one = std::move(left);
  }

  void note_counts(const std::pair<BlockKind, std::string>& key, const std::string& label,
                   const OpenRows& rows) {
    if (key.first == BlockKind::table) {
      trouble_.push_back(fmt::format(
          "{}: one run has {} rows {} that the other has not, which has "
          "{} of its own",
          key.second, rows.one.size(), label == "gone" ? "less" : "more", rows.other.size()));
    } else {
      trouble_.push_back(fmt::format("{}: {} is there in one run only", key.second, label));
    }
  }

  using CellPair = std::pair<const TupleCell*, const TupleCell*>;

  void learn_cell(const std::pair<BlockKind, std::string>& key, const EqualRuns& runs,
                  const CellPair& cells) {
    const TupleCell& one = *cells.first;
    const TupleCell& other = *cells.second;
    if (one.is_null == other.is_null && one.text == other.text) return;
    if (one.place == nullptr || one.place != other.place) {
      trouble_.push_back(fmt::format("{}: {} in one run, {} in the other", key.second,
                                     shown_value(one), shown_value(other)));
      return;
    }
    const auto whole = rules_.places.find(*one.place);
    const Treatment known =
        whole == rules_.places.end() ? Treatment::literal : whole->second.treatment;
    const bool is_settled = known == Treatment::ignored ||
                            (known != Treatment::literal && one.is_null == other.is_null);
    if (is_settled) return;
    if (one.is_null || other.is_null || !have_equal_shape(one.tokens, other.tokens)) {
      learn_whole(key.first, one, other);
      return;
    }
    for (std::size_t i = 0; i < one.tokens.size(); ++i) {
      if (one.tokens[i].text == other.tokens[i].text) continue;
      const Treatment treated = rule_of(rules_, *runs.one, one, i).treatment;
      if (treated != Treatment::literal &&
          treated == rule_of(rules_, *runs.other, other, i).treatment) {
        continue;
      }
      learn_token(key.first, {&one, &other}, i);
    }
  }

  // Both values cannot be laid side by side.
  void learn_whole(BlockKind kind, const TupleCell& one, const TupleCell& other) {
    const bool is_null = one.is_null || other.is_null;
    const bool is_long = std::min(one.text.size(), other.text.size()) >= kLongText;
    if (kind == BlockKind::answer || names_noise(field_words(*one.place)) ||
        (is_long && !is_null)) {
      add_rule(*one.place, {.treatment = is_null ? Treatment::ignored : Treatment::masked});
      return;
    }
    note_value(one, other);
  }

  void learn_token(BlockKind kind, const CellPair& cells, std::size_t token) {
    const TupleCell& cell = *cells.first;
    const TextToken& text = cell.tokens[token];
    const std::vector<std::string> words = field_words(*cell.place);
    const TokenPlace place(*cell.place, token);
    const bool is_number = text.kind == TokenKind::number;
    const bool is_long_number =
        is_number &&
        std::min(text.text.size(), cells.second->tokens[token].text.size()) >= kManyDigits;
    if (text.kind == TokenKind::time || text.kind == TokenKind::address || is_signed(text)) {
      add_token_rule(place, {.treatment = Treatment::masked});
    } else if (text.kind == TokenKind::opaque ||
               cells.second->tokens[token].kind == TokenKind::opaque) {
      add_token_rule(place, {Treatment::named, "opaque"});
    } else if (is_number && names_identity(words)) {
      add_token_rule(place, {Treatment::named, fmt::format("{} {}", place.first, token)});
    } else if (is_long_number || kind == BlockKind::answer || names_noise(words)) {
      add_token_rule(place, {.treatment = Treatment::masked});
    } else {
      note_value(cell, *cells.second);
    }
  }

  void note_value(const TupleCell& one, const TupleCell& other) {
    trouble_.push_back(fmt::format("{} is {} in one run, {} in the other", *one.place,
                                   shown_value(one), shown_value(other)));
  }

  void add_rule(const std::string& place, PlaceRule rule) {
    rules_.places[place] = std::move(rule);
    has_learned_ = true;
  }
  // A rule that was there did not make the values equal, as a time is no time in another row.
  void add_token_rule(const TokenPlace& place, PlaceRule rule) {
    const auto [found, is_new] = rules_.tokens.emplace(place, rule);
    if (!is_new) found->second = {.treatment = Treatment::masked};
    has_learned_ = true;
  }

  // Errors that one of two equal runs has more often come by chance.
  void learn_errors(const OutcomeTuple& one, const OutcomeTuple& other) {
    for (const auto& [runs, others] : {std::pair(&one, &other), std::pair(&other, &one)}) {
      for (const auto& [service, errors] : runs->errors) {
        const auto found = others->errors.find(service);
        for (const auto& [words, times] : errors) {
          const bool is_equal = found != others->errors.end() && found->second.contains(words) &&
                                found->second.at(words) == times;
          if (!is_equal) rules_.chance_errors.insert(words);
        }
      }
    }
  }

  OutcomeRules& rules_;
  std::vector<std::string> trouble_;
  bool has_learned_ = false;
};

}  // namespace

std::vector<std::string> learn_chance(const std::vector<EqualRuns>& pairs, OutcomeRules& rules) {
  return ChanceLearner(rules).learn(pairs);
}

}  // namespace heddle
