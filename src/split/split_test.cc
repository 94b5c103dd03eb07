// What cuts add: the paper's example, a program for each kind, and how functionalities are chopped.
#include "heddle/split.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr std::string_view kTables =
    "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"
    "CREATE TABLE wallet (id int PRIMARY KEY, balance int NOT NULL);\n";

Program parse(const std::string& sql) {
  Result<Program> program = parse_program({{"p.sql", sql}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  return program ? std::move(*program) : Program{};
}

std::string routine(const std::string& head, const std::string& body) {
  return "CREATE PROCEDURE " + head + " LANGUAGE plpgsql AS $$\n" + body + "\n$$;\n";
}

Cut cut_of(const std::string& text) {
  Result<Cut> cut = parse_cut(text, "cut.json");
  EXPECT_TRUE(cut) << (cut ? "" : to_string(cut.error()));
  return cut ? std::move(*cut) : Cut{};
}

const std::string kTwo = R"({"M1": ["account"], "M2": ["wallet"]})";
const std::string kOne = R"({"M": ["account", "wallet"]})";

// "read skew: total[1,2] transfer[1,2]" for each core.
std::vector<std::string> cores(const Program& program, const std::string& cut,
                               const SplitOptions& options = {}) {
  const Result<SplitReport> report = split_program(program, cut_of(cut), options);
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  std::vector<std::string> texts;
  for (const SplitCause& cause : report->causes) {
    if (!cause.is_core) continue;
    std::string text = std::string(definition(cause.kind).name) + ":";
    for (const std::vector<SplitPart>& parts : cause.parts) {
      std::string numbers;
      for (const SplitPart& part : parts) {
        numbers += fmt::format("{}{}", numbers.empty() ? "" : ",", part.number + 1);
      }
      text += fmt::format(" {}[{}]", program.functionalities[parts[0].functionality].name, numbers);
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

const std::string kBank =
    std::string(kTables) +
    "CREATE FUNCTION total(cid int) RETURNS int LANGUAGE plpgsql AS $$\n"
    "DECLARE a int; w int;\nBEGIN\n"
    "SELECT balance INTO a FROM account WHERE id = cid;\n"
    "SELECT balance INTO w FROM wallet WHERE id = cid;\nRETURN a + w;\nEND\n$$;\n" +
    routine("transfer(cid int, amount int)",
            "BEGIN\nUPDATE account SET balance = balance - amount WHERE id = cid;\n"
            "UPDATE wallet SET balance = balance + amount WHERE id = cid;\nEND");

TEST(Split, the_papers_example_has_two_causes) {
  const Program program = parse(kBank);
  EXPECT_THAT(cores(program, kTwo),
              UnorderedElementsAre("read skew: total[1,2] transfer[1,2]",
                                   "dirty write: transfer[1,2] transfer[1,2]"));
  EXPECT_THAT(cores(program, kOne), IsEmpty());
}

TEST(Split, the_read_skew_goes_in_both_directions) {
  const Program program = parse(kBank);
  const Result<SplitReport> report = split_program(program, cut_of(kTwo), {});
  ASSERT_TRUE(report);
  const auto skew = std::ranges::find(report->causes, AnomalyKind::read_skew, &SplitCause::kind);
  ASSERT_NE(skew, report->causes.end());
  std::set<std::string> missed;
  for (const FoundCycle& cycle : skew->cycles) {
    for (const FoundEdge& edge : cycle.edges) {
      if (edge.kind == DependencyKind::rw && cycle.kind == AnomalyKind::read_skew) {
        missed.insert(edge.table);
      }
    }
  }
  EXPECT_THAT(missed, UnorderedElementsAre("account", "wallet"));
}

// One functionality, or two, that do this to the tables of two services.
void expect_kind(const std::string& sql, AnomalyKind kind) {
  const Program program = parse(sql);
  const Result<SplitReport> report = split_program(program, cut_of(kTwo), {});
  ASSERT_TRUE(report) << to_string(report.error());
  std::set<AnomalyKind> kinds;
  for (const SplitCause& cause : report->causes) {
    for (const FoundCycle& cycle : cause.cycles) kinds.insert(cycle.kind);
  }
  EXPECT_TRUE(kinds.contains(kind)) << definition(kind).name;
  EXPECT_THAT(cores(program, kOne), IsEmpty());
}

TEST(SplitKinds, intermediate_read) {
  expect_kind(std::string(kTables) +
                  routine("f(a int)",
                          "BEGIN\nUPDATE account SET balance = 1 WHERE id = a;\n"
                          "UPDATE wallet SET balance = 1 WHERE id = a;\n"
                          "UPDATE account SET balance = 2 WHERE id = a;\nEND") +
                  routine("g(a int)",
                          "DECLARE v int;\nBEGIN\n"
                          "SELECT balance INTO v FROM account WHERE id = a;\nEND"),
              AnomalyKind::intermediate_read);
}

TEST(SplitKinds, dirty_write) {
  expect_kind(std::string(kTables) + routine("f(a int, v int)",
                                             "BEGIN\nUPDATE account SET balance = v WHERE id = a;\n"
                                             "UPDATE wallet SET balance = v WHERE id = a;\nEND"),
              AnomalyKind::dirty_write);
}

TEST(SplitKinds, lost_update) {
  expect_kind(
      std::string(kTables) + routine("f(a int, n int)",
                                     "DECLARE v int; w int;\nBEGIN\n"
                                     "SELECT balance INTO v FROM account WHERE id = a;\n"
                                     "SELECT balance INTO w FROM wallet WHERE id = a;\n"
                                     "UPDATE account SET balance = v + w WHERE id = a;\nEND"),
      AnomalyKind::lost_update);
}

TEST(SplitKinds, write_skew) {
  expect_kind(std::string(kTables) +
                  routine("f(a int)",
                          "DECLARE v int;\nBEGIN\n"
                          "SELECT balance INTO v FROM account WHERE id = a;\n"
                          "UPDATE wallet SET balance = v WHERE id = a;\nEND") +
                  routine("g(a int)",
                          "DECLARE v int;\nBEGIN\n"
                          "SELECT balance INTO v FROM wallet WHERE id = a;\n"
                          "UPDATE account SET balance = v WHERE id = a;\nEND"),
              AnomalyKind::write_skew);
}

TEST(SplitKinds, read_skew) { expect_kind(kBank, AnomalyKind::read_skew); }

TEST(SplitKinds, non_repeatable_read) {
  expect_kind(std::string(kTables) +
                  routine("f(a int)",
                          "DECLARE v int; w int; u int;\nBEGIN\n"
                          "SELECT balance INTO v FROM account WHERE id = a;\n"
                          "SELECT balance INTO w FROM wallet WHERE id = a;\n"
                          "SELECT balance INTO u FROM account WHERE id = a;\nEND") +
                  routine("g(a int)", "BEGIN\nUPDATE account SET balance = 0 WHERE id = a;\nEND"),
              AnomalyKind::non_repeatable_read);
}

TEST(SplitKinds, phantom) {
  expect_kind(std::string(kTables) +
                  routine("f(a int)",
                          "DECLARE v int; w int; u int;\nBEGIN\n"
                          "SELECT count(*) INTO v FROM account WHERE balance > 0;\n"
                          "SELECT balance INTO w FROM wallet WHERE id = a;\n"
                          "SELECT count(*) INTO u FROM account WHERE balance > 0;\nEND") +
                  routine("g(a int)", "BEGIN\nINSERT INTO account VALUES (a, 5);\nEND"),
              AnomalyKind::phantom);
}

// What the whole program allows at a weak level is no fault of the cut.
TEST(Split, leaves_out_what_the_uncut_program_allows) {
  const Program program =
      parse(std::string(kTables) +
            routine("f(a int)",
                    "DECLARE v int;\nBEGIN\nSELECT balance INTO v FROM account WHERE id = a;\n"
                    "UPDATE account SET balance = v + 1 WHERE id = a;\nEND"));
  SplitOptions options;
  options.within = IsolationLevel::postgres_read_committed;
  EXPECT_THAT(cores(program, kTwo, options), IsEmpty());
  options.counts_all = true;
  EXPECT_THAT(cores(program, kTwo, options), ElementsAre("lost update: f[1] f[1]"));
}

// The bodies of the chopped functionality, a line for each statement.
std::string chopped(const std::string& body, const std::string& cut = kTwo) {
  const Program program = parse(std::string(kTables) + routine("f(a int)", body));
  const Result<Cut> matched = match_cut(cut_of(cut), program.schema);
  EXPECT_TRUE(matched);
  const Result<ChoppedProgram> result = chop_program(program, *matched);
  EXPECT_TRUE(result);
  std::string text = print_program(result->program);
  text = text.substr(text.find("BEGIN\n") + 6);
  return text.substr(0, text.find("END $$"));
}

TEST(Chopping, commits_where_a_service_hands_over) {
  EXPECT_EQ(chopped("BEGIN\nDELETE FROM account WHERE id = a;\nDELETE FROM account;\n"
                    "DELETE FROM wallet;\nDELETE FROM account;\nEND"),
            "  DELETE FROM account WHERE id = a;\n  DELETE FROM account;\n  COMMIT;\n"
            "  DELETE FROM wallet;\n  COMMIT;\n  DELETE FROM account;\n");
}

TEST(Chopping, ends_the_arms_of_a_branch_that_are_open) {
  EXPECT_EQ(chopped("BEGIN\nDELETE FROM wallet;\nIF a > 1 THEN DELETE FROM account; END IF;\n"
                    "DELETE FROM wallet;\nEND"),
            "  DELETE FROM wallet;\n  IF a > 1 THEN\n    COMMIT;\n    DELETE FROM account;\n"
            "    COMMIT;\n  END IF;\n  DELETE FROM wallet;\n");
}

TEST(Chopping, hands_over_at_the_end_of_each_round) {
  EXPECT_EQ(
      chopped("BEGIN\nFOR i IN 1..a LOOP\nDELETE FROM account;\nDELETE FROM wallet;\n"
              "END LOOP;\nEND"),
      "  FOR i IN 1 .. a LOOP\n    DELETE FROM account;\n    COMMIT;\n    DELETE FROM wallet;\n"
      "    COMMIT;\n  END LOOP;\n");
}

// Whoever leaves the loop before the wallet is written has the account open.
TEST(Chopping, ends_what_is_open_where_a_loop_is_left) {
  EXPECT_EQ(chopped("BEGIN\nLOOP\nDELETE FROM account;\nEXIT WHEN a > 1;\nDELETE FROM wallet;\n"
                    "END LOOP;\nDELETE FROM wallet;\nEND"),
            "  LOOP\n    COMMIT;\n    DELETE FROM account;\n    IF a > 1 THEN\n      EXIT;\n"
            "    END IF;\n    COMMIT;\n    DELETE FROM wallet;\n    COMMIT;\n  END LOOP;\n"
            "  COMMIT;\n  DELETE FROM wallet;\n");
}

TEST(Chopping, leaves_one_service_alone) {
  const std::string body = "BEGIN\nDELETE FROM account;\nDELETE FROM wallet;\nEND";
  EXPECT_EQ(chopped(body, kOne), "  DELETE FROM account;\n  DELETE FROM wallet;\n");
}

TEST(Chopping, a_join_becomes_a_read_in_each_service) {
  const Program program =
      parse(std::string(kTables) +
            "CREATE FUNCTION f(a int) RETURNS int LANGUAGE plpgsql AS $$\nDECLARE v int;\nBEGIN\n"
            "SELECT account.balance + wallet.balance INTO v FROM account JOIN wallet ON "
            "wallet.id = account.id WHERE account.id = a;\nRETURN v;\nEND\n$$;\n");
  const Result<Cut> matched = match_cut(cut_of(kTwo), program.schema);
  const Result<ChoppedProgram> result = chop_program(program, *matched);
  ASSERT_TRUE(result);
  ASSERT_EQ(result->notes.size(), 1U);
  EXPECT_THAT(result->notes[0].what_to_do, HasSubstr("the caller joins"));
  ASSERT_EQ(result->sub_transactions[0].size(), 2U);
  EXPECT_EQ(result->sub_transactions[0][0].service, 0U);
  EXPECT_EQ(result->sub_transactions[0][1].service, 1U);
  const std::string text = print_program(result->program);
  EXPECT_THAT(text, HasSubstr("PERFORM balance, id FROM account WHERE id = a"));
  EXPECT_THAT(text, HasSubstr("PERFORM balance, id FROM wallet"));
}

// "line (a, b) -> orders (x, y), M2 to M1" for each.
std::vector<std::string> torn_keys(const std::string& tables, const std::string& cut) {
  const Program program = parse(tables);
  const Result<SplitReport> report = split_program(program, cut_of(cut), {});
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  std::vector<std::string> texts;
  for (const TornKey& key : report->torn_keys) {
    const auto& services = report->cut.services;
    texts.push_back(fmt::format("{} ({}) -> {} ({}), {} to {}", key.table,
                                fmt::join(key.columns, ", "), key.referenced_table,
                                fmt::join(key.referenced_columns, ", "), services[key.service].name,
                                services[key.referenced_service].name));
  }
  return texts;
}

TEST(TornKeys, are_those_between_services) {
  const std::string tables =
      "CREATE TABLE orders (x int, y int, parent int, PRIMARY KEY (x, y), UNIQUE (x));\n"
      "CREATE TABLE line (a int, b int REFERENCES orders (x), FOREIGN KEY (a, b) REFERENCES "
      "orders);\n"
      "ALTER TABLE orders ADD FOREIGN KEY (parent) REFERENCES orders (x);\n"
      "CREATE TABLE note (a int REFERENCES Orders (x));\n";
  EXPECT_THAT(torn_keys(tables, R"({"M1": ["orders", "note"], "M2": ["line"]})"),
              UnorderedElementsAre("line (b) -> orders (x), M2 to M1",
                                   "line (a, b) -> orders (x, y), M2 to M1"));
  EXPECT_THAT(torn_keys(tables, R"({"M": ["orders", "note", "line"]})"), IsEmpty());
}

std::string trouble(const std::string& cut) {
  const Program program = parse(kBank);
  const Result<Cut> read = parse_cut(cut, "cut.json");
  if (!read) return to_string(read.error());
  const Result<Cut> matched = match_cut(*read, program.schema);
  return matched ? "" : to_string(matched.error());
}

TEST(Cuts, are_held_against_the_tables) {
  EXPECT_EQ(trouble(kTwo), "");
  EXPECT_THAT(trouble(R"({"M1": ["acount", "wallet"]})"),
              HasSubstr("cut.json:1:9: the program has no table \"acount\", did you mean "
                        "\"account\"?"));
  EXPECT_THAT(trouble(R"({"M1": ["account"]})"), HasSubstr("no service owns \"wallet\""));
  EXPECT_THAT(trouble(R"({"M1": ["account", "wallet"], "M2": ["account"]})"),
              HasSubstr("cut.json:1:38: the table \"account\" is there twice"));
}

}  // namespace
}  // namespace heddle
