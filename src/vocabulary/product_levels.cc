#include "vocabulary/product_levels.h"

#include <array>

namespace heddle {

namespace {

constexpr std::array kPostgresLevels = {IsolationLevel::postgres_read_committed,
                                        IsolationLevel::postgres_repeatable_read,
                                        IsolationLevel::postgres_serializable};
constexpr std::array kMariadbLevels = {
    IsolationLevel::mariadb_read_uncommitted, IsolationLevel::mariadb_read_committed,
    IsolationLevel::mariadb_repeatable_read, IsolationLevel::mariadb_serializable};

}  // namespace

std::span<const IsolationLevel> product_levels(Dialect dialect) {
  switch (dialect) {
    case Dialect::postgres:
      return kPostgresLevels;
    case Dialect::mysql:
      return kMariadbLevels;
    default:
      return {};
  }
}

std::string_view plain_level(IsolationLevel level) {
  if (level == IsolationLevel::snapshot) return "repeatable-read";
  const std::string_view name = definition(level).name;
  return name.substr(name.find(':') + 1);
}

}  // namespace heddle
