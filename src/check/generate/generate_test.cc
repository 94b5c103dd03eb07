// Generated histories are legal where they should be, which the order of their commits shows, and
// illegal where something was planted, which trying all orders shows.

#include "check/generate/generate.h"

#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "check/generate/shapes.h"
#include "check/levels/order_brute_force.h"
#include "check/levels/sample_recorded.h"
#include "check/observation/explains.h"
#include "heddle/check.h"
#include "heddle/linearizability.h"

namespace heddle {
namespace {

using enum IsolationLevel;

constexpr IsolationLevel kGeneratingStores[] = {
    read_committed_biswas_enea, read_atomic,        transactional_causal, parallel_snapshot, prefix,
    strong_session_snapshot,    strict_serializable};

// What is wrong with the order of the commits as a witness.
std::string trouble_with(const GenerateOptions& options, const OrderSwitches& switches) {
  std::vector<TransactionId> commits;
  const TransactionHistory history = generate_history(options, &commits);
  if (const auto flaw = find_flaw(history)) return *flaw;
  const Observation observation(history);
  if (!observation.illegal().empty()) return "illegal operations";
  if (!observation.doubt().empty()) return observation.doubt();
  if (!observation.choices().empty()) return "choices";
  std::vector<Node> order;
  for (const TransactionId id : commits) {
    if (const auto node = observation.node_of(id)) order.push_back(*node);
  }
  return explains(observation, order, {}, options.level, switches) ? "" : "does not explain";
}

GenerateOptions busy(IsolationLevel level, std::uint64_t seed) {
  GenerateOptions options;
  options.level = level;
  options.transactions = 150;
  options.sessions = 6;
  options.seed = seed;
  options.update_share = 0.3;
  options.aborted_share = 0.1;
  options.unknown_share = 0.1;
  options.times = true;
  return options;
}

TEST(Generate, what_a_store_made_is_legal_at_its_level) {
  for (const IsolationLevel level : kGeneratingStores) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      GenerateOptions options = busy(level, seed);
      options.distribution = static_cast<KeyDistribution>(seed % 3);
      const bool realtime =
          level == prefix || level == strong_session_snapshot || level == strict_serializable;
      EXPECT_EQ(trouble_with(options, {true, realtime}), "") << definition(level).name << seed;
      options.kind = GeneratedKind::list;
      options.writes_per_key = seed % 2 == 0 ? 0 : 20;
      EXPECT_EQ(trouble_with(options, {true, realtime}), "") << definition(level).name << seed;
    }
  }
}

TEST(Generate, every_level_that_can_be_asked_for_is_kept) {
  for (const LevelDefinition& level : isolation_levels()) {
    if (!can_generate(level.level) || !order_axioms(level.level)) continue;
    EXPECT_EQ(trouble_with(busy(level.level, 7), {}), "") << level.name;
  }
  EXPECT_TRUE(can_generate(serializable));
  EXPECT_TRUE(can_generate(snapshot));
  EXPECT_TRUE(can_generate(monotonic_reads));
  EXPECT_FALSE(can_generate(linearizable));
  EXPECT_FALSE(can_generate(mariadb_repeatable_read));
}

GenerateOptions tiny(IsolationLevel level, std::uint64_t seed) {
  GenerateOptions options;
  options.level = level;
  options.transactions = 6;
  options.sessions = 3;
  options.keys = 2;
  options.fewest_operations = 2;
  options.most_operations = 3;
  options.seed = seed;
  return options;
}

