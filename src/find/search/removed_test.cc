// Which axioms keep cycles from happening: without them they come back, and with one of them they
// do not.
#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "find/search/find_testing.h"
#include "heddle/find.h"

namespace heddle::find {
namespace {

constexpr const char* kBank = R"(
CREATE TABLE checking (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE savings (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE withdraw(who int, amount int) LANGUAGE plpgsql AS $$
DECLARE a int; b int;
BEGIN
  SELECT balance INTO a FROM checking WHERE id = who;
  SELECT balance INTO b FROM savings WHERE id = who;
  IF a + b >= amount THEN UPDATE checking SET balance = a - amount WHERE id = who; END IF;
END $$;
CREATE PROCEDURE save(who int, amount int) LANGUAGE plpgsql AS $$
DECLARE a int; b int;
BEGIN
  SELECT balance INTO a FROM checking WHERE id = who;
  SELECT balance INTO b FROM savings WHERE id = who;
  IF a + b >= amount THEN UPDATE savings SET balance = b - amount WHERE id = who; END IF;
END $$;
CREATE PROCEDURE move(who int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE checking SET balance = balance - amount WHERE id = who;
  UPDATE savings SET balance = balance + amount WHERE id = who;
END $$;)";

using Key = std::pair<AnomalyKind, std::set<std::pair<std::size_t, std::size_t>>>;

Key key_of(const FoundCause& cause) {
  Key key{cause.kind, {}};
  for (const FoundNode& node : cause.cores.front().nodes) {
    key.second.emplace(node.functionality, node.statement);
  }
  return key;
}

bool is_found(const Program& program, const FindOptions& options, const FoundCause& cause) {
  const Result<FindReport> report = find_anomalies(program, options);
  EXPECT_TRUE(report);
  return std::ranges::any_of(
      report->causes, [&](const FoundCause& found) { return key_of(found) == key_of(cause); });
}

class Removed : public testing::TestWithParam<std::string> {};

TEST_P(Removed, comes_back_without_its_axioms) {
  const Program program = parse(kBank);
  FindOptions options;
  options.level = find_isolation_level(GetParam());
  options.max_length = 4;
  options.max_instances = 2;
  const Result<RemovedReport> report = explain_removed(program, options);
  ASSERT_TRUE(report);
  ASSERT_FALSE(report->causes.empty());
  for (const RemovedCause& removed : report->causes) {
    ASSERT_FALSE(removed.axioms.empty());
    FindOptions weaker = options;
    weaker.without = removed.axioms;
    EXPECT_TRUE(is_found(program, weaker, removed.cause));
    for (const Axiom axiom : removed.axioms) {
      weaker.without = removed.axioms;
      std::erase(weaker.without, axiom);
      EXPECT_FALSE(is_found(program, weaker, removed.cause)) << definition(axiom).name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Removed,
                         testing::Values("read-committed", "snapshot", "serializable",
                                         "postgres:read-committed", "postgres:repeatable-read"),
                         [](const auto& level) {
                           std::string name = level.param;
                           std::ranges::replace_if(
                               name, [](char c) { return c == '-' || c == ':'; }, '_');
                           return name;
                         });

TEST(ExplainRemoved, names_what_everybody_knows) {
  FindOptions options;
  options.level = IsolationLevel::snapshot;
  const Result<RemovedReport> report = explain_removed(parse(kBank), options);
  ASSERT_TRUE(report);
  bool sees_lost_update = false;
  for (const RemovedCause& removed : report->causes) {
    if (removed.cause.kind != AnomalyKind::lost_update) continue;
    sees_lost_update = true;
    EXPECT_EQ(removed.axioms, std::vector<Axiom>{Axiom::first_committer_wins});
  }
  EXPECT_TRUE(sees_lost_update);
  // Write skew stays.
  EXPECT_GT(report->left, 0U);
}

}  // namespace
}  // namespace heddle::find
