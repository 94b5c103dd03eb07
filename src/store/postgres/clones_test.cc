#include "store/postgres/clones.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/must_testing.h"
#include "store/postgres/ask_testing.h"
#include "store/postgres/throwaway.h"
#include "throwaway/child_testing.h"
#include "throwaway/guard.h"

namespace heddle {
namespace {

using testing::HasSubstr;

std::string count_databases(const std::string& conninfo) {
  return ask(conninfo, "SELECT count(*) FROM pg_database WHERE datname ~ '^heddle_'");
}

TEST(Clones, are_copies_with_what_belongs_to_the_database) {
  const auto server = must(ThrowawayPostgres::start({}));
  const std::string& own = server->conninfo();
  ask(own, "CREATE ROLE clerk LOGIN");
  ask(own, "CREATE DATABASE shop OWNER clerk");
  ask(own, "ALTER DATABASE shop SET search_path TO till, public");
  ask(own, "ALTER DATABASE shop SET application_name TO 'a b'");
  ask(own, "ALTER ROLE clerk IN DATABASE shop SET work_mem TO '5MB'");
  ask(own,
      "CREATE ROLE guest LOGIN; REVOKE ALL ON DATABASE shop FROM PUBLIC;"
      "GRANT TEMPORARY ON DATABASE shop TO guest");
  ask(own + " dbname=shop", "CREATE TABLE t AS SELECT 42 AS a");
  {
    const auto clones = must(PostgresClones::open(own + " dbname=shop"));
    EXPECT_EQ(clones->original(), "shop");
    const std::string model = must(clones->copy("shop"));
    ask(own + " dbname=shop", "UPDATE t SET a = 43");
    const std::string one = must(clones->copy(model));
    const std::string there = own + " dbname=" + one;
    EXPECT_EQ(ask(there, "SELECT a FROM t"), "42");
    EXPECT_EQ(ask(there, "SHOW search_path"), "till, public");
    EXPECT_EQ(ask(there, "SHOW application_name"), "a b");
    EXPECT_EQ(ask(there + " user=clerk", "SHOW work_mem"), "5MB");
    EXPECT_EQ(ask(there,
                  "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = "
                  "current_database()"),
              "clerk");
    EXPECT_EQ(ask(there, "SELECT has_database_privilege('guest', current_database(), 'TEMPORARY')"),
              "t");
    must(clones->drop(one));
    EXPECT_EQ(count_databases(own), "1");
  }
  EXPECT_EQ(count_databases(own), "0");
  EXPECT_EQ(ask(own + " dbname=shop", "SELECT a FROM t"), "43");
}

// A pool keeps its connections to the original and to the clone.
TEST(Clones, are_made_and_dropped_while_clients_are_connected) {
  const auto server = must(ThrowawayPostgres::start({}));
  const std::string& own = server->conninfo();
  ask(own, "CREATE DATABASE shop");
  const auto connect = [&](const std::string& database) {
    return std::unique_ptr<PGconn, decltype(&PQfinish)>(
        PQconnectdb((own + " dbname=" + database).c_str()), &PQfinish);
  };
  const auto pooled = connect("shop");
  PQclear(PQexec(pooled.get(), "BEGIN"));
  const auto clones = must(PostgresClones::open(own + " dbname=shop"));
  const std::string one = must(clones->copy("shop"));
  const auto moved = connect(one);
  EXPECT_EQ(PQstatus(moved.get()), CONNECTION_OK);
  must(clones->drop(one));
  EXPECT_EQ(count_databases(own), "0");
}

TEST(Clones, say_why_there_are_none) {
  const auto server = must(ThrowawayPostgres::start({}));
  const std::string& own = server->conninfo();
  ask(own, "CREATE ROLE clerk LOGIN");
  const auto clones = must(PostgresClones::open(own + " user=clerk dbname=heap"));
  EXPECT_THAT(to_string(clones->copy("heap").error()), HasSubstr("there is no database heap"));
  ask(own, "CREATE DATABASE heap OWNER clerk");
  const auto refused = clones->copy("heap");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().trouble, Trouble::environment);
  EXPECT_THAT(to_string(refused.error()), HasSubstr("permission denied to create database"));
  EXPECT_THAT(to_string(refused.error()), HasSubstr("who may create databases"));
  EXPECT_FALSE(PostgresClones::open("mysql://x"));
}

TEST(Clones, go_when_heddle_is_killed) {
  const auto server = must(ThrowawayPostgres::start({}));
  const std::string own = server->conninfo();
  ask(own, "CREATE DATABASE shop");
  Child heddle([&](const Child::Say& say) {
    (void)guard_start();
    const auto clones = must(PostgresClones::open(own + " dbname=shop"));
    (void)must(clones->copy(must(clones->copy("shop"))));
    say("there");
    ::pause();
    return 0;
  });
  EXPECT_EQ(heddle.hear(), "there");
  EXPECT_EQ(count_databases(own), "2");
  heddle.wait_after(SIGKILL);
  EXPECT_TRUE(eventually([&] { return count_databases(own) == "0"; }));
  EXPECT_EQ(ask(own, "SELECT count(*) FROM pg_database WHERE datname = 'shop'"), "1");
}

}  // namespace
}  // namespace heddle
