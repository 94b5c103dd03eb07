#include "race/replay/expectations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "race/outcome/answers.h"

namespace heddle {
namespace {

const std::vector<RacedRequest> kRequests = {
    {.unit = 7, .name = "A", .method = "POST", .service = "seats", .target = "/reservations"},
    {.unit = 9, .name = "B", .method = "GET", .service = "bank", .target = "/accounts/ann?x=1"}};

ExpectSettings expectation(const std::string& endpoint, const std::string& field) {
  return {.position = {}, .endpoint = {{endpoint, {}}}, .field = {{field, {}}}};
}

std::vector<std::string> broken(const ExpectSettings& expect, int status, const std::string& body) {
  Config config;
  config.race.expect = {expect};
  RacedRun run;
  run.responses = {{.request = 9, .status = status, .body = body}};
  return broken_fields(run, {.expected = expected_fields(config, kRequests)}, kRequests);
}

TEST(Expectations, AreOfTheRequestsOfAnEndpoint) {
  Config config;
  config.race.expect = {expectation("POST seats/*", "/left"), expectation("* /nowhere", "status")};
  const auto fields = expected_fields(config, kRequests);
  ASSERT_EQ(fields.size(), 1);
  EXPECT_EQ(fields.front().request, 7);
}

TEST(Expectations, BoundNumbers) {
  ExpectSettings expect = expectation("GET /accounts/*", "/accounts/0/balance");
  expect.least = {{"0", {}}};
  expect.most = {{"99.5", {}}};
  EXPECT_TRUE(broken(expect, 200, R"({"accounts": [{"balance": 0}]})").empty());
  EXPECT_TRUE(broken(expect, 200, R"({"accounts": [{"balance": "99.50"}]})").empty());
  EXPECT_THAT(broken(expect, 200, R"({"accounts": [{"balance": -1}]})"),
              testing::ElementsAre("/accounts/0/balance of B is at least 0 and at most 99.5"));
  EXPECT_EQ(broken(expect, 200, R"({"accounts": []})").size(), 1);
  EXPECT_EQ(broken(expect, 200, "no document").size(), 1);
  // An error has no such field, and is no wrong one.
  EXPECT_TRUE(broken(expect, 404, "{}").empty());
}

TEST(Expectations, KnowValuesAndTheStatus) {
  ExpectSettings expect = expectation("GET bank/accounts/*", "status");
  expect.one_of = {{"200", {}}, {"404", {}}};
  EXPECT_TRUE(broken(expect, 404, "").empty());
  EXPECT_THAT(broken(expect, 409, ""), testing::ElementsAre("status of B is 200 or 404"));
  expect.field = {{"/state~1now", {}}};
  expect.one_of = {{"open", {}}};
  EXPECT_TRUE(broken(expect, 200, R"({"state/now": "open"})").empty());
}

}  // namespace
}  // namespace heddle
