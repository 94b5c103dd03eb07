// A search for the causes of some functionalities finds what a search for all finds of them.
#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "find/search/find_testing.h"
#include "find/search/random_program_testing.h"
#include "heddle/find.h"

namespace heddle::find {
namespace {

bool takes_part(const FoundCause& cause, std::size_t functionality) {
  return std::ranges::any_of(cause.cores.front().nodes, [&](const FoundNode& node) {
    return node.functionality == functionality;
  });
}

std::string text_of(const FoundCycle& cycle) {
  std::string text = fmt::format("{}:", static_cast<int>(cycle.kind));
  for (const FoundNode& node : cycle.nodes) {
    text += fmt::format(" {}.{}.{}.{}", node.instance, node.functionality, node.statement,
                        static_cast<int>(node.part));
  }
  return text + "\n";
}

// Each cause with all of its cycles.
std::string text_of(const FoundCause& cause) {
  std::string text = "cause\n";
  for (const FoundCycle& core : cause.cores) text += text_of(core);
  text += "extensions\n";
  for (const FoundCycle& extension : cause.extensions) text += text_of(extension);
  return text;
}

// The number of causes that it compared.
std::size_t compare_only(const Program& program, FindOptions options) {
  const Result<FindReport> all = find_anomalies(program, options);
  EXPECT_TRUE(all);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < program.functionalities.size(); ++i) {
    std::string expected;
    for (const FoundCause& cause : all->causes) {
      if (takes_part(cause, i)) expected += text_of(cause);
    }
    options.only = {program.functionalities[i].name};
    const Result<FindReport> some = find_anomalies(program, options);
    EXPECT_TRUE(some);
    std::string found;
    for (const FoundCause& cause : some->causes) found += text_of(cause);
    EXPECT_EQ(expected, found) << print_program(program) << options.only.front();
    EXPECT_LE(some->counts.groups, all->counts.groups);
    compared += some->causes.size();
  }
  return compared;
}

TEST(Only, FindsWhatTheWholeSearchFinds) {
  std::size_t compared = 0;
  RandomPrograms programs(11, RandomPrograms::Contention::much);
  for (std::size_t round = 0; round < test_rounds(6); ++round) {
    compared += compare_only(parse(programs.next(3)), {.max_length = 4});
  }
  EXPECT_GT(compared, 1U);
}

// Cores of two in longer cycles of three, with and without the one that is asked for.
TEST(Only, TellsExtensionsFromCores) {
  std::string text(kAccount);
  for (const char* const name : {"a", "b", "c"}) {
    text += routine(fmt::format("{}(one int, other int)", name),
                    "DECLARE x int;\nBEGIN\n"
                    "SELECT balance INTO x FROM account WHERE id = one;\n"
                    "UPDATE account SET balance = x WHERE id = other;\nEND");
  }
  EXPECT_GT(compare_only(parse(text), {}), 10U);
}

TEST(Only, KnowsTheNames) {
  FindOptions options;
  options.only = {"nobody"};
  EXPECT_FALSE(find_anomalies(parse(kWithdraw), options));
}

}  // namespace
}  // namespace heddle::find
