#include "race/replay/restore_plan.h"

#include <gtest/gtest.h>

#include "base/must_testing.h"

namespace heddle {
namespace {

const RestoreMeans kAllMeans = {
    .stores = {"orders-db", "seats-db"}, .has_reset = true, .is_started = true, .parts = {"seats"}};

Config config_of(const std::vector<std::pair<std::string, std::string>>& ways) {
  Config config;
  config.file = "heddle.yaml";
  std::uint32_t line = 1;
  for (const auto& [part, way] : ways) {
    config.race.restore.push_back({.part = {part, {line, 3}}, .way = {way, {line, 9}}});
    ++line;
  }
  return config;
}

// "rows orders-db seats-db; reset; restart seats; again; renamed".
std::string told_plans(const RestorePlan& plan) {
  std::string text = plan.name + " =";
  for (const auto& [store, way] : plan.stores) {
    if (way != StoreRestore::stay)
      text += (way == StoreRestore::rows ? " rows " : " clone ") + store;
  }
  if (plan.resets) text += " reset";
  if (plan.restarts) text += " restart";
  for (const std::string& each : plan.services) text += " " + each;
  if (plan.resets_last) text += " reset";
  if (plan.sends_again) text += " again";
  if (plan.renames) text += " renamed";
  return text;
}

std::string told_plans(const Config& config, const RestoreMeans& means) {
  std::string text;
  for (const RestorePlan& plan : must(restore_plans(config, means)))
    text += told_plans(plan) + "\n";
  return text;
}

std::string trouble(const Config& config, const RestoreMeans& means) {
  return to_string(restore_plans(config, means).error());
}

TEST(RestorePlans, TryWhatThereIsTheQuickestFirst) {
  EXPECT_EQ(told_plans({}, kAllMeans),
            "rows = rows orders-db rows seats-db\n"
            "again = reset again\n"
            "clone = clone orders-db clone seats-db\n"
            "restart = reset restart again\n"
            "restart = restart reset again\n"
            "fresh = again renamed\n");
  EXPECT_EQ(told_plans({}, {.stores = {"db"}, .is_started = true}),
            "rows = rows db\n"
            "clone = clone db\n"
            "restart = rows db restart\n"
            "fresh = again renamed\n");
  EXPECT_EQ(told_plans({}, {}),
            "rows =\n"
            "fresh = again renamed\n");
}

TEST(RestorePlans, ObeyTheFile) {
  EXPECT_EQ(told_plans(config_of({{"orders-db", "clone"}, {"seats", "restart"}}), kAllMeans),
            "orders-db: clone, seats: restart = clone orders-db rows seats-db restart seats\n");
  // What was started as a whole is started again as a whole.
  EXPECT_EQ(told_plans(config_of({{"seats", "restart"}, {"orders", "restart"}}), kAllMeans),
            "seats: restart, orders: restart = rows orders-db rows seats-db restart\n");
  EXPECT_EQ(told_plans(config_of({{"seats", "fresh"}, {"seats-db", "rows"}}), kAllMeans),
            "seats: fresh, seats-db: rows = rows seats-db again renamed\n");
}

TEST(RestorePlans, SayWhatCannotBe) {
  EXPECT_EQ(
      trouble(config_of({{"seats-db", "clone"}}), {}),
      "heddle.yaml:1:9: seats-db cannot get back by \"clone\": its rows are not seen, give it "
      "heddle's own address under \"own\"");
  EXPECT_EQ(
      trouble(config_of({{"seats-db", "rows"}, {"seats", "restart"}}), {.stores = {"seats-db"}}),
      "heddle.yaml:2:9: seats cannot get back by \"restart\": heddle does not start it, say "
      "under \"start\" how it is started");
}

}  // namespace
}  // namespace heddle
