// What is said to come to the same in either order, held against PostgreSQL: all pairs of some
// updates and queries, on a table with a row for each combination of some values.
#include "find/search/either_order.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "heddle/program.h"
#include "heddle/scenario.h"
#include "store/open/open.h"
#include "store/store.h"

namespace heddle::find {

namespace {

constexpr std::uint32_t kTimeoutMs = 30'000;
constexpr const char* kTable =
    "CREATE TABLE post (id int PRIMARY KEY, status text NOT NULL, rank int, score int NOT NULL, "
    "stock int CHECK (stock < 20));\n";
constexpr const char* kRows =
    "INSERT INTO post SELECT row_number() OVER (), s, r, n, 19 FROM "
    "(VALUES ('open'), ('closed'), ('deleted')) a (s), (VALUES (null), (0), (1), (2), (3)) b (r), "
    "generate_series(0, 3) n;\n";

std::vector<std::string> statements() {
  std::vector<std::string> all;
  const std::vector<std::string> conditions = {"status = 'open'",
                                               "status <> 'deleted'",
                                               "status IN ('open', 'closed')",
                                               "rank > 1",
                                               "rank IS NOT NULL",
                                               "rank <= 2 AND status <> 'closed'",
                                               "NOT (rank = 2 OR status = 'open')",
                                               "score > 1",
                                               "rank = 3"};
  const std::vector<std::string> changes = {"status = 'closed'",
                                            "status = 'deleted'",
                                            "rank = 3",
                                            "rank = 2, score = score + 1",
                                            "score = score + 2",
                                            "score = 1 - score",
                                            "score = score - 1, stock = stock + score",
                                            "stock = stock + 1",
                                            "stock = stock - 1"};
  for (const std::string& condition : conditions) {
    for (const std::string& change : changes) {
      all.push_back(fmt::format("UPDATE post SET {} WHERE {}", change, condition));
    }
    all.push_back(fmt::format("SELECT id, score FROM post WHERE {} ORDER BY id", condition));
    all.push_back(fmt::format("SELECT count(*) FROM post WHERE {}", condition));
  }
  return all;
}

// What each of the two is answered, and what is left, where `first` goes first or second.
std::vector<Reply> answers(StoreDatabase& database, const std::string& first,
                           const std::string& second, bool is_turned) {
  auto replies =
      database.execute(fmt::format("BEGIN; {}; {}; SELECT * FROM post ORDER BY id",
                                   is_turned ? second : first, is_turned ? first : second),
                       kTimeoutMs);
  EXPECT_TRUE(replies);
  EXPECT_TRUE(database.execute("ROLLBACK", kTimeoutMs));
  if (!replies) return {};
  if (is_turned && replies->size() > 2) std::swap((*replies)[1], (*replies)[2]);
  return std::move(*replies);
}

// One that is refused ends the transaction: what would have come behind it is not known.
bool are_the_same(const std::vector<Reply>& a, const std::vector<Reply>& b) {
  const auto is_refused = [](const Reply& reply) { return reply.error.has_value(); };
  const bool a_fails = std::ranges::any_of(a, is_refused);
  const bool b_fails = std::ranges::any_of(b, is_refused);
  if (a_fails || b_fails) return a_fails == b_fails;
  return std::ranges::equal(a, b, [](const Reply& one, const Reply& other) {
    return one.result->rows == other.result->rows &&
           one.result->command_tag == other.result->command_tag;
  });
}

TEST(EitherOrderOnPostgres, what_commutes_is_answered_alike_and_leaves_the_same) {
  const std::vector<std::string> all = statements();
  std::string sql = kTable;
  for (std::size_t i = 0; i < all.size(); ++i) {
    sql += fmt::format("CREATE PROCEDURE f{}() LANGUAGE plpgsql AS $$\nBEGIN\n{};\nEND $$;\n", i,
                       all[i].starts_with("SELECT") ? "PERFORM" + all[i].substr(6) : all[i]);
  }
  const Result<Program> program = parse_program({{"p.sql", sql}});
  ASSERT_TRUE(program) << to_string(program.error());
  const FindOptions options;
  const SearchInput input = prepare_search(
      *program, options,
      std::vector<FunctionalityLevel>(
          all.size(), {.level = IsolationLevel::serializable, .origin = LevelOrigin::given}));
  const Result<Scenario> nothing = parse_scenario("session s\nstep s1 { SELECT 1; }\n", "p.spec");
  StoreAddresses address;
  address.texts = {"postgres"};
  auto server = open_stores(*nothing, address);
  ASSERT_TRUE(server);
  auto database = (*server)->create_database("");
  ASSERT_TRUE(database);
  ASSERT_TRUE((*database)->execute(std::string(kTable) + kRows, kTimeoutMs));
  std::size_t commuting = 0;
  std::size_t differing = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = i; j < all.size(); ++j) {
      const FoundCycle cycle{.nodes = {{.instance = 0, .functionality = i, .statement = 0},
                                       {.instance = 1, .functionality = j, .statement = 0}},
                             .edges = {{.from = 0, .to = 1, .table = "post", .columns = {}}}};
      const bool is_idle = idle_dependency(input, cycle) != nullptr;
      // Of the others enough to see that orders do make a difference.
      if (!is_idle && differing > 20) continue;
      const bool are_same = are_the_same(answers(**database, all[i], all[j], false),
                                         answers(**database, all[i], all[j], true));
      EXPECT_TRUE(are_same || !is_idle) << all[i] << "; " << all[j];
      commuting += is_idle ? 1 : 0;
      differing += are_same ? 0 : 1;
    }
  }
  EXPECT_GT(commuting, 100U);
  EXPECT_GT(differing, 20U);
}

}  // namespace

}  // namespace heddle::find
