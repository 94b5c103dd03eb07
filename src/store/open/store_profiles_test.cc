// The table of stores: each address names one row, and servers are as their rows say.
#include "store/open/store_profiles.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "store/open/open.h"

namespace heddle {
namespace {

StoreKind kind_of(const char* address) {
  const StoreProfile* const profile = find_store_profile(address);
  EXPECT_NE(profile, nullptr) << address;
  return profile == nullptr ? StoreKind::postgres : profile->kind;
}

TEST(StoreProfiles, stand_in_the_order_of_their_kinds) {
  std::size_t index = 0;
  for (const StoreProfile& profile : store_profiles()) {
    EXPECT_EQ(static_cast<std::size_t>(profile.kind), index++);
    EXPECT_EQ(find_store_profile(profile.word), &profile) << profile.word;
    if (profile.given.empty()) continue;
    EXPECT_EQ(find_store_profile(profile.given), &profile) << profile.given;
  }
  EXPECT_EQ(index, static_cast<std::size_t>(StoreKind::replicated) + 1);
}

TEST(StoreProfiles, are_found_by_address) {
  EXPECT_EQ(kind_of("postgresql://me@host/"), StoreKind::postgres);
  EXPECT_EQ(kind_of("host=here dbname=shop"), StoreKind::postgres);
  EXPECT_EQ(kind_of("mysql://me@host/shop?socket=/s"), StoreKind::mariadb);
  EXPECT_EQ(kind_of("mariadb://me@host/"), StoreKind::mariadb);
  EXPECT_EQ(kind_of("mariadb:rong"), StoreKind::ring);
  EXPECT_EQ(kind_of("redis://?socket=/path"), StoreKind::redis);
  EXPECT_EQ(kind_of("unix:/path"), StoreKind::redis);
  EXPECT_EQ(kind_of("sqlite:wal"), StoreKind::sqlite);
  EXPECT_EQ(kind_of("replicated:3"), StoreKind::replicated);
  for (const char* unknown : {"", "oracle", "postgre", "mysql", "redis:", "replicated3"}) {
    EXPECT_EQ(find_store_profile(unknown), nullptr) << unknown;
  }
}

TEST(StoreProfiles, weaker_levels_stand_before_stronger_ones) {
  for (const StoreProfile& profile : store_profiles()) {
    const std::span<const IsolationLevel> levels = profile.levels();
    for (std::size_t i = 0; i < levels.size(); ++i) {
      for (std::size_t j = i + 1; j < levels.size(); ++j) {
        EXPECT_FALSE(implies(levels[i], levels[j])) << profile.word << " " << i << " " << j;
      }
    }
  }
}

TEST(StoreProfiles, servers_are_as_their_rows_say) {
  for (const StoreProfile& profile : store_profiles()) {
    const auto server = open_server(std::string(profile.word));
    ASSERT_TRUE(server) << to_string(server.error());
    EXPECT_EQ((*server)->dialect(), profile.dialect) << profile.word;
    for (const IsolationLevel level : profile.levels()) {
      EXPECT_TRUE((*server)->offers(level)) << profile.word << " " << definition(level).name;
    }
  }
}

TEST(StoreProfiles, the_replicated_store_has_each_of_its_levels_and_no_other) {
  const StoreProfile& profile = *find_store_profile("replicated");
  const auto server = open_server("replicated");
  ASSERT_TRUE(server);
  for (const LevelDefinition& level : isolation_levels()) {
    const bool is_listed =
        std::ranges::find(profile.levels(), level.level) != profile.levels().end();
    EXPECT_EQ((*server)->offers(level.level).has_value(), is_listed) << level.name;
  }
}

TEST(StoreProfiles, an_unknown_address_is_told_of_all) {
  const auto server = open_server("oracle");
  ASSERT_FALSE(server);
  EXPECT_EQ(server.error().what_to_do,
            "use postgres, mariadb, mariadb:ring, redis, sqlite, sqlite:wal, replicated, "
            "postgres://user@host:port/database, mysql://user@host:port/ or redis://host:port/");
}

}  // namespace
}  // namespace heddle
