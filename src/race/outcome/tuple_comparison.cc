#include "race/outcome/tuple_comparison.h"

#include <map>
#include <optional>
#include <tuple>

#include "base/assert.h"
#include "compare/renaming.h"
#include "compare/row_matching.h"

namespace heddle {

namespace {

using BlockKey = std::pair<BlockKind, std::string>;

struct TuplePattern {
  Pattern pattern;
  std::map<std::pair<std::string, std::string>, std::size_t> names;  // domain and value
};

// Rows of one outcome as those of a pattern.
class PatternWriter {
 public:
  PatternWriter(const OutcomeTuple& tuple, const OutcomeRules& rules)
      : tuple_(tuple), rules_(rules) {}

  PatternRow row(const TupleRow& row, TuplePattern& written) {
    PatternRow cells = {{row.label}};
    for (const TupleCell& cell : row.cells) add_cell(cell, written, cells);
    return cells;
  }

 private:
  void add_cell(const TupleCell& cell, TuplePattern& written, PatternRow& cells) {
    const auto whole =
        cell.place == nullptr ? rules_.places.end() : rules_.places.find(*cell.place);
    const PlaceRule rule = whole == rules_.places.end() ? PlaceRule() : whole->second;
    if (rule.treatment == Treatment::ignored) {
      cells.push_back({"~"});
    } else if (cell.is_null) {
      cells.push_back({"null"});
    } else if (rule.treatment == Treatment::masked) {
      cells.push_back({"~"});
    } else if (rule.treatment == Treatment::named) {
      const bool is_uuid = cell.tokens.size() == 1 && cell.tokens[0].kind == TokenKind::uuid;
      const std::string domain = is_uuid ? std::string(kUuidDomain) : rule.domain;
      cells.push_back(name_cell(domain, cell.text, written));
    } else if (cell.place == nullptr) {
      cells.push_back({"=" + cell.text});
    } else {
      add_tokens(cell, written, cells);
    }
  }

  void add_tokens(const TupleCell& cell, TuplePattern& written, PatternRow& cells) {
    PatternCell literal{"="};
    for (std::size_t i = 0; i < cell.tokens.size(); ++i) {
      const PlaceRule rule = rule_of(rules_, tuple_, cell, i);
      if (rule.treatment == Treatment::literal) {
        literal.literal += cell.tokens[i].text;
        continue;
      }
      cells.push_back(std::exchange(literal, PatternCell{"="}));
      cells.push_back(rule.treatment == Treatment::named
                          ? name_cell(rule.domain, cell.tokens[i].text, written)
                          : PatternCell{"~"});
    }
    cells.push_back(std::move(literal));
  }

  PatternCell name_cell(const std::string& domain, const std::string& value,
                        TuplePattern& written) {
    if (is_fixed(rules_, domain, value)) return {"=" + value};
    const auto found = written.names.emplace(std::pair(domain, value), written.names.size()).first;
    return {domain, found->second};
  }

