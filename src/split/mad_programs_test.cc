// Choppings in the shape of those by whose names MAD's programs call anomalies: each has a core of
// the kind that the table of MAD's names says.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "split/split_testing.h"
#include "vocabulary/mad_names.h"

namespace heddle {
namespace {

using split_testing::cut_of;
using split_testing::parse;
using split_testing::routine;

constexpr std::string_view kXAndY =
    "CREATE TABLE x (id int PRIMARY KEY, v int NOT NULL);\n"
    "CREATE TABLE y (id int PRIMARY KEY, v int NOT NULL);\n";

// Sets one value, ends a transaction, and sets another one.
std::string set_both(const std::string& name, const std::string& between) {
  return routine(name + "(a int, b int, one int, other int)",
                 "BEGIN\nUPDATE x SET v = one WHERE id = a;\n" + between +
                     "UPDATE x SET v = other WHERE id = b;\nEND");
}
std::string look(const std::string& body) {
  return routine("look(a int, b int)", "DECLARE v int; w int;\nBEGIN\n" + body + "END");
}
std::string read(const std::string& value, const std::string& table, const std::string& key) {
  return "SELECT " + table + ".v INTO " + value + " FROM " + table + " WHERE id = " + key + ";\n";
}
// Reads one table and, in another transaction, sets the other by what it has read.
std::string set_by(const std::string& name, const std::string& from, const std::string& to) {
  return routine(name + "(a int, b int, amount int)",
                 "DECLARE v int;\nBEGIN\n" + read("v", from, "a") +
                     "COMMIT;\nIF v + amount < 1000 THEN\nUPDATE " + to +
                     " SET v = amount WHERE id = b;\nEND IF;\nEND");
}

struct NamedProgram {
  std::string_view mad_name;
  std::string routines;
  std::string facts = {};
};

std::vector<NamedProgram> programs() {
  const std::string apart = "requires change { a <> b } requires look { a <> b }";
  return {
      {.mad_name = "dirty write",
       .routines = set_both("change", "COMMIT;\n") + set_both("change_all", "")},
      {.mad_name = "dirty read",
       .routines = set_both("change", "COMMIT;\n") + look(read("v", "x", "a"))},
      {.mad_name = "lost update",
       .routines = routine("add(a int)", "DECLARE v int;\nBEGIN\n" + read("v", "x", "a") +
                                             "COMMIT;\nUPDATE x SET v = 5 + v WHERE id = a;\nEND")},
      {.mad_name = "read skew",
       .routines =
           set_both("change", "COMMIT;\n") + look(read("v", "x", "a") + read("w", "x", "b")),
       .facts = apart},
      {.mad_name = "write skew", .routines = set_by("one", "x", "y") + set_by("other", "y", "x")},
  };
}

std::vector<AnomalyKind> kinds_of_cores(const NamedProgram& named) {
  SplitOptions options;
  options.is_chopped = true;
  Result<Constraints> facts = parse_constraints(named.facts, "facts.txt");
  EXPECT_TRUE(facts) << (facts ? "" : to_string(facts.error()));
  if (facts) options.find.constraints = *std::move(facts);
  const Result<SplitReport> report = split_program(parse(std::string(kXAndY) + named.routines),
                                                   cut_of(R"({"M": ["x", "y"]})"), options);
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  std::vector<AnomalyKind> kinds;
  if (!report) return kinds;
  for (const SplitCause& cause : report->causes) {
    if (cause.is_core) kinds.push_back(cause.kind);
  }
  return kinds;
}

TEST(MadPrograms, have_a_core_of_the_kind_of_their_name) {
  for (const NamedProgram& named : programs()) {
    const auto row = std::ranges::find(mad_names(), named.mad_name, &MadName::name);
    ASSERT_NE(row, mad_names().end()) << named.mad_name;
    const std::vector<AnomalyKind> kinds = kinds_of_cores(named);
    EXPECT_NE(std::ranges::find(kinds, row->kind), kinds.end()) << named.mad_name;
  }
}

// Each name that the table has is one of theirs.
TEST(MadPrograms, are_all_that_has_a_name) {
  const std::vector<NamedProgram> all = programs();
  for (const MadName& row : mad_names()) {
    if (row.name.empty()) continue;
    EXPECT_NE(std::ranges::find(all, row.name, &NamedProgram::mad_name), all.end()) << row.name;
  }
}

// A canary: without their COMMITs they have none.
TEST(MadPrograms, have_no_core_as_a_whole) {
  for (NamedProgram& named : programs()) {
    for (std::size_t at = 0; (at = named.routines.find("COMMIT;\n", at)) != std::string::npos;) {
      named.routines.erase(at, std::string("COMMIT;\n").size());
    }
    EXPECT_TRUE(kinds_of_cores(named).empty()) << named.mad_name;
  }
}

}  // namespace
}  // namespace heddle
