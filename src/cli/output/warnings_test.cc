#include "cli/output/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;

Diagnostic warning(std::string what, std::string what_to_do, std::string file, std::uint32_t line) {
  return {.what = std::move(what),
          .what_to_do = std::move(what_to_do),
          .file = std::move(file),
          .position = {line, 3}};
}

std::vector<std::string> brief(const std::vector<Diagnostic>& warnings) {
  std::vector<std::string> texts;
  for (const Diagnostic& one : brief_warnings(warnings)) texts.push_back(to_string(one));
  return texts;
}

TEST(Warnings, of_one_kind_stand_on_one_line) {
  const std::string todo = "it is taken to read and write anything; give its source, too";
  EXPECT_THAT(
      brief({warning("save() has no source here and is given the database", todo, "A.java", 1),
             warning("the text \"SELECT (\" is not SQL", "", "B.java", 7),
             warning("loadAll() has no source here and is given the database", todo, "C.java", 2),
             warning("the text \"DROP\" is not SQL", "", "B.java", 8)}),
      ElementsAre("A.java:1:3: save() has no source here and is given the database, " + todo +
                      " (1 more like this at C.java:2:3)",
                  "B.java:7:3: the text \"SELECT (\" is not SQL (1 more like this at B.java:8:3)"));
}

TEST(Warnings, name_the_first_places_only) {
  std::vector<Diagnostic> warnings;
  for (std::uint32_t line = 1; line <= 9; ++line) {
    warnings.push_back(warning("table \"t\" does not exist", "create it", "a.sql", line));
  }
  EXPECT_THAT(brief(warnings), ElementsAre("a.sql:1:3: table \"t\" does not exist, create it (8 "
                                           "more like this at a.sql:2:3, a.sql:3:3, a.sql:4:3, "
                                           "...)"));
}

TEST(Warnings, at_one_place_or_none_are_counted) {
  EXPECT_THAT(brief({warning("a read", "", "a.sql", 1), warning("a read", "", "a.sql", 1)}),
              ElementsAre("a.sql:1:3: a read (1 more like this)"));
  EXPECT_THAT(brief({Diagnostic{.what = "x"}, Diagnostic{.what = "x"}}),
              ElementsAre("x (1 more like this)"));
  EXPECT_THAT(brief({}), ElementsAre());
}

TEST(Warnings, are_of_one_kind_when_only_names_differ) {
  const auto kind = [](const std::string& what) {
    return kind_of_warning(Diagnostic{.what = what});
  };
  EXPECT_EQ(kind("the columns of table account are those of a query"),
            kind("the columns of table order_line are those of a query"));
  EXPECT_EQ(kind("several classes implement Clock, so now() is not followed"),
            kind("several classes implement RateSource, so rate() is not followed"));
  EXPECT_EQ(kind("column of unknown table a.b"),
            kind("column of unknown table orders.customer_id"));
  EXPECT_NE(kind("the type of t.c is not known: mood"), kind("the value of t.c is not known: now"));
  EXPECT_EQ(kind("pay: its tables belong to several services: SELECT a FROM t"),
            kind("ship: its tables belong to several services: UPDATE u SET v = 1"));
  EXPECT_EQ(
      kind_of_warning({.what = "pay: two services", .what_to_do = "joined: SELECT a FROM t"}),
      kind_of_warning({.what = "buy: two services", .what_to_do = "joined: SELECT b FROM u"}));
  EXPECT_NE(kind("this reads a column"), kind("this writes a column"));
}

// A quotation mark without its partner ends nothing.
TEST(Warnings, may_hold_any_text) {
  EXPECT_NO_FATAL_FAILURE(kind_of_warning(Diagnostic{.what = "\" a \"\" \" \xff"}));
  EXPECT_NO_FATAL_FAILURE(kind_of_warning(Diagnostic{}));
}

}  // namespace
}  // namespace heddle
