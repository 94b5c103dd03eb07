// Cuts compared and looked for: what is shared between cuts gives what each cut alone gives, and
// local search finds what looking at all cuts finds.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "heddle/cut_search.h"
#include "heddle/java_program.h"
#include "split/search/cut_costs.h"
#include "split/uncut_cycles.h"

namespace heddle {
namespace {

using chopping::Partition;
using testing::HasSubstr;

Program parse(const std::string& sql) {
  Result<Program> program = parse_program({{"p.sql", sql}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  return program ? std::move(*program) : Program{};
}

// A program of some tables and functionalities that read and write them here and there.
std::string random_program(std::mt19937& random, std::size_t tables, std::size_t functionalities) {
  std::string sql;
  for (std::size_t i = 0; i < tables; ++i) {
    sql += fmt::format("CREATE TABLE t{} (id int PRIMARY KEY, n int NOT NULL);\n", i);
  }
  for (std::size_t i = 0; i < functionalities; ++i) {
    std::string body;
    const std::size_t statements = 2 + random() % 3;
    for (std::size_t j = 0; j < statements; ++j) {
      const std::size_t table = random() % tables;
      switch (random() % 6) {
        case 0:
        case 1:
          body += fmt::format("SELECT n INTO v FROM t{} WHERE id = a;\n", table);
          break;
        case 2:
          body += fmt::format("UPDATE t{} SET n = v WHERE id = a;\n", table);
          break;
        case 3:
          body += fmt::format("UPDATE t{} SET n = n + 1 WHERE id = a;\n", table);
          break;
        case 4:
          body +=
              fmt::format("IF v > 0 THEN\nUPDATE t{} SET n = 0 WHERE id = a;\nEND IF;\n", table);
          break;
        default:
          body +=
              fmt::format("SELECT x.n INTO v FROM t{} x JOIN t{} y ON y.id = x.n WHERE x.id = a;\n",
                          table, random() % tables);
          break;
      }
    }
    if (random() % 4 == 0) body = "FOR i IN 1..2 LOOP\n" + body + "END LOOP;\n";
    sql += fmt::format(
        "CREATE PROCEDURE f{}(a int) LANGUAGE plpgsql AS $$\nDECLARE v int := 0;\nBEGIN\n{}END\n"
        "$$;\n",
        i, body);
  }
  return sql;
}

CutScore alone(const Program& program, const Partition& partition, const SplitOptions& options) {
  const Result<SplitReport> report =
      split_program(program, chopping::cut_of(partition, program.schema), options);
  EXPECT_TRUE(report) << to_string(report.error());
  CutScore score{.services = chopping::services_of(partition)};
  for (const SplitCause& cause : report->causes) {
    score.cores += cause.is_core ? 1 : 0;
    ++score.causes;
    ++score.kinds[cause.kind];
  }
  return score;
}

// How cuts are scored, in the three ways there are.
class Scores {
 public:
  explicit Scores(const Program& program)
      : search_(program, find_options(), level(), {}, false),
        costs_(program, search_, find_options().max_instances, 2) {}

  CutScore estimate(const Partition& partition) { return costs_.estimate(partition); }
  CutScore search(const Partition& partition) { return costs_.search(partition); }

 private:
  static IsolationLevel level() { return IsolationLevel::serializable; }
  static FindOptions find_options() {
    FindOptions options;
    options.level = level();
    options.max_length = 4;
    return options;
  }

  chopping::GroupCauseSearch search_;
  chopping::CutCosts costs_;
};

std::string text_of(const CutScore& score) {
  std::string text = fmt::format("{} cores, {} causes", score.cores, score.causes);
  for (const auto& [kind, count] : score.kinds) {
    text += fmt::format(", {} {}", count, definition(kind).name);
  }
  return text;
}

TEST(CutScores, what_is_shared_is_what_each_cut_alone_gives) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    std::mt19937 random(seed);
    const std::string sql = random_program(random, 4, 3);
    const Program program = parse(sql);
    Scores scores(program);
    // What is possible where every table is a service of its own, first.
    scores.estimate({0, 1, 2, 3});
    std::size_t cuts = 0;
    chopping::for_each_partition(4, 4, [&](const Partition& partition) {
      if (cuts++ % 4 != seed % 4) return true;
      const std::string expected = text_of(alone(program, partition, {}));
      EXPECT_EQ(text_of(scores.search(partition)), expected)
          << sql << testing::PrintToString(partition);
      EXPECT_EQ(text_of(scores.estimate(partition)), expected)
          << sql << testing::PrintToString(partition);
      return true;
    });
  }
}

}  // namespace
}  // namespace heddle
