#include "race/replay/wrong_unit.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace heddle {
namespace {

// "A SELECT balance = 100" is a statement of the first party with what it returned.
RunRecord run_of(const std::vector<std::string>& lines) {
  RunRecord record;
  for (const std::string& line : lines) {
    const std::size_t equals = line.rfind(" = ");
    RunUnit unit{.party = line[0] == 'A' ? Party::first : Party::second,
                 .shape = {.edge = 1, .text = line.substr(2, equals - 2)}};
    for (const RunUnit& each : record.units) {
      if (each.party == unit.party && each.shape == unit.shape) ++unit.occurrence;
    }
    ++unit.occurrence;
    TraceStatement statement;
    statement.text = unit.shape.text;
    statement.results.push_back({.rows = {{{.text = line.substr(equals + 3)}}}, .row_count = 1});
    unit.statement = std::move(statement);
    record.events.push_back({.unit = record.units.size()});
    record.events.push_back({.unit = record.units.size(), .is_answer = true});
    record.units.push_back(std::move(unit));
  }
  return record;
}

PerParty<std::vector<RunRecord>> withdrawals() {
  PerParty<std::vector<RunRecord>> orders;
  for (int i = 0; i < 2; ++i) {
    orders[Party::first].push_back(
        run_of({"A SELECT = 100", "A UPDATE = 60", "B SELECT = 60", "B UPDATE = 0"}));
    orders[Party::second].push_back(
        run_of({"B SELECT = 100", "B UPDATE = 40", "A SELECT = 40", "A UPDATE = 0"}));
  }
  return orders;
}

TEST(WrongUnit, is_where_no_order_goes_on_as_the_run_does) {
  EXPECT_EQ(
      wrong_unit(run_of({"A SELECT = 100", "B SELECT = 100", "B UPDATE = 40"}), withdrawals()), 1);
  EXPECT_EQ(wrong_unit(run_of({"A SELECT = 100", "A UPDATE = 60", "B SELECT = 60", "B UPDATE = 0"}),
                       withdrawals()),
            std::nullopt);
  EXPECT_EQ(wrong_unit(run_of({"A SELECT = 100", "A DELETE = 1"}), withdrawals()), 1);
}

// A service that polls answers from its memory.
TEST(WrongUnit, may_be_an_answer_of_a_service) {
  const auto answered = [](const std::vector<std::string>& balances) {
    RunRecord record;
    for (const std::string& balance : balances) {
      TraceRequest request;
      request.method = "GET";
      request.target = "/balance";
      request.response_body.bytes = balance.substr(2);
      record.events.push_back({.unit = record.units.size(), .is_answer = true});
      record.units.push_back({.party = balance[0] == 'A' ? Party::first : Party::second,
                              .shape = {.edge = 2, .text = "GET /balance"},
                              .occurrence = 1,
                              .is_request = true,
                              .request = std::move(request)});
    }
    return record;
  };
  PerParty<std::vector<RunRecord>> orders;
  orders[Party::first] = {answered({"A 50", "B 0"})};
  orders[Party::second] = {answered({"B 50", "A 0"})};
  EXPECT_EQ(wrong_unit(answered({"A 50", "B 50"}), orders), 1);
  EXPECT_EQ(wrong_unit(answered({"A 50", "B 0"}), orders), std::nullopt);
}

TEST(WrongUnit, is_none_that_differs_between_equal_runs) {
  auto orders = withdrawals();
  orders[Party::first][1] =
      run_of({"A SELECT = 99", "A UPDATE = 60", "B SELECT = 60", "B UPDATE = 0"});
  orders[Party::second][1] =
      run_of({"B SELECT = 100", "B UPDATE = 40", "A SELECT = 41", "A UPDATE = 0"});
  EXPECT_EQ(wrong_unit(run_of({"A SELECT = 7", "B SELECT = 60"}), orders), std::nullopt);
  EXPECT_EQ(wrong_unit(run_of({"A SELECT = 7"}), {}), std::nullopt);
}

}  // namespace
}  // namespace heddle