// A generator of nothing but serial histories would pass all other tests.
TEST(Generate, weak_stores_show_what_stronger_levels_forbid) {
  struct Pair {
    IsolationLevel made;
    IsolationLevel broken;
  };
  const Pair pairs[] = {{read_committed_biswas_enea, read_atomic},
                        {read_atomic, transactional_causal},
                        {transactional_causal, parallel_snapshot},
                        {transactional_causal, prefix},
                        {parallel_snapshot, strong_session_snapshot},
                        {prefix, strong_session_snapshot},
                        {strong_session_snapshot, strong_session_serializable}};
  for (const auto& [made, broken] : pairs) {
    int violated = 0;
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      GenerateOptions options = busy(made, seed);
      options.transactions = 60;
      options.keys = 30;
      options.times = false;
      const TransactionHistory history = generate_history(options);
      const Result<CheckReport> report = check_history(history, {.levels = {made, broken}});
      ASSERT_TRUE(report.has_value()) << to_string(report.error());
      for (const LevelAnswer& answer : report->answers) {
        EXPECT_TRUE(answer.level != made || answer.verdict == Verdict::satisfied);
        violated += answer.level == broken && answer.verdict == Verdict::violated ? 1 : 0;
      }
    }
    EXPECT_GT(violated, 0) << definition(made).name << " never breaks " << definition(broken).name;
  }
}

TEST(Generate, small_ones_are_legal_by_brute_force) {
  for (const IsolationLevel level : kGeneratingStores) {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      GenerateOptions options = tiny(level, seed);
      if (seed % 2 == 0) options.kind = GeneratedKind::register_;
      options.distinct_values = 2;
      const TransactionHistory history = generate_history(options);
      EXPECT_EQ(brute_force_level(Observation(history), level, {}), Verdict::satisfied)
          << text_of(history);
    }
  }
}

// The verdict by trying all orders, with illegal operations a violation of everything.
Verdict verdict_of(const TransactionHistory& history, IsolationLevel level, bool realtime) {
  const Observation observation(history);
  if (!observation.illegal().empty()) return Verdict::violated;
  return brute_force_level(observation, level, {false, realtime});
}

struct Expectation {
  AnomalyKind kind;
  std::optional<IsolationLevel> held;  // a strong level that allows it
  IsolationLevel violated;             // a weak level that does not
};

constexpr Expectation kPlanted[] = {
    {AnomalyKind::dirty_write, std::nullopt, read_committed},
    {AnomalyKind::aborted_read, std::nullopt, read_committed},
    {AnomalyKind::intermediate_read, std::nullopt, read_committed},
    {AnomalyKind::unwritten_read, std::nullopt, read_committed},
    {AnomalyKind::future_read, std::nullopt, read_committed},
    {AnomalyKind::internal_inconsistency, std::nullopt, read_committed},
    {AnomalyKind::inconsistent_order, std::nullopt, read_committed},
    {AnomalyKind::circular_flow, std::nullopt, read_committed},
    {AnomalyKind::lost_update, prefix, parallel_snapshot},
    {AnomalyKind::non_repeatable_read, read_committed_biswas_enea, read_atomic},
    {AnomalyKind::fractured_read, read_committed, read_atomic},
    {AnomalyKind::read_skew, read_atomic, transactional_causal},
    {AnomalyKind::long_fork, parallel_snapshot, prefix},
    {AnomalyKind::write_skew, strong_session_snapshot, repeatable_read},
    {AnomalyKind::causality_violation, serializable, transactional_causal},
    {AnomalyKind::session_cycle, strong_session_snapshot, strong_session_serializable},
};

TEST(Generate, planted_anomalies_show_at_their_level) {
  for (const Expectation& expected : kPlanted) {
    for (const GeneratedKind kind : {GeneratedKind::unique_register, GeneratedKind::list}) {
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        GenerateOptions options = tiny(strict_serializable, seed);
        options.kind = kind;
        options.transactions = 3;
        options.times = seed % 2 == 0;
        if (!can_plant(expected.kind, options)) continue;
        options.planted = {{expected.kind, 1}};
        const TransactionHistory history = generate_history(options);
        ASSERT_FALSE(find_flaw(history)) << *find_flaw(history);
        EXPECT_EQ(verdict_of(history, expected.violated, false), Verdict::violated)
            << text_of(history);
        if (!expected.held) continue;
        // Real time would bring in the order within sessions.
        const bool realtime = options.times && expected.held != serializable;
        EXPECT_EQ(verdict_of(history, *expected.held, realtime), Verdict::satisfied)
            << definition(expected.kind).name << "\n"
            << text_of(history);
      }
    }
  }
}

