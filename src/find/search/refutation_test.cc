// Proofs of whole causes, and what takes them away.
#include "find/search/refutation.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "find/search/find_testing.h"

namespace heddle::find {
namespace {

const std::string kRefutedTables =
    "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"
    "CREATE TABLE page (id int PRIMARY KEY, views bigint NOT NULL, likes int, title text);\n";

struct Counts {
  std::size_t causes = 0;
  std::size_t refuted = 0;
};

Counts count(const std::string& sql, IsolationLevel level,
             IsolationLevel asked = IsolationLevel::cassandra_one) {
  const Program program = parse(sql);
  FindOptions options;
  options.level = level;
  options.max_instances = 2;
  options.max_length = 4;
  const Result<FindReport> report = find_anomalies(program, options);
  EXPECT_TRUE(report);
  const SearchInput input = prepare_search(program, options, report->levels);
  std::vector<FunctionalityLevel> levels = report->levels;
  if (asked != IsolationLevel::cassandra_one) levels.front().level = asked;
  const Refuter refuter(input, levels);
  Counts counts;
  for (const FoundCause& cause : report->causes) {
    ++counts.causes;
    counts.refuted += refuter.refute(all_cycles(cause)) ? 1 : 0;
  }
  return counts;
}

// Additions of actions that end a transaction on the way.
std::vector<std::string> adding() {
  std::vector<std::string> programs;
  for (const char* body :
       {"UPDATE account SET balance = balance - m WHERE id = p;\nCOMMIT;\n"
        "UPDATE account SET balance = balance + m WHERE id = q;",
        "UPDATE page SET views = views + 1 WHERE id = p;\nCOMMIT;\n"
        "UPDATE page SET views = views + 1, likes = likes + m WHERE id = q;\nCOMMIT;\n"
        "UPDATE account SET balance = m + balance WHERE id = p;",
        "UPDATE page SET likes = likes - 1 WHERE title = 'a';\nCOMMIT;\n"
        "UPDATE page SET likes = likes + 1 WHERE title = 'b';"}) {
    programs.push_back(kRefutedTables + routine("act(p int, q int, m int)",
                                                std::string("BEGIN\n") + body + "\nEND"));
  }
  return programs;
}

TEST(Refutation, additions_are_no_reason_where_levels_keep_them) {
  for (const std::string& program : adding()) {
    for (const IsolationLevel level :
         {IsolationLevel::postgres_read_committed, IsolationLevel::postgres_repeatable_read,
          IsolationLevel::postgres_serializable, IsolationLevel::snapshot,
          IsolationLevel::serializable}) {
      const Counts counts = count(program, level);
      EXPECT_GT(counts.causes, 0U) << program;
      EXPECT_EQ(counts.refuted, counts.causes) << definition(level).name << "\n" << program;
    }
    for (const IsolationLevel level :
         {IsolationLevel::eventual, IsolationLevel::causal, IsolationLevel::read_committed}) {
      EXPECT_EQ(count(program, level).refuted, 0U) << definition(level).name << "\n" << program;
    }
  }
}

// Whoever looks sees them in the middle.
TEST(Refutation, somebody_who_looks_at_sums_takes_the_proof_away) {
  const std::string look =
      routine("look(p int)",
              "DECLARE v int;\nBEGIN\nSELECT sum(likes) INTO v FROM page;\n"
              "SELECT sum(balance) INTO v FROM account;\nSELECT views INTO v FROM page WHERE id = "
              "p;\nEND");
  for (const std::string& program : adding()) {
    const Counts counts = count(program + look, IsolationLevel::postgres_read_committed);
    EXPECT_LT(counts.refuted, counts.causes) << program;
  }
}

TEST(Refutation, a_stronger_level_than_the_one_asked_for_proves_nothing) {
  for (const std::string& program : adding()) {
    EXPECT_EQ(
        count(program, IsolationLevel::postgres_read_committed, IsolationLevel::eventual).refuted,
        0U);
  }
}

// With other rows than those that are made up a run shows some of them.
TEST(Refutation, nothing_of_smallbank_is_refuted) {
  const Program program = known_program("smallbank");
  FindOptions options;
  options.level = IsolationLevel::postgres_read_committed;
  options.max_instances = 2;
  const Result<FindReport> report = find_anomalies(program, options);
  ASSERT_TRUE(report);
  const SearchInput input = prepare_search(program, options, report->levels);
  const Refuter refuter(input, report->levels);
  std::size_t skews = 0;
  for (const FoundCause& cause : report->causes) {
    skews += cause.kind == AnomalyKind::write_skew ? 1 : 0;
    EXPECT_FALSE(refuter.refute(all_cycles(cause)).has_value());
  }
  EXPECT_GT(skews, 0U);
}

}  // namespace
}  // namespace heddle::find
