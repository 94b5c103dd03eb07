// Who goes next, decided without any connection: units arrive and end as the test says.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proxy/first_come.h"
#include "proxy/given_schedule.h"
#include "proxy/one_party.h"

namespace heddle {
namespace {

class Holder : public UnitHolder {
 public:
  void permit(std::uint64_t connection, std::uint64_t ordinal) override {
    text_ += std::to_string(connection) + "." + std::to_string(ordinal) + " ";
  }
  void refuse(std::uint64_t, std::uint64_t, std::string_view) override { text_ += "refused "; }
  std::string take() { return std::exchange(text_, ""); }

 private:
  std::string text_;
};

HeldUnit unit(std::uint64_t connection, std::uint64_t ordinal, const std::string& text) {
  return {.connection = {.edge = 0, .number = connection},
          .ordinal = ordinal,
          .text = std::make_shared<const std::string>(text)};
}

// Connection 1 is A, 2 is B, and others are nobody.
std::string party_by_connection(const HeldUnit& unit) {
  if (unit.connection.number > 2) return "";
  return unit.connection.number == 1 ? "A" : "B";
}

class Controllers : public testing::Test {
 protected:
  // What has been permitted since, once everything that was put off is done.
  std::string permitted() {
    loop_.stop();
    loop_.run();
    return holder_.take();
  }

  Holder holder_;
  EventLoop loop_;
};

class FirstCome : public Controllers {};

TEST_F(FirstCome, lets_go_in_the_order_of_arrival) {
  FirstComeController controller;
  controller.begin(holder_, loop_);
  for (const std::uint64_t connection : {3, 1, 2}) controller.arrived(unit(connection, 1, "x"));
  EXPECT_EQ(holder_.take(), "") << "whoever tells of a unit is in the middle of something";
  EXPECT_EQ(permitted(), "3.1 1.1 2.1 ");
}

class OneParty : public Controllers {};

TEST_F(OneParty, lets_only_the_units_of_one_go) {
  OnePartyController controller(party_by_connection);
  controller.begin(holder_, loop_);
  controller.arrived(unit(1, 1, "SELECT 1"));
  controller.arrived(unit(2, 1, "SELECT 2"));
  controller.arrived(unit(9, 1, "poll"));
  EXPECT_EQ(permitted(), "9.1 ");
  EXPECT_EQ(controller.held_parties(), (std::vector<std::string>{"A", "B"}));
  controller.turn_to("B");
  EXPECT_EQ(holder_.take(), "2.1 ");
  EXPECT_EQ(controller.running("B"), 1U);
  controller.ended(unit(2, 1, "SELECT 2"), HeldEnd::answered);
  EXPECT_EQ(controller.running("B"), 0U);
}

TEST_F(OneParty, goes_on_with_the_next_units_of_whose_turn_it_is) {
  OnePartyController controller(party_by_connection);
  controller.begin(holder_, loop_);
  controller.turn_to("A");
  controller.arrived(unit(1, 1, "SELECT 1"));
  EXPECT_EQ(permitted(), "1.1 ");
}

TEST_F(OneParty, forgets_a_held_unit_whose_client_has_left) {
  OnePartyController controller(party_by_connection);
  controller.begin(holder_, loop_);
  controller.arrived(unit(1, 1, "SELECT 1"));
  controller.ended(unit(1, 1, "SELECT 1"), HeldEnd::gone);
  EXPECT_TRUE(controller.held_parties().empty());
  controller.turn_to("A");
  EXPECT_EQ(holder_.take(), "");
}

class GivenSchedule : public Controllers {
 protected:
  GivenSchedule() { controller_.begin(holder_, loop_); }

  GivenScheduleController controller_{
      {{"A", "select ?"}, {"B", "select ?"}, {"B", "update t"}, {"A", "update t"}},
      party_by_connection};
};

// What is put off is done before the loop is left, and it runs once for each test of these.
TEST_F(GivenSchedule, is_followed_whoever_comes_first) {
  controller_.arrived(unit(2, 1, "SELECT 7"));
  controller_.arrived(unit(1, 1, "SELECT 1"));
  controller_.ended(unit(1, 1, ""), HeldEnd::answered);
  EXPECT_EQ(controller_.next(), 1U);
  EXPECT_EQ(permitted(), "2.1 ");
  EXPECT_FALSE(controller_.drift());
}

TEST_F(GivenSchedule, goes_on_without_a_unit_that_waits) {
  controller_.arrived(unit(1, 1, "SELECT 1"));
  controller_.arrived(unit(2, 1, "SELECT 1"));
  EXPECT_EQ(permitted(), "1.1 ");
  EXPECT_TRUE(controller_.is_running(0));
  controller_.goes_on_without(0);
  EXPECT_EQ(holder_.take(), "2.1 ");
}

TEST_F(GivenSchedule, tells_where_a_party_sends_something_else) {
  controller_.arrived(unit(2, 1, "SELECT 7"));
  controller_.arrived(unit(1, 1, "DELETE FROM t"));
  EXPECT_EQ(permitted(), "2.1 1.1 ") << "then everything goes";
  ASSERT_TRUE(controller_.drift());
  EXPECT_EQ(controller_.drift()->at, 0U);
  EXPECT_EQ(controller_.drift()->found, (ScheduledUnit{"A", "delete from t"}));
}

TEST_F(GivenSchedule, leaves_alone_what_is_nobody_s) {
  controller_.arrived(unit(9, 1, "poll"));
  EXPECT_EQ(permitted(), "9.1 ");
}

TEST(UnitShape, has_no_values) {
  EXPECT_EQ(unit_shape(unit(1, 1, "SELECT * FROM t WHERE id = 7")), "select * from t where id = ?");
  HeldUnit request = unit(1, 1, "GET /seats/7?x=1");
  request.is_request = true;
  EXPECT_EQ(unit_shape(request), "GET /seats/7");
}

}  // namespace
}  // namespace heddle
