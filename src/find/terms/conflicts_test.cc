// The table of conflicts says of any two functionalities what a search of their statements says.
#include "find/terms/conflicts.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "find/forms/foreign_keys.h"
#include "heddle/program.h"

namespace heddle::find {
namespace {

struct Statements {
  explicit Statements(const std::string& sql) {
    Result<Program> read = parse_program({{"p.sql", sql}});
    EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
    program = *std::move(read);
    RowSources every_table;
    for (const Functionality& one : program.functionalities) {
      all.push_back(form_statements(one, program.schema, ForeignKeys(program), every_table));
    }
  }

  ConflictTable table(AmongUnknown among_unknown = AmongUnknown::first_table) const {
    std::vector<const std::vector<FormedStatement>*> statements;
    for (const auto& one : all) statements.push_back(&one);
    return {std::move(statements), among_unknown};
  }

  Program program;
  std::vector<std::vector<FormedStatement>> all;
};

std::string tables(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("CREATE TABLE t{} (id int PRIMARY KEY, x int);\n", i);
  }
  return text;
}

std::string routine(const std::string& name, const std::string& body) {
  return "CREATE PROCEDURE " + name + "(a int) LANGUAGE plpgsql AS $$\nBEGIN\n" + body +
         "END $$;\n";
}

bool never() { return false; }

TEST(ConflictTable, may_conflict_where_there_is_a_conflict) {
  const Statements of(tables(3) + routine("a", "UPDATE t0 SET x = 1 WHERE id = a;\n") +
                      routine("b", "PERFORM x FROM t0 WHERE id = a;\n") +
                      routine("c", "PERFORM x FROM t0 WHERE id = a;\nDELETE FROM t1;\n") +
                      routine("d", "PERFORM book(a);\n") + routine("e", "PERFORM abs(a);\n"));
  const ConflictTable table = of.table();
  std::string found;
  for (std::size_t i = 0; i < table.size(); ++i) {
    for (std::size_t j = 0; j < table.size(); ++j) {
      const std::size_t count = table.between(i, j, never)->all.size();
      found += table.may_conflict(i, j) ? '1' : '0';
      EXPECT_TRUE(table.may_conflict(i, j) || count == 0) << i << " " << j;
    }
    found += ' ';
  }
  EXPECT_EQ(found, "11110 10010 10110 11110 00000 ");
}

// Nobody has written a row that gets the next number for its key.
TEST(ConflictTable, rows_with_numbers_of_their_own_are_new) {
  const auto kinds = [](const std::string& key, const std::string& insert) {
    const Statements of("CREATE TABLE log (id " + key + " PRIMARY KEY, k int);\n" +
                        routine("a", "DELETE FROM log WHERE k = a;\n") +
                        routine("b", insert + ";\n"));
    std::string found;
    for (const Conflict& one : of.table().between(0, 1, never)->all) {
      if (one.kind == DependencyKind::ww) found += one.from == 0 ? "before" : "after";
    }
    for (const Conflict& one : of.table().between(1, 0, never)->all) {
      if (one.kind == DependencyKind::ww) found += " behind";
    }
    return found;
  };
  EXPECT_EQ(kinds("serial", "INSERT INTO log (k) VALUES (a), (a + 1)"), " behind");
  EXPECT_EQ(kinds("int", "INSERT INTO log VALUES (a, a)"), "before behind");
  EXPECT_EQ(kinds("serial", "INSERT INTO log VALUES (a, a)"), "before behind");
}

TEST(ConflictTable, one_table_stands_for_those_of_two_unknown_statements) {
  const Statements of(tables(50) + routine("a", "PERFORM book(a);\n") +
                      routine("b", "UPDATE t7 SET x = 1 WHERE id = a;\n"));
  EXPECT_EQ(of.table().between(0, 0, never)->all.size(), 3U);
  EXPECT_EQ(of.table(AmongUnknown::every_table).between(0, 0, never)->all.size(), 150U);
  EXPECT_EQ(of.table().between(0, 1, never)->all.size(), 2U);
}

TEST(ConflictTable, says_where_it_did_not_list_all) {
  std::string many;
  for (std::size_t i = 0; i < 300; ++i) many += "UPDATE t0 SET x = x + 1 WHERE id = a;\n";
  const Statements of(tables(1) + routine("a", many));
  const ConflictTable table = of.table();
  const auto list = table.between(0, 0, never);
  EXPECT_FALSE(list->is_complete);
  EXPECT_GE(list->all.size(), ConflictTable::kMostConflicts);
  EXPECT_EQ(table.between(0, 0, never), list);
}

// Who has no time for it now may have some later.
TEST(ConflictTable, keeps_nothing_that_was_stopped) {
  const Statements of(tables(1) + routine("a", "UPDATE t0 SET x = x + 1 WHERE id = a;\n"));
  const ConflictTable table = of.table();
  EXPECT_FALSE(table.between(0, 0, [] { return true; })->is_complete);
  EXPECT_TRUE(table.between(0, 0, never)->is_complete);
}

}  // namespace
}  // namespace heddle::find
