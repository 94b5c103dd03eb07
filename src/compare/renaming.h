// Whether two outcomes are equal up to one renaming of the values that a sequence, the clock or
// chance made, and a key that is the same for equal outcomes.
//
// Knows nothing of databases: a Pattern is a list of blocks of rows whose cells are literals or
// names. Two patterns are equal up to renaming when a bijection between their names makes each
// block of one equal to the same block of the other, as multisets of rows, or as lists when
// ordered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

// A literal, or a name.
struct PatternCell {
  std::string literal;  // must be equal on both sides; of a name, its kind
  std::optional<std::size_t> name = std::nullopt;  // 0 <= name < Pattern::names

  friend bool operator==(const PatternCell&, const PatternCell&) = default;
};

using PatternRow = std::vector<PatternCell>;

struct PatternBlock {
  std::string label;  // must be equal on both sides
  bool ordered = false;
  std::vector<PatternRow> rows;
};

struct Pattern {
  std::size_t names = 0;             // every name is in at least one row
  std::vector<PatternBlock> blocks;  // the same block has the same index on both sides
};

enum class RenamingVerdict : std::uint8_t {
  exists,
  impossible,
  unknown,  // the bound on the work was hit; needs rows made on purpose
};

struct Renaming {
  RenamingVerdict verdict = RenamingVerdict::impossible;
  std::vector<std::size_t> names;  // exists: the name in `to` of each name in `from`
};

// Adds a text behind its length, so that what is put together from several can be taken apart in
// one way only.
void append_counted(std::string& text, const std::string& part);

// Cells looked at before the search gives up.
inline constexpr std::size_t kRenamingWork = 20'000'000;

Renaming find_renaming(const Pattern& from, const Pattern& to, std::size_t work = kRenamingWork);

// Equal keys imply that a renaming exists. Patterns with a renaming have equal keys, too, unless
// names that look alike in every row are yet not interchangeable; then they may differ. Past
// `work` the key falls back to the numbers of the names, which is safe.
std::string renaming_key(const Pattern& pattern, std::size_t work = kRenamingWork);

}  // namespace heddle
