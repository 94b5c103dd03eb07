// Sessions that call functionalities, on MariaDB: the statements are PostgreSQL's, and are said in
// MariaDB's words.
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/judge.h"
#include "replay/replay_testing.h"

namespace heddle {
namespace {

using testing::HasSubstr;

constexpr std::string_view kShop = R"(
setup {
  CREATE TABLE article (id int PRIMARY KEY, name varchar(20) NOT NULL, price decimal(10,2), sold boolean NOT NULL);
  INSERT INTO article VALUES (1, 'cup', 2.50, false), (2, 'jug', NULL, true);
}
program {
CREATE FUNCTION raise_price(which integer, amount numeric) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  old numeric; called text; was boolean; changed integer;
BEGIN
  SELECT price, name, sold INTO old, called, was FROM article WHERE id = which AND name <> 'x''y';
  IF was OR old IS NULL THEN RETURN 'none'; END IF;
  UPDATE article SET price = old + amount WHERE id = which;
  UPDATE article SET sold = false WHERE id = which;
  GET DIAGNOSTICS changed = ROW_COUNT;
  RETURN called || ' ' || (old + amount) || ' ' || changed;
END
$$;
CREATE FUNCTION add_or_keep(which integer) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  BEGIN
    INSERT INTO article VALUES (which, 'new', 1, false);
  EXCEPTION WHEN unique_violation THEN
    RETURN 'kept';
  END;
  RETURN 'added';
END
$$;
CREATE FUNCTION cheapest() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  which integer;
BEGIN
  UPDATE article SET sold = true WHERE id = 1 RETURNING id INTO which;
  RETURN which;
END
$$;
}
)";

// What the calls return, and the final rows.
std::string mariadb_outcome(const std::string& sessions, const std::string& schedule) {
  const Scenario scenario = scenario_of(std::string(kShop) + sessions);
  const auto runner = must(Runner::create(scenario, shared_mariadb(), {}));
  const heddle::Run run = run_schedule(*runner, scenario, schedule);
  std::string text = run.trouble;
  for (const StepRecord& record : run.records) {
    if (record.call_end) text += reply_text(*record.call_end) + " ";
  }
  return run.tables.empty() ? text : text + rows_text(run.tables.at(0).rows);
}

TEST(CalledOnMariadb, get_values_of_the_types_they_compute_with) {
  EXPECT_EQ(mariadb_outcome("session s1 call { raise_price(1, 0.25) }", "s1_1 s1_2 s1_3 s1_4"),
            "(cup 2.75 1) (1, cup, 2.75, 0) (2, jug, NULL, 1)");
  EXPECT_EQ(mariadb_outcome("session s1 call { raise_price(2, 0.25) }", "s1_1 s1_2"),
            "(none) (1, cup, 2.50, 0) (2, jug, NULL, 1)");
}

TEST(CalledOnMariadb, handle_errors_by_the_names_they_know) {
  EXPECT_EQ(mariadb_outcome("session s1 call { add_or_keep(2) }", "s1_1 s1_2"),
            "(kept) (1, cup, 2.50, 0) (2, jug, NULL, 1)");
}

TEST(CalledOnMariadb, lose_an_update) {
  EXPECT_EQ(mariadb_outcome(
                "session s1 call { raise_price(1, 1) }\nsession s2 call { raise_price(1, 2) }",
                "s1_1 s2_1 s1_2 s1_3 s1_4 s2_2 s2_3 s2_4"),
            "(cup 3.50 1) (cup 4.50 1) (1, cup, 4.50, 0) (2, jug, NULL, 1)");
}

TEST(CalledOnMariadb, say_which_statement_mariadb_has_no_words_for) {
  const Scenario scenario = scenario_of(std::string(kShop) + "session s1 call { cheapest() }");
  const auto runner = must(Runner::create(scenario, shared_mariadb(), {}));
  const heddle::Run run = run_schedule(*runner, scenario, "s1_1");
  EXPECT_EQ(run.end, RunEnd::setup_failed);
  EXPECT_THAT(run.trouble, HasSubstr("MariaDB cannot be asked \"UPDATE article SET sold = true"));
}

}  // namespace
}  // namespace heddle
