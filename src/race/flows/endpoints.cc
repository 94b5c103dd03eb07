#include "race/flows/endpoints.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <map>
#include <set>

#include "base/path_pattern.h"
#include "base/text.h"

namespace heddle::race {
namespace {

constexpr std::size_t kLongestWord = 24;
constexpr std::size_t kManyWords = 3;
constexpr int kHex = 16;

using Segments = std::vector<std::string>;

// Version numbers of interfaces (v1) are none.
bool looks_like_value(std::string_view segment) {
  const bool is_version = segment.size() <= 3 && segment.starts_with('v');
  if (is_version) return false;
  if (segment.size() > kLongestWord) return true;
  return std::ranges::any_of(segment, is_digit) || segment.find_first_of("@<%") != segment.npos;
}

Segments without_values(Segments segments) {
  for (std::string& segment : segments) {
    if (looks_like_value(segment)) segment = "*";
  }
  return segments;
}

// All segments but one.
std::string around(const std::string& what, const Segments& segments, std::size_t place) {
  Segments others = segments;
  others[place].clear();
  return what + " " + join(others, "/") + " " + std::to_string(place);
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const char* const digits = text.data() + i + 1;
    const bool has_digits = text[i] == '%' && i + 2 < text.size();
    if (has_digits && std::from_chars(digits, digits + 2, code, kHex).ptr == digits + 2) {
      decoded += static_cast<char>(code);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

std::vector<std::string> path_segments(std::string_view target) {
  if (const std::size_t scheme = target.find("://"); scheme != target.npos) {
    const std::size_t slash = target.find('/', scheme + 3);
    target = slash == target.npos ? "/" : target.substr(slash);
  }
  Segments segments;
  for (const std::string& each : split(target.substr(0, target.find_first_of("?#")), '/')) {
    if (!each.empty()) segments.push_back(percent_decoded(each));
  }
  return segments;
}

std::vector<std::string> endpoints_of(const Trace& trace) {
  std::vector<Segments> paths;
  std::vector<std::string> what;
  std::map<std::string, std::set<std::string>> words;
  for (const TraceRequest& each : trace.requests) {
    paths.push_back(without_values(path_segments(each.target)));
    what.push_back(each.method + " " + trace.head.edges[each.edge].callee);
    for (std::size_t i = 1; i < paths.back().size(); ++i) {
      words[around(what.back(), paths.back(), i)].insert(paths.back()[i]);
    }
  }
  std::vector<std::string> endpoints;
  for (std::size_t request = 0; request < paths.size(); ++request) {
    Segments path = paths[request];
    for (std::size_t i = 1; i < path.size(); ++i) {
      if (words[around(what[request], paths[request], i)].size() >= kManyWords) path[i] = "*";
    }
    endpoints.push_back(what[request] + "/" + join(path, "/"));
  }
  return endpoints;
}

bool matches_endpoint(std::string_view pattern, std::string_view endpoint) {
  const std::size_t blank = endpoint.find(' ');
  const std::size_t slash = endpoint.find('/');
  if (blank == endpoint.npos || slash == endpoint.npos) return false;
  const std::string_view method = endpoint.substr(0, blank);
  const std::string_view path = endpoint.substr(slash);
  const std::size_t split_at = pattern.find(' ');
  const std::string_view place =
      split_at == pattern.npos ? pattern : trim(pattern.substr(split_at + 1));
  if (split_at != pattern.npos && !matches_glob(pattern.substr(0, split_at), method)) return false;
  return matches_glob(place, path) || matches_glob(place, endpoint.substr(blank + 1));
}

}  // namespace heddle::race
