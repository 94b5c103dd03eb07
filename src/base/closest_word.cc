// Three ways in which a word can be near to another, nearest first: one is the beginning of the
// other, they share a word between dashes, or few letters differ. What is near in no way is not
// proposed, because a wrong proposal costs more than none.
#include <algorithm>
#include <numeric>
#include <optional>
#include <tuple>

#include "base/text.h"

namespace heddle {

namespace {

// Letters and digits in lower case; whatever else there is separates words.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : to_lower(text)) {
    const bool separates = c == '-' || c == '_' || c == ' ' || c == '.' || c == '=';
    if (!separates) {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

// Insertions, deletions, substitutions and swaps of neighbours.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before;
  std::vector<std::size_t> last;
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::move(last);
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, substitution});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row.back();
}

// Less is nearer: the way, how far by that way, and whether one is an option and the other is not.
using Distance = std::tuple<int, std::size_t, bool>;

// A longest word that people type; what is longer was not typed, and comparing would take long.
constexpr std::size_t kLongestWord = 200;
// "s" begins too many words to mean one of them.
constexpr std::size_t kShortestBeginning = 2;
// "to" and "on" say nothing by themselves.
constexpr std::size_t kShortestShared = 3;

std::size_t shared_words(const std::vector<std::string>& words,
                         const std::vector<std::string>& others) {
  return static_cast<std::size_t>(std::ranges::count_if(words, [&](const std::string& word) {
    return word.size() >= kShortestShared &&
           std::ranges::any_of(others, [&](const std::string& other) {
             return other == word || other == word + "s" || other + "s" == word;
           });
  }));
}

std::optional<Distance> distance_between(std::string_view word, std::string_view candidate) {
  const std::vector<std::string> words = words_of(word);
  const std::vector<std::string> others = words_of(candidate);
  const std::string letters = join(words, "-");
  const std::string other_letters = join(others, "-");
  const std::size_t longer = std::max(letters.size(), other_letters.size());
  const std::size_t shorter = std::min(letters.size(), other_letters.size());
  if (shorter == 0) return std::nullopt;
  const std::size_t distance = edit_distance(letters, other_letters);
  const bool differs = word.starts_with('-') != candidate.starts_with('-');
  if (distance == 0) return Distance{0, 0, differs};
  // A slip of one finger says more than a shared beginning: "jobss", "tabel".
  if (distance == 1 && letters.size() > kShortestShared) return Distance{1, 0, differs};
  const bool begins = other_letters.starts_with(letters) ||
                      (letters.starts_with(other_letters) &&
                       other_letters.size() >= kShortestShared && longer <= 2 * shorter);
  if (begins && shorter >= kShortestBeginning) return Distance{2, longer - shorter, differs};
  const std::size_t several = words.size() + others.size();
  const std::size_t shared = several > 2 ? shared_words(words, others) : 0;
  if (shared > 0) return Distance{3, several - 2 * shared, differs};
  const std::size_t allowed = std::max<std::size_t>((letters.size() + 1) / 3, 1);
  if (distance > allowed || distance >= shorter) return std::nullopt;
  return Distance{4, distance, differs};
}

}  // namespace

std::string closest_word(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > kLongestWord) return {};
  std::string best;
  std::optional<Distance> least;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    const std::optional<Distance> distance = distance_between(word, candidate);
    if (!distance || (least && *least <= *distance)) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

}  // namespace heddle
