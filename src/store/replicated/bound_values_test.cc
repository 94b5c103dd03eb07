#include "store/replicated/bound_values.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "store/replicated/engine_testing.h"

namespace heddle::replicated {
namespace {

std::string bound(std::string_view text, const std::vector<BoundValue>& values) {
  const auto with = with_values(text, values);
  return with ? *with : "refused: " + with.error().what;
}

TEST(BoundValues, stand_in_the_places_of_parameters) {
  EXPECT_EQ(bound("SELECT $2,$1 FROM t", {{"1", "integer"}, {"it's", "text"}}),
            "SELECT 'it''s', 1 FROM t");
  EXPECT_EQ(bound("UPDATE t SET a=a-$1", {{"-5", "integer"}}), "UPDATE t SET a=a- (-5)");
  EXPECT_EQ(bound("SELECT $1, $2", {{{}, "integer"}, {"true", "boolean"}}), "SELECT NULL, TRUE");
  EXPECT_EQ(bound("SELECT $1", {{"1e3", "double precision"}}), "SELECT 1e3");
  EXPECT_EQ(bound("SELECT $1", {{"NaN", "double precision"}}), "SELECT 'NaN'");
  EXPECT_EQ(bound("SELECT $2", {{"1", "integer"}}), "refused: $2 has no value");
}

TEST(BoundValues, stand_in_no_literal_and_no_comment) {
  EXPECT_EQ(bound("SELECT '$1', \"$1\" /* $1 */, $$ $1 $$, $1 -- $1", {{"7", "integer"}}),
            "SELECT '$1', \"$1\" /* $1 */, $$ $1 $$, 7");
}

TEST(BoundValues, that_are_points_in_time_have_no_zone) {
  EXPECT_EQ(bound("SELECT $1", {{"2026-01-31 10:20:30.5+00", ""}}),
            "SELECT '2026-01-31 10:20:30.5'");
  EXPECT_EQ(bound("SELECT $1", {{"10:20:30+00", ""}}), "SELECT '10:20:30'");
  EXPECT_EQ(bound("SELECT $1", {{"2026-01-31 +00", ""}}), "SELECT '2026-01-31 +00'");
  // A text is as it is.
  EXPECT_EQ(bound("SELECT $1", {{"10:20:30+00", "text"}}), "SELECT '10:20:30+00'");
  EXPECT_EQ(bound("SELECT $1", {{"2026-01-31 10:20:30+02", "timestamp with time zone"}}),
            "refused: the replicated store knows no time zones, and 2026-01-31 10:20:30+02 has "
            "one");
}

// Whatever the text, the store gives it back.
TEST(BoundValues, come_back_from_the_store) {
  TestStore store(1);
  store.open("s", IsolationLevel::eventual);
  std::uint64_t state = 1;
  constexpr std::string_view kPieces[] = {"'", "\"", "\\", "$1", "--", "/*", "a", "\n",
                                          ";", "::", "é",  " ",  "0",  "E'", "$$"};
  for (int i = 0; i < 500; ++i) {
    std::string text;
    for (int piece = 0; piece < 6; ++piece) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      text += kPieces[(state >> 33U) % std::size(kPieces)];
    }
    const std::string statement =
        bound("SELECT $1 AS a, $2 AS b", {{text, "text"}, {"1", "integer"}});
    EXPECT_EQ(store.run("s", statement), text + ",1") << statement;
  }
}

TEST(Describing, says_columns_without_running_anything) {
  TestStore store(1, "CREATE TABLE t (id serial PRIMARY KEY, name varchar(10))");
  store.open("s", IsolationLevel::eventual);
  store.engine().show_types();
  const auto described = [&](const std::string& text) {
    const Reply reply = store.engine().describe(store.number("s"), text);
    if (reply.error) return "ERROR " + reply.error->code;
    std::string all;
    for (const Column& column : reply.result->columns) all += column.name + " " + column.type + ";";
    return all;
  };
  EXPECT_EQ(described("SELECT id, name FROM t"), "id integer;name character varying(10);");
  EXPECT_EQ(described("INSERT INTO t (name) VALUES ($1) RETURNING id"), "id integer;");
  EXPECT_EQ(described("SELECT sum(id) AS s FROM t"), "s unknown;");
  EXPECT_EQ(described("DELETE FROM t"), "");
  EXPECT_EQ(described("COMMIT"), "");
  EXPECT_EQ(described("SELECT id FROM u"), "ERROR 42000");
  EXPECT_EQ(store.run("s", "SELECT count(*) FROM t"), "0");
}

// A null becomes what is needed; the first value that is none says what an expression is.
TEST(Typing, of_expressions_goes_by_their_values) {
  TestStore store(1, "CREATE TABLE t (id int PRIMARY KEY, price numeric(8,2))");
  store.open("s", IsolationLevel::eventual);
  store.engine().show_types();
  const auto type_of = [&](const std::string& text) {
    return store.engine().run(store.number("s"), text).back().result->columns.at(0).type;
  };
  EXPECT_EQ(type_of("SELECT sum(id) FROM t"), "unknown");
  EXPECT_EQ(type_of("SELECT count(*) FROM t"), "bigint");
  EXPECT_EQ(type_of("SELECT id + 1 FROM t"), "unknown");
  store.run("s", "INSERT INTO t VALUES (1, NULL), (2, 1.5)");
  EXPECT_EQ(type_of("SELECT price * 2 FROM t ORDER BY id"), "double precision");
  EXPECT_EQ(store.run("s", "SELECT price FROM t ORDER BY id"), "NULL;1.50");
}

}  // namespace
}  // namespace heddle::replicated
