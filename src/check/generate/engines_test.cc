// Engines against each other on histories that are too large for brute force.
#include <array>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "check/generate/calls.h"
#include "check/generate/generate.h"
#include "heddle/check.h"
#include "heddle/linearizability.h"

namespace heddle {
namespace {

using enum IsolationLevel;

constexpr std::array kStores = {read_committed_biswas_enea, read_atomic, transactional_causal,
                                parallel_snapshot,          prefix,      strong_session_snapshot,
                                strict_serializable};

GenerateOptions sized(IsolationLevel level, GeneratedKind kind, std::uint64_t seed,
                      std::uint32_t transactions) {
  GenerateOptions options;
  options.level = level;
  options.kind = kind;
  options.transactions = transactions;
  options.sessions = 12;
  options.keys = options.transactions / 4;
  options.seed = seed;
  return options;
}

// The same history to somebody who sees only the last element of each list.
TransactionHistory as_registers(const TransactionHistory& history) {
  TransactionHistory registers = history;
  for (KeyOperation& operation : registers.operations) {
    if (operation.action == KeyAction::append) operation.action = KeyAction::write;
    if (operation.action != KeyAction::read_list) continue;
    operation.action = KeyAction::read;
    if (operation.value == kUnseen) continue;
    const auto list = history.lists[operation.list()];
    operation.value = list.empty() ? kNil : list.back();
  }
  return registers;
}

// Weaker levels hold wherever stronger ones do, though other engines decide them, each by itself.
TEST(Engines, VerdictsFollowTheOrderOfLevels) {
  const std::uint32_t transactions = test_rounds(1) > 1 ? 10'000 : 1'000;
  for (const IsolationLevel made : kStores) {
    for (const GeneratedKind kind : {GeneratedKind::unique_register, GeneratedKind::list}) {
      const TransactionHistory history = generate_history(sized(made, kind, 1, transactions));
      std::vector<LevelAnswer> answers;
      for (const IsolationLevel level : kStores) {
        const Result<CheckReport> report = check_history(history, {.levels = {level}});
        answers.push_back(report->answers.front());
        const LevelAnswer& answer = answers.back();
        EXPECT_TRUE(answer.verdict != Verdict::satisfied || verify_order(history, answer, {}));
        EXPECT_TRUE(answer.verdict == Verdict::satisfied || !implies(made, level));
      }
      for (const LevelAnswer& strong : answers) {
        for (const LevelAnswer& weak : answers) {
          if (strong.verdict != Verdict::satisfied || !implies(strong.level, weak.level)) continue;
          EXPECT_EQ(weak.verdict, Verdict::satisfied)
              << definition(strong.level).name << " and not " << definition(weak.level).name;
        }
      }
    }
  }
}

// What holds of lists, whose versions are in order, holds of the same history as registers, for
// which the order has to be found.
TEST(Engines, ListsAgreeWithRegisters) {
  std::size_t held = 0;
  std::size_t violated = 0;
  for (const IsolationLevel made : kStores) {
    const TransactionHistory lists = generate_history(sized(made, GeneratedKind::list, 2, 1'000));
    const Result<CheckReport> of_lists = check_history(lists, {});
    const Result<CheckReport> of_registers = check_history(as_registers(lists), {});
    ASSERT_EQ(of_lists->answers.size(), of_registers->answers.size());
    for (std::size_t i = 0; i < of_lists->answers.size(); ++i) {
      held += of_lists->answers[i].verdict == Verdict::satisfied;
      if (of_registers->answers[i].verdict != Verdict::violated) continue;
      ++violated;
      EXPECT_EQ(of_lists->answers[i].verdict, Verdict::violated)
          << definition(of_lists->answers[i].level).name << " of a history made at "
          << definition(made).name;
    }
  }
  EXPECT_GT(held, 20U);
  EXPECT_GT(violated, 5U);
}

// A level that is asked for alone takes no more steps than the history is long: not without the
// order of sessions either, and not where transactions are out of it.
TEST(Engines, NoLevelAloneTakesLong) {
  constexpr std::uint64_t kStepsPerOperation = 50;
  for (const std::optional<AnomalyKind> planted :
       {std::optional<AnomalyKind>(), std::optional(AnomalyKind::session_cycle),
        std::optional(AnomalyKind::causality_violation)}) {
    GenerateOptions options = sized(strict_serializable, GeneratedKind::unique_register, 4, 2'000);
    if (planted) options.planted = {{*planted, 3}};
    const TransactionHistory history = generate_history(options);
    for (const IsolationLevel level : {serializable, snapshot, repeatable_read}) {
      CheckOptions alone{.levels = {level}};
      alone.bounds.steps = kStepsPerOperation * history.operations.size();
      const Result<CheckReport> report = check_history(history, alone);
      const LevelAnswer& answer = report->answers.front();
      EXPECT_EQ(answer.verdict, Verdict::satisfied) << definition(level).name;
      EXPECT_TRUE(verify_order(history, answer, alone)) << definition(level).name;
    }
  }
}

// The search for any model and the algorithm for this one.
TEST(Engines, QuickAlgorithmsAgreeWithTheSearch) {
  using enum ObjectModel;
  for (const ObjectModel model : {cas_register, queue, stack, priority_queue, set}) {
    for (const bool broken : {false, true}) {
      GenerateCallsOptions options;
      options.model = model;
      // Of the others the search remembers too many orders of elements.
      const bool is_easy = model == cas_register || model == set;
      options.calls = is_easy ? (test_rounds(1) > 1 ? 10'000 : 2'000) : 100;
      options.processes = 3;
      options.violation = broken;
      options.seed = 3;
      const ObjectHistory history = generate_calls(options);
      LinearizabilityOptions slow;
      slow.search_only = true;
      slow.shrink = false;
      const Verdict verdict = check_linearizable(history).verdict;
      EXPECT_EQ(verdict, broken ? Verdict::violated : Verdict::satisfied) << to_string(model);
      EXPECT_EQ(check_linearizable(history, slow).verdict, verdict) << to_string(model);
    }
  }
}

}  // namespace
}  // namespace heddle
