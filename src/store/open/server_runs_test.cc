// What runs leave, with real runs that live, die, and lose their guards.
#include "store/server_runs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/database_name.h"
#include "store/mariadb/address.h"
#include "store/mariadb/facts.h"
#include "store/mariadb/throwaway.h"
#include "store/open/open.h"
#include "store/postgres/ask_testing.h"
#include "store/postgres/throwaway.h"
#include "throwaway/child_testing.h"
#include "throwaway/guard.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// A run with a database on the server, which the test ends.
class RunOnServer {
 public:
  explicit RunOnServer(const std::string& address)
      : child_([address](const Child::Say& say) {
          (void)guard_start();
          const auto server = open_server(address);
          const auto database = (*server)->create_database("");
          say(database ? run_mark().value() : to_string(database.error()));
          ::pause();
          return 0;
        }),
        mark_(child_.hear()) {}

  const std::string& mark() const { return mark_; }

  void die_with_its_guard() {
    std::vector<pid_t> guards;
    ASSERT_TRUE(eventually([&] {
      guards = children_of(child_.pid(), "throwaway-guard");
      return guards.size() == 1;
    }));
    ::kill(guards.front(), SIGKILL);
    child_.wait_after(SIGKILL);
  }

 private:
  Child child_;
  std::string mark_;
};

std::vector<std::string> marks_of(const std::vector<std::string>& databases) {
  std::vector<std::string> marks;
  for (const std::string& name : databases) marks.emplace_back(run_mark_in(name));
  return marks;
}

Leftovers leftovers_at(ServerRuns& server) {
  auto found = find_leftovers(server);
  return found ? *found : Leftovers{{to_string(found.error())}, {}};
}

// `make` makes a database.
void check_leftovers(const std::string& address,
                     const std::function<void(const std::string&)>& make) {
  const auto server = open_server_runs(address);
  ASSERT_TRUE(server) << to_string(server.error());
  // Of others: numbers as names had them before, and nearly the form of ours.
  const std::vector<std::string> others = {fmt::format("heddle_{}_1", ::getpid()),
                                           "heddle_0123456789abcdef_fedcba987654321",
                                           "heddle_0123456789abcdef_fedcba9876543210_copy"};
  for (const std::string& name : others) make(name);
  EXPECT_THAT(leftovers_at(**server).abandoned, IsEmpty());

  const RunOnServer alive(address);
  RunOnServer dead(address);
  EXPECT_THAT(leftovers_at(**server).in_use, SizeIs(2));
  dead.die_with_its_guard();
  ASSERT_TRUE(eventually([&] { return leftovers_at(**server).in_use.size() == 1; }));
  const Leftovers left = leftovers_at(**server);
  EXPECT_THAT(marks_of(left.abandoned), ElementsAre(dead.mark()));
  EXPECT_THAT(marks_of(left.in_use), ElementsAre(alive.mark()));

  ASSERT_TRUE((*server)->drop(left.abandoned.at(0)));
  EXPECT_THAT(leftovers_at(**server).abandoned, IsEmpty());
  EXPECT_EQ(leftovers_at(**server).in_use, left.in_use);
  const auto all = (*server)->databases();
  for (const std::string& name : others) EXPECT_THAT(*all, testing::Contains(name));
}

TEST(ServerRuns, of_postgres_are_dead_when_they_are_dead) {
  const auto own = ThrowawayPostgres::start({});
  ASSERT_TRUE(own) << to_string(own.error());
  check_leftovers((*own)->conninfo(), [&](const std::string& name) {
    EXPECT_EQ(ask((*own)->conninfo(), "CREATE DATABASE " + name), "");
  });
}

TEST(ServerRuns, of_mariadb_are_dead_when_they_are_dead) {
  const auto own = ThrowawayMariadb::start({});
  ASSERT_TRUE(own) << to_string(own.error());
  MariadbAddress address;
  address.user = "root";
  address.socket = (*own)->socket();
  check_leftovers(to_text(address), [&](const std::string& name) {
    EXPECT_TRUE(ask_mariadb(address, "CREATE DATABASE " + name));
  });
}

// Who may not look at the connections of others still sees their locks.
TEST(ServerRuns, live_for_users_without_rights_too) {
  const auto own = ThrowawayMariadb::start({});
  ASSERT_TRUE(own) << to_string(own.error());
  MariadbAddress address;
  address.user = "root";
  address.socket = (*own)->socket();
  const RunOnServer alive(to_text(address));
  ASSERT_TRUE(ask_mariadb(address, "CREATE USER poor@localhost"));
  ASSERT_TRUE(ask_mariadb(address, "GRANT ALL ON `heddle%`.* TO poor@localhost"));
  address.user = "poor";
  const auto server = open_server_runs(to_text(address));
  ASSERT_TRUE(server) << to_string(server.error());
  EXPECT_THAT(marks_of(leftovers_at(**server).in_use), ElementsAre(alive.mark()));
  EXPECT_THAT(leftovers_at(**server).abandoned, IsEmpty());
}

TEST(ServerRuns, that_know_a_server_by_two_addresses_hold_it_by_both) {
  const auto own = ThrowawayMariadb::start({});
  ASSERT_TRUE(own) << to_string(own.error());
  const std::string socket = (*own)->socket();
  const auto first = open_server("mysql://root@/?socket=" + socket);
  const auto second = open_server("mariadb://root@/?socket=" + socket);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE((*first)->create_database(""));
  EXPECT_TRUE((*second)->create_database(""));
}

}  // namespace
}  // namespace heddle
