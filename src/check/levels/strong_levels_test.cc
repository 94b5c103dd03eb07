// The engine of the strong levels against brute force, and its own parts by hand.
#include "check/levels/strong_levels.h"

#include <cstdlib>
#include <random>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "check/levels/explains.h"
#include "check/levels/order_brute_force.h"
#include "check/levels/sample_recorded.h"

namespace heddle {
namespace {

constexpr IsolationLevel kStrongLevels[] = {IsolationLevel::prefix,
                                            IsolationLevel::parallel_snapshot,
                                            IsolationLevel::snapshot,
                                            IsolationLevel::strong_session_snapshot,
                                            IsolationLevel::serializable,
                                            IsolationLevel::strong_session_serializable,
                                            IsolationLevel::strict_serializable};

std::string text_of(const TransactionHistory& history) {
  std::string text;
  for (std::size_t txn = 0; txn < history.transactions.size(); ++txn) {
    const RecordedTransaction& recorded = history.transactions[txn];
    text += fmt::format("T{} session {} {} [{},{}]:", txn, recorded.session,
                        to_string(recorded.outcome), recorded.began, recorded.ended);
    for (const KeyOperation& operation : history.operations_of(TransactionId(txn))) {
      text += fmt::format(" {}({}", to_string(operation.action), operation.key.value);
      if (operation.action == KeyAction::read_list && operation.value != kUnseen) {
        for (const Value element : history.lists[operation.list()]) {
          text += " " + history.texts.to_string(element);
        }
        text += ")";
      } else {
        text += " " + history.texts.to_string(operation.value) + ")";
      }
    }
    text += "\n";
  }
  return text;
}

// Checks that each edge of a violated answer is there and that they close.
void expect_closed(const EngineAnswer& answer) {
  for (std::size_t i = 0; i < answer.cycle.size(); ++i) {
    EXPECT_EQ(answer.cycle[i].to, answer.cycle[(i + 1) % answer.cycle.size()].from);
  }
}

// The number of answers that were violated.
std::size_t compare(const TransactionHistory& history) {
  const Observation observation(history);
  if (!observation.illegal().empty() || !observation.doubt().empty()) return 0;
  if (observation.node_count() > 8) return 0;
  std::size_t violated = 0;
  for (const IsolationLevel level : kStrongLevels) {
    Meter meter({});
    const EngineAnswer answer = check_strong_level(observation, level, {}, meter);
    const Verdict expected = brute_force_level(observation, level, {});
    EXPECT_EQ(answer.verdict, expected) << definition(level).name << "\n" << text_of(history);
    if (answer.verdict == Verdict::satisfied) {
      EXPECT_TRUE(explains(observation, answer.order, answer.chosen, level, {}))
          << definition(level).name << " in the order " << testing::PrintToString(answer.order)
          << "\n"
          << text_of(history);
    } else {
      expect_closed(answer);
      ++violated;
    }
  }
  return violated;
}

std::size_t rounds() {
  const char* const wanted = std::getenv("HEDDLE_TEST_ROUNDS");
  return wanted == nullptr ? 1500 : std::strtoul(wanted, nullptr, 10);
}

TEST(StrongLevels, agree_with_brute_force_on_samples) {
  std::size_t violated = 0;
  for (std::size_t seed = 0; seed < rounds(); ++seed) {
    std::mt19937_64 random(seed);
    const Choose choose = [&](std::uint32_t below) {
      return static_cast<std::uint32_t>(random() % below);
    };
    violated += compare(sample_recorded(choose));
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(violated, rounds() / 5);
}

}  // namespace
}  // namespace heddle
