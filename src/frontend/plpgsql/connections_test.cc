// Comments that say on which connection a statement runs are read as they are printed.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/program.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kConnectionTables =
    "CREATE TABLE t (\n  id integer NOT NULL,\n  x integer,\n  PRIMARY KEY (id)\n);\n\n";

std::string on_connections(const std::string& statements) {
  return std::string(kConnectionTables) +
         "CREATE PROCEDURE p(a integer) LANGUAGE plpgsql AS $$\nDECLARE\n"
         "  n integer;\n  r record;\n  c refcursor;\nBEGIN\n" +
         statements + "END $$;\n";
}

std::vector<std::size_t> connections_in(const std::string& statements,
                                        const std::string& more = "") {
  const auto program = parse_program({{"p.sql", on_connections(statements) + more}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  std::vector<std::size_t> connections;
  if (!program) return connections;
  for (const ListedStatement& listed : list_statements(program->functionalities[0])) {
    connections.push_back(listed.statement->connection);
  }
  return connections;
}

TEST(StatedConnections, are_printed_as_they_are_read) {
  const std::string text = on_connections(
      "  UPDATE t SET x = 1 WHERE id = a;\n"
      "  -- on connection 2:\n"
      "  SELECT x INTO n FROM t WHERE id = a;\n"
      "  IF n > 1 THEN\n"
      "    -- on connection 3:\n"
      "    DELETE FROM t WHERE id = n;\n"
      "    -- on connection 3:\n"
      "    SAVEPOINT one;\n"
      "    -- on connection 3:\n"
      "    ROLLBACK TO SAVEPOINT one;\n"
      "    -- on connection 3:\n"
      "    RELEASE SAVEPOINT one;\n"
      "    -- on connection 3:\n"
      "    ROLLBACK;\n"
      "  END IF;\n"
      "  -- on connection 2:\n"
      "  OPEN c FOR SELECT x FROM t;\n"
      "  FETCH c INTO n;\n"
      "  CLOSE c;\n"
      "  -- on connection 2:\n"
      "  PERFORM x FROM t WHERE id = a FOR UPDATE;\n"
      "  -- on connection 2:\n"
      "  <<around>>\n"
      "  FOR r IN SELECT x FROM t LOOP\n"
      "    INSERT INTO t(id, x) VALUES (r.x, n);\n"
      "  END LOOP;\n"
      "  -- on connection 2:\n"
      "  EXECUTE b;\n"
      "  COMMIT;\n"
      "  -- on connection 2:\n"
      "  COMMIT;\n");
  std::string with_text = text;
  with_text.replace(with_text.find("a integer)"), 10, "a integer, b text)");
  const auto program = parse_program({{"p.sql", with_text}});
  ASSERT_TRUE(program) << to_string(program.error());
  EXPECT_EQ(print_program(*program), with_text);
}

TEST(StatedConnections, are_of_what_stands_behind_them_alone) {
  EXPECT_THAT(connections_in("-- on connection 2:\nDELETE FROM t;\nDELETE FROM t;"),
              ElementsAre(1, 0));
  EXPECT_THAT(connections_in("DELETE FROM t; -- on connection 2:\n\n-- why\nDELETE FROM t;"),
              ElementsAre(0, 1));
  EXPECT_THAT(connections_in("-- on connection 2\nDELETE FROM t;\n/* -- on connection 2: */ "
                             "DELETE FROM t; -- of connection 2:\nDELETE FROM t;"),
              ElementsAre(0, 0, 0));
  EXPECT_THAT(connections_in("-- on connection 1:\nDELETE FROM t;"), ElementsAre(0));
}

// What a condition asks the store is asked there.
TEST(StatedConnections, are_of_what_conditions_ask) {
  EXPECT_THAT(connections_in("-- on connection 2:\n"
                             "IF EXISTS (SELECT 1 FROM t WHERE id = a) THEN\n"
                             "  DELETE FROM t WHERE id = 1;\n"
                             "ELSIF EXISTS (SELECT 1 FROM t WHERE id = 2) THEN\n"
                             "  -- on connection 3:\n  DELETE FROM t WHERE id = 2;\n"
                             "END IF;\nDELETE FROM t WHERE id = 3;"),
              ElementsAre(1, 0, 1, 2, 0));
}

TEST(StatedConnections, are_those_of_what_is_called_there) {
  EXPECT_THAT(connections_in("-- on connection 2:\nPERFORM q(a);\nPERFORM q(1);",
                             "CREATE FUNCTION q(b integer) RETURNS integer LANGUAGE plpgsql AS $$ "
                             "BEGIN UPDATE t SET x = 1 WHERE id = b; RETURN 1; END $$;"),
              ElementsAre(1, 0));
}

TEST(StatedConnections, that_there_are_not_are_errors) {
  for (const std::string_view number : {"0", "17", "99999999999999999999", "two", "-1", ""}) {
    const auto program = parse_program(
        {{"p.sql",
          on_connections(fmt::format("  -- on connection {}:\n  DELETE FROM t;\n", number))}});
    ASSERT_FALSE(program) << number;
    EXPECT_THAT(to_string(program.error()),
                HasSubstr(fmt::format("p.sql:13:3: there is no connection {}", number)))
        << number;
  }
}

}  // namespace
}  // namespace heddle
