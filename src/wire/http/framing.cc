#include "wire/http/framing.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace heddle {
namespace {

bool has_header(const HttpHead& head, std::string_view name) {
  return std::any_of(head.headers.begin(), head.headers.end(), [name](const HttpHeader& header) {
    return equal_ignoring_case(header.name, name);
  });
}

// Messages whose end does not depend on what their headers say.
bool ends_with_head(const HttpHead& head) {
  return head.status != 0 && head.length == HttpLength::no_body;
}

}  // namespace

std::string framing_trouble(const HttpHead& head) {
  if (!has_header(head, "Transfer-Encoding")) return "";
  if (has_header(head, "Content-Length")) return "it has both Transfer-Encoding and Content-Length";
  const bool is_request = head.status == 0;
  // Clients read chunks of HTTP/1.0 servers; a server might take those of a client for requests.
  if (is_request && head.version < 11) return "it is of HTTP/1.0 and has a Transfer-Encoding";
  if (ends_with_head(head)) return "";
  const std::vector<std::string> codings = header_elements(head.headers, "Transfer-Encoding");
  const auto chunked = std::find_if(codings.begin(), codings.end(), [](const std::string& one) {
    return equal_ignoring_case(one, "chunked");
  });
  const bool ends_chunked = chunked != codings.end() && chunked + 1 == codings.end();
  if (ends_chunked != (head.length == HttpLength::chunked)) {
    return "its Transfer-Encoding is malformed";
  }
  if (ends_chunked) return "";
  if (is_request) return "its Transfer-Encoding does not end in \"chunked\"";
  if (codings.empty() || chunked != codings.end()) return "its Transfer-Encoding is malformed";
  return "";
}

}  // namespace heddle
