#include "record/redact/redactor.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "record/redact/encodings.h"

namespace heddle {
namespace {

// A cookie's value that is a word or a number is a choice of the user's until it is so long.
constexpr std::size_t kLongestWord = 11;

bool is_word(std::string_view text) { return std::all_of(text.begin(), text.end(), is_letter); }
bool is_number(std::string_view text) { return std::all_of(text.begin(), text.end(), is_digit); }

bool is_url_character(char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; }

std::size_t part_length(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), is_url_character);
  return static_cast<std::size_t>(end - text.begin());
}

// The header of a token is a JSON object that names an algorithm.
bool is_token_header(std::string_view part) {
  const auto header = base64_decoded(part);
  return header && header->starts_with('{') && header->find("\"alg\"") != header->npos;
}

// The length of the JSON Web Token that `text` begins with: three parts, the last of which may be
// empty.
std::size_t web_token_length(std::string_view text) {
  // As every object begins in base64.
  if (!text.starts_with("ey")) return 0;
  const std::size_t header = part_length(text);
  const std::string_view rest = text.substr(header);
  if (rest.size() < 2 || rest[0] != '.' || !is_token_header(text.substr(0, header))) return 0;
  const std::size_t claims = part_length(rest.substr(1));
  const std::string_view last = rest.substr(1 + claims);
  if (claims == 0 || last.empty() || last[0] != '.') return 0;
  return header + 1 + claims + 1 + part_length(last.substr(1));
}

// Calls `found` with each JSON Web Token.
template <class Found>
void find_web_tokens(std::string_view text, const Found& found) {
  for (std::size_t at = text.find("ey"); at != text.npos; at = text.find("ey", at)) {
    const bool is_begin = at == 0 || !is_url_character(text[at - 1]);
    const std::size_t length = is_begin ? web_token_length(text.substr(at)) : 0;
    if (length > 0) found(text.substr(at, length));
    at += std::max<std::size_t>(length, 1);
  }
}

bool begins_like_json(std::string_view text) {
  const std::string_view begin = trim(text);
  return begin.starts_with('{') || begin.starts_with('[');
}

}  // namespace

bool has_fields(std::string_view text) {
  return begins_like_json(text) || text.find_first_of("?#") != text.npos ||
         text.find("://") != text.npos;
}

std::vector<std::string> usual_secret_names() {
  return {"authorization", "proxy_authorization",
          "*token",        "*csrf",
          "*xsrf",         "csrfmiddlewaretoken",
          "*password",     "password_confirmation",
          "password_hash", "*passwd",
          "*pwd",          "*passphrase",
          "*secret",       "*api_key",
          "*private_key",  "client_assertion",
          "*session_id",   "*session_key",
          "*credentials",  "otp",
          "pin",           "*card_number",
          "cvv",           "cvc",
          "signature"};
}

Redactor::Redactor(const RedactSettings& settings, std::string key)
    : redact_(settings.redact), mask_(settings.mask), known_(std::move(key), settings.most_known) {}

Result<Redactor> Redactor::draw(const RedactSettings& settings) {
  Result<std::string> key = draw_placeholder_key();
  if (!key) return key.error();
  return Redactor(settings, std::move(*key));
}

std::optional<Hiding> Redactor::hiding_of(std::string_view name) const {
  if (redact_.has(name)) return Hiding::secret;
  if (mask_.has(name)) return Hiding::mask;
  return std::nullopt;
}

std::string Redactor::hide(std::string_view value, Hiding hiding) {
  if (value.empty() || placeholder_length(value) == value.size()) return std::string(value);
  remember(value, hiding);
  return known_.placeholder_of(value, hiding);
}

std::string Redactor::hide_unnamed(std::string_view value) {
  if (value.empty() || placeholder_length(value) == value.size()) return std::string(value);
  if (value.size() > kLongestWord || !(is_word(value) || is_number(value))) remember(value);
  return known_.placeholder_of(value, Hiding::secret);
}

void Redactor::remember(std::string_view value, Hiding hiding) {
  if (!redact_.says(value) && !mask_.says(value)) known_.remember(value, hiding);
}

std::string Redactor::field(std::string_view name, std::string_view value) {
  const auto hiding = hiding_of(name);
  return hiding ? hide(value, *hiding) : this->value(value);
}

std::string Redactor::value(std::string_view value) {
  if (!has_fields(value)) return text(value);
  return begins_like_json(value) ? redact_json(*this, value) : redact_url(*this, value);
}

std::string Redactor::text(std::string_view text) {
  find_web_tokens(text, [this](std::string_view token) { remember(token); });
  return known_.replace_in(text);
}

}  // namespace heddle
