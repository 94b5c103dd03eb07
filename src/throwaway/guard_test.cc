#include "throwaway/guard.h"

#include <poll.h>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/interrupt.h"
#include "store/postgres/ask_testing.h"
#include "store/postgres/runs.h"
#include "store/postgres/throwaway.h"
#include "throwaway/child_testing.h"

namespace heddle {
namespace {

constexpr GuardedKind kOtherKind = {
    .remove = [](const std::string&, const std::string&) { return true; },
    .patience = std::chrono::seconds(0)};

// A server that stands for one that a user gives.
class Guard : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto server = ThrowawayPostgres::start({});
    ASSERT_TRUE(server) << to_string(server.error());
    given = server->release();
  }
  static void TearDownTestSuite() {
    delete given;
    given = nullptr;
  }

  static std::string make_database(const std::string& name) {
    return ask(given->conninfo(), "CREATE DATABASE " + quoted(name));
  }
  static bool has_database(const std::string& name) {
    return ask(given->conninfo(),
               fmt::format("SELECT count(*) FROM pg_database WHERE datname = '{}'", name)) == "1";
  }
  static std::string quoted(const std::string& name) { return '"' + name + '"'; }

  static ThrowawayPostgres* given;
};

ThrowawayPostgres* Guard::given = nullptr;

TEST_F(Guard, drops_the_databases_of_a_killed_owner) {
  const std::string name = "heddle Guard 1";  // needs quoting
  Child owner([&](const Child::Say& say) {
    guard_add(kGuardedPostgresDatabases, name, given->conninfo());
    say(make_database(name));
    ::pause();
    return 0;
  });
  EXPECT_EQ(owner.hear(), "");
  EXPECT_TRUE(has_database(name));
  owner.wait_after(SIGKILL);
  EXPECT_TRUE(eventually([&] { return !has_database(name); }));
}

TEST_F(Guard, drops_a_database_that_is_in_use) {
  const std::string name = "heddle_guard_2";
  const std::string inside = given->conninfo() + " dbname=" + name;
  ASSERT_EQ(make_database(name), "");
  // Connections and prepared transactions of others, which outlive the owner.
  ASSERT_EQ(ask(inside,
                "CREATE TABLE t (); BEGIN; INSERT INTO t DEFAULT VALUES; "
                "PREPARE TRANSACTION 'it''s'"),
            "");
  const std::unique_ptr<PGconn, decltype(&PQfinish)> user(PQconnectdb(inside.c_str()), &PQfinish);
  ASSERT_EQ(PQstatus(user.get()), CONNECTION_OK);
  Child owner([&](const Child::Say& say) {
    guard_add(kGuardedPostgresDatabases, name, given->conninfo());
    say("added");
    ::pause();
    return 0;
  });
  EXPECT_EQ(owner.hear(), "added");
  owner.wait_after(SIGKILL);
  EXPECT_TRUE(eventually([&] { return !has_database(name); }));
}

TEST_F(Guard, leaves_alone_what_it_was_told_to_forget) {
  const std::string kept = "heddle_guard_3";
  const std::string dropped = "heddle_guard_4";
  ASSERT_EQ(make_database(kept), "");
  ASSERT_EQ(make_database(dropped), "");
  Child owner([&](const Child::Say& say) {
    guard_add(kGuardedPostgresDatabases, kept, given->conninfo());
    guard_add(kGuardedPostgresDatabases, dropped, given->conninfo());
    guard_forget(kGuardedPostgresDatabases, kept);
    guard_forget(kGuardedPostgresDatabases, "never added");
    guard_forget(kOtherKind, dropped);
    say("added");
    ::pause();
    return 0;
  });
  EXPECT_EQ(owner.hear(), "added");
  owner.wait_after(SIGKILL);
  EXPECT_TRUE(eventually([&] { return !has_database(dropped); }));
  EXPECT_TRUE(has_database(kept));
}

TEST_F(Guard, does_not_keep_the_output_open) {
  Child owner([&](const Child::Say& say) {
    // A server that never answers, so that the guard stays for a while.
    guard_add(kGuardedPostgresDatabases, "x", "host=192.0.2.1");
    say("added");
    ::pause();
    return 0;
  });
  EXPECT_EQ(owner.hear(), "added");
  owner.wait_after(SIGKILL);
  EXPECT_EQ(owner.hear(), "");  // returns only when nobody holds the other end
}

TEST_F(Guard, ends_with_its_owner) {
  Child owner([&](const Child::Say& say) {
    install_interrupt_handler();
    const auto started = guard_start();
    const auto again = guard_start();
    say(started && again ? "" : "failed");
    pollfd wake{interrupt_fd(), POLLIN, 0};
    while (!interrupted()) ::poll(&wake, 1, -1);
    std::exit(0);
    return 0;
  });
  EXPECT_EQ(owner.hear(), "");
  std::vector<pid_t> guards;
  ASSERT_TRUE(eventually([&] {
    guards = children_of(owner.pid(), "throwaway-guard");
    return guards.size() == 1;
  }));
  // What the terminal and the shell send to everyone is not for it.
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE})
    ::kill(guards.front(), signal);
  EXPECT_EQ(::kill(guards.front(), 0), 0);
  EXPECT_EQ(owner.wait_after(SIGINT), 0);
  EXPECT_EQ(::kill(guards.front(), 0), -1);
}

TEST_F(Guard, gives_up_on_a_server_that_is_gone) {
  Child owner([&](const Child::Say&) {
    guard_add(kGuardedPostgresDatabases, "x", "host=/nonexistent");
    std::exit(5);
    return 0;
  });
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(owner.wait(), 5);
  EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(20));
}

}  // namespace
}  // namespace heddle
