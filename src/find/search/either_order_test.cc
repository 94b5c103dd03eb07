#include "find/search/either_order.h"

#include <string>

#include <gtest/gtest.h>

#include "find/search/find_testing.h"

namespace heddle::find {

namespace {

const std::string kOrderTables = R"(
CREATE TABLE post (id int PRIMARY KEY, parent int REFERENCES post (id), status varchar(10) NOT NULL,
                   kind text, score int NOT NULL, views bigint NOT NULL, price numeric(10, 2),
                   stock int NOT NULL CHECK (stock >= 0), place int UNIQUE, open boolean NOT NULL,
                   padded char(8), rank int);
CREATE TABLE other (id int PRIMARY KEY, score int NOT NULL);
)";

// Whether the statements are known to commute, of two functionalities at that level.
bool commute(const std::string& first, const std::string& second,
             IsolationLevel level = IsolationLevel::serializable) {
  const auto procedure = [](const std::string& name, const std::string& statement) {
    return routine(name + "(p int, q int, t text, n numeric)",
                   "DECLARE v int;\nBEGIN\n" + statement + ";\nEND");
  };
  const Program program = parse(kOrderTables + procedure("f", first) + procedure("g", second));
  const FindOptions options;
  const FunctionalityLevel given{.level = level, .origin = LevelOrigin::given};
  const SearchInput input = prepare_search(program, options, {given, given});
  FoundCycle cycle;
  cycle.nodes = {{.instance = 0, .functionality = 0, .statement = 0},
                 {.instance = 1, .functionality = 1, .statement = 0}};
  const auto is_idle = [&](std::size_t from, std::size_t to) {
    cycle.edges = {{.from = from, .to = to, .table = "post", .columns = {}}};
    return idle_dependency(input, cycle) != nullptr;
  };
  EXPECT_EQ(is_idle(0, 1), is_idle(1, 0));
  return is_idle(0, 1);
}

constexpr const char* kAdd = "UPDATE post SET score = score + p WHERE id = q";

TEST(EitherOrder, sums_of_whole_numbers_commute) {
  EXPECT_TRUE(commute(kAdd, kAdd));
  EXPECT_TRUE(
      commute(kAdd, "UPDATE post SET score = 3 + score, views = views - p * q WHERE id = p"));
  EXPECT_TRUE(
      commute(kAdd, "UPDATE post SET score = score - 1 WHERE status = t RETURNING id INTO v"));
  EXPECT_TRUE(commute(kAdd, "UPDATE post SET status = t WHERE id = p"));
}

TEST(EitherOrder, what_looks_at_a_sum_does_not) {
  EXPECT_FALSE(commute(kAdd, "UPDATE post SET score = p WHERE id = q"));
  EXPECT_FALSE(commute(kAdd, "UPDATE post SET score = score + p WHERE score > 3"));
  EXPECT_FALSE(
      commute(kAdd, "UPDATE post SET score = score + p WHERE id = q RETURNING score INTO v"));
  EXPECT_FALSE(commute(kAdd, "UPDATE post SET score = score + 1, rank = score WHERE id = q"));
  EXPECT_FALSE(commute(kAdd, "UPDATE post SET score = score + rank WHERE id = q"));
  EXPECT_FALSE(commute(kAdd, "UPDATE post SET score = p - score WHERE id = q"));
  EXPECT_FALSE(commute(kAdd, "UPDATE post SET score = score * 2 WHERE id = q"));
  EXPECT_FALSE(commute(kAdd, "SELECT score INTO v FROM post WHERE id = q"));
  EXPECT_FALSE(commute(kAdd, "DELETE FROM post WHERE id = q"));
  EXPECT_FALSE(commute(kAdd, "INSERT INTO post (id, score) VALUES (p, q)"));
  // Whose rows the one takes hangs on what the other one writes.
  EXPECT_FALSE(commute("UPDATE post SET score = score + 1, status = t WHERE id = q",
                       "UPDATE post SET score = score + 1 WHERE status = 'open'"));
}

TEST(EitherOrder, sums_that_are_rounded_or_checked_do_not) {
  EXPECT_FALSE(commute("UPDATE post SET price = price + p WHERE id = q",
                       "UPDATE post SET price = price + p WHERE id = q"));
  EXPECT_FALSE(commute(kAdd, "UPDATE post SET score = score + n WHERE id = q"));
  EXPECT_FALSE(commute("UPDATE post SET stock = stock + p WHERE id = q",
                       "UPDATE post SET stock = stock - p WHERE id = q"));
  EXPECT_FALSE(commute("UPDATE post SET place = place + p WHERE id = q",
                       "UPDATE post SET place = place + p WHERE id = q"));
  EXPECT_FALSE(commute("UPDATE post SET parent = parent + p WHERE id = q",
                       "UPDATE post SET parent = parent + p WHERE id = q"));
}

constexpr const char* kClose = "UPDATE post SET status = 'closed' WHERE id = p AND status = 'open'";

TEST(EitherOrder, a_query_finds_what_an_update_leaves_where_it_was) {
  EXPECT_TRUE(
      commute(kClose, "SELECT score INTO v FROM post WHERE id = q AND status <> 'deleted'"));
  EXPECT_TRUE(
      commute(kClose, "SELECT count(*) INTO v FROM post WHERE status IN ('open', 'closed')"));
  EXPECT_TRUE(commute(kClose, "SELECT score INTO v FROM post WHERE id = q"));
  EXPECT_TRUE(commute("UPDATE post SET rank = 7 WHERE rank > 3 AND id = p",
                      "SELECT score INTO v FROM post WHERE rank >= 2 AND score = q"));
  EXPECT_TRUE(commute(
      kClose, "SELECT score INTO v FROM post WHERE status <> 'deleted' ORDER BY score LIMIT 1"));
}

TEST(EitherOrder, a_query_that_an_update_changes_does_not_commute) {
  EXPECT_FALSE(commute(kClose, "SELECT score INTO v FROM post WHERE id = q AND status = 'open'"));
  EXPECT_FALSE(commute(kClose, "SELECT status INTO t FROM post WHERE status <> 'deleted'"));
  EXPECT_FALSE(commute("UPDATE post SET status = 'closed' WHERE id = p",
                       "SELECT score INTO v FROM post WHERE id = q AND status <> 'deleted'"));
  EXPECT_FALSE(commute("UPDATE post SET status = t WHERE id = p AND status = 'open'",
                       "SELECT score INTO v FROM post WHERE id = q AND status <> 'deleted'"));
  EXPECT_FALSE(commute(kClose, "SELECT score INTO v FROM post WHERE id = q AND status <> t"));
  EXPECT_FALSE(
      commute(kClose, "SELECT score INTO v FROM post WHERE status <> 'deleted' ORDER BY status"));
  EXPECT_FALSE(commute(
      kClose,
      "SELECT count(*) INTO v FROM post WHERE status <> 'deleted' GROUP BY status LIMIT 1"));
}

TEST(EitherOrder, what_is_compared_otherwise_than_numbers_are_is_not_known) {
  EXPECT_FALSE(commute(kClose, "SELECT score INTO v FROM post WHERE status < 'd'"));
  EXPECT_FALSE(commute(kClose, "SELECT score INTO v FROM post WHERE status LIKE '%e%'"));
  EXPECT_FALSE(commute("UPDATE post SET padded = 'a ' WHERE padded = 'b'",
                       "SELECT score INTO v FROM post WHERE padded <> 'a'"));
  EXPECT_FALSE(commute("UPDATE post SET rank = 5 WHERE rank = 4",
                       "SELECT score INTO v FROM post WHERE rank = '5'"));
}

TEST(EitherOrder, nothing_is_known_where_additions_may_be_lost_or_half_seen) {
  using enum IsolationLevel;
  for (const IsolationLevel level :
       {serializable, strict_serializable, postgres_serializable, mariadb_serializable, snapshot,
        postgres_repeatable_read, postgres_read_committed}) {
    EXPECT_TRUE(commute(kAdd, kAdd, level)) << definition(level).name;
  }
  for (const IsolationLevel level :
       {eventual, causal, read_committed, repeatable_read, repeatable_read_axiom,
        mariadb_read_committed, mariadb_repeatable_read, cassandra_one}) {
    EXPECT_FALSE(commute(kAdd, kAdd, level)) << definition(level).name;
  }
}

// Whoever else runs at a level that loses additions loses those of the two as well.
TEST(EitherOrder, the_levels_of_all_functionalities_count) {
  const Program program =
      parse(kOrderTables + routine("f(p int, q int)", std::string("BEGIN\n") + kAdd + ";\nEND") +
            routine("g(p int, q int)", std::string("BEGIN\n") + kAdd + ";\nEND"));
  const FindOptions options;
  const FunctionalityLevel snapshot{.level = IsolationLevel::snapshot,
                                    .origin = LevelOrigin::given};
  const FunctionalityLevel weak{.level = IsolationLevel::eventual, .origin = LevelOrigin::given};
  FoundCycle cycle;
  cycle.nodes = {{.instance = 0, .functionality = 0, .statement = 0},
                 {.instance = 1, .functionality = 0, .statement = 0}};
  cycle.edges = {{.from = 0, .to = 1, .table = "post", .columns = {}}};
  EXPECT_NE(idle_dependency(prepare_search(program, options, {snapshot, snapshot}), cycle),
            nullptr);
  EXPECT_EQ(idle_dependency(prepare_search(program, options, {snapshot, weak}), cycle), nullptr);
}

}  // namespace

}  // namespace heddle::find