TEST(Generate, anomalies_of_lists_and_times_need_them) {
  GenerateOptions options = tiny(strict_serializable, 0);
  EXPECT_FALSE(can_plant(AnomalyKind::dirty_write, options));
  EXPECT_FALSE(can_plant(AnomalyKind::phantom, options));
  EXPECT_FALSE(can_plant(AnomalyKind::real_time_cycle, options));
  options.times = true;
  options.planted = {{AnomalyKind::real_time_cycle, 1}};
  const TransactionHistory history = generate_history(options);
  EXPECT_EQ(verdict_of(history, strong_session_serializable, false), Verdict::satisfied);
  EXPECT_EQ(verdict_of(history, strict_serializable, true), Verdict::violated);
}

TEST(Generate, many_anomalies_all_find_a_place) {
  GenerateOptions options = busy(strict_serializable, 3);
  const std::size_t before = generate_history(options).transactions.size();
  options.planted = {{AnomalyKind::write_skew, 20}, {AnomalyKind::long_fork, 10}};
  options.sessions = 2;  // fewer than a long fork needs
  const TransactionHistory history = generate_history(options);
  EXPECT_EQ(history.transactions.size(), before + 80);
  EXPECT_FALSE(find_flaw(history));
}

// The value is that of the first machine on which this ran: all others must agree.
TEST(Generate, one_seed_one_history) {
  std::string all;
  for (const IsolationLevel level : kGeneratingStores) {
    GenerateOptions options = busy(level, 42);
    options.distribution = KeyDistribution::zipf;
    const std::string text = text_of(generate_history(options));
    EXPECT_EQ(text, text_of(generate_history(options)));
    options.seed = 43;
    EXPECT_NE(text, text_of(generate_history(options)));
    all += text;
  }
  EXPECT_EQ(stable_hash(all), 3559418778717297236U);
}

TEST(Generate, shares_are_kept_roughly) {
  GenerateOptions options = busy(strict_serializable, 1);
  options.transactions = 3000;
  options.read_share = 0.8;
  options.update_share = 0;
  const TransactionHistory history = generate_history(options);
  std::size_t reads = 0;
  std::size_t aborted = 0;
  for (const KeyOperation& operation : history.operations) {
    reads += operation.action == KeyAction::read ? 1 : 0;
  }
  for (const RecordedTransaction& txn : history.transactions) {
    aborted += txn.outcome == TransactionOutcome::aborted ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(reads) / static_cast<double>(history.operations.size()), 0.8,
              0.03);
  EXPECT_NEAR(static_cast<double>(aborted) / 3000, 0.1, 0.03);
}

TEST(GenerateShapes, all_are_well_formed_in_small) {
  for (const GenerateShape& shape : generate_shapes()) {
    const bool calls = std::holds_alternative<GenerateCallsOptions>(shape.request);
    const std::string text = fmt::format("{},{}=300", shape.name, calls ? "calls" : "transactions");
    const Result<GenerateRequest> request = parse_generate_request(text);
    ASSERT_TRUE(request.has_value()) << to_string(request.error());
    const RecordedHistory history = generate(*request);
    if (const auto* const transactions = std::get_if<TransactionHistory>(&history)) {
      EXPECT_EQ(transactions->transactions.size(), 300U) << shape.name;
      EXPECT_FALSE(find_flaw(*transactions)) << shape.name;
      EXPECT_EQ(trouble_with(std::get<GenerateOptions>(*request), {true, false}), "") << shape.name;
    } else {
      EXPECT_EQ(std::get<ObjectHistory>(history).calls.size(), 300U) << shape.name;
      EXPECT_FALSE(find_flaw(std::get<ObjectHistory>(history))) << shape.name;
    }
  }
}

