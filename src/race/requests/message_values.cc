#include "race/requests/message_values.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "race/requests/value_walk.h"
#include "wire/http/content_coding.h"
#include "wire/http/http_message.h"

namespace heddle {
namespace {

constexpr std::size_t kLargestBody = std::size_t{64} << 20;

// Headers that say nothing of what the message is about.
constexpr std::array<std::string_view, 25> kPlainHeaders = {"accept",
                                                            "accept-charset",
                                                            "accept-encoding",
                                                            "accept-language",
                                                            "accept-ranges",
                                                            "age",
                                                            "allow",
                                                            "cache-control",
                                                            "connection",
                                                            "content-encoding",
                                                            "content-length",
                                                            "content-type",
                                                            "date",
                                                            "expect",
                                                            "expires",
                                                            "host",
                                                            "keep-alive",
                                                            "server",
                                                            "te",
                                                            "traceparent",
                                                            "tracestate",
                                                            "trailer",
                                                            "transfer-encoding",
                                                            "user-agent",
                                                            "vary"};

CodedText trimmed(const CodedText& text) {
  const std::string_view inner = trim(text.text);
  if (inner.empty()) return part_of(text, 0, 0);
  return part_of(text, static_cast<std::size_t>(inner.data() - text.text.data()), inner.size());
}

// A cookie's value, without the quotes around it.
CodedText without_quotes(const CodedText& text) {
  const bool is_quoted =
      text.text.size() > 1 && text.text.starts_with('"') && text.text.ends_with('"');
  return is_quoted ? part_of(text, 1, text.text.size() - 2) : text;
}

// "name=value" at each of the parts that `separator` separates; of Set-Cookie only the first.
void walk_cookies(ValueWalk& walk, const CodedText& header, bool is_set) {
  std::size_t at = 0;
  while (at < header.text.size()) {
    const std::size_t end = std::min(header.text.find(';', at), header.text.size());
    const std::string_view cookie = std::string_view(header.text).substr(at, end - at);
    const std::size_t equals = cookie.find('=');
    if (equals != cookie.npos) {
      const std::string name(trim(cookie.substr(0, equals)));
      const CodedText value =
          without_quotes(trimmed(part_of(header, at + equals + 1, end - at - equals - 1)));
      walk.add(value, {"/cookie/" + name, name, "cookie"});
    }
    if (is_set) break;
    at = end + 1;
  }
}

// What stands behind the scheme, "Bearer".
void walk_credentials(ValueWalk& walk, const CodedText& header, const std::string& name) {
  const std::size_t blank = header.text.find(' ');
  const std::size_t begin = blank == std::string::npos ? 0 : blank + 1;
  walk.add(trimmed(part_of(header, begin, header.text.size() - begin)),
           {"/header/" + name, name, "header"});
}

void walk_header(ValueWalk& walk, const std::string& name, const CodedText& value) {
  if (name == "cookie" || name == "set-cookie") return walk_cookies(walk, value, name != "cookie");
  if (name == "authorization" || name == "proxy-authorization") {
    return walk_credentials(walk, value, name);
  }
  if (is_one_of(name, kPlainHeaders)) return;
  walk.add_string(trimmed(value), {"/header/" + name, name, "header"}, 0);
}

std::vector<HttpHeader> http_headers(const TraceHeaders& headers) {
  std::vector<HttpHeader> list;
  for (const auto& [name, value] : headers) list.push_back({.name = name, .value = value});
  return list;
}

std::string plain_body(const TraceHeaders& headers, const std::string& body, bool is_decoded) {
  const std::vector<HttpHeader> list = http_headers(headers);
  if (is_decoded || body.empty() || header_elements(list, "Content-Encoding").empty()) return body;
  const auto plain = decode_body(list, body, kLargestBody);
  return plain ? plain->bytes : "";
}

std::string letters_and_digits(std::string_view name) {
  std::string letters;
  for (const char c : to_lower(name)) {
    if (is_letter(c) || is_digit(c)) letters += c;
  }
  return letters;
}

// Names of fields that only say that they tell things apart.
bool is_identity_word(std::string_view letters) {
  return is_one_of(letters, {"id", "uid", "uuid", "guid", "key", "no", "number", "code", "serial",
                             "ref", "reference", "slug", "href", "self", "location"});
}

// What is left of "orderid", "order_key"; empty: it does not end so.
std::string identity_stem(std::string_view letters) {
  for (const std::string_view end : {"uuid", "guid", "uid", "id", "key", "no", "number", "ref"}) {
    if (letters.size() > end.size() + 1 && letters.ends_with(end)) {
      return std::string(letters.substr(0, letters.size() - end.size()));
    }
  }
  return "";
}

}  // namespace

std::string singular(std::string_view word) {
  std::string one = to_lower(word);
  if (one.ends_with("ies") && one.size() > 4) return one.substr(0, one.size() - 3) + "y";
  for (const std::string_view end : {"sses", "xes", "ches", "shes"}) {
    if (one.ends_with(end)) return one.substr(0, one.size() - 2);
  }
  if (one.ends_with('s') && !one.ends_with("ss") && one.size() > 2) one.pop_back();
  return one;
}

std::string resource_of(std::string_view target) {
  const std::string_view path = target.substr(0, target.find_first_of("?#"));
  std::string resource;
  for (const std::string& part : split(path, '/')) {
    const bool is_word = !part.empty() && std::ranges::all_of(part, [](char c) {
      return is_letter(c) || c == '-' || c == '_';
    });
    if (is_word) resource = singular(part);
  }
  return resource;
}

std::vector<std::string> names_of(const MessageValue& value) {
  const std::string letters = letters_and_digits(value.field);
  const std::string entity = singular(letters_and_digits(value.entity));
  if (letters.empty()) return {};
  if (is_identity_word(letters)) {
    return entity.empty() ? std::vector{letters} : std::vector{entity, entity + letters};
  }
  const std::string stem = identity_stem(letters);
  if (!stem.empty()) return {singular(stem), letters};
  return {entity + "." + singular(letters)};
}

std::vector<std::string> origin_names(const MessageValue& value) {
  std::vector<std::string> names = names_of(value);
  const std::string field = singular(letters_and_digits(value.field));
  if (!field.empty() && !is_one_of(field, names)) names.push_back(field);
  return names;
}

bool is_identity(const MessageValue& value) {
  const std::string letters = letters_and_digits(value.field);
  return is_identity_word(letters) || !identity_stem(letters).empty();
}

std::vector<MessageValue> values_of(const MessageText& message, std::string_view resource) {
  std::vector<MessageValue> values;
  ValueWalk walk(values, resource);
  walk.begin(MessagePart::target);
  walk.walk_target(coded_text(message.target), "");
  std::string type;
  for (std::size_t i = 0; i < message.headers.size(); ++i) {
    const auto& [name, value] = message.headers[i];
    if (equal_ignoring_case(name, "Content-Type")) type = value;
    walk.begin(MessagePart::header, i);
    walk_header(walk, to_lower(name), coded_text(value));
  }
  walk.begin(MessagePart::body);
  walk.walk_content(type, coded_text(message.body), "/body", 0);
  return values;
}

MessageText text_of_request(const TraceRequest& request) {
  return {.target = request.target,
          .headers = request.headers,
          .body = plain_body(request.headers, request.body.bytes, request.body.is_decoded)};
}

MessageText text_of_answer(const TraceRequest& request) {
  return {.headers = request.response_headers,
          .body = plain_body(request.response_headers, request.response_body.bytes,
                             request.response_body.is_decoded)};
}

MessageText text_of_answer(const HttpAnswer& answer) {
  return {.headers = answer.headers, .body = plain_body(answer.headers, answer.body, false)};
}

}  // namespace heddle
