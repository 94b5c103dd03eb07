// docs/formats/spec.md shows examples: those fenced as `spec` must be read without a complaint,
// those fenced as `spec-error` must give exactly the message in the `text` fence that follows.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/source_tree_testing.h"
#include "base/text.h"
#include "heddle/scenario.h"

namespace heddle {
namespace {

struct Fence {
  std::string language;
  std::string content;
  std::size_t line = 0;
};

std::vector<Fence> read_fences() {
  std::ifstream file(source_tree() / "docs/formats/spec.md");
  std::vector<Fence> fences;
  bool inside = false;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) fences.push_back({line.substr(3), "", number});
    } else if (inside) {
      fences.back().content += line + "\n";
    }
  }
  return fences;
}

TEST(SpecDocs, examples_are_read) {
  std::size_t examples = 0;
  for (const Fence& fence : read_fences()) {
    if (fence.language != "spec") continue;
    ++examples;
    const Result<Scenario> scenario = parse_scenario(fence.content, "spec.md");
    EXPECT_TRUE(scenario) << "line " << fence.line << ": " << to_string(scenario.error());
    if (!scenario) continue;
    EXPECT_TRUE(scenario->warnings.empty()) << "line " << fence.line;
  }
  EXPECT_GE(examples, 6U);
}

TEST(SpecDocs, mistakes_give_the_messages_shown) {
  const std::vector<Fence> fences = read_fences();
  std::size_t examples = 0;
  for (std::size_t i = 0; i < fences.size(); ++i) {
    if (fences[i].language != "spec-error") continue;
    ++examples;
    const Result<Scenario> scenario = parse_scenario(fences[i].content, "example.spec");
    ASSERT_FALSE(scenario) << "line " << fences[i].line;
    ASSERT_LT(i + 1, fences.size());
    EXPECT_EQ(fences[i + 1].language, "text") << "line " << fences[i].line;
    EXPECT_EQ(to_string(scenario.error()), trim(fences[i + 1].content));
  }
  EXPECT_GE(examples, 4U);
}

}  // namespace
}  // namespace heddle
