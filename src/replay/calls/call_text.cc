// A bare literal is written only where PostgreSQL gives it the value's own type: what a statement
// means must not depend on how its values reach it.
#include "replay/calls/call_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "heddle/program.h"
#include "store/quote.h"

namespace heddle {

namespace {

std::optional<std::int64_t> integer_of(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                  : std::nullopt;
}

// The type that PostgreSQL gives the bare number.
std::string_view type_of_number(std::string_view text) {
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= '0' && c <= '9') || c == '.' || c == '-';
  });
  if (!is_plain) return "";
  if (text.find('.') != text.npos) return "numeric";
  const auto number = integer_of(text);
  if (!number || *number == std::numeric_limits<std::int64_t>::min()) return "";
  // The minus is an operator: what stands behind it must be an integer itself.
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return *number >= -kMost && *number <= kMost ? "integer" : "bigint";
}

Expression literal(const ClientValue& value, Literals literals = Literals::typed) {
  return {.kind = ExpressionKind::literal, .text = literal_text(value, literals), .operands = {}};
}

bool is_numeric_type(const std::string& type) {
  constexpr std::string_view kNumbers[] = {"smallint", "integer", "bigint", "real",
                                           "double precision"};
  return type.starts_with("numeric") || std::ranges::find(kNumbers, type) != std::end(kNumbers);
}

// Texts and times, which a text is compared with and put into.
bool is_read_from_text(const std::string& type) {
  constexpr std::string_view kTypes[] = {"text", "character", "varchar", "bpchar",
                                         "date", "time",      "unknown"};
  return type.empty() || (type != "time with time zone" && type != "timestamp with time zone" &&
                          std::ranges::any_of(kTypes, [&](std::string_view known) {
                            return type.starts_with(known);
                          }));
}

// None: it has its type in any case.
std::optional<std::string> bare_literal(const ClientValue& value) {
  if (!value.text) return "NULL";
  if (value.type.ends_with("[]")) return std::nullopt;
  if (is_numeric_type(value.type)) {
    const bool is_finite = value.text->find_first_of("nN") == value.text->npos;
    if (!is_finite) return std::nullopt;
    return value.text->starts_with('-') ? "(" + *value.text + ")" : *value.text;
  }
  if (is_read_from_text(value.type)) return quote_literal(*value.text);
  return std::nullopt;
}

}  // namespace

std::string literal_text(const ClientValue& value, Literals literals) {
  if (literals == Literals::bare && (value.type != "boolean" || !value.text)) {
    if (const auto bare = bare_literal(value)) return *bare;
  }
  const bool has_type = !value.type.empty() && value.type != "unknown" && value.type != "record";
  const std::string cast = has_type ? "::" + value.type : "";
  if (!value.text) return "NULL" + cast;
  if (value.type == "boolean") return value.text->starts_with('t') ? "true" : "false";
  const bool is_numeric = value.type.starts_with("numeric");
  if (is_numeric || value.type == "integer" || value.type == "bigint" || value.type == "smallint") {
    const std::string_view natural = type_of_number(*value.text);
    const bool is_negative = value.text->starts_with('-');
    std::string number = is_negative ? "(" + *value.text + ")" : *value.text;
    if (natural == (is_numeric ? "numeric" : std::string_view(value.type))) return number;
    if (!natural.empty()) return number + cast;
  }
  return quote_literal(*value.text) + cast;
}

std::string text_with_values(const std::string& text, const std::vector<ClientValue>& values,
                             Literals literals) {
  std::vector<Expression> expressions;
  expressions.reserve(values.size());
  for (const ClientValue& value : values) expressions.push_back(literal(value, literals));
  return named_text(text, expressions);
}

std::string question_text(const UnknownValue& unknown) {
  Expression call = *unknown.expression;
  for (std::size_t i = 0; i < call.operands.size() && i < unknown.operands.size(); ++i) {
    call.operands[i] = literal(unknown.operands[i]);
  }
  return "SELECT " + print_expression(call);
}

}  // namespace heddle
