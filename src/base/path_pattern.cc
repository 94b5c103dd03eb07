#include "base/path_pattern.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {

namespace {

constexpr std::string_view kAnyFolders = "**";

// What one place of a pattern takes, and where the next one begins.
struct Taken {
  bool fits = false;
  std::size_t next = 0;
};

// A set that nobody closes is a bracket.
std::optional<Taken> take_set(std::string_view pattern, std::size_t at, char c) {
  std::size_t i = at + 1;
  const bool negated = i < pattern.size() && (pattern[i] == '!' || pattern[i] == '^');
  if (negated) ++i;
  bool fits = false;
  for (bool first = true; i < pattern.size(); first = false) {
    if (pattern[i] == ']' && !first) return Taken{.fits = fits != negated, .next = i + 1};
    const char low = pattern[i];
    const bool is_range = i + 2 < pattern.size() && pattern[i + 1] == '-' && pattern[i + 2] != ']';
    const char high = is_range ? pattern[i + 2] : low;
    fits = fits || (low <= c && c <= high);
    i += is_range ? 3 : 1;
  }
  return std::nullopt;
}

Taken take(std::string_view pattern, std::size_t at, char c) {
  if (pattern[at] == '?') return {.fits = true, .next = at + 1};
  if (pattern[at] == '[') {
    if (const std::optional<Taken> set = take_set(pattern, at, c)) return *set;
  }
  if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
  return {.fits = pattern[at] == c, .next = at + 1};
}

// Sequences with places for any number of items. Only the last such place needs to be tried again
// with one item more: what an earlier one could take in addition, the later one can, too.
// `fits(i, k)` gives the next place of the pattern, or none where item k does not fit at place i.
template <class IsAny, class Fits>
bool match_sequence(std::size_t places, std::size_t items, const IsAny& is_any, const Fits& fits) {
  std::size_t i = 0;
  std::size_t k = 0;
  std::optional<std::pair<std::size_t, std::size_t>> again;
  while (k < items) {
    if (i < places && is_any(i)) {
      again = {++i, k};
      continue;
    }
    const std::optional<std::size_t> next = i < places ? fits(i, k) : std::nullopt;
    if (next) {
      i = *next;
      ++k;
    } else if (again) {
      i = again->first;
      k = ++again->second;
    } else {
      return false;
    }
  }
  while (i < places && is_any(i)) ++i;
  return i == places;
}

// Without links followed, and without "." and "..".
std::vector<std::string> segments_of(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path whole = std::filesystem::absolute(path, error);
  if (error) whole = path;
  std::vector<std::string> segments;
  for (const std::string& segment : split(whole.generic_string(), '/')) {
    if (segment.empty() || segment == ".") continue;
    if (segment != "..") {
      segments.push_back(segment);
    } else if (!segments.empty()) {
      segments.pop_back();
    }
  }
  return segments;
}

using Segments = std::span<const std::string>;

bool match_segments(Segments pattern, Segments path) {
  return match_sequence(
      pattern.size(), path.size(), [&](std::size_t i) { return pattern[i] == kAnyFolders; },
      [&](std::size_t i, std::size_t k) {
        return matches_glob(pattern[i], path[k]) ? std::optional(i + 1) : std::nullopt;
      });
}

// A folder's own name is no pattern.
std::string escaped(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == '*' || c == '?' || c == '[' || c == '\\') text += '\\';
    text += c;
  }
  return text;
}

}  // namespace

bool matches_glob(std::string_view pattern, std::string_view name) {
  return match_sequence(
      pattern.size(), name.size(), [&](std::size_t i) { return pattern[i] == '*'; },
      [&](std::size_t i, std::size_t k) {
        const Taken taken = take(pattern, i, name[k]);
        return taken.fits ? std::optional(taken.next) : std::nullopt;
      });
}

bool is_glob(std::string_view text) { return text.find_first_of("*?[") != text.npos; }

Result<PathPattern> PathPattern::parse(std::string_view text, const std::string& folder) {
  PathPattern pattern;
  pattern.text_ = std::string(text);
  std::string_view name = text;
  while (name.size() > 1 && name.ends_with('/')) name.remove_suffix(1);
  if (trim(name).empty()) {
    return Diagnostic{.what = "nothing is named", .what_to_do = "name a file or a folder"};
  }
  std::error_code error;
  const std::string base = std::filesystem::absolute(folder, error).generic_string();
  if (name.starts_with('/')) {
    pattern.segments_ = segments_of(name);
  } else if (name.starts_with("**/")) {
    pattern.segments_ = split(name, '/');
    pattern.above_ = segments_of(base);
  } else if (name.find('/') == name.npos && name != "." && name != "..") {
    pattern.segments_ = {std::string(kAnyFolders), std::string(name)};
    pattern.above_ = segments_of(base);
  } else {
    pattern.segments_ = segments_of(escaped(base) + "/" + std::string(name));
  }
  if (pattern.segments_.empty()) {
    return Diagnostic{.what = fmt::format("\"{}\" is everything there is", text),
                      .what_to_do = "name a file or a folder"};
  }
  return pattern;
}

bool PathPattern::matches(const std::string& path) const {
  const std::vector<std::string> segments = segments_of(path);
  const auto parted =
      std::mismatch(segments.begin(), segments.end(), above_.begin(), above_.end()).first;
  const Segments below(parted, segments.end());
  for (std::size_t length = 1; length <= below.size(); ++length) {
    if (match_segments(segments_, below.first(length))) return true;
  }
  return false;
}

std::size_t PathPatterns::first_match(const std::string& path) const {
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (patterns_[i].matches(path)) return i;
  }
  return patterns_.size();
}

}  // namespace heddle
