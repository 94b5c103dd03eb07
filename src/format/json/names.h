// The words that documents use for enumerations, as lists to choose from when reading.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/anomaly.h"
#include "heddle/dependency.h"
#include "heddle/finding.h"
#include "heddle/history.h"
#include "heddle/isolation.h"
#include "heddle/outcome.h"
#include "heddle/verdict.h"

namespace heddle {

inline constexpr std::array<std::string_view, 10> kEventKinds = {
    "setup-result", "waiting",   "completed",    "late-completed",  "notice",
    "notification", "cancelled", "setup-failed", "teardown-result", "teardown-failed"};

// The words of an enumeration whose last enumerator is `last`, in the order of the enumerators.
template <class Enumeration>
std::vector<std::string_view> words_up_to(Enumeration last) {
  std::vector<std::string_view> words;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(last); ++i) {
    words.push_back(to_string(static_cast<Enumeration>(i)));
  }
  return words;
}

inline std::vector<std::string_view> status_slugs() {
  std::vector<std::string_view> slugs;
  for (std::size_t i = 0; i <= static_cast<std::size_t>(FindingStatus::refuted); ++i) {
    slugs.push_back(slug(static_cast<FindingStatus>(i)));
  }
  return slugs;
}

inline std::vector<std::string_view> anomaly_slugs() {
  std::vector<std::string_view> slugs;
  for (const AnomalyDefinition& kind : anomaly_kinds()) slugs.push_back(kind.slug);
  return slugs;
}

inline std::vector<std::string_view> level_names() {
  std::vector<std::string_view> names;
  for (const LevelDefinition& level : isolation_levels()) names.push_back(level.name);
  return names;
}

}  // namespace heddle
