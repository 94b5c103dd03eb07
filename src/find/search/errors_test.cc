// Transactions that end in errors: what they read counts, what they wrote is gone.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/search/find_testing.h"

namespace heddle::find {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kPairs = "CREATE TABLE pair (id int PRIMARY KEY, a int NOT NULL);\n" +
                           routine("put(v int)",
                                   "BEGIN\nUPDATE pair SET a = v WHERE id = 1;\n"
                                   "UPDATE pair SET a = v WHERE id = 2;\nEND");

// Rahmani et al. 2019: reads both rows, and `otherwise` is what becomes of rows that differ.
std::string look(const std::string& otherwise) {
  return kPairs + routine("look()",
                          "DECLARE x int; y int;\nBEGIN\n"
                          "SELECT a INTO x FROM pair WHERE id = 1;\n"
                          "SELECT a INTO y FROM pair WHERE id = 2;\n" +
                              otherwise + "\nEND");
}

FindOptions errors_at(const std::string& level, std::vector<std::string> refusals = {}) {
  FindOptions options;
  options.level = find_isolation_level(level);
  options.max_instances = 2;
  options.refusals = std::move(refusals);
  return options;
}

// Reads both rows, and then does this.
std::vector<std::string> after_looking(const std::string& end,
                                       std::vector<std::string> refusals = {}) {
  return causes(parse(look(end)), errors_at("postgres:read-committed", std::move(refusals)));
}

constexpr const char* kFound = "read skew: look put on pair";

TEST(Errors, of_what_was_read_in_the_middle_are_outcomes) {
  const std::string some =
      "IF x IS NOT NULL THEN RAISE EXCEPTION 'some' USING ERRCODE = '22000'; END IF;\n"
      "UPDATE pair SET a = x WHERE id = 1;";
  for (const std::string& end :
       {std::string("IF x <> y THEN RAISE EXCEPTION 'they differ'; END IF;"),
        std::string("ASSERT x = y;"), std::string("RAISE EXCEPTION 'always';"),
        std::string("RAISE division_by_zero;"), some}) {
    EXPECT_THAT(after_looking(end), Contains(kFound)) << end;
  }
}

TEST(Errors, that_say_to_try_again_are_none) {
  EXPECT_THAT(after_looking("RAISE EXCEPTION 'again' USING ERRCODE = '40001';"), IsEmpty());
  EXPECT_THAT(after_looking("RAISE serialization_failure;"), IsEmpty());
  const std::string end = "RAISE EXCEPTION 'they differ by %', x - y;";
  for (const char* name : {"they differ*", "P0001", "raise_exception", "P0"}) {
    EXPECT_THAT(after_looking(end, {"22000", name}), IsEmpty()) << name;
  }
  EXPECT_THAT(after_looking(end, {"22000", "differ*"}), Contains(kFound));
}

// An UPDATE that changes nothing, whoever does what meanwhile.
TEST(Errors, because_an_update_changed_no_row_are_none) {
  const std::string update = "UPDATE pair SET a = 1 WHERE id = 1 AND id = 2;\n";
  for (const char* end : {"IF NOT FOUND THEN RAISE EXCEPTION 'late'; END IF;",
                          "IF FOUND THEN RETURN; END IF;\nRAISE EXCEPTION 'late';",
                          "GET DIAGNOSTICS x = ROW_COUNT;\ny := x + 1;\n"
                          "IF y < 2 THEN RAISE EXCEPTION 'late'; END IF;"}) {
    EXPECT_THAT(after_looking(update + end), IsEmpty()) << end;
  }
  EXPECT_THAT(after_looking("DELETE FROM pair WHERE id = 1 AND id = 2;\n"
                            "IF NOT FOUND THEN RAISE EXCEPTION 'late'; END IF;"),
              IsEmpty());
  // It is not for that.
  for (const char* end : {"RAISE EXCEPTION 'late';",
                          "IF FOUND THEN x := 1; END IF;\n"
                          "IF x > y THEN RAISE EXCEPTION 'big'; END IF;",
                          "IF NOT FOUND THEN y := 1; END IF;"}) {
    EXPECT_THAT(after_looking(update + end), Contains(kFound)) << end;
  }
}

TEST(Errors, of_keys_that_only_an_interleaving_brings_are_outcomes) {
  const std::string table =
      "CREATE TABLE member (id serial PRIMARY KEY, name text UNIQUE, n int);\n";
  const std::string enroll = table + routine("enroll(who text)",
                                             "DECLARE c int;\nBEGIN\n"
                                             "SELECT n INTO c FROM member WHERE name = who;\n"
                                             "IF NOT FOUND THEN\n"
                                             "INSERT INTO member (name, n) VALUES (who, 1);\n"
                                             "END IF;\nEND");
  for (const char* level : {"postgres:read-committed", "postgres:repeatable-read", "eventual"}) {
    EXPECT_THAT(causes(enroll, level), Contains(HasSubstr("enroll enroll on member"))) << level;
  }
  EXPECT_THAT(causes(enroll, "postgres:serializable"), IsEmpty());
}

TEST(Errors, undo_what_was_written) {
  for (const char* end : {"RAISE EXCEPTION 'no';", "ROLLBACK;"}) {
    const std::string sql =
        std::string(kAccount) +
        routine("fail(acc int)", "BEGIN\nUPDATE account SET balance = 7 WHERE id = acc;\n" +
                                     std::string(end) + "\nEND") +
        routine("look(acc int)",
                "DECLARE b int;\nBEGIN\nSELECT balance INTO b FROM account WHERE id = acc;\nEND");
    for (const char* level : {"postgres:read-committed", "read-committed", "eventual"}) {
      EXPECT_THAT(causes(sql, level), IsEmpty()) << end << level;
    }
    EXPECT_THAT(causes(sql, "mariadb:read-uncommitted"),
                Contains("aborted read: fail look on account"))
        << end;
  }
}

TEST(Errors, that_no_handler_is_for_are_outcomes) {
  const std::string sql = kPairs + routine("look()",
                                           "DECLARE x int; y int;\nBEGIN\nBEGIN\n"
                                           "SELECT a INTO x FROM pair WHERE id = 1;\n"
                                           "SELECT a INTO y FROM pair WHERE id = 2;\n"
                                           "IF x <> y THEN RAISE EXCEPTION 'they differ'; END IF;\n"
                                           "EXCEPTION WHEN unique_violation THEN NULL;\nEND;\nEND");
  EXPECT_THAT(causes(sql, "postgres:read-committed"), Contains("read skew: look put on pair"));
}

TEST(Errors, of_programs_in_java_are_outcomes_but_for_lost_races) {
  const auto found = [](const std::string& end) {
    Program program = parse(kPairs);
    const std::string java =
        "import java.sql.*;\n"
        "public class Looking {\n"
        "  private int at(Connection c, int id) throws SQLException {\n"
        "    PreparedStatement s = c.prepareStatement(\"SELECT a FROM pair WHERE id = ?\");\n"
        "    s.setInt(1, id);\n"
        "    ResultSet r = s.executeQuery();\n"
        "    r.next();\n"
        "    return r.getInt(1);\n"
        "  }\n"
        "  public void look(Connection c) throws SQLException {\n"
        "    int x = at(c, 1);\n"
        "    int y = at(c, 2);\n"
        "    PreparedStatement u = c.prepareStatement(\n"
        "        \"UPDATE pair SET a = 1 WHERE id = 1 AND id = 2\");\n"
        "    int n = u.executeUpdate();\n" +
        end + "  }\n}\n";
    EXPECT_TRUE(read_java_program({{"Looking.java", java}}, {}, program));
    return causes(program, errors_at("postgres:read-committed", {"*TakenException"}));
  };
  EXPECT_THAT(found("if (x != y) throw new IllegalStateException(\"they differ\");\n"),
              Contains(kFound));
  EXPECT_THAT(found("throw new IllegalStateException(\"always\");\n"), Contains(kFound));
  EXPECT_THAT(found("if (n == 0) throw new IllegalStateException(\"late\");\n"), IsEmpty());
  EXPECT_THAT(found("if (n != 1) { c.rollback(); throw new RuntimeException(\"late\"); }\n"),
              IsEmpty());
  EXPECT_THAT(found("throw new OptimisticLockException(\"late\");\n"), IsEmpty());
  EXPECT_THAT(found("throw new SeatTakenException(\"seat \" + x);\n"), IsEmpty());
}

}  // namespace
}  // namespace heddle::find
