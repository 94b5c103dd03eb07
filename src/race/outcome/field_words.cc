#include "race/outcome/field_words.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/text.h"

namespace heddle {

namespace {

constexpr std::array<std::string_view, 16> kIdentityWords = {
    "id",     "ids", "uuid",  "guid", "key",       "keys", "serial", "no",
    "number", "nr",  "rowid", "oid",  "reference", "ref",  "pk",     "location"};

constexpr std::array<std::string_view, 44> kNoiseWords = {
    "time",    "timestamp", "ts",      "at",       "date",  "duration", "elapsed",   "took",
    "latency", "ms",        "millis",  "micros",   "nanos", "seconds",  "uptime",    "port",
    "pid",     "thread",    "host",    "hostname", "token", "nonce",    "etag",      "signature",
    "hash",    "checksum",  "session", "csrf",     "trace", "span",     "cursor",    "expires",
    "expiry",  "iat",       "exp",     "nbf",      "jti",   "cookie",   "requestid", "digest",
    "salt",    "secret",    "random",  "jwt"};

constexpr std::array<std::string_view, 5> kStopwatchWords = {"took", "elapsed", "latency", "uptime",
                                                             "runtime"};

bool is_small(char c) { return c >= 'a' && c <= 'z'; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

// Words end at signs and digits, and where a capital letter follows a small one.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  bool is_open = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!is_letter(c)) {
      is_open = false;
      continue;
    }
    const bool begins_camel = is_capital(c) && i > 0 && is_small(text[i - 1]);
    if (!is_open || begins_camel) words.emplace_back();
    is_open = true;
    words.back() += c;
  }
  for (std::string& word : words) word = to_lower(word);
  return words;
}

std::string_view without_block(std::string_view place) {
  const std::size_t colon = place.find(": ");
  return colon == std::string_view::npos ? place : place.substr(colon + 2);
}

bool has_one_of(const std::vector<std::string>& words, const auto& known) {
  return std::ranges::any_of(words, [&](const auto& word) { return is_one_of(word, known); });
}

}  // namespace

std::vector<std::string> field_words(std::string_view place) {
  place = without_block(place);
  // The last key, without the elements of lists that are values themselves.
  while (place.ends_with("[]")) place.remove_suffix(2);
  const std::size_t dot = place.rfind('.');
  return words_of(dot == std::string_view::npos ? place : place.substr(dot + 1));
}

std::vector<std::string> place_words(std::string_view place) {
  return words_of(without_block(place));
}

bool names_identity(const std::vector<std::string>& words) {
  return !words.empty() &&
         (is_one_of(words.back(), kIdentityWords) || is_one_of(words.front(), {"location"}));
}

bool names_row(const std::vector<std::string>& words) {
  return !words.empty() && (is_one_of(words.back(), {"id", "ids", "oid", "pk", "uuid", "guid"}) ||
                            words.front() == "location");
}

bool names_stopwatch(const std::vector<std::string>& words) {
  return has_one_of(words, kStopwatchWords);
}

bool names_noise(const std::vector<std::string>& words) { return has_one_of(words, kNoiseWords); }

std::string singular(std::string name) {
  const std::size_t dot = name.rfind('.');
  if (dot != std::string::npos) name = name.substr(dot + 1);
  name = to_lower(name);
  if (name.size() > 4 && name.ends_with("ies")) return name.substr(0, name.size() - 3) + 'y';
  if (name.size() > 4 && (name.ends_with("sses") || name.ends_with("xes"))) {
    return name.substr(0, name.size() - 2);
  }
  if (name.size() > 2 && name.ends_with("s") && !name.ends_with("ss")) name.pop_back();
  return name;
}

}  // namespace heddle
