#include "store/open/store_profiles.h"

#include <array>
#include <ranges>
#include <vector>

#include "store/mariadb/server.h"
#include "store/postgres/server.h"
#include "store/redis/server.h"
#include "store/replicated/level_rules.h"
#include "store/replicated/server.h"
#include "store/ring/server.h"
#include "store/sqlite/server.h"
#include "vocabulary/product_levels.h"

namespace heddle {

namespace {

using Levels = std::span<const IsolationLevel>;

constexpr std::array kSerializable = {IsolationLevel::serializable};
// Of one server; between the two of them nothing else is kept than that transactions are whole.
constexpr std::array kRingLevels = {IsolationLevel::read_committed};

Levels replicated_levels() {
  static const std::vector<IsolationLevel> levels = [] {
    std::vector<IsolationLevel> offered;
    for (const replicated::LevelRule& rule : replicated::level_rules()) {
      offered.push_back(rule.level);
    }
    return offered;
  }();
  return levels;
}

constexpr std::array kProfiles = {
    StoreProfile{
        .kind = StoreKind::postgres,
        .word = "postgres",
        .product = "PostgreSQL",
        .dialect = Dialect::postgres,
        .levels = [] { return product_levels(Dialect::postgres); },
        .usual = "postgres",
        .given = "postgres://user@host:port/database",
        .has_databases = true,
        .executes_causes = true,
        .executes_cuts = true,
        .is_address = is_postgres_address,
        .start = [](const std::string& address) { return start_postgres(address); },
    },
    StoreProfile{
        .kind = StoreKind::mariadb,
        .word = "mariadb",
        .product = "MariaDB",
        .dialect = Dialect::mysql,
        .levels = [] { return product_levels(Dialect::mysql); },
        .usual = "mariadb",
        .given = "mysql://user@host:port/",
        .has_databases = true,
        .executes_causes = true,
        .executes_cuts = true,
        .is_address = is_mariadb_address,
        .start = [](const std::string& address) { return start_mariadb(address); },
    },
    StoreProfile{
        .kind = StoreKind::ring,
        .word = "mariadb:ring",
        .product = "a ring of MariaDB servers",
        .dialect = Dialect::mysql,
        .levels = [] { return Levels(kRingLevels); },
        .usual = "mariadb:ring",
        .given = "",
        .executes_causes = true,
        .is_address = is_ring_address,
        .start = start_ring,
    },
    StoreProfile{
        .kind = StoreKind::redis,
        .word = "redis",
        .product = "Redis",
        .dialect = Dialect::redis,
        .levels = [] { return Levels(kSerializable); },
        .usual = "redis",
        .given = "redis://host:port/",
        .is_address = is_redis_address,
        .start = start_redis,
    },
    StoreProfile{
        .kind = StoreKind::sqlite,
        .word = "sqlite",
        .product = "SQLite",
        .dialect = Dialect::sqlite,
        .levels = [] { return Levels(kSerializable); },
        .usual = "sqlite, sqlite:wal",
        .given = "",
        .is_address = is_sqlite_address,
        .start = start_sqlite,
    },
    StoreProfile{
        .kind = StoreKind::replicated,
        .word = "replicated",
        .product = "the replicated store",
        .dialect = Dialect::sqlite,
        .levels = replicated_levels,
        .usual = "replicated",
        .given = "",
        .outlives = false,
        .executes_causes = true,
        .executes_cuts = true,
        .is_address = is_replicated_address,
        .start = start_replicated,
    },
};

}  // namespace

std::span<const StoreProfile> store_profiles() { return kProfiles; }

const StoreProfile* find_store_profile(std::string_view address) {
  // From the last one: PostgreSQL's addresses are whatever has an equals sign, among others.
  for (const StoreProfile& profile : std::views::reverse(kProfiles)) {
    if (profile.is_address(address)) return &profile;
  }
  return nullptr;
}

}  // namespace heddle
