// IN and NOT IN of a subquery: rows that it cannot be about are none of a cycle.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/search/find_testing.h"

namespace heddle::find {
namespace {

using testing::IsEmpty;
using testing::Not;

// Somebody removes what nothing of kind 1 belongs to, and somebody looks for it and adds something
// of a kind.
struct Membership {
  const char* style;
  std::string (*program)(std::string_view kind);
};

constexpr std::string_view kShelves =
    "CREATE TABLE shelf (id int PRIMARY KEY, size int NOT NULL);\n"
    "CREATE TABLE box (id int PRIMARY KEY, shelf_id int NOT NULL, kind int NOT NULL);\n";

std::string plpgsql_membership(std::string_view kind) {
  return std::string(kShelves) +
         routine("sweep(s int)",
                 "BEGIN\nDELETE FROM shelf WHERE id = s AND id NOT IN "
                 "(SELECT shelf_id FROM box WHERE kind = 1);\nEND") +
         routine("put(n int, s int)",
                 "DECLARE z int;\nBEGIN\nSELECT size INTO z FROM shelf WHERE id = s;\n"
                 "IF z > 0 THEN INSERT INTO box (id, shelf_id, kind) VALUES (n, s, " +
                     std::string(kind) + ");\nEND IF;\nEND");
}

std::string sql_membership(std::string_view kind) {
  return "CREATE TABLE guest (no int PRIMARY KEY, name text);\n"
         "CREATE TABLE stay (no int PRIMARY KEY, guest_no int NOT NULL, state int NOT NULL);\n"
         "CREATE PROCEDURE sweep(g int) LANGUAGE sql AS $$\n"
         "DELETE FROM guest WHERE no = g AND guest.no NOT IN "
         "(SELECT DISTINCT s.guest_no FROM stay AS s WHERE s.state = 1);\n$$;\n"
         "CREATE FUNCTION put(n int, g int) RETURNS text LANGUAGE sql AS $$\n"
         "SELECT name FROM guest WHERE no = g;\n"
         "INSERT INTO stay (no, guest_no, state) VALUES (n, g, " +
         std::string(kind) + ");\nSELECT 'done';\n$$;\n";
}

// Of the client's own asking: whoever finds it among what counts writes.
std::string asked_membership(std::string_view kind) {
  return std::string(kShelves) +
         routine("sweep(s int)",
                 "DECLARE z int;\nBEGIN\nSELECT size INTO z FROM shelf WHERE id = s AND id IN "
                 "(SELECT b.shelf_id FROM box b WHERE b.kind = 1);\n"
                 "IF z > 0 THEN UPDATE shelf SET size = z - 1 WHERE id = s + 1; END IF;\nEND") +
         routine("put(n int, s int)",
                 "DECLARE z int;\nBEGIN\nSELECT size INTO z FROM shelf WHERE id = s;\n"
                 "UPDATE box SET shelf_id = s WHERE id = n AND kind = " +
                     std::string(kind) + ";\nEND");
}

Program jdbc_membership(std::string_view kind) {
  const auto method = [](const std::string& head, const std::string& query, const char* values,
                         const char* run) {
    return "  public void " + head +
           " throws SQLException {\n    PreparedStatement p = " + "c.prepareStatement(\"" + query +
           "\");\n" + values + "    p." + run + "();\n  }\n";
  };
  const std::string text =
      "import java.sql.*;\npublic class Store {\n  private final Connection c;\n"
      "  public Store(Connection c) { this.c = c; }\n" +
      method(
          "sweep(int s)",
          "DELETE FROM shelf WHERE id = ? AND id NOT IN (SELECT shelf_id FROM box WHERE kind = 1)",
          "    p.setInt(1, s);\n", "executeUpdate") +
      "  public void put(int n, int s) throws SQLException {\n"
      "    PreparedStatement q = c.prepareStatement(\"SELECT size FROM shelf WHERE id = ?\");\n"
      "    q.setInt(1, s);\n    if (!q.executeQuery().next()) return;\n"
      "    PreparedStatement p = c.prepareStatement(\"INSERT INTO box (id, shelf_id, kind) "
      "VALUES (?, ?, " +
      std::string(kind) +
      ")\");\n    p.setInt(1, n);\n    p.setInt(2, s);\n    p.executeUpdate();\n  }\n}\n";
  Program program = parse(std::string(kShelves));
  EXPECT_TRUE(read_java_program({{"Store.java", text}}, {}, program));
  return program;
}

std::vector<std::string> with_both(const Program& program) {
  FindOptions options;
  options.level = IsolationLevel::read_committed;
  options.max_instances = 2;
  std::vector<std::string> found = causes(program, options);
  std::erase_if(found, [](const std::string& cause) {
    return cause.find("put sweep") == std::string::npos &&
           cause.find("sweep put") == std::string::npos;
  });
  return found;
}

TEST(Memberships, are_about_the_rows_that_their_query_means) {
  for (const Membership& one :
       {Membership{"PL/pgSQL", plpgsql_membership}, Membership{"SQL", sql_membership},
        Membership{"asked", asked_membership}}) {
    EXPECT_THAT(with_both(parse(one.program("1"))), Not(IsEmpty())) << one.style;
    EXPECT_THAT(with_both(parse(one.program("2"))), IsEmpty()) << one.style;
  }
  EXPECT_THAT(with_both(jdbc_membership("1")), Not(IsEmpty()));
  EXPECT_THAT(with_both(jdbc_membership("2")), IsEmpty());
}

// What is beyond one table and one value may mean any row that the inner condition allows.
TEST(Memberships, of_other_forms_may_mean_any_row_of_the_inner_query) {
  for (const char* const condition :
       {"id NOT IN (SELECT shelf_id FROM box WHERE kind = 1 LIMIT 1)",
        "id NOT IN (SELECT max(shelf_id) FROM box WHERE kind = 1)",
        "(id, size) NOT IN (SELECT shelf_id, kind FROM box WHERE kind = 1)",
        "(id NOT IN (SELECT shelf_id FROM box WHERE kind = 1) OR size = 0)"}) {
    const auto with_kind = [&](const std::string& made) {
      std::string text = plpgsql_membership(made);
      const std::string known = "id NOT IN (SELECT shelf_id FROM box WHERE kind = 1)";
      return text.replace(text.find(known), known.size(), condition);
    };
    EXPECT_THAT(with_both(parse(with_kind("1"))), Not(IsEmpty())) << condition;
    EXPECT_THAT(with_both(parse(with_kind("2"))), IsEmpty()) << condition;
  }
}

}  // namespace
}  // namespace heddle::find
