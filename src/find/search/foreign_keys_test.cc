// Rows that have to be there for others, or must not be: what is checked, and what goes along.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/search/find_testing.h"

namespace heddle::find {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

// `reference`: what the column that names a team is.
std::string teams(const std::string& reference) {
  return "CREATE TABLE team (id int PRIMARY KEY, n int NOT NULL);\n"
         "CREATE TABLE player (id int PRIMARY KEY, team int " +
         reference + ", a int);\n";
}

const std::string kRefers = "NOT NULL REFERENCES team (id)";
const std::string kJoin =
    routine("come(p int, t int)", "BEGIN\nINSERT INTO player (id, team) VALUES (p, t);\nEND");
const std::string kMove =
    routine("come(p int, t int)", "BEGIN\nUPDATE player SET team = t WHERE id = p;\nEND");
const std::string kDrop = routine("drop(t int)", "BEGIN\nDELETE FROM team WHERE id = t;\nEND");

std::string drop_after(const std::string& look) {
  return routine("drop(t int)", "DECLARE c int;\nBEGIN\n" + look +
                                    "PERFORM 1 FROM player WHERE team = t LIMIT 1;\n"
                                    "IF NOT FOUND THEN\nDELETE FROM team WHERE id = t;\n"
                                    "END IF;\nEND");
}

std::string come_after(const std::string& look) {
  return routine("come(p int, t int)", "DECLARE c int;\nBEGIN\n" + look +
                                           "IF FOUND THEN\n"
                                           "INSERT INTO player (id, team) VALUES (p, t);\n"
                                           "END IF;\nEND");
}

TEST(ForeignKeys, who_deletes_reads_what_refers_to_it) {
  for (const std::string& come : {kJoin, kMove}) {
    const std::string broken = teams(kRefers) + drop_after("") + come;
    for (const char* level : {"postgres:read-committed", "mariadb:read-committed", "eventual"}) {
      EXPECT_THAT(causes(broken, level), Contains(HasSubstr(": come drop on"))) << level << come;
    }
    EXPECT_THAT(causes(broken, "postgres:repeatable-read"), Contains(HasSubstr(": come drop on")))
        << come;
    EXPECT_THAT(causes(broken, "postgres:serializable"), IsEmpty());
    const std::string safe = teams(kRefers) +
                             drop_after(
                                 "PERFORM 1 FROM team WHERE id = t FOR UPDATE;\n"
                                 "IF NOT FOUND THEN RETURN; END IF;\n") +
                             kJoin;
    EXPECT_THAT(causes(safe, "postgres:read-committed"), IsEmpty());
  }
}

TEST(ForeignKeys, who_refers_reads_what_it_refers_to) {
  const std::string look = "SELECT n INTO c FROM team WHERE id = t";
  const std::string broken = teams(kRefers) + come_after(look + ";\n") + kDrop;
  for (const char* level : {"postgres:read-committed", "mariadb:repeatable-read", "eventual"}) {
    EXPECT_THAT(causes(broken, level), Contains(HasSubstr(": come drop on"))) << level;
  }
  EXPECT_THAT(causes(broken, "postgres:repeatable-read"), IsEmpty());
  const std::string safe = teams(kRefers) + come_after(look + " FOR SHARE;\n") + kDrop;
  EXPECT_THAT(causes(safe, "postgres:read-committed"), IsEmpty());
}

// Without a check nothing depends on the other table.
TEST(ForeignKeys, are_what_the_tables_say) {
  const std::string look = "SELECT n INTO c FROM team WHERE id = t;\n";
  for (const std::string& program : {drop_after("") + kJoin, come_after(look) + kDrop}) {
    EXPECT_THAT(causes(teams("NOT NULL") + program, "postgres:read-committed"), IsEmpty());
  }
}

// Each waits for the other one, who then sees what was done.
TEST(ForeignKeys, of_products_lock_what_is_referred_to) {
  for (const std::string& come : {kJoin, kMove}) {
    const std::string program = teams(kRefers) + kDrop + come;
    for (const char* level : {"postgres:read-committed", "postgres:repeatable-read",
                              "mariadb:read-committed", "mariadb:repeatable-read"}) {
      EXPECT_THAT(causes(program, level), IsEmpty()) << level << come;
    }
    EXPECT_THAT(causes(program, "eventual"), Contains(HasSubstr(": come drop on"))) << come;
  }
}

// A row that refers to nothing is not looked for.
TEST(ForeignKeys, that_are_null_refer_to_nothing) {
  const std::string come = routine("come(p int, t int)",
                                   "DECLARE c int;\nBEGIN\n"
                                   "SELECT n INTO c FROM team WHERE id = t;\n"
                                   "INSERT INTO player (id, team) VALUES (p, NULL);\nEND");
  EXPECT_THAT(causes(teams("REFERENCES team") + come + kDrop, "postgres:read-committed"),
              IsEmpty());
}

TEST(ForeignKeys, change_what_refers_to_rows) {
  const std::string renumber =
      routine("drop(t int)", "BEGIN\nUPDATE team SET id = t + 50 WHERE id = t;\nEND");
  const std::string look = routine("look(t int, p int)",
                                   "DECLARE x int; y int;\nBEGIN\n"
                                   "SELECT n INTO x FROM team WHERE id = t;\n"
                                   "SELECT team INTO y FROM player WHERE id = p;\nEND");
  struct Case {
    std::string action;
    std::string change;
    bool writes;
  };
  for (const Case& given :
       {Case{"ON DELETE SET NULL", kDrop, true}, Case{"ON DELETE SET DEFAULT", kDrop, true},
        Case{"ON UPDATE CASCADE", renumber, true}, Case{"ON UPDATE SET NULL", renumber, true},
        Case{"ON UPDATE CASCADE", kDrop, false}, Case{"ON DELETE SET NULL", renumber, false}}) {
    const std::string column = "DEFAULT 1 REFERENCES team (id) " + given.action;
    const std::string program = teams(column) + given.change + look;
    for (const char* level : {"postgres:read-committed", "eventual"}) {
      const auto both = Contains(HasSubstr("drop look on player team"));
      EXPECT_EQ(given.writes, testing::Matches(both)(causes(program, level)))
          << given.action << given.change << level;
    }
  }
}

}  // namespace
}  // namespace heddle::find
