#include "frontend/spec/text/asked_relations.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// "initial account; calls pay".
std::vector<std::string> asked_in(const std::string& sql, Dialect dialect = Dialect::postgres) {
  std::vector<std::string> texts;
  for (const AskedRelation& relation : asked_relations(sql, dialect)) {
    const bool is_initial = relation.kind == AskedRelation::Kind::initial;
    texts.push_back((is_initial ? "initial " : "calls ") + relation.name);
  }
  return texts;
}

std::string written(const std::string& sql, Dialect dialect = Dialect::postgres) {
  return with_asked_relations(sql, dialect, [](const AskedRelation&) { return " AS (Q)"; });
}

TEST(AskedRelations, are_names_behind_two_words) {
  EXPECT_THAT(asked_in("SELECT a.x = i.x FROM account a, initial.account i, Calls.Pay"),
              ElementsAre("initial account", "calls pay"));
  EXPECT_THAT(asked_in("SELECT 1 FROM calls.\"newOrder\", initial . \"a\"\"b\""),
              ElementsAre("calls newOrder", "initial a\"b"));
  EXPECT_THAT(asked_in("SELECT 1 FROM `calls`.`newOrder`", Dialect::mysql),
              ElementsAre("calls newOrder"));
  EXPECT_THAT(asked_in("SELECT 1 FROM \"calls\".[newOrder]", Dialect::sqlite),
              ElementsAre("calls newOrder"));
}

TEST(AskedRelations, are_not_in_texts_and_comments) {
  EXPECT_THAT(asked_in("SELECT 'initial.a', $x$calls.b$x$ -- initial.c\n /* calls.d */"),
              IsEmpty());
  EXPECT_THAT(asked_in("SELECT 'it\\'s initial.a', \"calls.b\" # initial.c", Dialect::mysql),
              IsEmpty());
}

// Whoever has a table, a column or an alias of that name means it.
TEST(AskedRelations, are_none_where_the_word_is_taken) {
  EXPECT_THAT(asked_in("SELECT initial.x FROM account initial"), IsEmpty());
  EXPECT_THAT(asked_in("SELECT calls.x FROM public.calls, calls"), IsEmpty());
  EXPECT_THAT(asked_in("SELECT t.initial.x, t.calls FROM t"), IsEmpty());
  EXPECT_THAT(asked_in("SELECT calls.x, i.y FROM calls, initial.t i"), ElementsAre("initial t"));
}

TEST(AskedRelations, become_queries_before_the_statement) {
  EXPECT_EQ(written("SELECT 1 FROM account"), "SELECT 1 FROM account");
  EXPECT_EQ(written("SELECT initial.a.x FROM initial.a, calls.f c"),
            "WITH \"initial.a\" AS (Q), \"calls.f\" AS (Q) "
            "SELECT \"initial.a\".x FROM \"initial.a\", \"calls.f\" c");
  EXPECT_EQ(written("SELECT 1 FROM `initial`.a", Dialect::mysql),
            "WITH `initial.a` AS (Q) SELECT 1 FROM `initial.a`");
  EXPECT_EQ(
      written("/* x */ WITH o AS (SELECT 1 FROM initial.a) SELECT 1 FROM o"),
      "/* x */ WITH \"initial.a\" AS (Q), o AS (SELECT 1 FROM \"initial.a\") SELECT 1 FROM o");
  EXPECT_EQ(written("WITH RECURSIVE o AS (SELECT 1 FROM initial.a) SELECT 1 FROM o"),
            "WITH RECURSIVE \"initial.a\" AS (Q), o AS (SELECT 1 FROM \"initial.a\") "
            "SELECT 1 FROM o");
}

TEST(AskedRelations, are_asked_for_in_each_statement_that_names_them) {
  EXPECT_EQ(written(" SELECT 1 FROM initial.a; SELECT 2;; SELECT 3 FROM initial.a ;"),
            " WITH \"initial.a\" AS (Q) SELECT 1 FROM \"initial.a\"; SELECT 2;; "
            "WITH \"initial.a\" AS (Q) SELECT 3 FROM \"initial.a\" ;");
}

TEST(AskedRelations, whole_names_and_letters_as_written_come_first) {
  const std::vector<std::string> names = {"pay", "Bank.pay", "Shop.order", "Pay"};
  EXPECT_THAT(meant_by("pay", names), ElementsAre(0));
  EXPECT_THAT(meant_by("Pay", names), ElementsAre(3));
  EXPECT_THAT(meant_by("Bank.pay", names), ElementsAre(1));
  EXPECT_THAT(meant_by("order", names), ElementsAre(2));
  EXPECT_THAT(meant_by("ORDER", names), ElementsAre(2));
  EXPECT_THAT(meant_by("pAY", names), ElementsAre(0, 3));
  EXPECT_THAT(meant_by("deliver", names), IsEmpty());
}

}  // namespace
}  // namespace heddle
