// Bodies as they were before Content-Encoding (RFC 9110, section 8.4), so that two can be compared
// and what they say can be found.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "wire/http/http_message.h"

namespace heddle {

struct DecodedBody {
  std::string bytes;
  bool is_whole = true;  // the body did not end early, and there were no more bytes than allowed
};

// What `headers` say that the body is coded by: gzip, deflate, br, zstd, several one after the
// other, or nothing. Takes memory for twice `limit` bytes and a window of 16 MiB.
// Error: a coding that nobody knows, more than four, or a body that is not coded so.
Result<DecodedBody> decode_body(const std::vector<HttpHeader>& headers, std::string_view body,
                                std::size_t limit);

}  // namespace heddle
