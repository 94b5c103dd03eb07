// Turns of two parties without any connection: units arrive and end as the test says.
#include "race/turns/turn_controller.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle {
namespace {

using std::chrono::milliseconds;

class PermittedUnits : public UnitHolder {
 public:
  void permit(std::uint64_t connection, std::uint64_t ordinal) override {
    text_ += std::to_string(connection) + "." + std::to_string(ordinal) + " ";
  }
  void refuse(std::uint64_t, std::uint64_t, std::string_view) override { text_ += "refused "; }
  std::string take() { return std::exchange(text_, ""); }

 private:
  std::string text_;
};

// Edge 0 leads to the service "shop" from outside, edge 1 from there to its store.
const std::vector<TraceEdge> kShopEdges = {
    {.caller = "client", .callee = "shop", .is_store = false, .is_outer = true},
    {.caller = "shop", .callee = "shop-db", .is_store = true}};
const PerParty<std::string> kTraces{{"aaaa", "bbbb"}};

HeldUnit request(std::uint64_t connection, const std::string& trace) {
  return {.connection = {.edge = 0, .number = connection},
          .ordinal = 1,
          .is_request = true,
          .text = std::make_shared<const std::string>("POST /seats"),
          .trace = trace};
}

HeldUnit statement(std::uint64_t connection, std::uint64_t ordinal, const std::string& text) {
  return {.connection = {.edge = 1, .number = connection},
          .ordinal = ordinal,
          .text = std::make_shared<const std::string>(text),
          .state = 'I',
          .backend = static_cast<std::uint32_t>(connection * 100)};
}

SwitchPoint before(const std::string& shape) {
  return {.shape = {.edge = 1, .text = shape}, .occurrence = 1};
}

const std::string kReadSeat = "SELECT owner FROM seat WHERE id = 7";
const std::string kTakeSeat = "UPDATE seat SET owner = 1 WHERE id = 7";
const std::string kTakeSeatShape = "update seat set owner = ? where id = ?";

class Turning : public testing::Test {
 protected:
  Turning() {
    controller_.begin(holder_, loop_);
    controller_.end_listening();
    controller_.begin_run(kTraces, {});
  }

  // What has been permitted since, once everything that was put off is done.
  std::string permitted() {
    loop_.stop();
    loop_.run();
    return holder_.take();
  }

  void answer(const HeldUnit& unit) {
    if (!unit.is_request) {
      postgres::WireUnit answered;
      answered.ordinal = unit.ordinal;
      answered.text = unit.text;
      answered.status_after = 'I';
      controller_.statement_answered(unit.connection, std::move(answered), {});
    } else {
      HttpExchange exchange;
      exchange.ordinal = unit.ordinal;
      controller_.request_answered(unit.connection, std::move(exchange));
    }
    controller_.ended(unit, HeldEnd::answered);
  }

  // The request of the party comes, and its first statement.
  void come(std::uint64_t connection, const std::string& trace) {
    controller_.arrived(request(connection, trace));
    (void)permitted();
  }

