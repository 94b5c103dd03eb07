#include "cli/options/values.h"

#include <gtest/gtest.h>

#include "heddle/isolation.h"

namespace heddle {
namespace {

std::string refusal(const OptionDefinition& option, std::string_view value) {
  const Result<void> checked = check_value(option, value);
  return checked ? "accepted" : to_string(checked.error());
}

TEST(Values, refuse_with_what_to_do) {
  const OptionDefinition jobs{.name = "--jobs", .value = "N", .kind = ValueKind::count};
  EXPECT_EQ(refusal(jobs, "2"), "accepted");
  EXPECT_EQ(refusal(jobs, "0"), "--jobs=0 is too small, give at least 1");
  EXPECT_EQ(refusal(jobs, "x"), "--jobs=x is not a whole number, write it in decimal digits");
  EXPECT_EQ(refusal(jobs, "4294967297"), "--jobs=4294967297 is too large, give at most 1000000");
  EXPECT_EQ(refusal(jobs, ""), "--jobs= is empty, write --jobs=N");

  const OptionDefinition seed{.name = "--seed", .value = "N", .kind = ValueKind::seed};
  EXPECT_EQ(refusal(seed, "4294967297"), "accepted");
}

TEST(Values, suggest_choices_and_levels) {
  const OptionDefinition format{.name = "--format",
                                .value = "FORMAT",
                                .kind = ValueKind::choice,
                                .choices = {"text", "json"}};
  EXPECT_EQ(refusal(format, "json"), "accepted");
  EXPECT_EQ(refusal(format, "jsn"),
            "--format=jsn is not one of the choices, did you mean \"json\"?");
  EXPECT_EQ(refusal(format, "zzzzzz"),
            "--format=zzzzzz is not one of the choices, use one of: text, json");

  const OptionDefinition level{.name = "--isolation", .value = "LEVEL", .kind = ValueKind::level};
  for (const LevelDefinition& row : isolation_levels()) {
    EXPECT_EQ(refusal(level, row.name), "accepted") << row.name;
  }
  EXPECT_EQ(refusal(level, "serialisable"),
            "--isolation=serialisable is not an isolation level, did you mean \"serializable\"?");
}

}  // namespace
}  // namespace heddle
