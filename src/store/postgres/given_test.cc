// A server of PostgreSQL of one's own, to be called a given one: what heddle leaves on it.
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/must_testing.h"
#include "store/open/open.h"
#include "store/postgres/ask_testing.h"
#include "store/postgres/server.h"
#include "store/postgres/throwaway.h"
#include "store/store.h"
#include "throwaway/child_testing.h"
#include "throwaway/guard.h"

namespace heddle {
namespace {

// Another one has the name that is drawn first: its database stays as it is, also when heddle dies.
TEST(GivenPostgres, keeps_the_database_that_was_there_before) {
  const auto own = must(ThrowawayPostgres::start({}));
  const std::string taken = must(draw_database_name());
  const std::string theirs = own->conninfo() + " dbname=" + taken;
  ask(own->conninfo(), "CREATE DATABASE " + taken);
  ask(theirs, "CREATE TABLE kept AS SELECT 42 AS a");
  for (const bool is_killed : {false, true}) {
    SCOPED_TRACE(is_killed);
    Child heddle([&](const Child::Say& say) {
      (void)guard_start();
      int drawn = 0;
      const auto server = must(start_postgres(
          own->conninfo(), [&] { return ++drawn <= 2 ? taken : draw_database_name(); }));
      auto database = must(server->create_database(""));
      (void)must(database->execute("CREATE TABLE t (a int)", 30'000));
      say(fmt::format("{} names", drawn));
      if (is_killed) ::pause();
      database.reset();
      return 0;
    });
    EXPECT_EQ(heddle.hear(), "3 names");
    is_killed ? heddle.wait_after(SIGKILL) : heddle.wait();
    EXPECT_TRUE(eventually([&] {
      return ask(own->conninfo(), "SELECT count(*) FROM pg_database WHERE datname ~ '^heddle_'") ==
             "1";
    }));
    EXPECT_EQ(ask(theirs, "SELECT a FROM kept"), "42");
  }
}

// A client that dies does not take along what it asked for: here CREATE DATABASE waits, as it may
// anyhow take a second, and would make its database when all else has been dropped.
TEST(GivenPostgres, loses_what_a_killed_run_is_still_making) {
  const auto own = must(ThrowawayPostgres::start({}));
  const std::unique_ptr<PGconn, decltype(&PQfinish)> other(PQconnectdb(own->conninfo().c_str()),
                                                           &PQfinish);
  const auto do_meanwhile = [&](const char* text) { PQclear(PQexec(other.get(), text)); };
  do_meanwhile("BEGIN; COMMENT ON DATABASE template0 IS 'in the way of everybody'");
  const auto creating = [&] {
    return ask(own->conninfo(),
               "SELECT count(*) FROM pg_stat_activity WHERE query ~ '^CREATE DATABASE'");
  };
  Child heddle([&](const Child::Say&) {
    (void)guard_start();
    (void)must(open_server(own->conninfo()))->create_database("");
    return 0;
  });
  ASSERT_TRUE(eventually([&] { return creating() == "1"; }));
  heddle.wait_after(SIGKILL);
  EXPECT_TRUE(eventually([&] { return creating() == "0"; })) << "although it waits for a lock";
  do_meanwhile("ROLLBACK");
  EXPECT_EQ(ask(own->conninfo(), "SELECT count(*) FROM pg_database WHERE datname ~ '^heddle_'"),
            "0");
}

}  // namespace
}  // namespace heddle
