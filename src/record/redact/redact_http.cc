#include "record/redact/redact_http.h"

#include <array>
#include <utility>

#include "base/text.h"
#include "record/redact/encodings.h"
#include "record/redact/redact_content.h"
#include "wire/http/content_coding.h"

namespace heddle {
namespace {

// The scheme that credentials begin with, with the blanks behind it; nothing: there is none.
std::string_view scheme_of(std::string_view credentials) {
  const std::size_t blank = credentials.find(' ');
  if (blank == credentials.npos) return {};
  const std::size_t end = credentials.find_first_not_of(' ', blank);
  return credentials.substr(0, end == credentials.npos ? credentials.size() : end);
}

// Of "name=value, name=\"value\"" those values that their name makes secrets.
void remember_parameters(Redactor& redactor, std::string_view parameters) {
  for (const std::string& parameter : split(parameters, ',')) {
    const std::string_view field = trim(parameter);
    const std::size_t equals = field.find('=');
    if (equals == field.npos) continue;
    std::string_view value = trim(field.substr(equals + 1));
    if (value.size() > 1 && value.starts_with('"') && value.ends_with('"')) {
      value = value.substr(1, value.size() - 2);
    }
    if (redactor.hiding_of(trim(field.substr(0, equals)))) redactor.remember(value);
  }
}

// What clients send that have no credentials yet: a scheme alone, or what their language calls
// nothing.
bool is_nothing(std::string_view credentials) {
  constexpr std::array<std::string_view, 9> kNothing = {
      "bearer", "basic", "token", "null", "undefined", "none", "nil", "\"\"", "''"};
  return is_one_of(std::string_view(to_lower(credentials)), kNothing);
}

std::string redact_credentials(Redactor& redactor, std::string_view value, Hiding hiding) {
  const std::string_view scheme = scheme_of(value);
  const std::string_view credentials = value.substr(scheme.size());
  if (is_nothing(credentials)) return std::string(value);
  if (equal_ignoring_case(trim(scheme), "Basic")) {
    const auto decoded = base64_decoded(credentials);
    const std::size_t colon = decoded ? decoded->find(':') : std::string::npos;
    if (colon != std::string::npos) redactor.remember(std::string_view(*decoded).substr(colon + 1));
  } else if (!scheme.empty()) {
    remember_parameters(redactor, credentials);
  }
  return std::string(scheme) + redactor.hide(credentials, hiding);
}

std::string cookie_value(Redactor& redactor, std::string_view name, std::string_view raw) {
  const bool is_quoted = raw.size() > 1 && raw.starts_with('"') && raw.ends_with('"');
  const std::string_view value = is_quoted ? raw.substr(1, raw.size() - 2) : raw;
  const auto hiding = redactor.hiding_of(name);
  const std::string hidden = hiding ? redactor.hide(value, *hiding) : redactor.hide_unnamed(value);
  return is_quoted ? '"' + hidden + '"' : hidden;
}

// "name=value", with the blanks around it.
std::string redact_cookie(Redactor& redactor, std::string_view cookie) {
  const std::size_t equals = cookie.find('=');
  // A cookie without a name.
  const std::size_t begin = equals == cookie.npos ? 0 : equals + 1;
  const std::string_view value = trim(cookie.substr(begin));
  if (value.empty()) return std::string(cookie);
  const std::string_view name = trim(cookie.substr(0, begin == 0 ? 0 : equals));
  const auto at = static_cast<std::size_t>(value.data() - cookie.data());
  return std::string(cookie.substr(0, at)) + cookie_value(redactor, name, value) +
         std::string(cookie.substr(at + value.size()));
}

std::string redact_cookies(Redactor& redactor, std::string_view cookies) {
  std::vector<std::string> redacted;
  for (const std::string& cookie : split(cookies, ';')) {
    redacted.push_back(redact_cookie(redactor, cookie));
  }
  return join(redacted, ";");
}

// Attributes follow the only cookie.
std::string redact_set_cookie(Redactor& redactor, std::string_view value) {
  const std::size_t end = std::min(value.find(';'), value.size());
  return redact_cookie(redactor, value.substr(0, end)) + redact_url(redactor, value.substr(end));
}

std::string redact_header(Redactor& redactor, const HttpHeader& header) {
  const std::string name = to_lower(header.name);
  if (name == "cookie") return redact_cookies(redactor, header.value);
  if (name == "set-cookie") return redact_set_cookie(redactor, header.value);
  const bool is_credentials = name == "authorization" || name == "proxy-authorization";
  const auto hiding = redactor.hiding_of(name);
  if (is_credentials || hiding) {
    return redact_credentials(redactor, header.value, hiding.value_or(Hiding::secret));
  }
  return redactor.value(header.value);
}

}  // namespace

std::vector<HttpHeader> redact_headers(Redactor& redactor, std::vector<HttpHeader> headers) {
  for (HttpHeader& header : headers) header.value = redact_header(redactor, header);
  return headers;
}

HttpHead redact_head(Redactor& redactor, HttpHead head) {
  const std::uint64_t known = redactor.known();
  head.target = redact_url(redactor, head.target);
  head.reason = redactor.text(head.reason);
  head.headers = redact_headers(redactor, std::move(head.headers));
  if (redactor.known() == known) return head;
  // What one header tells may stand in those before it.
  head.target = redactor.text(head.target);
  for (HttpHeader& header : head.headers) header.value = redactor.text(header.value);
  return head;
}

RedactedBody redact_body(Redactor& redactor, const std::vector<HttpHeader>& headers,
                         std::string_view body, std::size_t limit) {
  const std::string type(only_header(headers, "Content-Type").value_or(""));
  const bool is_coded = !header_elements(headers, "Content-Encoding").empty();
  if (!is_coded) return {.bytes = redact_content(redactor, type, body)};
  const auto decoded = decode_body(headers, body, limit);
  // What cannot be decoded is only bytes.
  if (!decoded) return {.bytes = redactor.text(body)};
  std::string redacted = redact_content(redactor, type, decoded->bytes);
  if (redacted == decoded->bytes && decoded->is_whole) return {.bytes = std::string(body)};
  return {.bytes = std::move(redacted), .is_decoded = true, .is_whole = decoded->is_whole};
}

}  // namespace heddle
