#include "wire/http/traceparent.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/random_text.h"
#include "base/text.h"

namespace heddle {
namespace {

constexpr std::size_t kVersionLength = 2;
constexpr std::size_t kTraceLength = 32;
constexpr std::size_t kSpanLength = 16;
constexpr std::size_t kFlagsLength = 2;
constexpr std::size_t kLength =
    kVersionLength + 1 + kTraceLength + 1 + kSpanLength + 1 + kFlagsLength;
constexpr std::string_view kFirstVersion = "00";
constexpr std::string_view kInvalidVersion = "ff";
constexpr std::uint8_t kSampled = 1;

bool is_hexadecimal(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == text.npos;
}

bool is_id(std::string_view text) {
  return is_hexadecimal(text) && text.find_first_not_of('0') != text.npos;
}

// Up to the next dash, which is taken, too.
std::string_view next_field(std::string_view& rest) {
  const std::string_view field = rest.substr(0, rest.find('-'));
  rest.remove_prefix(std::min(rest.size(), field.size() + 1));
  return field;
}

// An id is invalid where all of it is zero, which a drawing gives once in more than the age of the
// universe.
Result<std::string> draw_id(std::size_t digits) {
  while (true) {
    Result<std::string> drawn = draw_hexadecimal(digits / 2);
    if (!drawn || is_id(*drawn)) return drawn;
  }
}

}  // namespace

std::optional<Traceparent> read_traceparent(std::string_view text) {
  std::string_view rest = trim(text);
  const bool is_longer = rest.size() > kLength;
  if (rest.size() < kLength || (is_longer && rest[kLength] != '-')) return std::nullopt;
  rest = rest.substr(0, kLength);
  const std::string_view version = next_field(rest);
  const std::string_view trace = next_field(rest);
  const std::string_view span = next_field(rest);
  const std::string_view flags = next_field(rest);
  if (version.size() != kVersionLength || !is_hexadecimal(version)) return std::nullopt;
  if (version == kInvalidVersion || (is_longer && version == kFirstVersion)) return std::nullopt;
  if (trace.size() != kTraceLength || !is_id(trace)) return std::nullopt;
  if (span.size() != kSpanLength || !is_id(span)) return std::nullopt;
  if (flags.size() != kFlagsLength || !is_hexadecimal(flags)) return std::nullopt;
  Traceparent found{.trace_id = std::string(trace), .parent_id = std::string(span)};
  std::from_chars(flags.data(), flags.data() + flags.size(), found.flags, 16);
  return found;
}

std::optional<Traceparent> traceparent_of(const std::vector<HttpHeader>& headers) {
  const auto value = only_header(headers, kTraceparentName);
  return value ? read_traceparent(*value) : std::nullopt;
}

std::string traceparent_text(const Traceparent& traceparent) {
  return fmt::format("{}-{}-{}-{:02x}", kFirstVersion, traceparent.trace_id, traceparent.parent_id,
                     traceparent.flags);
}

Result<Traceparent> draw_traceparent() {
  Result<std::string> trace = draw_id(kTraceLength);
  if (!trace) return trace.error();
  Result<std::string> span = draw_span_id();
  if (!span) return span.error();
  return Traceparent{.trace_id = *trace, .parent_id = *span, .flags = kSampled};
}

Result<std::string> draw_span_id() { return draw_id(kSpanLength); }

}  // namespace heddle
