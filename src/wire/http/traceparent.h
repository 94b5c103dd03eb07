// The header by which a request says which trace it belongs to (W3C Trace Context, level 1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "wire/http/http_message.h"

namespace heddle {

inline constexpr std::string_view kTraceparentName = "traceparent";

struct Traceparent {
  std::string trace_id;    // 32 hexadecimal digits, in lower case as the next
  std::string parent_id;   // 16 of the span that sent the request
  std::uint8_t flags = 0;  // 1: the trace is sampled

  friend bool operator==(const Traceparent&, const Traceparent&) = default;
};

// What the text says, of version 00 or of a later one, which begins like it; none: it is invalid
// and to be ignored.
std::optional<Traceparent> read_traceparent(std::string_view text);
// The same of the only such header.
std::optional<Traceparent> traceparent_of(const std::vector<HttpHeader>& headers);

// "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
std::string traceparent_text(const Traceparent& traceparent);

// A trace that nobody else has, sampled. Error: the system has no random numbers.
Result<Traceparent> draw_traceparent();
// The id of a span that nobody else has. Error: as above.
Result<std::string> draw_span_id();

}  // namespace heddle
