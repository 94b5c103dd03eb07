// Rows whose names all have partners are matched first. Then one row is matched that gives new
// names partners, best one with a single candidate, and the first step is repeated: what is certain
// is used before anything is guessed. Finding the largest matching is not attempted.
#include "compare/row_matching.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/assert.h"

namespace heddle {
namespace {

// Candidates looked at for one row, and rounds in which only one row per block is guessed. They
// keep the time linear on large tables, where nobody reads all differences anyway.
constexpr std::size_t kCandidates = 64;
constexpr std::size_t kCarefulRounds = 16;

using Partners = std::vector<std::pair<std::size_t, std::size_t>>;

// Rows of one block that are still open.
struct OpenBlock {
  const PatternBlock* from = nullptr;
  const PatternBlock* to = nullptr;
  std::vector<std::size_t> left;                               // ascending
  std::map<std::string, std::vector<std::size_t>> candidates;  // rows of `to` by outline
  std::vector<std::vector<std::size_t>*> candidates_of;        // by row of `from`
};

// The row's text with names blanked, and its place where the order counts.
std::string outline_of(const PatternBlock& block, std::size_t index) {
  std::string text = block.ordered ? std::to_string(index) : "";
  for (const PatternCell& cell : block.rows[index]) {
    text += cell.name ? 'n' : 'l';
    text += std::to_string(cell.literal.size()) + ':' + cell.literal;
  }
  return text;
}

class RowMatching {
 public:
  RowMatching(const Pattern& from, const Pattern& to, const PartialRenaming& known)
      : forward_(known), backward_(to.names) {
    for (std::size_t name = 0; name < known.size(); ++name) {
      if (known[name]) backward_[*known[name]] = name;
    }
    for (std::size_t i = 0; i < from.blocks.size(); ++i) open_block(from.blocks[i], to.blocks[i]);
  }

  void match() {
    for (std::size_t round = 0;; ++round) {
      if (match_pass(Pass::certain, false)) continue;
      if (match_pass(Pass::unique, false)) continue;
      if (!match_pass(Pass::any, round < kCarefulRounds)) break;
    }
  }

  std::vector<UnmatchedRows> unmatched() const {
    std::vector<UnmatchedRows> result;
    for (const OpenBlock& block : blocks_) {
      UnmatchedRows& rows = result.emplace_back();
      rows.from = block.left;
      for (const auto& [outline, open] : block.candidates) {
        rows.to.insert(rows.to.end(), open.begin(), open.end());
      }
      std::sort(rows.to.begin(), rows.to.end());
    }
    return result;
  }

 private:
  // Rows that need no new partners; rows with one candidate; rows with any.
  enum class Pass : std::uint8_t { certain, unique, any };

  void open_block(const PatternBlock& from, const PatternBlock& to) {
    HEDDLE_ASSERT(from.label == to.label && from.ordered == to.ordered);
    OpenBlock& block = blocks_.emplace_back();
    block.from = &from;
    block.to = &to;
    for (std::size_t i = 0; i < from.rows.size(); ++i) {
      block.left.push_back(i);
      block.candidates_of.push_back(&block.candidates[outline_of(from, i)]);
    }
    for (std::size_t i = 0; i < to.rows.size(); ++i) {
      block.candidates[outline_of(to, i)].push_back(i);
    }
  }

  // What must become partners for the rows to be equal; nothing when they cannot be.
  std::optional<Partners> unify(const PatternRow& from, const PatternRow& to) const {
    Partners fresh;
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!from[i].name) continue;  // the outlines are equal, so the literals are
      const std::size_t left = *from[i].name;
      const std::size_t right = *to[i].name;
      if (forward_[left] || backward_[right]) {
        if (forward_[left] != right) return std::nullopt;
        continue;
      }
      const bool clashes = std::any_of(fresh.begin(), fresh.end(), [&](const auto& pair) {
        return (pair.first == left) != (pair.second == right);
      });
      if (clashes) return std::nullopt;
      fresh.emplace_back(left, right);
    }
    return fresh;
  }

  bool match_row(const OpenBlock& block, std::size_t row, std::vector<std::size_t>& candidates,
                 Pass pass) {
    const std::size_t limit = std::min(candidates.size(), kCandidates);
    std::optional<std::size_t> chosen;
    Partners partners;
    for (std::size_t i = 0; i < limit; ++i) {
      auto fresh = unify(block.from->rows[row], block.to->rows[candidates[i]]);
      if (!fresh || (pass == Pass::certain && !fresh->empty())) continue;
      if (chosen && pass == Pass::unique) return false;
      if (!chosen) {
        chosen = i;
        partners = std::move(*fresh);
      }
      if (pass != Pass::unique) break;
    }
    if (!chosen) return false;
    for (const auto& [left, right] : partners) {
      forward_[left] = right;
      backward_[right] = left;
    }
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(*chosen));
    return true;
  }

  bool match_pass(Pass pass, bool one_per_block) {
    bool progress = false;
    for (OpenBlock& block : blocks_) {
      std::vector<std::size_t> still_open;
      bool may_match = true;
      for (std::size_t row : block.left) {
        const bool matched = may_match && match_row(block, row, *block.candidates_of[row], pass);
        if (!matched) still_open.push_back(row);
        if (matched && one_per_block) may_match = false;
        progress = progress || matched;
      }
      block.left = std::move(still_open);
    }
    return progress;
  }

  PartialRenaming forward_;
  PartialRenaming backward_;
  std::vector<OpenBlock> blocks_;
};

}  // namespace

std::vector<UnmatchedRows> match_rows(const Pattern& from, const Pattern& to,
                                      const PartialRenaming& known) {
  HEDDLE_ASSERT(from.blocks.size() == to.blocks.size() && known.size() == from.names);
  RowMatching matching(from, to, known);
  matching.match();
  return matching.unmatched();
}

}  // namespace heddle
