// What HTTP says without its secrets.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "record/redact/redactor.h"
#include "wire/http/http_message.h"

namespace heddle {

// The head of a request or of a response: credentials behind their scheme ("Bearer <secret:...>"),
// the value of each cookie, headers with such names, fields in the query of the target and in any
// URL, and what is known in all others.
HttpHead redact_head(Redactor& redactor, HttpHead head);
std::vector<HttpHeader> redact_headers(Redactor& redactor, std::vector<HttpHeader> headers);

struct RedactedBody {
  std::string bytes;
  bool is_decoded = false;  // it was compressed, and is not any more
  bool is_whole = true;     // false: of what was decoded there is more than was allowed
};

// A body with these headers, as JSON, a form, its parts, markup, events or a text, by its type and
// where that says nothing by its look. A compressed one stays as it is where nothing in it is to be
// redacted, else it is decoded, up to `limit` bytes. Of a body that is kept in part only, give
// kLongestSearched bytes more than are kept: a value that is cut in two is not found.
RedactedBody redact_body(Redactor& redactor, const std::vector<HttpHeader>& headers,
                         std::string_view body, std::size_t limit);

}  // namespace heddle
