// Values as PostgreSQL writes them.
#include "interpret/value.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle::interpreter {

namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string quoted(std::string_view text, std::string_view special, bool doubles) {
  if (!text.empty() && text.find_first_of(special) == std::string_view::npos) {
    return std::string(text);
  }
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += doubles ? c : '\\';
    result += c;
  }
  return result + "\"";
}

std::string array_text(const Array& array) {
  std::string text;
  const auto size = static_cast<std::int64_t>(array.elements.size());
  if (array.lower != 1 && size > 0) {
    text = fmt::format("[{}:{}]=", array.lower, array.lower + size - 1);
  }
  text += "{";
  for (const Value& element : array.elements) {
    if (&element != array.elements.data()) text += ",";
    if (element.is_null()) {
      text += "NULL";
      continue;
    }
    const std::string written = output_text(element);
    const bool reads_as_null = to_lower(written) == "null";
    text += reads_as_null ? "\"" + written + "\"" : quoted(written, "{},\"\\ \t\n\r\v\f", false);
  }
  return text + "}";
}

std::string fields_text(const Fields& fields) {
  std::string text = "(";
  for (const Value& value : fields.values) {
    if (&value != fields.values.data()) text += ",";
    if (!value.is_null()) text += quoted(output_text(value), "(),\"\\ \t\n\r\v\f", true);
  }
  return text + ")";
}

std::string integer_text(std::int64_t value, Base base) {
  switch (base) {
    case Base::date:
      return date_text(value);
    case Base::time:
      return time_text(value);
    case Base::timestamp:
    case Base::timestamptz:
      return timestamp_text(value, base == Base::timestamptz);
    default:
      return std::to_string(value);
  }
}

}  // namespace

std::string float_text(double value, Base base) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  std::array<char, 64> room{};
  const auto written = base == Base::float4
                           ? std::to_chars(room.data(), room.data() + room.size(),
                                           static_cast<float>(value), std::chars_format::scientific)
                           : std::to_chars(room.data(), room.data() + room.size(), value,
                                           std::chars_format::scientific);
  std::string text(room.data(), written.ptr);
  const int exponent = std::stoi(text.substr(text.find('e') + 1));
  // From which exponent on PostgreSQL's "shortest" output is not fixed-point.
  const int limit = base == Base::float4 ? 6 : 15;
  if (exponent < -4 || exponent >= limit) return text;
  const auto decimal = Decimal::parse(text);
  const std::string plain = decimal ? decimal->text() : text;
  return value == 0 && std::signbit(value) ? "-0" : plain;
}

std::string output_text(const Value& value) {
  struct Writer {
    const Value& value;
    std::string operator()(std::monostate /*null*/) const { return ""; }
    std::string operator()(bool truth) const { return truth ? "t" : "f"; }
    std::string operator()(std::int64_t number) const {
      return integer_text(number, value.type.base);
    }
    std::string operator()(const Decimal& decimal) const { return decimal.text(); }
    std::string operator()(double number) const { return float_text(number, value.type.base); }
    std::string operator()(const std::string& text) const { return text; }
    std::string operator()(const Span& span) const { return span_text(span); }
    std::string operator()(const std::shared_ptr<const Array>& array) const {
      return array_text(*array);
    }
    std::string operator()(const std::shared_ptr<const Fields>& fields) const {
      return fields_text(*fields);
    }
  };
  return std::visit(Writer{value}, value.content);
}

std::size_t character_count(std::string_view text) {
  std::size_t count = 0;
  for (const char c : text) count += is_continuation(c) ? 0 : 1;
  return count;
}

std::size_t character_offset(std::string_view text, std::size_t character) {
  std::size_t offset = 0;
  for (; offset < text.size(); ++offset) {
    if (is_continuation(text[offset])) continue;
    if (character == 0) return offset;
    --character;
  }
  return offset;
}

}  // namespace heddle::interpreter
