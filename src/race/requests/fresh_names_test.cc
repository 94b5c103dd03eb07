#include "race/requests/fresh_names.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "race/requests/replayed_request.h"
#include "race/requests/requests_testing.h"

namespace heddle {
namespace {

std::string created(const std::string& text) {
  const Trace trace = TraceText::read(text);
  std::string all;
  for (const CreatedName& each : find_dependencies(trace, {}).created) {
    all += fmt::format("{} {}\n", each.unit, each.value);
  }
  return all;
}

TEST(FreshNames, are_for_what_a_request_creates) {
  EXPECT_EQ(
      created("table db users name\n"
              "POST shop/users {\"name\": \"ann\", \"motto\": \"hey\", \"town\": \"town-1742\"} -> "
              "201\n"
              "  db: INSERT INTO users (name, motto, town) VALUES ('ann', 'hey', 'town-1742')\n"),
      "1 ann\n1 town-1742\n");
  EXPECT_EQ(created("POST till/payments {\"order\": 7} -> 201\n  > Idempotency-Key: k\n"), "1 k\n");
}

TEST(FreshNames, are_not_for_what_was_there_or_is_no_name) {
  // Nobody creates it.
  EXPECT_EQ(created("GET shop/users/ann-1742 -> 200\n"
                    "  db: SELECT * FROM users WHERE name = 'ann-1742'\n"),
            "");
  // An amount, and what an answer said first.
  EXPECT_EQ(created("GET shop/code -> 200 {\"code\": \"code-1742\"}\n"
                    "POST shop/users {\"amount\": 1000000, \"code\": \"code-1742\"} -> 201\n"
                    "  db: INSERT INTO users (amount, code) VALUES (1000000, 'code-1742')\n"),
            "");
  // The store refused it.
  Trace trace = TraceText::read(
      "POST shop/users {\"name\": \"ann-1742\"} -> 409\n"
      "  db: INSERT INTO users (name) VALUES ('ann-1742')\n");
  trace.statements[0].error = TraceError{.code = "23505"};
  EXPECT_TRUE(find_dependencies(trace, {}).created.empty());
}

TEST(FreshNames, have_the_form_of_the_recorded_ones) {
  EXPECT_EQ(fresh_value("ann-17", 2), "ann-17-h2");
  EXPECT_EQ(fresh_value("ann@example.org", 2), "ann-h2@example.org");
  EXPECT_EQ(fresh_value("ann-17", 0), "ann-17");
  const std::string uuid = "6f1c2a44-0b7e-4d35-9d5e-0123456789ab";
  EXPECT_EQ(fresh_value(uuid, 1).substr(0, 28), uuid.substr(0, 28));
  EXPECT_EQ(fresh_value(uuid, 1).size(), uuid.size());
  std::set<std::string> all;
  for (const std::string recorded :
       {"1659572147", "2147483647", "999999", "99999999999999999999"}) {
    for (std::uint64_t run = 1; run <= 20; ++run) {
      const std::string fresh = fresh_value(recorded, run);
      EXPECT_EQ(fresh.size(), recorded.size());
      EXPECT_TRUE(recorded.size() != 10 || std::stoull(fresh) <= 2147483647U) << fresh;
      all.insert(fresh);
    }
  }
  // What no number can hold stays.
  EXPECT_EQ(all.size(), 61U);
}

TEST(FreshNames, stand_wherever_the_recorded_ones_stood) {
  const Trace trace = TraceText::read(
      "table db users name\n"
      "POST shop/users {\"name\": \"ann-17\", \"mail\": \"ann-17@x.org\", \"other\": \"joann-17\"} "
      "-> 201\n"
      "  db: INSERT INTO users (name) VALUES ('ann-17')\n"
      "GET shop/users/ann-17?like=ann-17&mail=<masked:00000000000000ab> -> 200\n"
      "  db: SELECT name FROM users WHERE name = 'ann-17'\n");
  const RequestDependencies dependencies = find_dependencies(trace, {});
  const PairPlan plan{.before = {1}, .first = 3, .second = 3};
  ReplayBindings bindings(trace, dependencies, plan, [](const SecretQuestion&) {
    return Result<std::optional<std::string>>(std::optional<std::string>());
  });
  const FreshNames names = fresh_names(dependencies, plan, 3);
  EXPECT_EQ(names.names, (std::vector<FreshName>{{"ann-17", "ann-17-h3"}}));
  bindings.rename(names);
  EXPECT_EQ(bindings.make(1)->body,
            "{\"name\": \"ann-17-h3\", \"mail\": \"ann-17-h3@x.org\", \"other\": \"joann-17\"}");
  EXPECT_EQ(bindings.make(3)->target,
            "/users/ann-17-h3?like=ann-17-h3&mail=u00000000000000abh3@example.org");
  EXPECT_TRUE(fresh_names(dependencies, plan, 0).names.empty());
}

}  // namespace
}  // namespace heddle
