#include "store/postgres/types.h"

#include <fmt/format.h>

namespace heddle {

namespace {

// pg_type.dat
constexpr Oid kNumeric = 1700;
constexpr Oid kPadded = 1042;
constexpr Oid kVarying = 1043;
constexpr int kHeader = 4;  // that modifiers count as well

}  // namespace

const char* PostgresTypes::query() {
  return "SELECT oid, pg_catalog.format_type(oid, NULL) FROM pg_catalog.pg_type";
}

PostgresTypes PostgresTypes::from(const std::vector<Row>& rows) {
  PostgresTypes types;
  for (const Row& row : rows) {
    const auto number = static_cast<Oid>(std::stoul(row.at(0).value_or("0")));
    const std::string name = row.at(1).value_or("");
    types.names_[number] = name;
    types.numbers_.insert({name, number});
  }
  return types;
}

Oid PostgresTypes::number(const std::string& type) const {
  const auto known = numbers_.find(type);
  return known == numbers_.end() || type == "unknown" || type == "record" ? 0 : known->second;
}

std::string PostgresTypes::text(Oid type, int modifier) const {
  const auto known = names_.find(type);
  std::string name = known == names_.end() ? fmt::format("type {}", type) : known->second;
  // "character" alone would be of length 1.
  if (modifier < kHeader) return type == kPadded ? "bpchar" : name;
  modifier -= kHeader;
  if (type == kNumeric) return fmt::format("{}({},{})", name, modifier >> 16, modifier & 0x7ff);
  if (type == kPadded || type == kVarying) return fmt::format("{}({})", name, modifier);
  return name;
}

}  // namespace heddle
