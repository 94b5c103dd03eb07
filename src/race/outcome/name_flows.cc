#include "race/outcome/name_flows.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "base/text.h"
#include "race/outcome/field_words.h"

namespace heddle {

namespace {

// Names of this length are equal to something else by intent.
constexpr std::size_t kTellingLength = 6;

// What it counts for a place to be called after the table of the names.
constexpr int kCalledScore = 4;

using ValueSet = std::set<std::string>;

// Values of a domain, or at a place, by run.
using RunValues = std::vector<ValueSet>;

struct NameDomain {
  RunValues values;                    // made in that run
  std::set<std::string> called;        // singular names of its tables
  std::set<std::string> column_names;  // and of its columns
};

// Where values stand that may be names.
struct ValuePlace {
  RunValues values;
  std::set<std::string> before;  // the words before them in their texts: "/orders/17"
};

class NameFlows {
 public:
  NameFlows(const std::vector<const OutcomeTuple*>& runs, OutcomeRules& rules)
      : runs_(runs), rules_(rules) {}

  void learn() {
    for (std::size_t run = 0; run < runs_.size(); ++run) {
      for (const TupleBlock& block : runs_[run]->blocks) {
        for (const TupleRow& row : block.rows) {
          for (const TupleCell& cell : row.cells) note_cell(run, block, cell);
        }
      }
    }
    for (const auto& [place, values] : places_) join_place(place, values);
    for (auto& [place, rule] : rules_.places) settle(rule);
    for (auto& [place, rule] : rules_.tokens) settle(rule);
    for (const auto& [name, domain] : domains_) {
      const std::string root = root_of(name);
      if (root != name) rules_.fixed[root].merge(rules_.fixed[name]);
    }
  }

 private:
  void note_cell(std::size_t run, const TupleBlock& block, const TupleCell& cell) {
    if (cell.place == nullptr || cell.is_null) return;
    const auto whole = rules_.places.find(*cell.place);
    if (whole != rules_.places.end()) {
      if (whole->second.treatment == Treatment::named) {
        note_name(run, whole->second.domain, block, cell, cell.text);
      }
      return;
    }
    std::string word;
    for (std::size_t i = 0; i < cell.tokens.size(); ++i) {
      const TextToken& token = cell.tokens[i];
      if (token.kind == TokenKind::word) word = singular(token.text);
      if (token.kind != TokenKind::number && token.kind != TokenKind::opaque) continue;
      const auto rule = rules_.tokens.find({*cell.place, i});
      const bool is_named =
          rule != rules_.tokens.end() && rule->second.treatment == Treatment::named;
      if (rule != rules_.tokens.end() && !is_named) continue;
      if (is_named) note_name(run, rule->second.domain, block, cell, token.text);
      ValuePlace& place = places_[{*cell.place, i}];
      place.values.resize(runs_.size());
      place.values[run].insert(token.text);
      place.before.insert(word);
    }
  }

  void note_name(std::size_t run, const std::string& name, const TupleBlock& block,
                 const TupleCell& cell, const std::string& value) {
    NameDomain& domain = domains_[name];
    domain.values.resize(runs_.size());
    if (!is_fixed(rules_, name, value)) domain.values[run].insert(value);
    if (block.kind != BlockKind::table) return;
    domain.called.insert(singular(block.title.substr(block.title.find(": ") + 2)));
    domain.column_names.insert(cell.place->substr(cell.place->rfind('.') + 1));
  }

  // Where two domains have all values of a place, and its name does not say which is meant, nothing
  // can be told of it: two sequences may give equal numbers in all serial runs and not in others.
  void join_place(const TokenPlace& place, const ValuePlace& values) {
    const auto own = rules_.tokens.find(place);
    std::string best;
    int best_score = 0;
    bool is_tie = false;
    for (const auto& [name, domain] : domains_) {
      if (own != rules_.tokens.end() && own->second.domain == name) continue;
      if (!is_within(values.values, name, domain)) continue;
      const int score = score_of(place.first, values, domain);
      is_tie = score == best_score ? is_tie || root_of(name) != root_of(best) : false;
      if (score <= best_score) continue;
      best = name;
      best_score = score;
      is_tie = false;
    }
    if (best_score == 0) return;
    if (is_tie && best_score < kCalledScore) {
      if (own == rules_.tokens.end()) rules_.tokens[place] = {.treatment = Treatment::masked};
      return;
    }
    if (own != rules_.tokens.end()) unite(own->second.domain, best);
    rules_.tokens[place] = {Treatment::named, best};
  }

  bool is_within(const RunValues& values, const std::string& name, const NameDomain& domain) const {
    bool has_new = false;
    for (std::size_t run = 0; run < values.size(); ++run) {
      for (const std::string& value : values[run]) {
        const bool is_new = domain.values[run].contains(value);
        if (!is_new && !is_fixed(rules_, name, value)) return false;
        has_new = has_new || is_new;
      }
    }
    return has_new;
  }

  // How much the place's own name says for the domain; 0: too little.
  static int score_of(const std::string& place, const ValuePlace& values,
                      const NameDomain& domain) {
    const std::vector<std::string> words = field_words(place);
    const std::vector<std::string> all = place_words(place);
    const bool is_long = std::ranges::all_of(values.values, [](const ValueSet& of_run) {
      return std::ranges::all_of(
          of_run, [](const std::string& value) { return value.size() >= kTellingLength; });
    });
    int score = is_long ? 2 : 0;
    if (names_row(words)) score += 1;
    const auto is_called = [&](const std::string& word) {
      return domain.called.contains(singular(word));
    };
    const bool is_called_before = values.before.size() == 1 && is_called(*values.before.begin());
    if (std::ranges::any_of(words, is_called) || is_called_before) score += kCalledScore;
    if (score > 0 && std::ranges::any_of(all, is_called)) score += 1;
    if (score > 0 && domain.column_names.contains(place.substr(place.rfind('.') + 1))) score += 1;
    return score;
  }

  std::string root_of(std::string name) const {
    for (auto found = united_.find(name); found != united_.end(); found = united_.find(name)) {
      name = found->second;
    }
    return name;
  }
  void unite(const std::string& one, const std::string& other) {
    const std::string from = root_of(one);
    const std::string to = root_of(other);
    if (from != to) united_[from] = to;
  }
  void settle(PlaceRule& rule) const {
    if (rule.treatment == Treatment::named) rule.domain = root_of(rule.domain);
  }

  const std::vector<const OutcomeTuple*>& runs_;
  OutcomeRules& rules_;
  std::map<std::string, NameDomain> domains_;
  std::map<TokenPlace, ValuePlace> places_;
  std::map<std::string, std::string> united_;  // a domain, and one of which it is a part
};

}  // namespace

void learn_name_flows(const std::vector<const OutcomeTuple*>& runs, OutcomeRules& rules) {
  NameFlows(runs, rules).learn();
}

}  // namespace heddle
