#include "store/address_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "store/percent.h"

namespace heddle {

namespace {

constexpr std::string_view kHidden = "***";

// Options whose values are no secrets, of libpq and of heddle's own addresses. All others are
// hidden: a mistyped "password" is one of them.
constexpr std::array<std::string_view, 34> kHarmless = {
    "application_name",
    "channel_binding",
    "client_encoding",
    "connect_timeout",
    "database",
    "dbname",
    "fallback_application_name",
    "gssencmode",
    "gsslib",
    "host",
    "hostaddr",
    "keepalives",
    "krbsrvname",
    "load_balance_hosts",
    "options",
    "passfile",
    "port",
    "replication",
    "require_auth",
    "requirepeer",
    "service",
    "socket",
    "ssl",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
    "sslcert",
    "sslcompression",
    "sslcrl",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "target_session_attrs",
    "tcp_user_timeout",
    "user",
};
// Those that name a user before the @, not a password alone, as Redis's may.
constexpr std::array<std::string_view, 4> kNamesUser = {"postgres", "postgresql", "mysql",
                                                        "mariadb"};

// A password within an address.
struct Place {
  std::size_t begin = 0;
  std::size_t end = 0;
};

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool is_harmless(std::string_view keyword) {
  return std::ranges::find(kHarmless, to_lower(keyword)) != kHarmless.end();
}

// The value that starts at `begin`: in quotes, in which backslashes escape, or up to a space.
Place value_at(std::string_view address, std::size_t begin) {
  const bool is_quoted = begin < address.size() && address[begin] == '\'';
  std::size_t end = begin + (is_quoted ? 1 : 0);
  for (; end < address.size(); ++end) {
    const char c = address[end];
    if (is_quoted && c == '\'') return {begin + 1, end};
    if (!is_quoted && is_space(c)) break;
    if (c == '\\') ++end;
  }
  return {begin + (is_quoted ? 1 : 0), std::min(end, address.size())};
}

// libpq's form: "host=h password = 'a b'". A word without a value may be a part of a password.
void find_keywords(std::string_view address, std::vector<Place>& places) {
  const auto skip_spaces = [&](std::size_t at) {
    while (at < address.size() && is_space(address[at])) ++at;
    return at;
  };
  for (std::size_t at = skip_spaces(0); at < address.size(); at = skip_spaces(at)) {
    std::size_t end = at;
    while (end < address.size() && address[end] != '=' && !is_space(address[end])) ++end;
    const std::string_view keyword = address.substr(at, end - at);
    const std::size_t sign = skip_spaces(end);
    if (sign >= address.size() || address[sign] != '=') {
      places.push_back({at, end});
      at = end;
      continue;
    }
    const Place value = value_at(address, skip_spaces(sign + 1));
    if (!is_harmless(keyword)) places.push_back(value);
    at = std::max(value.end, sign + 1);
    if (at < address.size() && address[at] == '\'') ++at;
  }
}

// "?key=value&..." from `begin` on.
void find_options(std::string_view address, std::size_t begin, std::vector<Place>& places) {
  for (std::size_t at = address.find('?', begin); at < address.size();) {
    ++at;
    const std::size_t end = std::min(address.find_first_of("&#", at), address.size());
    const std::size_t sign = address.substr(0, end).find('=', at);
    const bool has_value = sign != address.npos;
    if (!has_value) {
      places.push_back({at, end});
    } else if (!is_harmless(address.substr(at, sign - at))) {
      places.push_back({sign + 1, end});
    }
    at = end;
  }
}

// Where the login of a URL may begin, behind its scheme, which may be mistyped: "postgres:/" and
// "postgres//", too. `is_written`: it is behind "://".
struct Scheme {
  std::string_view name;
  std::size_t login = 0;
  bool is_written = false;
};

Scheme scheme_of(std::string_view address) {
  std::size_t end = 0;
  while (end < address.size() && std::isalnum(static_cast<unsigned char>(address[end])) != 0) ++end;
  std::size_t login = end;
  while (login < address.size() && (address[login] == ':' || address[login] == '/')) ++login;
  const std::size_t written = address.find("://");
  if (written != address.npos) return {address.substr(0, written), written + 3, true};
  return {address.substr(0, end), login == end ? 0 : login, false};
}

// The password before the last @, in case one of its own is not escaped; without an @, what stands
// for the port and is none. Returns where the rest begins.
std::size_t find_login(std::string_view address, const Scheme& scheme, std::vector<Place>& places) {
  const std::size_t at = address.rfind('@');
  const bool has_login = at != address.npos && at >= scheme.login;
  const std::size_t colon = address.find(':', scheme.login);
  const bool names_user = std::ranges::find(kNamesUser, scheme.name) != kNamesUser.end();
  if (has_login && colon < at) {
    places.push_back({colon + 1, at});
  } else if (has_login && !(scheme.is_written && names_user)) {
    places.push_back({scheme.login, at});
  }
  if (has_login) return at;
  if (colon == address.npos || address.substr(scheme.login).starts_with('[')) return scheme.login;
  const std::size_t end = std::min(address.find_first_of("/?#", colon), address.size());
  const std::string_view port = address.substr(colon + 1, end - colon - 1);
  const bool is_port = port.find_first_not_of("0123456789") == port.npos;
  if (!is_port) places.push_back({colon + 1, end});
  return end;
}

bool has_keyword_form(std::string_view address) {
  const std::size_t first = address.find_first_of("=:/@?");
  return first != address.npos && address[first] == '=';
}

// In their order.
std::vector<Place> find_passwords(std::string_view address) {
  std::vector<Place> places;
  if (has_keyword_form(address)) {
    find_keywords(address, places);
    return places;
  }
  const std::size_t rest = find_login(address, scheme_of(address), places);
  find_options(address, rest, places);
  return places;
}

void replace_all(std::string& text, std::string_view from) {
  for (std::size_t at = text.find(from); at != text.npos;
       at = text.find(from, at + kHidden.size())) {
    text.replace(at, from.size(), kHidden);
  }
}

// What a library quotes may be a part of a password that it has divided otherwise than we have.
void hide_quoted_parts(std::string& text, std::string_view password) {
  constexpr std::size_t kShortest = 3;
  std::size_t begin = 0;
  while (begin < password.size()) {
    const std::size_t end =
        std::min(password.find_first_of("@:/?#&=% '\"\\", begin), password.size());
    const std::string_view part = password.substr(begin, end - begin);
    begin = end + 1;
    if (part.size() < kShortest) continue;
    for (std::size_t open = text.find('"'); open != text.npos;) {
      const std::size_t close = text.find('"', open + 1);
      if (close == text.npos) break;
      const bool shows = std::string_view(text).substr(open, close - open).find(part) != text.npos;
      if (shows) text.replace(open + 1, close - open - 1, kHidden);
      open = text.find('"', shows ? open + kHidden.size() + 2 : close + 1);
    }
  }
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
      replace_all(text, password);
      hide_quoted_parts(text, password);
    }
  }
  return text;
}

bool may_hold_password(std::string_view word) {
  if (word.find("://") != word.npos) return true;
  const std::size_t at = word.rfind('@');
  if (at != word.npos && word.substr(0, at).find(':') != word.npos) return true;
  const std::string folded = to_lower(word);
  constexpr std::array<std::string_view, 7> kMarks = {
      "host=", "hostaddr=", "user=", "dbname=", "service=", "passw", "pwd"};
  return has_keyword_form(word) && std::ranges::any_of(kMarks, [&](std::string_view mark) {
           return folded.find(mark) != folded.npos;
         });
}

Diagnostic unreadable_address(const std::string& address, const std::string& why,
                              const std::string& usual) {
  return Diagnostic{.what = fmt::format("cannot read the address {}: {}", without_password(address),
                                        without_password_of(address, why)),
                    .what_to_do = "use " + usual,
                    .file = "",
                    .position = {},
                    .trouble = Trouble::bad_input};
}

Diagnostic without_passwords_of(const std::string& address, Diagnostic trouble) {
  for (std::string* text : {&trouble.what, &trouble.what_to_do, &trouble.file}) {
    *text = without_password_of(address, std::move(*text));
  }
  return trouble;
}

}  // namespace heddle
