// Which scenarios must run alone.
#include "explore/cluster_state.h"

#include <string>

#include <gtest/gtest.h>

namespace heddle {
namespace {

Scenario with_step(const std::string& sql) {
  return *parse_scenario("session s\nstep a { " + sql + " }\n", "test.spec");
}

Scenario with_setup(const std::string& sql) {
  return *parse_scenario("setup { " + sql + " }\nsession s\nstep a { SELECT 1; }\n", "test.spec");
}

TEST(ClusterState, what_all_databases_share) {
  for (const char* sql :
       {"CREATE ROLE r", "create\n  USER u", "DROP  ROLE r", "PREPARE TRANSACTION 'x'",
        "COMMIT PREPARED 'x'", "CREATE DATABASE d", "SELECT pg_create_logical_replication_slot(1)",
        "ALTER ROLE r SET x = 1"}) {
    EXPECT_TRUE(touches_cluster_state(with_step(sql))) << sql;
    EXPECT_TRUE(touches_cluster_state(with_setup(sql))) << sql;
    EXPECT_TRUE(uses_shared_names(with_step(sql))) << sql;
    EXPECT_FALSE(can_prepare_ahead(with_setup(sql))) << sql;
  }
}

TEST(ClusterState, what_looks_across_databases) {
  for (const char* sql :
       {"SELECT * FROM pg_locks", "SELECT pg_stat_clear_snapshot()",
        "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE", "ALTER SYSTEM SET x = 1",
        "SET GLOBAL x = 1", "FLUSH TABLES WITH READ LOCK", "CONFIG SET maxmemory 1000000",
        "FUNCTION LOAD x"}) {
    EXPECT_TRUE(touches_cluster_state(with_step(sql))) << sql;
    EXPECT_TRUE(looks_across_databases(with_step(sql))) << sql;
    EXPECT_FALSE(can_prepare_ahead(with_step(sql))) << sql;
  }
}

TEST(ClusterState, what_belongs_to_one_database) {
  for (const char* sql : {"SELECT * FROM t FOR UPDATE", "CREATE TABLE roles (a int)",
                          "PREPARE p AS SELECT 1", "BEGIN; COMMIT", "CREATE INDEX ON t (a)"}) {
    EXPECT_FALSE(touches_cluster_state(with_step(sql))) << sql;
    EXPECT_TRUE(can_prepare_ahead(with_step(sql))) << sql;
  }
  EXPECT_TRUE(can_prepare_ahead(with_step("PREPARE TRANSACTION 'x'")))
      << "the sessions of one permutation run at a time";
}

}  // namespace
}  // namespace heddle