  const OutcomeTuple& tuple_;
  const OutcomeRules& rules_;
};

bool is_compared(const TupleBlock& block, const ComparedPart& part) {
  return block.kind == BlockKind::table ||
         (part.has_answers && !part.without.contains(block.request));
}

// Blocks of both outcomes by their key; one side may be missing.
struct BlockPair {
  const TupleBlock* one = nullptr;
  const TupleBlock* other = nullptr;
};

std::map<BlockKey, BlockPair> pair_blocks(const OutcomeTuple& one, const OutcomeTuple& other,
                                          const ComparedPart& part) {
  std::map<BlockKey, BlockPair> pairs;
  for (const TupleBlock& each : one.blocks) {
    if (is_compared(each, part)) pairs[{each.kind, each.title}].one = &each;
  }
  for (const TupleBlock& each : other.blocks) {
    if (is_compared(each, part)) pairs[{each.kind, each.title}].other = &each;
  }
  return pairs;
}

void add_rows(const TupleBlock* block, const BlockKey& key, PatternWriter& writer,
              TuplePattern& written) {
  PatternBlock& added = written.pattern.blocks.emplace_back();
  added.label = key.second;
  if (block == nullptr) return;
  for (const TupleRow& row : block->rows) added.rows.push_back(writer.row(row, written));
}

struct PatternPair {
  TuplePattern one;
  TuplePattern other;
};

PatternPair patterns_of(const OutcomeTuple& one, const OutcomeTuple& other,
                        const OutcomeRules& rules, const std::map<BlockKey, BlockPair>& pairs) {
  PatternPair patterns;
  PatternWriter one_writer(one, rules);
  PatternWriter other_writer(other, rules);
  for (const auto& [key, pair] : pairs) {
    add_rows(pair.one, key, one_writer, patterns.one);
    add_rows(pair.other, key, other_writer, patterns.other);
  }
  patterns.one.pattern.names = patterns.one.names.size();
  patterns.other.pattern.names = patterns.other.names.size();
  return patterns;
}

// The partners of names where the rows of stores alone are equal, else where the answers are.
PartialRenaming known_partners(const OutcomeTuple& one, const OutcomeTuple& other,
                               const OutcomeRules& rules, const PatternPair& all) {
  PartialRenaming known(all.one.names.size());
  const auto pairs = pair_blocks(one, other, {.has_answers = false});
  const PatternPair rows = patterns_of(one, other, rules, pairs);
  const Renaming renaming = find_renaming(rows.one.pattern, rows.other.pattern);
  if (renaming.verdict != RenamingVerdict::exists) return known;
  std::vector<const std::pair<std::string, std::string>*> other_names(rows.other.names.size());
  for (const auto& [name, number] : rows.other.names) other_names[number] = &name;
  for (const auto& [name, number] : rows.one.names) {
    const auto partner = all.other.names.find(*other_names[renaming.names[number]]);
    if (partner != all.other.names.end()) known[all.one.names.at(name)] = partner->second;
  }
  return known;
}

}  // namespace

bool are_equal(const OutcomeTuple& one, const OutcomeTuple& other, const OutcomeRules& rules,
               const ComparedPart& part) {
  const PatternPair patterns = patterns_of(one, other, rules, pair_blocks(one, other, part));
  const Renaming renaming = find_renaming(patterns.one.pattern, patterns.other.pattern);
  return renaming.verdict != RenamingVerdict::impossible;
}

std::vector<DifferingRows> differing_rows(const OutcomeTuple& one, const OutcomeTuple& other,
                                          const OutcomeRules& rules, const ComparedPart& part) {
  const auto pairs = pair_blocks(one, other, part);
  const PatternPair patterns = patterns_of(one, other, rules, pairs);
  if (find_renaming(patterns.one.pattern, patterns.other.pattern).verdict !=
      RenamingVerdict::impossible) {
    return {};
  }
  const auto unmatched = match_rows(patterns.one.pattern, patterns.other.pattern,
                                    known_partners(one, other, rules, patterns));
  std::vector<DifferingRows> result;
  std::size_t block = 0;
  for (const auto& [key, pair] : pairs) {
    const UnmatchedRows& rows = unmatched[block++];
    if (rows.from.empty() && rows.to.empty()) continue;
    DifferingRows& differing =
        result.emplace_back(DifferingRows{.kind = key.first, .title = key.second});
    for (const std::size_t row : rows.from) differing.one.push_back(&pair.one->rows[row]);
    for (const std::size_t row : rows.to) differing.other.push_back(&pair.other->rows[row]);
  }
  return result;
}

std::string outline_text(const OutcomeTuple& tuple, const TupleRow& row,
                         const OutcomeRules& rules) {
  TuplePattern written;
  std::string text;
  for (const PatternCell& cell : PatternWriter(tuple, rules).row(row, written)) {
    text += cell.name ? 'n' : 'l';
    append_counted(text, cell.literal);
  }
  return text;
}

}  // namespace heddle
