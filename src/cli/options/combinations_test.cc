#include "cli/options/combinations.h"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/commands.h"
#include "cli/options/command.h"

namespace heddle {
namespace {

constexpr std::array kRows = {
    Combination{.option = "--all", .other = "--seed"},
    Combination{.option = "--unit",
                .value = "transaction",
                .other = "--format",
                .other_value = "svg",
                .what = "nobody draws that",
                .what_to_do = "use html"},
    Combination{.option = "--save",
                .rule = CombinationRule::needs,
                .other = "--format",
                .other_value = "spec"},
    idle_with("--format", "isolationtester", std::array<std::string_view, 1>{"--repair"})[0],
    needs_option("--step-timeout", "--on", "that is about stores", "name one")};

std::string check(std::vector<std::string> words) {
  words.emplace_back("a.spec");
  const Result<Arguments> arguments = parse_arguments(explore_command(), words, "1");
  EXPECT_TRUE(arguments);
  const Result<void> checked = check_combinations(*arguments, kRows);
  return checked ? "" : to_string(checked.error());
}

TEST(Combinations, WhatDoesNotGoTogether) {
  EXPECT_EQ(check({"--all"}), "");
  EXPECT_EQ(check({"--seed=3"}), "");
  EXPECT_EQ(check({"--seed=3", "--all"}),
            "--all does not go with --seed, leave one of the two out");
}

TEST(Combinations, OnlyWithAValue) {
  EXPECT_EQ(check({"--unit=session", "--format=svg"}), "");
  EXPECT_EQ(check({"--unit=transaction"}), "");
  EXPECT_EQ(check({"--unit=transaction", "--format=svg"}), "nobody draws that, use html");
}

TEST(Combinations, WhatMeansNothingWithAnother) {
  EXPECT_EQ(check({"--repair", "--format=text"}), "");
  EXPECT_EQ(check({"--repair", "--format=isolationtester"}),
            "--repair means nothing with --format=isolationtester, leave one of the two out");
}

TEST(Combinations, WhatIsAboutAnother) {
  EXPECT_EQ(check({"--step-timeout=1s", "--on=postgres"}), "");
  EXPECT_EQ(check({"--step-timeout=1s"}), "that is about stores, name one");
}

TEST(Combinations, WhatNeedsAnother) {
  EXPECT_EQ(check({"--save=x", "--format=spec"}), "");
  EXPECT_EQ(check({"--save=x"}), "--save means nothing without --format=spec, add --format=spec");
}

}  // namespace
}  // namespace heddle