  PermittedUnits holder_;
  EventLoop loop_;
  TurnController controller_{kShopEdges, milliseconds(50)};
};

TEST_F(Turning, holds_a_party_at_its_point_while_the_other_goes_to_its_end) {
  controller_.begin_turn({.party = Party::first, .until = before(kTakeSeatShape)});
  controller_.arrived(request(1, "aaaa"));
  EXPECT_EQ(permitted(), "1.1 ");
  controller_.arrived(statement(11, 1, kReadSeat));
  EXPECT_EQ(permitted(), "11.1 ");
  answer(statement(11, 1, kReadSeat));
  EXPECT_EQ(controller_.turn_end(), TurnEnd::open);
  controller_.arrived(statement(11, 2, kTakeSeat));
  EXPECT_EQ(permitted(), "");
  EXPECT_EQ(controller_.turn_end(), TurnEnd::at_point);

  controller_.begin_turn({.party = Party::second});
  controller_.arrived(request(2, "bbbb"));
  EXPECT_EQ(permitted(), "2.1 ");
  // Both have a request open at the shop: what comes is of the one that is not held.
  controller_.arrived(statement(12, 1, kReadSeat));
  EXPECT_EQ(permitted(), "12.1 ");
  answer(statement(12, 1, kReadSeat));
  answer(request(2, "bbbb"));
  EXPECT_EQ(permitted(), "");
  EXPECT_EQ(controller_.turn_end(), TurnEnd::ended);

  controller_.begin_turn({.party = Party::first});
  EXPECT_EQ(permitted(), "11.2 ");
  answer(statement(11, 2, kTakeSeat));
  answer(request(1, "aaaa"));
  EXPECT_EQ(permitted(), "");
  EXPECT_EQ(controller_.turn_end(), TurnEnd::ended);
  const RunRecord record = controller_.end_run();
  EXPECT_TRUE(record.doubts.empty());
  EXPECT_TRUE(record.waits.empty());
  ASSERT_EQ(record.units.size(), 5U);
  EXPECT_EQ(record.units[4].party, Party::second);
}

TEST_F(Turning, lets_the_other_go_on_where_the_party_waits_for_it_in_the_database) {
  controller_.begin_turn({.party = Party::first, .until = before("commit")});
  come(1, "aaaa");
  controller_.arrived(statement(11, 1, kTakeSeat));
  (void)permitted();
  answer(statement(11, 1, kTakeSeat));
  controller_.arrived(statement(11, 2, "COMMIT"));
  (void)permitted();
  ASSERT_EQ(controller_.turn_end(), TurnEnd::at_point);

  controller_.begin_turn({.party = Party::second});
  come(2, "bbbb");
  controller_.arrived(statement(12, 1, kTakeSeat));
  EXPECT_EQ(permitted(), "12.1 ");
  controller_.tell_waits("shop-db", {{1200, {1100}}});
  EXPECT_EQ(permitted(), "") << "one answer may be older than the statement";
  controller_.tell_waits("shop-db", {{1200, {1100}}});
  EXPECT_EQ(permitted(), "11.2 ");
  answer(statement(11, 2, "COMMIT"));
  answer(statement(12, 1, kTakeSeat));
  answer(request(2, "bbbb"));
  (void)permitted();
  EXPECT_EQ(controller_.turn_end(), TurnEnd::ended);
  const RunRecord record = controller_.end_run();
  ASSERT_EQ(record.waits.size(), 1U);
  EXPECT_EQ(record.waits[0].party, Party::second);
  EXPECT_TRUE(record.waits[0].is_in_database);
  EXPECT_EQ(record.waits[0].ended_by, "COMMIT");
  EXPECT_TRUE(record.units[4].has_waited);
}

TEST_F(Turning, what_waits_for_somebody_else_in_the_database_is_on_its_way) {
  controller_.begin_turn({.party = Party::first});
  come(1, "aaaa");
  controller_.arrived(statement(11, 1, kTakeSeat));
  (void)permitted();
  for (int i = 0; i < 5; ++i) controller_.tell_waits("shop-db", {{1100, {9900}}});
  EXPECT_EQ(permitted(), "");
  EXPECT_TRUE(controller_.end_run().waits.empty());
}

TEST_F(Turning, what_two_that_move_may_have_sent_is_a_doubt) {
  controller_.arrived(request(1, "aaaa"));
  controller_.arrived(request(2, "bbbb"));
  EXPECT_EQ(permitted(), "1.1 2.1 ");
  controller_.arrived(statement(11, 1, kReadSeat));
  EXPECT_EQ(permitted(), "11.1 ") << "nobody holds what nobody can tell";
  EXPECT_EQ(controller_.end_run().doubts.size(), 1U);
}

TEST_F(Turning, shapes_tell_where_only_one_party_sends_such) {
  PerParty<KnownUnits> known;
  known[Party::first].add({.edge = 1, .text = "select owner from seat where id = ?"}, {});
  known[Party::second].add({.edge = 1, .text = kTakeSeatShape}, {});
  controller_.begin_run(kTraces, known);
  controller_.arrived(request(1, "aaaa"));
  controller_.arrived(request(2, "bbbb"));
  (void)permitted();
  controller_.arrived(statement(11, 1, kTakeSeat));
  (void)permitted();
  const RunRecord record = controller_.end_run();
  EXPECT_TRUE(record.doubts.empty());
  EXPECT_EQ(record.units.back().party, Party::second);
}

TEST_F(Turning, values_tell_where_both_parties_send_such) {
  const auto taking = [](const std::string& owner, const std::string& seat) {
    HeldUnit unit = statement(11, 1, "UPDATE seat SET owner = $1 WHERE id = $2");
    unit.parameters = {{.value = owner}, {.value = seat}};
    return unit;
  };
  const UnitShape shape{.edge = 1, .text = "update seat set owner = ? where id = ?"};
  PerParty<KnownUnits> known;
  known[Party::first].add(shape, unit_values(taking("ann", "7")));
  known[Party::second].add(shape, unit_values(taking("bob", "7")));
  const auto party_of = [&](const HeldUnit& unit) {
    controller_.begin_run(kTraces, known);
    controller_.arrived(request(1, "aaaa"));
    controller_.arrived(request(2, "bbbb"));
    (void)permitted();
    controller_.arrived(unit);
    (void)permitted();
    const RunRecord record = controller_.end_run();
    return record.doubts.empty() ? record.units.back().party : std::nullopt;
  };
  EXPECT_EQ(party_of(taking("ann", "7")), Party::first);
  EXPECT_EQ(party_of(taking("bob", "8")), Party::second);
  EXPECT_EQ(party_of(taking("eve", "7")), std::nullopt);
}

TEST_F(Turning, branches_of_one_request_are_told_by_what_each_sends_next) {
  const std::vector<UnitShape> branch = {{.edge = 1, .text = "select owner from seat where id = ?"},
                                         {.edge = 1, .text = kTakeSeatShape}};
  controller_.begin_branches("aaaa", {{branch, branch}});
  controller_.begin_turn({.party = Party::second});
  controller_.arrived(request(1, "aaaa"));
  controller_.arrived(statement(13, 1, "SELECT 2 FROM other"));
  EXPECT_EQ(permitted(), "1.1 13.1 ") << "what is of neither branch goes at once";
  controller_.arrived(statement(11, 1, kReadSeat));
  controller_.arrived(statement(12, 1, kReadSeat));
  EXPECT_EQ(permitted(), "12.1 ") << "the one that came first is the first branch";
  answer(statement(12, 1, kReadSeat));
  controller_.arrived(statement(12, 2, kTakeSeat));
  EXPECT_EQ(permitted(), "12.2 ");
  answer(statement(12, 2, kTakeSeat));
  (void)permitted();
  EXPECT_EQ(controller_.turn_end(), TurnEnd::ended);
  controller_.begin_turn({.party = Party::first});
  EXPECT_EQ(permitted(), "11.1 ");
  (void)controller_.end_run();
}

TEST_F(Turning, background_can_be_held_until_all_is_let_go) {
  controller_.run_alone(Party::first);
  controller_.hold_background();
  controller_.attribute_alone(Party::first);
  controller_.arrived(request(1, "aaaa"));
  EXPECT_EQ(permitted(), "1.1 ");
  controller_.arrived(statement(13, 1, kReadSeat));
  EXPECT_EQ(permitted(), "13.1 ") << "it is of the party that is alone";
  (void)controller_.end_run();
}

}  // namespace
}  // namespace heddle
