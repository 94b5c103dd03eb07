#include "store/replicated/declared_type.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/text.h"

namespace heddle::replicated {

namespace {

void write_scale(std::string& number, std::size_t scale) {
  const std::size_t first = number.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(number.find('.'), number.size());
  const std::string_view whole = std::string_view(number).substr(first, point - first);
  const std::size_t behind = number.size() - std::min(number.size(), point + 1);
  const bool is_plain =
      !whole.empty() && std::ranges::all_of(whole, is_digit) &&
      std::all_of(number.end() - static_cast<std::ptrdiff_t>(behind), number.end(), is_digit);
  if (!is_plain || behind >= scale) return;
  if (point == number.size()) number += '.';
  number.append(scale - behind, '0');
}

}  // namespace

std::string type_name(const std::string& declared) {
  std::string type = to_lower(declared);
  if (type.starts_with("decimal")) return "numeric" + type.substr(7);
  if (type == "int") return "integer";
  if (type.starts_with("varchar")) return "character varying" + type.substr(7);
  if (type == "timestamp") return "timestamp without time zone";
  if (type == "timestamptz") return "timestamp with time zone";
  if (type == "double" || type == "float8") return "double precision";
  if (type == "bool") return "boolean";
  return type;
}

std::optional<std::size_t> scale_of(const std::string& type) {
  const std::size_t comma = type.find(',');
  if (!type.starts_with("numeric(") || comma == type.npos) return std::nullopt;
  const std::size_t digits = type.find_first_of("0123456789", comma);
  if (digits == type.npos) return std::nullopt;
  std::size_t scale = 0;
  const char* const end = type.data() + type.size();
  if (std::from_chars(type.data() + digits, end, scale).ec != std::errc()) return std::nullopt;
  constexpr std::size_t kMost = 1'000;
  return scale <= kMost ? std::optional(scale) : std::nullopt;
}

void write_scales(ResultSet& result) {
  for (std::size_t i = 0; i < result.columns.size(); ++i) {
    const std::optional<std::size_t> scale = scale_of(result.columns[i].type);
    if (!scale) continue;
    for (Row& row : result.rows) {
      if (row[i]) write_scale(*row[i], *scale);
    }
  }
}

}  // namespace heddle::replicated
