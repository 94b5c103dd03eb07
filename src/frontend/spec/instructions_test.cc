#include "frontend/spec/instructions.h"

#include <string>

#include <gtest/gtest.h>

#include "frontend/spec/scenario_dump_testing.h"

namespace heddle {
namespace {

// The instructions of a step whose text begins at line 10, column 5, or the error.
std::string split(std::string text) {
  const SqlBlock block{std::move(text), {10, 5}};
  const Result<std::vector<Instruction>> result = split_instructions(block, "f.spec");
  if (!result) return to_string(result.error());
  std::string dump;
  for (const Instruction& instruction : *result) {
    dump += fmt::format("{}:{}{}", instruction.position.line, instruction.position.column,
                        dump_instruction(instruction).substr(3));
  }
  return dump;
}

TEST(Instructions, a_step_without_commands_is_one_query) {
  EXPECT_EQ(split("UPDATE t SET x = 1; \n"), "10:5 query [UPDATE t SET x = 1; \n]\n");
  EXPECT_EQ(split(""), "10:5 query []\n");
}

TEST(Instructions, gset_ends_a_query) {
  EXPECT_EQ(split("SELECT 1 AS a \\gset\nSELECT 2 AS b; \\gset p_\nSELECT :a"),
            "10:5 query [SELECT 1 AS a] gset []\n"
            "11:1 query [SELECT 2 AS b;] gset [p_]\n"
            "12:1 query [SELECT :a]\n");
}

TEST(Instructions, conditionals_stand_on_their_own) {
  EXPECT_EQ(split("\\if :a\n  SELECT 1;\n\\elif :{?b} \n\\if yes\n\\endif\n\\else\nSELECT 2\n"
                  "\\endif"),
            "10:5 if [:a]\n"
            "11:3 query [SELECT 1;]\n"
            "12:1 elif [:{?b}]\n"
            "13:1 if [yes]\n"
            "14:1 endif []\n"
            "15:1 else []\n"
            "16:1 query [SELECT 2]\n"
            "17:1 endif []\n");
}

TEST(Instructions, several_commands_may_share_a_line) {
  EXPECT_EQ(split("SELECT true AS a \\gset \\if :a \\\\ SELECT 1 \\endif"),
            "10:5 query [SELECT true AS a] gset []\n"
            "10:28 if [:a]\n"
            "10:38 query [SELECT 1]\n"
            "10:47 endif []\n");
}

TEST(Instructions, backslashes_in_quotes_and_comments_are_no_commands) {
  for (const std::string text : {"SELECT E'\\if'", "SELECT '\\gset'", "-- \\if\nSELECT 1",
                                 "/* \\else */", "$$ \\gset $$", R"(SELECT "\if")", "COPY \\. x"}) {
    EXPECT_EQ(split(text), fmt::format("10:5 query [{}]\n", text));
  }
}

TEST(Instructions, comments_alone_are_not_sent) {
  EXPECT_EQ(split("-- first\n\\if 1\n/* nothing */\n\\endif\n-- last"),
            "11:1 if [1]\n13:1 endif []\n");
}

TEST(Instructions, reports_what_is_wrong) {
  const std::pair<std::string, std::string> cases[] = {
      {"SELECT 1 \\gest",
       "f.spec:10:14: \\gest is not a command of scenario files, use \\gset, \\if, \\elif, \\else "
       "or \\endif"},
      {"\\gset",
       "f.spec:10:5: \\gset has no query before it, write the query whose row it stores in front "
       "of it"},
      {"SELECT 1 \\gset a b",
       "f.spec:10:14: \\gset cannot use \"a b\" as a prefix, give it one word of letters, digits "
       "and underscores or nothing, and go on with SQL on the next line"},
      {"SELECT 1;\n\\if 1\nSELECT 2",
       R"(f.spec:11:1: this \if has no \endif, add a line with \endif to the step)"},
      {"\\endif",
       R"(f.spec:10:5: \endif without an \if before it, begin with \if in the same step)"},
      {"\\elif 1",
       R"(f.spec:10:5: \elif without an \if before it, begin with \if in the same step)"},
      {"\\if 1\n\\else\n\\else\n\\endif",
       R"(f.spec:12:1: \else after \else, make \else the last branch of its \if)"},
      {"\\if 1\n\\else\n\\elif 1\n\\endif",
       R"(f.spec:12:1: \elif after \else, make \else the last branch of its \if)"},
      {"\\if 1\n\\else SELECT 1\n\\endif",
       "f.spec:11:1: \\else takes no argument, but \"SELECT 1\" follows, put what follows on the "
       "next line"},
      {"\\if\n\\endif",
       "f.spec:10:5: \\if has no condition, write it on the same line, for example \\if :found"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(split(text), message);
}

TEST(Instructions, judges_constant_conditions_early) {
  EXPECT_EQ(split("\\if maybe\n\\endif").substr(0, 66),
            "f.spec:10:5: the condition \"maybe\" is neither true nor false, use ");
}

TEST(Instructions, only_steps_may_have_commands) {
  const Result<void> result =
      reject_commands({"SELECT '\\if'\n \\gset", {3, 9}}, "setup", "f.spec");
  ASSERT_FALSE(result);
  EXPECT_EQ(to_string(result.error()),
            "f.spec:4:2: \\gset stands in setup, move it into a step: only steps may have "
            "backslash commands");
  EXPECT_TRUE(reject_commands({"SELECT \\unknown, E'\\if'", {3, 9}}, "setup", "f.spec"));
}

}  // namespace
}  // namespace heddle
