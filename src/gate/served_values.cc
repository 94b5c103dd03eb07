#include "gate/served_values.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "wire/postgres/type_names.h"

namespace heddle {
namespace {

constexpr std::uint32_t kBytes = 17;
constexpr std::uint32_t kBig = 20;
constexpr std::uint32_t kSmall = 21;
constexpr std::uint32_t kInteger = 23;
constexpr std::uint32_t kText = 25;
constexpr std::uint32_t kSingle = 700;
constexpr std::uint32_t kDouble = 701;
constexpr std::uint32_t kNumeric = 1700;

bool is_whole(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, is_digit);
}

// Whether it has as many digits behind the point as its column.
bool has_scale(std::string_view text, std::int32_t modifier) {
  if (modifier < 0) return true;
  constexpr std::int32_t kHeader = 4;
  constexpr std::int32_t kScaleBits = 0xffff;
  const auto scale = static_cast<std::size_t>((modifier - kHeader) & kScaleBits);
  const std::size_t point = text.find('.');
  const std::string_view behind = point == text.npos ? std::string_view() : text.substr(point + 1);
  return is_whole(text.substr(0, point)) && std::ranges::all_of(behind, is_digit) &&
         behind.size() == scale;
}

// As PostgreSQL writes it; none: it is no value of the type.
std::optional<std::string> served_value(const std::string& text,
                                        const postgres::FieldDescription& field) {
  switch (field.type) {
    case postgres::kBooleanType:
      if (text == "1" || text == "t" || text == "true") return "t";
      if (text == "0" || text == "f" || text == "false") return "f";
      return std::nullopt;
    case kSmall:
    case kInteger:
    case kBig:
      return is_whole(text) ? std::optional(text) : std::nullopt;
    case kSingle:
    case kDouble:
      return text.ends_with(".0") ? text.substr(0, text.size() - 2) : text;
    case kNumeric:
      return has_scale(text, field.modifier) ? std::optional(text) : std::nullopt;
    case kBytes:
      if (text.starts_with("X'")) return "\\x" + to_lower(text.substr(2, text.size() - 3));
      return text;
    default:
      return text;
  }
}

}  // namespace

Result<std::vector<postgres::FieldDescription>> served_columns(const std::vector<Column>& columns) {
  std::vector<postgres::FieldDescription> fields;
  for (const Column& column : columns) {
    if (column.type.ends_with("]")) {
      return Diagnostic{.what = fmt::format("the replicated store says to no driver what is in {}, "
                                            "which has the type {}",
                                            column.name, column.type),
                        .trouble = Trouble::bad_input};
    }
    const postgres::NumberedType type = postgres::numbered_type(column.type);
    postgres::FieldDescription& field = fields.emplace_back();
    field.name = column.name;
    field.type = type.number == 0 ? kText : type.number;
    field.modifier = type.modifier;
  }
  return fields;
}

Result<postgres::StatementResult> served_result(const ResultSet& result) {
  postgres::StatementResult served{.columns = {}, .rows = {}, .tag = result.command_tag};
  if (!result.has_rows) return served;
  auto columns = served_columns(result.columns);
  if (!columns) return columns.error();
  for (const Row& row : result.rows) {
    postgres::DataRow& values = served.rows.emplace_back();
    for (std::size_t i = 0; i < row.size() && i < columns->size(); ++i) {
      const postgres::FieldDescription& field = (*columns)[i];
      values.push_back(row[i] ? served_value(*row[i], field) : std::nullopt);
      if (!row[i] || values.back()) continue;
      return Diagnostic{.what = fmt::format("the replicated store keeps {} in {}, which is no {}",
                                            *row[i], field.name, result.columns[i].type),
                        .trouble = Trouble::bad_input};
    }
  }
  served.columns = *std::move(columns);
  return served;
}

}  // namespace heddle
