// What a finding keeps of a recording tells the same as the recording, and what does not fit
// together is refused.

#include "race/requests/request_recording.h"

#include <functional>
#include <string>

#include <gtest/gtest.h>

#include "race/requests/replayed_request.h"
#include "race/requests/requests_testing.h"

namespace heddle {
namespace {

constexpr std::string_view kShop = R"(
  POST shop/users {"name": "ann-1742", "password": "<secret:00000000000000a1>"} -> 201 {"id": 4}
    shop-db: INSERT INTO users (name) VALUES ($1) RETURNING id ; ann-1742 => users.id=4
  GET shop/health -> 200 {"up": true}
    shop-db: SELECT 1
  POST shop/orders {"user": 4, "price": 3} -> 201 {"order": 7171717171, "user": 4}
    shop-db: INSERT INTO orders (owner) VALUES ($1) RETURNING id ; 4 => orders.id=7171717171
  POST shop/orders/7171717171/pay {"by": 4} -> 200
    shop-db: UPDATE orders SET paid = true WHERE id = $1 ; 7171717171
  POST shop/orders/7171717171/cancel {"by": 4} -> 200
    shop-db: UPDATE orders SET paid = false WHERE id = $1 ; 7171717171
)";

Trace outdented(std::string_view text) {
  std::string lines;
  for (const std::string& line : split(text, '\n'))
    lines += line.substr(line.size() < 2 ? 0 : 2) + "\n";
  return TraceText::read(lines);
}

// The unit of the request whose target ends so.
std::uint64_t unit_of(const Trace& trace, std::string_view end) {
  for (const TraceRequest& each : trace.requests) {
    if (each.target.ends_with(end)) return each.unit;
  }
  return 0;
}

struct Recorded {
  Trace trace = outdented(kShop);
  RequestDependencies dependencies = find_dependencies(trace, {});
  PairPlan plan = plan_pair(trace, dependencies, unit_of(trace, "/pay"), unit_of(trace, "/cancel"));
  RaceRecording recording = record_requests(trace, dependencies, plan);
};

TEST(RequestRecording, has_what_the_two_need_and_nothing_else) {
  const Recorded shop;
  EXPECT_EQ(shop.recording.trace.requests.size(), 4U);
  EXPECT_EQ(unit_of(shop.recording.trace, "/health"), 0U);
  EXPECT_EQ(shop.recording.trace.statements.size(), 2U);
  EXPECT_FALSE(shop.recording.links.empty());
  EXPECT_FALSE(shop.recording.needs.empty());
}

TEST(RequestRecording, plans_and_binds_as_the_trace_does) {
  const Recorded shop;
  const auto again = recorded_dependencies(shop.recording);
  ASSERT_TRUE(again.has_value()) << to_string(again.error());
  EXPECT_EQ(plan_pair(shop.recording.trace, *again, shop.plan.first, shop.plan.second), shop.plan);
  const auto nothing = [](const SecretQuestion&) { return std::optional<std::string>(); };
  ReplayBindings before(shop.trace, shop.dependencies, shop.plan, nothing);
  ReplayBindings now(shop.recording.trace, *again, shop.plan, nothing);
  std::vector<std::uint64_t> units = shop.plan.before;
  units.insert(units.end(), {shop.plan.first, shop.plan.second});
  for (const std::uint64_t unit : units) {
    const auto one = before.make(unit);
    const auto other = now.make(unit);
    ASSERT_TRUE(one.has_value() && other.has_value());
    EXPECT_EQ(*one, *other);
    const HttpAnswer answer{.status = 201, .body = R"({"id": 9, "order": 8181818181, "user": 9})"};
    before.take(unit, answer);
    now.take(unit, answer);
  }
  EXPECT_EQ(now.make(shop.plan.first)->target, "/orders/8181818181/pay");
}

TEST(RequestRecording, is_the_same_once_it_was_read) {
  const Recorded shop;
  const auto again = recorded_dependencies(shop.recording);
  ASSERT_TRUE(again.has_value()) << to_string(again.error());
  EXPECT_EQ(record_requests(shop.recording.trace, *again, shop.plan), shop.recording);
}

TEST(RequestRecording, what_does_not_fit_together_is_refused) {
  const auto message = [](const std::function<void(RaceRecording&)>& change) {
    RaceRecording changed = Recorded().recording;
    change(changed);
    const auto read = recorded_dependencies(changed);
    return read ? std::string("no error") : read.error().what;
  };
  EXPECT_EQ(message([](RaceRecording& r) {
              r.first = 99;
              r.second = 99;
            }),
            "the request of unit 99 is not in it");
  EXPECT_EQ(message([](RaceRecording& r) { std::swap(r.first, r.second); }),
            "its second request is the earlier one");
  EXPECT_NE(message([](RaceRecording& r) { r.needs.front().on = 99; }).find("of unit 99"),
            std::string::npos);
  EXPECT_NE(message([](RaceRecording& r) { r.links.front().by = "luck"; }).find("from nowhere"),
            std::string::npos);
  EXPECT_NE(message([](RaceRecording& r) { r.links.front().size = 1000; }).find("where it is not"),
            std::string::npos);
  EXPECT_NE(
      message([](RaceRecording& r) { r.links.front().from_place = "/x"; }).find("where it is not"),
      std::string::npos);
  EXPECT_EQ(message([](RaceRecording& r) { r.links.push_back(r.links.front()); }),
            "two links are about the same bytes");
  EXPECT_NE(message([](RaceRecording& r) {
              r.trace.requests.push_back(r.trace.requests.front());
            }).find("two requests of unit"),
            std::string::npos);
  EXPECT_NE(message([](RaceRecording& r) {
              for (TraceEdge& each : r.trace.head.edges) each.is_outer = false;
            }).find("does not come from outside"),
            std::string::npos);
}

}  // namespace
}  // namespace heddle
