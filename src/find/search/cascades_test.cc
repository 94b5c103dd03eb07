// Rows that go with rows that they refer to.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/search/find_testing.h"

namespace heddle::find {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// Two tables, and one whose rows go with those of the second one, which go with those of the first
// where `action` says so.
std::string shelves(const std::string& action) {
  return "CREATE TABLE shelf (id int PRIMARY KEY, a int);\n"
         "CREATE TABLE box (id int PRIMARY KEY, shelf int NOT NULL REFERENCES shelf " +
         action +
         ", a int);\n"
         "CREATE TABLE label (box int NOT NULL REFERENCES box ON DELETE CASCADE, n int,"
         " text int, PRIMARY KEY (box, n));\n" +
         routine("clear(s int)", "BEGIN\nDELETE FROM shelf WHERE id = s;\nEND");
}

// Reads a row of one table, then one of another.
std::string look_at(const std::string& first, const std::string& second) {
  return routine("look(s int, b int)", "DECLARE x int; y int;\nBEGIN\n" + first + second + "END");
}

const std::string kShelf = "SELECT a INTO x FROM shelf WHERE id = s;\n";
const std::string kBox = "SELECT a INTO y FROM box WHERE id = b AND shelf = s;\n";
const std::string kLabel = "SELECT text INTO y FROM label WHERE box = b AND n = 1;\n";

TEST(Cascades, are_written) {
  for (const std::string& reads :
       {look_at(kShelf, kBox), look_at(kBox, kShelf), look_at(kShelf, kLabel),
        look_at(kLabel, kBox), look_at(kLabel, kShelf)}) {
    const std::string program = shelves("ON DELETE CASCADE") + reads;
    EXPECT_THAT(causes(program, "postgres:read-committed"), Contains(HasSubstr("clear look on")))
        << reads;
    EXPECT_THAT(causes(program, "eventual"), Contains(HasSubstr("clear look on"))) << reads;
    EXPECT_THAT(causes(program, "postgres:repeatable-read"), IsEmpty()) << reads;
  }
}

TEST(Cascades, are_said_by_the_tables) {
  for (const char* action : {"", "ON DELETE RESTRICT", "ON UPDATE CASCADE"}) {
    EXPECT_THAT(causes(shelves(action) + look_at(kShelf, kBox), "postgres:read-committed"),
                IsEmpty())
        << action;
  }
}

// Whose row it refers to is known: a box is not on two shelves.
TEST(Cascades, are_of_rows_that_refer_to_what_is_deleted) {
  const std::string other = "SELECT a INTO y FROM box WHERE id = b AND shelf = s + 1;\n";
  EXPECT_THAT(
      causes(shelves("ON DELETE CASCADE") + look_at(kShelf, other), "postgres:read-committed"),
      IsEmpty());
}

}  // namespace
}  // namespace heddle::find
