#include "wire/postgres/type_names.h"

#include <charconv>
#include <cstddef>

namespace heddle::postgres {
namespace {

struct TypeName {
  std::string_view name;
  std::uint32_t number;
};

// The first of several names is the catalogue's.
constexpr TypeName kTypeNames[] = {{"boolean", 16},
                                   {"bool", 16},
                                   {"bytea", 17},
                                   {"bigint", 20},
                                   {"int8", 20},
                                   {"smallint", 21},
                                   {"int2", 21},
                                   {"integer", 23},
                                   {"int", 23},
                                   {"int4", 23},
                                   {"text", 25},
                                   {"json", 114},
                                   {"real", 700},
                                   {"float4", 700},
                                   {"double precision", 701},
                                   {"float8", 701},
                                   {"float", 701},
                                   {"character", 1042},
                                   {"char", 1042},
                                   {"bpchar", 1042},
                                   {"character varying", 1043},
                                   {"varchar", 1043},
                                   {"date", 1082},
                                   {"time without time zone", 1083},
                                   {"time", 1083},
                                   {"timestamp without time zone", 1114},
                                   {"timestamp", 1114},
                                   {"timestamp with time zone", 1184},
                                   {"timestamptz", 1184},
                                   {"interval", 1186},
                                   {"numeric", 1700},
                                   {"decimal", 1700},
                                   {"uuid", 2950},
                                   {"jsonb", 3802}};

constexpr std::uint32_t kNumericType = 1700;
constexpr std::uint32_t kPaddedType = 1042;
constexpr std::uint32_t kVaryingType = 1043;
constexpr std::int32_t kHeader = 4;  // which modifiers count as well
constexpr int kPrecisionBits = 16;

std::int32_t first_number(std::string_view text) {
  const std::size_t begin = text.find_first_of("0123456789");
  std::int32_t number = -1;
  if (begin != text.npos) std::from_chars(text.data() + begin, text.data() + text.size(), number);
  return number;
}

// numeric(12,2), varchar(40): of what stands between the parentheses.
std::int32_t modifier_of(std::uint32_t type, std::string_view inner) {
  const std::int32_t first = first_number(inner);
  const bool is_counted = type == kNumericType || type == kPaddedType || type == kVaryingType;
  constexpr std::int32_t kLongestLimit = 10'485'760;
  if (!is_counted || first < 0 || first > kLongestLimit) return -1;
  if (type != kNumericType) return first + kHeader;
  const std::size_t comma = inner.find(',');
  const std::int32_t scale = comma == inner.npos ? 0 : first_number(inner.substr(comma));
  constexpr std::int32_t kMost = 1'000;
  if (first > kMost || scale < 0 || scale > kMost) return -1;
  return (first << kPrecisionBits) + scale + kHeader;
}

}  // namespace

NumberedType numbered_type(std::string_view name) {
  const std::size_t open = name.find('(');
  const std::size_t close = name.find(')', open == name.npos ? 0 : open);
  std::string plain(name.substr(0, open));
  if (open != name.npos && close != name.npos) plain += name.substr(close + 1);
  while (plain.ends_with(' ')) plain.pop_back();
  for (const TypeName& row : kTypeNames) {
    if (row.name != plain) continue;
    const bool is_limited = open != name.npos && close != name.npos;
    const std::string_view inner =
        is_limited ? name.substr(open + 1, close - open - 1) : std::string_view();
    return {.number = row.number, .modifier = is_limited ? modifier_of(row.number, inner) : -1};
  }
  return {};
}

std::string_view type_name(std::uint32_t number) {
  for (const TypeName& row : kTypeNames) {
    if (row.number == number) return row.name;
  }
  return {};
}

}  // namespace heddle::postgres
