// Meetings and orders, decided without any proxy: units arrive, end, and wait as the test says.
#include "hold/hold_controller.h"

#include <chrono>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "hold/meetings.h"
#include "hold/stated_order.h"
#include "hold/statement_pattern.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

HeldUnit unit(std::uint64_t connection, std::uint64_t ordinal, const std::string& text) {
  return {.connection = {.edge = 0, .number = connection},
          .ordinal = ordinal,
          .text = std::make_shared<const std::string>(text),
          .backend = static_cast<std::uint32_t>(100 + connection)};
}

// What a controller's part releases, "connection.ordinal" each.
template <class Part>
std::string released(Part& part) {
  std::string text;
  for (const auto& [connection, ordinal] : part.take_released()) {
    text += std::to_string(connection) + "." + std::to_string(ordinal) + " ";
  }
  return text;
}

TEST(StatementPattern, knows_nothing_of_case_blanks_and_comments) {
  const StatementPattern pattern("SELECT  balance FROM account*");
  EXPECT_TRUE(pattern.matches("select balance\n  from accounts where id = 1;"));
  EXPECT_TRUE(pattern.matches("/* from the shop */ SELECT balance FROM account -- all\n"));
  EXPECT_FALSE(pattern.matches("SELECT balance, id FROM account"));
  EXPECT_TRUE(StatementPattern("*").matches(""));
  EXPECT_TRUE(StatementPattern("a*b*c").matches("axxbxbxc"));
  EXPECT_FALSE(StatementPattern("a*b*c").matches("axxbxbx"));
  EXPECT_TRUE(StatementPattern("SELECT ?").matches("select 1"));
  EXPECT_FALSE(StatementPattern("SELECT ?").matches("select 12"));
  EXPECT_TRUE(StatementPattern("SELECT tags[1] FROM t").matches("SELECT tags[1] FROM t"));
  EXPECT_FALSE(StatementPattern("SELECT tags[1] FROM t").matches("SELECT tags1 FROM t"));
  // A pattern of many stars takes no longer than its length times that of the text.
  const std::string stars = "a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b";
  EXPECT_FALSE(StatementPattern(stars).matches(std::string(20'000, 'a')));
}

class MeetingsTest : public testing::Test {
 protected:
  // The statement arrives and is answered. False: it was held instead.
  bool run(std::uint64_t connection, std::uint64_t ordinal, const std::string& text) {
    if (meetings_.holds(unit(connection, ordinal, text), end_)) return false;
    meetings_.ended(unit(connection, ordinal, text), HeldEnd::answered);
    return true;
  }

  Clock::time_point end_ = Clock::now() + std::chrono::seconds(5);
  Meetings meetings_{{{.text = "2: SELECT*", .pattern = "SELECT*", .connections = 2}}};
};

TEST_F(MeetingsTest, let_both_go_when_both_are_there) {
  EXPECT_TRUE(run(1, 1, "BEGIN"));
  EXPECT_TRUE(run(1, 2, "SELECT 1"));
  EXPECT_FALSE(run(1, 3, "UPDATE t"));
  EXPECT_TRUE(meetings_.is_waiting());
  EXPECT_EQ(released(meetings_), "");
  EXPECT_TRUE(run(2, 1, "SELECT 2"));
  EXPECT_EQ(released(meetings_), "1.3 ");
  EXPECT_TRUE(run(2, 2, "UPDATE t"));
  EXPECT_EQ(meetings_.counts()[0].met, 1U);
  EXPECT_EQ(meetings_.next_end(), Clock::time_point::max());
}

TEST_F(MeetingsTest, go_on_when_one_waits_in_the_database_for_the_other) {
  EXPECT_TRUE(run(1, 1, "SELECT 1"));
  EXPECT_FALSE(run(1, 2, "COMMIT"));
  EXPECT_FALSE(meetings_.holds(unit(2, 1, "SELECT 2"), end_));
  meetings_.blocked({{102, {555}}});
  EXPECT_EQ(released(meetings_), "") << "it waits for somebody else";
  meetings_.blocked({{102, {555}}, {555, {101}}});
  EXPECT_EQ(released(meetings_), "1.2 ");
  // The one that was kept out waits for nobody when it comes.
  meetings_.ended(unit(2, 1, "SELECT 2"), HeldEnd::answered);
  EXPECT_TRUE(run(2, 2, "COMMIT"));
  EXPECT_EQ(meetings_.counts()[0].kept_out, 1U);
  EXPECT_EQ(meetings_.counts()[0].met, 0U);
}

TEST_F(MeetingsTest, end_at_the_bound_and_begin_anew) {
  EXPECT_TRUE(run(1, 1, "SELECT 1"));
  EXPECT_FALSE(run(1, 2, "COMMIT"));
  EXPECT_EQ(meetings_.next_end(), end_);
  meetings_.time_is(end_ - std::chrono::milliseconds(1));
  EXPECT_EQ(released(meetings_), "");
  meetings_.time_is(end_);
  EXPECT_EQ(released(meetings_), "1.2 ");
  EXPECT_EQ(meetings_.counts()[0].missed, 1U);
  for (const std::uint64_t connection : {3, 4}) EXPECT_TRUE(run(connection, 1, "SELECT 1"));
  EXPECT_EQ(meetings_.counts()[0].met, 1U);
}

TEST_F(MeetingsTest, forget_who_has_gone) {
  EXPECT_TRUE(run(1, 1, "SELECT 1"));
  EXPECT_FALSE(run(1, 2, "COMMIT"));
  meetings_.ended(unit(1, 2, "COMMIT"), HeldEnd::gone);
  EXPECT_TRUE(run(2, 1, "SELECT 1"));
  EXPECT_FALSE(run(2, 2, "COMMIT")) << "it is alone";
  EXPECT_TRUE(run(3, 1, "SELECT 1"));
  EXPECT_EQ(released(meetings_), "2.2 ");
}

class OrderTest : public testing::Test {
 protected:
  bool run(std::uint64_t connection, std::uint64_t ordinal, const std::string& text) {
    if (order_.holds(unit(connection, ordinal, text), end_)) return false;
    order_.ended(unit(connection, ordinal, text), HeldEnd::answered);
    return true;
  }

  Clock::time_point end_ = Clock::now() + std::chrono::seconds(5);
  StatedOrder order_{{{"A1", "SELECT*"}, {"B1", "SELECT*"}, {"B2", "UPDATE*"}, {"A2", "UPDATE*"}}};
};

TEST_F(OrderTest, is_kept_whoever_comes_first) {
  EXPECT_TRUE(run(7, 1, "BEGIN"));
  EXPECT_TRUE(run(7, 2, "SELECT 1"));
  EXPECT_FALSE(run(7, 3, "UPDATE t")) << "A2 comes after those of B";
  EXPECT_TRUE(run(8, 1, "SELECT 1"));
  EXPECT_EQ(released(order_), "");
  EXPECT_TRUE(run(8, 2, "UPDATE t"));
  EXPECT_EQ(released(order_), "7.3 ");
  EXPECT_TRUE(order_.was_kept());
}

TEST_F(OrderTest, goes_on_when_an_earlier_one_waits_in_the_database) {
  EXPECT_TRUE(run(7, 1, "SELECT 1"));
  EXPECT_TRUE(run(8, 1, "SELECT 1"));
  EXPECT_FALSE(order_.holds(unit(8, 2, "UPDATE t"), end_));
  EXPECT_FALSE(run(7, 2, "UPDATE t"));
  order_.blocked({{108, {107}}});
  EXPECT_EQ(released(order_), "7.2 ");
  EXPECT_EQ(order_.states()[2], StatedOrder::State::waits);
}

TEST_F(OrderTest, ends_at_the_bound) {
  EXPECT_TRUE(run(7, 2, "SELECT 1"));
  EXPECT_FALSE(run(7, 3, "UPDATE t"));
  order_.time_is(end_);
  EXPECT_EQ(released(order_), "7.3 ");
  EXPECT_FALSE(order_.was_kept());
  EXPECT_TRUE(run(8, 1, "UPDATE t")) << "nothing is held any more";
}

}  // namespace
}  // namespace heddle
