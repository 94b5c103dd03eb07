#include "race/turns/turn_plans.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

// Of the first party: "POST /pay" is a request, all else statements; "-" is nobody's.
RunRecord record_of(const std::vector<std::string>& texts) {
  RunRecord record;
  for (const std::string& text : texts) {
    RunUnit unit{.shape = {.edge = 1, .text = text}, .is_request = text.starts_with("POST")};
    if (text != "-") {
      unit.party = Party::first;
      for (const RunUnit& each : record.units) {
        if (each.shape == unit.shape) ++unit.occurrence;
      }
      ++unit.occurrence;
    }
    record.units.push_back(std::move(unit));
  }
  return record;
}

SwitchPoint point(const std::string& text, std::size_t occurrence = 1) {
  return {.shape = {.edge = 1, .text = text}, .occurrence = occurrence};
}

std::string told(const std::vector<SwitchPoint>& points) {
  std::string text;
  for (const SwitchPoint& each : points) text += turns_text({{.until = each}}) + "\n";
  return text;
}

TEST(TurnPlans, HoldAtWhatConflictsAndRightBehindIt) {
  const RunRecord record = record_of({"POST /pay", "SELECT", "-", "UPDATE", "COMMIT", "LOG"});
  EXPECT_EQ(told(switch_points(record, Party::first, {point("SELECT"), point("UPDATE")})),
            "A until UPDATE\n"
            "A until COMMIT\n");
  EXPECT_TRUE(switch_points(record, Party::second, {point("UPDATE")}).empty());
}

TEST(TurnPlans, HoldAPartyOfOneStatementBeforeIt) {
  EXPECT_EQ(
      told(switch_points(record_of({"POST /pay", "UPDATE"}), Party::first, {point("UPDATE")})),
      "A until UPDATE\n");
  // What it reads it reads from memory.
  EXPECT_EQ(told(switch_points(record_of({"POST /pay", "POST /log", "INSERT"}), Party::first, {})),
            "A until POST /log\n");
  EXPECT_EQ(told(switch_points(record_of({"POST /pay"}), Party::first, {})), "");
}

TEST(TurnPlans, TellOccurrencesOfAShapeApart) {
  const RunRecord record = record_of({"POST /pay", "UPDATE", "UPDATE", "COMMIT"});
  EXPECT_EQ(told(switch_points(record, Party::first, {point("UPDATE"), point("UPDATE", 2)})),
            "A until UPDATE (no. 2)\n"
            "A until COMMIT\n");
}

TEST(TurnPlans, TryTwoSwitchesBeforeThree) {
  PerParty<std::vector<SwitchPoint>> points;
  points[Party::first] = {point("P")};
  points[Party::second] = {point("Q")};
  std::string text;
  for (const Turns& turns : overlapping_turns(points)) text += turns_text(turns) + "\n";
  EXPECT_EQ(text,
            "A until P; B; A\n"
            "B until Q; A; B\n"
            "A until P; B until Q; A; B\n"
            "B until Q; A until P; B; A\n");
}

}  // namespace
}  // namespace heddle
