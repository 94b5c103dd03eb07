#include "heddle/value_type.h"

#include <string_view>

#include "base/assert.h"

namespace heddle {
namespace {

// In the order of the enumerators.
constexpr std::string_view kNames[] = {
    "unknown",  "boolean", "integer16", "integer32",      "integer64",   "numeric",
    "real32",   "real64",  "text",      "varying",        "padded_text", "bytes",
    "bits",     "date",    "time",      "time_with_zone", "timestamp",   "timestamp_with_zone",
    "interval", "json",    "uuid",      "array",          "enumeration",
};

}  // namespace

std::string to_string(ValueType type) {
  const auto index = static_cast<std::size_t>(type);
  HEDDLE_ASSERT(index < std::size(kNames));
  return std::string(kNames[index]);
}

bool is_integer(ValueType type) {
  return type == ValueType::integer16 || type == ValueType::integer32 ||
         type == ValueType::integer64;
}

bool is_text(ValueType type) {
  return type == ValueType::text || type == ValueType::varying || type == ValueType::padded_text;
}

}  // namespace heddle
