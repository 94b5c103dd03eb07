#include "cli/output/output.h"

#include <gtest/gtest.h>

#include "cli/exit_code.h"
#include "cli/explore_reports.h"

namespace heddle {
namespace {

TEST(Output, json_on_one_line_keeps_texts) {
  EXPECT_EQ(one_line_json("{\n  \"a\": [1, 2],\n  \"b c\": \"x  \\\" y\\n\"\n}\n"),
            "{\"a\":[1,2],\"b c\":\"x  \\\" y\\n\"}\n");
  EXPECT_EQ(one_line_json(R"({"a": "\\", "b": " "})"), "{\"a\":\"\\\\\",\"b\":\" \"}\n");
}

TEST(Output, refuses_before_the_work) {
  const Result<Output> directory = Output::open("/");
  ASSERT_FALSE(directory);
  EXPECT_EQ(directory.error().what, "cannot write /: it is a directory");
  const Result<Output> nowhere = Output::open("/nonexistent/report.txt");
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().what,
            "cannot write /nonexistent/report.txt: there is no directory /nonexistent");
  EXPECT_TRUE(Output::open(""));
}

TEST(Output, file_names_hold_no_special_characters) {
  EXPECT_EQ(scenario_stem("examples/lost_update.spec"), "lost_update");
  EXPECT_EQ(scenario_stem("<stdin>"), "stdin");
  EXPECT_EQ(scenario_stem("a b;$(c).spec"), "a_b___c_");
  EXPECT_EQ(scenario_stem(""), "scenario");
}

TEST(ExitCodes, the_gravest_counts) {
  const std::vector<ExitCode> from_lightest = {ExitCode::nothing_found, ExitCode::unknown,
                                               ExitCode::found, ExitCode::trouble,
                                               ExitCode::interrupted};
  for (std::size_t i = 0; i < from_lightest.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      EXPECT_EQ(graver(from_lightest[i], from_lightest[j]), from_lightest[i]);
      EXPECT_EQ(graver(from_lightest[j], from_lightest[i]), from_lightest[i]);
    }
  }
}

TEST(ExitCodes, follow_verdicts_and_troubles) {
  ExploreReport report;
  EXPECT_EQ(exit_code_of(report), ExitCode::nothing_found);
  report.levels.resize(2);
  report.levels[0].verdict = Verdict::satisfied;
  report.levels[1].verdict = Verdict::unknown;
  EXPECT_EQ(exit_code_of(report), ExitCode::unknown);
  report.levels[0].verdict = Verdict::violated;
  EXPECT_EQ(exit_code_of(report), ExitCode::found);

  EXPECT_EQ(exit_code_of(Diagnostic{.what = "x"}), ExitCode::trouble);
  EXPECT_EQ(exit_code_of(Diagnostic{.what = "x", .trouble = Trouble::environment}),
            ExitCode::trouble);
  EXPECT_EQ(exit_code_of(Diagnostic{.what = "x", .trouble = Trouble::bound}), ExitCode::unknown);
  EXPECT_EQ(exit_code_of(Diagnostic{.what = "x", .trouble = Trouble::interrupted}),
            ExitCode::interrupted);
}

}  // namespace
}  // namespace heddle
