// Who goes next, decided without any connection: units arrive and end as the test says.
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "proxy/first_come.h"
#include "proxy/given_schedule.h"
#include "proxy/one_party.h"
#include "proxy/unit_states.h"

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

TEST_F(GivenSchedule, waits_for_a_unit_that_runs) {
  controller_.arrived(unit(1, 1, "SELECT 1"));
  controller_.arrived(unit(2, 1, "SELECT 1"));
  controller_.changed(unit(1, 1, ""), UnitState::running);
  EXPECT_EQ(permitted(), "1.1 ");
  EXPECT_TRUE(controller_.is_running(0));
}

TEST_F(GivenSchedule, goes_on_where_the_database_lets_a_unit_wait) {
  controller_.arrived(unit(1, 1, "SELECT 1"));
  controller_.arrived(unit(2, 1, "SELECT 1"));
  loop_.call_soon([this] { controller_.changed(unit(1, 1, ""), UnitState::blocked); });
  EXPECT_EQ(permitted(), "1.1 2.1 ");
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

// Writes down what it is told, and lets nothing go.
class Told : public ProxyController {
 public:
  void begin(UnitHolder& holder, EventLoop&) override { holder_ = &holder; }
  void arrived(const HeldUnit& unit) override { add(unit, "arrived"); }
  void changed(const HeldUnit& unit, UnitState state) override {
    switch (state) {
      case UnitState::running:
        return add(unit, "running");
      case UnitState::blocked:
        return add(unit, "blocked");
      case UnitState::waiting:
        return add(unit, "waiting");
      case UnitState::arrived:
      case UnitState::permitted:
        FAIL() << "nobody is told what was done in its own name";
    }
  }
  void ended(const HeldUnit& unit, HeldEnd) override { add(unit, "ended"); }
  UnitHolder& holder() { return *holder_; }
  std::string take() { return std::exchange(text_, ""); }

 private:
  void add(const HeldUnit& unit, const std::string& what) {
    text_ += std::to_string(unit.connection.number) + "." + std::to_string(unit.ordinal) + " " +
             what + "; ";
  }

  UnitHolder* holder_ = nullptr;
  std::string text_;
};

class States : public Controllers {
 protected:
  States() { states_.begin(holder_, loop_); }

  // Arrives and goes, up to the server that has it.
  void run(const HeldUnit& unit) {
    states_.arrived(unit);
    told_.holder().permit(unit.connection.number, unit.ordinal);
    states_.changed(unit, UnitState::running);
  }
  // What is told when nothing has moved for as long as is waited for.
  std::string told_later() {
    loop_.stop();
    loop_.run();
    return told_.take();
  }

  Told told_;
  UnitStates states_{told_, {.party_of = party_by_connection, .quiet = {}}};
};

// Connection 1 and 2 come in at services, on edge 1, and 9 is nobody's.
HeldUnit request(std::uint64_t connection, std::uint64_t ordinal) {
  HeldUnit asked = unit(connection, ordinal, "POST /orders");
  asked.connection.edge = 1;
  asked.is_request = true;
  return asked;
}

HeldUnit statement(std::uint64_t connection, std::uint64_t ordinal, std::uint32_t backend) {
  HeldUnit sent = unit(connection, ordinal, "UPDATE t SET a = 1");
  sent.backend = backend;
  return sent;
}

TEST_F(States, are_gone_through_up_to_the_answer) {
  states_.arrived(statement(1, 1, 70));
  EXPECT_EQ(states_.state(1, 1), UnitState::arrived);
  told_.holder().permit(1, 1);
  EXPECT_EQ(states_.state(1, 1), UnitState::permitted);
  EXPECT_EQ(holder_.take(), "1.1 ");
  states_.changed(statement(1, 1, 70), UnitState::running);
  EXPECT_EQ(states_.state(1, 1), UnitState::running);
  ASSERT_EQ(states_.units().size(), 1U);
  EXPECT_EQ(states_.units().front().party, "A");
  states_.ended(statement(1, 1, 70), HeldEnd::answered);
  EXPECT_EQ(states_.state(1, 1), std::nullopt);
  EXPECT_EQ(told_.take(), "1.1 arrived; 1.1 running; 1.1 ended; ");
}

TEST_F(States, know_who_is_blocked_in_the_database_that_was_asked) {
  run(statement(1, 1, 70));
  run(statement(2, 1, 71));
  told_.take();
  states_.tell_blocked({1}, {{71, {70}}});
  EXPECT_EQ(told_.take(), "") << "71 is a connection of another server there";
  states_.tell_blocked({0}, {{71, {70}}});
  states_.tell_blocked({0}, {{71, {70}}});
  EXPECT_EQ(told_.take(), "2.1 blocked; ");
  EXPECT_EQ(states_.state(2, 1), UnitState::blocked);
  EXPECT_EQ(states_.state(1, 1), UnitState::running);
  states_.tell_blocked({0}, {});
  EXPECT_EQ(told_.take(), "2.1 running; ");
}

TEST_F(States, have_a_held_unit_arrived_whoever_its_connection_waits_for) {
  states_.arrived(statement(1, 1, 70));
  states_.tell_blocked({0}, {{70, {71}}});
  EXPECT_EQ(states_.state(1, 1), UnitState::arrived);
}

TEST_F(States, know_a_request_that_waits_in_the_application) {
  run(request(1, 1));
  EXPECT_EQ(states_.state(1, 1), UnitState::running);
  EXPECT_EQ(told_later(), "1.1 arrived; 1.1 running; 1.1 waiting; ");
  EXPECT_EQ(told_later(), "") << "it is told once";
  states_.ended(request(1, 1), HeldEnd::answered);
  EXPECT_EQ(told_.take(), "1.1 ended; ");
}

TEST_F(States, have_a_request_running_again_when_its_party_moves) {
  run(request(1, 1));
  told_later();
  states_.arrived(statement(1, 2, 70));
  EXPECT_EQ(told_.take(), "1.1 running; 1.2 arrived; ");
}

TEST_F(States, have_no_request_waiting_while_a_statement_of_its_party_is_somewhere) {
  run(request(1, 1));
  run(statement(1, 2, 70));
  run(request(2, 1));
  states_.arrived(statement(2, 2, 71));
  told_.take();
  EXPECT_EQ(told_later(), "");
  states_.tell_blocked({0}, {{70, {71}}});
  EXPECT_EQ(told_later(), "1.2 blocked; ");
}

TEST_F(States, have_nobody_s_request_running) {
  run(request(9, 1));
  told_.take();
  EXPECT_EQ(told_later(), "");
}

TEST_F(States, forget_what_is_refused) {
  run(request(1, 1));
  states_.arrived(statement(1, 2, 70));
  told_.holder().refuse(1, 2, "no");
  EXPECT_EQ(states_.state(1, 2), std::nullopt);
  told_.take();
  EXPECT_EQ(told_later(), "1.1 waiting; ");
}

TEST(UnitShape, has_no_values) {
  EXPECT_EQ(unit_shape(unit(1, 1, "SELECT * FROM t WHERE id = 7")), "select * from t where id = ?");
  HeldUnit request = unit(1, 1, "GET /seats/7?x=1");
  request.is_request = true;
  EXPECT_EQ(unit_shape(request), "GET /seats/7");
}

}  // namespace
}  // namespace heddle
