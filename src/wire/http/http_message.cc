#include "wire/http/http_message.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {
namespace {

constexpr std::pair<int, std::string_view> kReasons[] = {
    {400, "Bad Request"},
    {408, "Request Timeout"},
    {431, "Request Header Fields Too Large"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {504, "Gateway Timeout"},
    {505, "HTTP Version Not Supported"},
};

std::string_view reason_of(int status) {
  for (const auto& [known, reason] : kReasons) {
    if (known == status) return reason;
  }
  return "";
}

bool has_element(const HttpHead& head, std::string_view name, std::string_view element) {
  const auto elements = header_elements(head.headers, name);
  return std::any_of(elements.begin(), elements.end(), [element](const std::string& one) {
    return equal_ignoring_case(one, element);
  });
}

std::string version_text(int version) {
  return fmt::format("HTTP/{}.{}", version / 10, version % 10);
}

std::string header_line(const HttpHeader& header) {
  return header.name + ": " + header.value + std::string(kHttpLineEnd);
}

// The length of the header that begins `rest`, with the lines into which it is folded.
std::size_t header_length(std::string_view rest) {
  std::size_t end = 0;
  do {
    end = rest.find(kHttpLineEnd, end) + kHttpLineEnd.size();
  } while (end < rest.size() && (rest[end] == ' ' || rest[end] == '\t'));
  return end;
}

// The head with `line` instead of all headers with that name, where the first of them was, or last.
std::string changed_head(std::string_view head, std::string_view name, std::string line) {
  // A client may have sent empty lines before its request.
  std::size_t at = 0;
  while (head.substr(at).starts_with(kHttpLineEnd)) at += kHttpLineEnd.size();
  at = head.find(kHttpLineEnd, at) + kHttpLineEnd.size();
  std::string bytes(head.substr(0, at));
  for (std::string_view rest = head.substr(at); !rest.empty();) {
    const std::size_t length = header_length(rest);
    const bool is_last = rest.starts_with(kHttpLineEnd);
    const bool is_replaced = !is_last && equal_ignoring_case(rest.substr(0, rest.find(':')), name);
    if (is_last || is_replaced) bytes += std::exchange(line, {});
    if (!is_replaced) bytes += rest.substr(0, length);
    rest.remove_prefix(length);
  }
  return bytes;
}

}  // namespace

std::optional<std::string_view> only_header(const std::vector<HttpHeader>& headers,
                                            std::string_view name) {
  std::optional<std::string_view> found;
  for (const HttpHeader& header : headers) {
    if (!equal_ignoring_case(header.name, name)) continue;
    if (found) return std::nullopt;
    found = header.value;
  }
  return found;
}

std::vector<std::string> header_elements(const std::vector<HttpHeader>& headers,
                                         std::string_view name) {
  std::vector<std::string> elements;
  for (const HttpHeader& header : headers) {
    if (!equal_ignoring_case(header.name, name)) continue;
    for (const std::string& element : split(header.value, ',')) {
      const std::string_view trimmed = trim(element);
      if (!trimmed.empty()) elements.emplace_back(trimmed);
    }
  }
  return elements;
}

bool expects_continue(const HttpHead& request) {
  return request.version >= 11 && has_element(request, "Expect", "100-continue");
}

bool asks_for_upgrade(const HttpHead& request) {
  return request.version >= 11 && !header_elements(request.headers, "Upgrade").empty() &&
         has_element(request, "Connection", "upgrade");
}

bool is_interim(const HttpHead& response) {
  return response.status / 100 == 1 && response.status != kSwitchingProtocols;
}

std::string head_bytes(const HttpHead& head) {
  std::string bytes;
  if (head.status == 0) {
    bytes = head.method + " " + head.target + " " + version_text(head.version);
  } else {
    bytes = fmt::format("{} {:03} {}", version_text(head.version), head.status, head.reason);
  }
  bytes += kHttpLineEnd;
  for (const HttpHeader& header : head.headers) bytes += header_line(header);
  return bytes.append(kHttpLineEnd);
}

std::string with_header(std::string_view head, const HttpHeader& header) {
  return changed_head(head, header.name, header_line(header));
}

std::string without_header(std::string_view head, std::string_view name) {
  return changed_head(head, name, "");
}

std::string plain_response(int status, std::string_view text, std::string_view method) {
  HttpHead head;
  head.status = status;
  head.reason = reason_of(status);
  head.headers = {{"Content-Type", "text/plain; charset=utf-8"},
                  {"Content-Length", std::to_string(text.size())},
                  {"Connection", "close"}};
  std::string bytes = head_bytes(head);
  if (method != "HEAD") bytes += text;
  return bytes;
}

}  // namespace heddle