TEST(GenerateShapes, settings_are_read) {
  const Result<GenerateRequest> request = parse_generate_request(
      "list-append,level=snapshot,operations=2..5,reads=0.25,distribution=hotspot,times=yes,"
      "plant=dirty-write:3,plant=write-skew,seed=18446744073709551615,initial=0");
  ASSERT_TRUE(request.has_value()) << to_string(request.error());
  const auto& options = std::get<GenerateOptions>(*request);
  EXPECT_EQ(options.level, snapshot);
  EXPECT_EQ(options.fewest_operations, 2U);
  EXPECT_EQ(options.most_operations, 5U);
  EXPECT_EQ(options.read_share, 0.25);
  EXPECT_EQ(options.distribution, KeyDistribution::hotspot);
  EXPECT_TRUE(options.times);
  ASSERT_EQ(options.planted.size(), 2U);
  EXPECT_EQ(options.planted[0].count, 3U);
  EXPECT_EQ(options.planted[1].kind, AnomalyKind::write_skew);
  EXPECT_EQ(options.seed, 18446744073709551615U);
  EXPECT_EQ(options.initial, Value::number(0));
}

TEST(GenerateShapes, mistakes_are_explained) {
  const auto message = [](std::string_view text) {
    const Result<GenerateRequest> request = parse_generate_request(text);
    return request ? "" : to_string(request.error());
  };
  EXPECT_EQ(message("genral"),
            "there is no shape \"genral\" to generate, did you mean \"general\"?");
  EXPECT_EQ(message("small,kees=3"),
            "there is no setting \"kees\" to generate, did you mean \"keys\"?");
  EXPECT_EQ(message("small,keys=many"),
            "keys of a generated history cannot be \"many\", give a whole number");
  EXPECT_EQ(message("small,reads=nan"),
            "reads of a generated history cannot be \"nan\", give a share from 0 to 1");
  EXPECT_EQ(message("small,reads=1.5"),
            "cannot generate that history: shares are from 0 to 1, change the settings");
  EXPECT_EQ(message("small,level=linearizable"),
            "cannot generate that history: no history can be generated for linearizable, "
            "change the settings");
  EXPECT_EQ(message("small,plant=dirty-write"),
            "cannot generate that history: no dirty write can be planted in such a history, "
            "change the settings");
  EXPECT_EQ(message("small,transactions=4000000000"),
            "cannot generate that history: more operations than a thousand million, "
            "change the settings");
  EXPECT_NE(message(""), "");
  EXPECT_NE(message("queue,keys=2"), "");
}

constexpr ObjectModel kGeneratedModels[] = {ObjectModel::cas_register, ObjectModel::key_value,
                                            ObjectModel::set,          ObjectModel::queue,
                                            ObjectModel::stack,        ObjectModel::priority_queue};

GenerateCallsOptions small_calls(ObjectModel model, std::uint64_t seed) {
  GenerateCallsOptions options;
  options.model = model;
  options.calls = 30;
  options.objects = 1 + seed % 2;
  options.crashed_share = seed % 3 == 0 ? 0.1 : 0;
  options.unique_values = model != ObjectModel::cas_register || seed % 2 == 0;
  options.seed = seed;
  return options;
}

TEST(GenerateCalls, calls_are_linearizable_until_a_violation_is_planted) {
  LinearizabilityOptions by_search;
  by_search.search_only = true;
  by_search.shrink = false;
  for (const ObjectModel model : kGeneratedModels) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      GenerateCallsOptions options = small_calls(model, seed);
      const ObjectHistory history = generate_calls(options);
      ASSERT_FALSE(find_flaw(history)) << *find_flaw(history);
      ASSERT_FALSE(find_misfit(history)) << *find_misfit(history);
      EXPECT_EQ(history.calls.size(), 30U);
      EXPECT_EQ(check_linearizable(history, by_search).verdict, Verdict::satisfied)
          << to_string(model) << " " << seed;
      options.violation = true;
      const ObjectHistory broken = generate_calls(options);
      ASSERT_FALSE(find_flaw(broken)) << *find_flaw(broken);
      EXPECT_EQ(check_linearizable(broken, by_search).verdict, Verdict::violated)
          << to_string(model) << " " << seed;
    }
  }
}

TEST(GenerateCalls, only_some_models_are_known) {
  GenerateCallsOptions options;
  options.model = ObjectModel::bank;
  EXPECT_EQ(find_flaw(options), "no calls can be generated for a bank");
}

}  // namespace
}  // namespace heddle
