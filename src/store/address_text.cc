#include "store/address_text.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "base/text.h"
#include "store/percent.h"

namespace heddle {

namespace {

constexpr std::string_view kHidden = "***";
// sslpassword ends with it, too.
constexpr std::string_view kKeyword = "password";

// A password within an address.
struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// The value that starts at `begin`: in quotes, in which backslashes escape, or up to a separator.
Place value_at(std::string_view address, std::size_t begin, bool is_url) {
  const bool is_quoted = !is_url && begin < address.size() && address[begin] == '\'';
  std::size_t end = begin + (is_quoted ? 1 : 0);
  for (; end < address.size(); ++end) {
    const char c = address[end];
    if (is_quoted && c == '\'') return {begin + 1, end};
    const bool is_end = is_url ? c == '&' || c == '#' : is_space(c);
    if (!is_quoted && is_end) break;
    if (!is_url && c == '\\') ++end;
  }
  return {begin + (is_quoted ? 1 : 0), std::min(end, address.size())};
}

// Behind each password= from `begin` on.
void find_keywords(std::string_view address, std::size_t begin, bool is_url,
                   std::vector<Place>& places) {
  const std::string folded = to_lower(address);
  for (std::size_t at = folded.find(kKeyword, begin); at != folded.npos;
       at = folded.find(kKeyword, at)) {
    at += kKeyword.size();
    std::size_t value = at;
    while (value < folded.size() && is_space(folded[value])) ++value;
    if (value >= folded.size() || folded[value] != '=') continue;
    ++value;
    while (!is_url && value < folded.size() && is_space(folded[value])) ++value;
    places.push_back(value_at(address, value, is_url));
    at = places.back().end;
  }
}

// In their order. The last @ counts, in case one of the password's own is not escaped.
std::vector<Place> find_passwords(std::string_view address) {
  std::vector<Place> places;
  const std::size_t scheme = address.find("://");
  const bool is_url = scheme != address.npos;
  std::size_t options = 0;
  if (is_url) {
    const std::size_t login = scheme + 3;
    const std::size_t at = address.rfind('@');
    const std::size_t colon = address.find(':', login);
    const bool has_login = at != address.npos && at >= login;
    if (has_login && colon < at) places.push_back({colon + 1, at});
    options = has_login ? at : login;
  }
  find_keywords(address, options, is_url, places);
  return places;
}

}  // namespace

std::string without_password(std::string_view address) {
  std::string text;
  std::size_t shown = 0;
  for (const Place& place : find_passwords(address)) {
    text += address.substr(shown, place.begin - shown);
    if (place.end > place.begin) text += kHidden;
    shown = place.end;
  }
  return text + std::string(address.substr(shown));
}

std::string without_password_of(std::string_view address, std::string text) {
  for (const Place& place : find_passwords(address)) {
    const std::string written(address.substr(place.begin, place.end - place.begin));
    for (const std::string& password : {written, percent_decoded(written).value_or("")}) {
      if (password.empty()) continue;
      for (std::size_t at = text.find(password); at != text.npos;
           at = text.find(password, at + kHidden.size())) {
        text.replace(at, password.size(), kHidden);
      }
    }
  }
  return text;
}

}  // namespace heddle
