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

// Of all cycles that the cut adds with that guarantee across services.
std::set<AnomalyKind> kinds_across(const std::string& sql, IsolationLevel across,
                                   IsolationLevel within = IsolationLevel::serializable) {
  SplitOptions options;
  options.within = within;
  options.counts_all = true;
  options.find.across = across;
  const Result<SplitReport> report = split_program(parse(sql), cut_of(kTwo), options);
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  std::set<AnomalyKind> kinds;
  for (const SplitCause& cause : report->causes) {
    for (const FoundCycle& cycle : cause.cycles) kinds.insert(cycle.kind);
  }
  return kinds;
}

const std::string kLostUpdate =
    std::string(kTables) + routine("f(a int, n int)",
                                   "DECLARE v int; w int;\nBEGIN\n"
                                   "SELECT balance INTO v FROM account WHERE id = a;\n"
                                   "SELECT balance INTO w FROM wallet WHERE id = a;\n"
                                   "UPDATE account SET balance = v + w WHERE id = a;\nEND");

const std::string kWriteSkew =
    std::string(kTables) +
    routine("f(a int)",
            "DECLARE v int;\nBEGIN\nSELECT balance INTO v FROM account WHERE id = a;\n"
            "UPDATE wallet SET balance = v WHERE id = a;\nEND") +
    routine("g(a int)",
            "DECLARE v int;\nBEGIN\nSELECT balance INTO v FROM wallet WHERE id = a;\n"
            "UPDATE account SET balance = v WHERE id = a;\nEND");

TEST(SplitAcross, eventual_is_no_guarantee) {
  SplitOptions options;
  options.find.across = IsolationLevel::eventual;
  EXPECT_EQ(cores(parse(kBank), kTwo, options), cores(parse(kBank), kTwo));
}

TEST(SplitAcross, read_uncommitted_keeps_writes_apart) {
  EXPECT_THAT(kinds_across(kBank, IsolationLevel::read_uncommitted),
              ElementsAre(AnomalyKind::read_skew));
}

TEST(SplitAcross, read_committed_hides_intermediate_writes) {
  const std::string twice =
      std::string(kTables) +
      routine("f(a int)",
              "BEGIN\nUPDATE account SET balance = 1 WHERE id = a;\n"
              "UPDATE wallet SET balance = 1 WHERE id = a;\n"
              "UPDATE account SET balance = 2 WHERE id = a;\nEND") +
      routine("g(a int)",
              "DECLARE v int;\nBEGIN\nSELECT balance INTO v FROM account WHERE id = a;\nEND");
  EXPECT_THAT(kinds_across(twice, IsolationLevel::causal),
              testing::Contains(AnomalyKind::intermediate_read));
  EXPECT_THAT(kinds_across(twice, IsolationLevel::read_committed), IsEmpty());
}

TEST(SplitAcross, snapshot_removes_read_skew_and_lost_updates_and_leaves_write_skew) {
  EXPECT_THAT(kinds_across(kBank, IsolationLevel::snapshot), IsEmpty());
  EXPECT_THAT(kinds_across(kLostUpdate, IsolationLevel::snapshot), IsEmpty());
  EXPECT_THAT(kinds_across(kWriteSkew, IsolationLevel::snapshot),
              ElementsAre(AnomalyKind::write_skew));
}

TEST(SplitAcross, causal_leaves_lost_updates_and_read_skew) {
  EXPECT_THAT(kinds_across(kLostUpdate, IsolationLevel::causal),
              testing::Contains(AnomalyKind::lost_update));
  EXPECT_THAT(kinds_across(kBank, IsolationLevel::causal),
              testing::Contains(AnomalyKind::read_skew));
}

// Whoever sees that a reply is there sees what it answers: three functionalities, in which nobody
// else's writes are between.
TEST(SplitAcross, causal_shows_what_was_seen) {
  const std::string replies =
      std::string(kTables) +
      routine("ask(a int)", "BEGIN\nUPDATE account SET balance = 1 WHERE id = a;\nEND") +
      routine("answer(a int)",
              "DECLARE v int;\nBEGIN\nSELECT balance INTO v FROM account WHERE id = a;\n"
              "UPDATE wallet SET balance = v WHERE id = a;\nEND") +
      routine("look(a int)",
              "DECLARE v int; w int;\nBEGIN\nSELECT balance INTO w FROM wallet WHERE id = a;\n"
              "SELECT balance INTO v FROM account WHERE id = a;\nEND");
  const auto has_three = [&](IsolationLevel across) {
    SplitOptions options;
    options.within = IsolationLevel::snapshot;
    options.find.across = across;
    options.find.max_length = 5;
    const Result<SplitReport> report = split_program(parse(replies), cut_of(kTwo), options);
    EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
    return std::ranges::any_of(report->causes, [](const SplitCause& cause) {
      return cause.parts.size() == 3 &&
             std::ranges::any_of(cause.cycles, [](const FoundCycle& cycle) {
               return std::ranges::count(cycle.edges, DependencyKind::wr, &FoundEdge::kind) == 2;
             });
    });
  };
  EXPECT_TRUE(has_three(IsolationLevel::eventual));
  EXPECT_FALSE(has_three(IsolationLevel::causal));
}

TEST(SplitAcross, repeatable_read_removes_cycles_of_items_only) {
  EXPECT_THAT(kinds_across(kWriteSkew, IsolationLevel::repeatable_read), IsEmpty());
  const std::string again = std::string(kTables) +
                            routine("f(a int)",
                                    "DECLARE v int; w int; u int;\nBEGIN\n"
                                    "SELECT count(*) INTO v FROM account WHERE balance > 0;\n"
                                    "SELECT balance INTO w FROM wallet WHERE id = a;\n"
                                    "SELECT count(*) INTO u FROM account WHERE balance > 0;\nEND") +
                            routine("g(a int)", "BEGIN\nINSERT INTO account VALUES (a, 5);\nEND");
  EXPECT_THAT(kinds_across(again, IsolationLevel::repeatable_read),
              testing::Contains(AnomalyKind::phantom));
  EXPECT_THAT(kinds_across(again, IsolationLevel::snapshot), IsEmpty());
}

TEST(SplitAcross, serializable_leaves_nothing) {
  for (const std::string& sql : {kBank, kLostUpdate, kWriteSkew}) {
    EXPECT_THAT(kinds_across(sql, IsolationLevel::serializable), IsEmpty());
  }
}

// What a product's services do is told by times, what is guaranteed across them is not.
TEST(SplitAcross, holds_of_services_that_are_products) {
  for (const IsolationLevel within :
       {IsolationLevel::postgres_read_committed, IsolationLevel::postgres_repeatable_read,
        IsolationLevel::postgres_serializable, IsolationLevel::mariadb_repeatable_read}) {
    SCOPED_TRACE(definition(within).name);
    EXPECT_THAT(kinds_across(kBank, IsolationLevel::causal, within),
                testing::Contains(AnomalyKind::read_skew));
    EXPECT_THAT(kinds_across(kBank, IsolationLevel::snapshot, within), IsEmpty());
    EXPECT_THAT(kinds_across(kLostUpdate, IsolationLevel::snapshot, within), IsEmpty());
    EXPECT_THAT(kinds_across(kWriteSkew, IsolationLevel::snapshot, within),
                ElementsAre(AnomalyKind::write_skew));
    EXPECT_THAT(kinds_across(kWriteSkew, IsolationLevel::serializable, within), IsEmpty());
  }
}

// Transactions that begin long after others have ended need not see them: only what is read is
// seen.
TEST(SplitAcross, snapshot_leaves_write_skew_between_chains_of_services) {
  const std::string chains =
      "CREATE TABLE other (id int PRIMARY KEY, balance int NOT NULL);\n" + std::string(kTables) +
      routine("f(a int)",
              "DECLARE v int;\nBEGIN\nSELECT balance INTO v FROM account WHERE id = a;\n"
              "UPDATE wallet SET balance = v WHERE id = a;\n"
              "INSERT INTO other VALUES (a, 1);\nEND") +
      routine("g(a int)",
              "DECLARE v int;\nBEGIN\nSELECT balance INTO v FROM wallet WHERE id = a;\n"
              "UPDATE account SET balance = v WHERE id = a;\n"
              "INSERT INTO other VALUES (a + 1, 1);\nEND");
  SplitOptions options;
  options.within = IsolationLevel::postgres_serializable;
  options.find.across = IsolationLevel::snapshot;
  EXPECT_THAT(
      cores(parse(chains), R"({"M1": ["account"], "M2": ["wallet"], "M3": ["other"]})", options),
      ElementsAre("write skew: f[1,2] g[1,2]"));
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

// The services whose sub-transactions may be interleaved with others inside.
TEST(SplitLevels, each_service_has_its_own) {
  const Program program =
      parse(std::string(kTables) +
            routine("f(a int)",
                    "DECLARE v int;\nBEGIN\nSELECT balance INTO v FROM account WHERE id = a;\n"
                    "UPDATE account SET balance = v + 1 WHERE id = a;\nEND") +
            routine("g(a int)",
                    "DECLARE v int;\nBEGIN\nSELECT balance INTO v FROM wallet WHERE id = a;\n"
                    "UPDATE wallet SET balance = v + 1 WHERE id = a;\nEND"));
  SplitOptions options;
  EXPECT_THAT(cores(program, kTwo, options), IsEmpty());
  options.levels = {{"M2", IsolationLevel::postgres_read_committed}};
  EXPECT_THAT(cores(program, kTwo, options), ElementsAre("lost update: g[1] g[1]"));
  options.levels = {{"M1", IsolationLevel::postgres_read_committed}};
  EXPECT_THAT(cores(program, kTwo, options), ElementsAre("lost update: f[1] f[1]"));
}

TEST(SplitLevels, unknown_services_are_refused) {
  SplitOptions options;
  options.levels = {{"M3", IsolationLevel::snapshot}};
  const auto refused = split_program(parse(kBank), cut_of(kTwo), options);
  ASSERT_FALSE(refused);
  EXPECT_THAT(to_string(refused.error()),
              HasSubstr("cut.json has no service \"M3\", which is to run at snapshot"));
  EXPECT_THAT(to_string(refused.error()), HasSubstr("did you mean \"M1\"?"));
}

// "read skew: snapshot" for each core.
std::vector<std::string> needs(const std::string& sql, SplitOptions options = {}) {
  options.finds_needs = true;
  const Result<SplitReport> report = split_program(parse(sql), cut_of(kTwo), options);
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  std::vector<std::string> texts;
  for (const SplitCause& cause : report->causes) {
    EXPECT_EQ(cause.needs.has_value(), cause.is_core);
    if (!cause.needs) continue;
    texts.push_back(
        fmt::format("{}: {}", definition(cause.kind).name, definition(*cause.needs).name));
  }
  return texts;
}

TEST(SplitNeeds, are_the_weakest_guarantee_that_removes_a_core) {
  EXPECT_THAT(needs(kBank), UnorderedElementsAre("read skew: snapshot", "dirty write: snapshot"));
  EXPECT_THAT(needs(kLostUpdate), ElementsAre("lost update: snapshot"));
  EXPECT_THAT(needs(kWriteSkew), ElementsAre("write skew: serializable"));
}

// A functionality that does not see what it wrote on a service that promises nothing.
TEST(SplitNeeds, may_be_causal) {
  const std::string forgets =
      std::string(kTables) +
      routine("ask(a int)", "BEGIN\nUPDATE account SET balance = 1 WHERE id = a;\nEND") +
      routine("answer(a int)",
              "DECLARE v int;\nBEGIN\nSELECT balance INTO v FROM account WHERE id = a;\n"
              "UPDATE wallet SET balance = v WHERE id = a;\nEND") +
      routine("look(a int)",
              "DECLARE v int; w int;\nBEGIN\nSELECT balance INTO w FROM wallet WHERE id = a;\n"
              "SELECT balance INTO v FROM account WHERE id = a;\nEND");
  SplitOptions options;
  options.within = IsolationLevel::snapshot;
  options.find.max_length = 5;
  EXPECT_THAT(needs(forgets, options), testing::Contains(HasSubstr(": causal")));
}

TEST(SplitNeeds, are_not_said_where_the_search_was_not_complete) {
  SplitOptions options;
  options.finds_needs = true;
  options.find.timeout_ms = 0;
  const Result<SplitReport> report = split_program(parse(kBank), cut_of(kTwo), options);
  ASSERT_TRUE(report);
  for (const SplitCause& cause : report->causes) EXPECT_FALSE(cause.needs);
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

// The rounds are one transaction.
TEST(Chopping, hands_over_to_a_loop_before_its_first_round) {
  EXPECT_EQ(chopped("BEGIN\nDELETE FROM wallet;\nFOR i IN 1..a LOOP\nIF a > i THEN\nDELETE FROM "
                    "account;\nEND IF;\nEND LOOP;\nDELETE FROM account;\nEND"),
            "  DELETE FROM wallet;\n  COMMIT;\n  FOR i IN 1 .. a LOOP\n    IF a > i THEN\n"
            "      DELETE FROM account;\n    END IF;\n  END LOOP;\n  DELETE FROM account;\n");
}

TEST(Chopping, hands_over_in_a_loop_that_goes_on_with_what_is_open) {
  EXPECT_EQ(chopped("BEGIN\nDELETE FROM wallet;\nFOR i IN 1..a LOOP\nDELETE FROM wallet;\nDELETE "
                    "FROM account;\nEND LOOP;\nEND"),
            "  DELETE FROM wallet;\n  FOR i IN 1 .. a LOOP\n    DELETE FROM wallet;\n    COMMIT;\n"
            "    DELETE FROM account;\n    COMMIT;\n  END LOOP;\n");
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
  EXPECT_THAT(text, HasSubstr("SELECT balance, id INTO account_row FROM account WHERE id = a;"));
  EXPECT_THAT(text, HasSubstr("SELECT balance INTO wallet_row FROM wallet WHERE "
                              "id = account_row.id;"));
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
  EXPECT_EQ(trouble(R"({"M1": ["Account"], "M2": ["WALLET"]})"), "");
  EXPECT_THAT(trouble(R"({"M1": ["acount", "wallet"]})"),
              HasSubstr("cut.json:1:9: the program has no table \"acount\", did you mean "
                        "\"account\"?"));
  EXPECT_THAT(trouble(R"({"M1": ["account"]})"), HasSubstr("no service owns \"wallet\""));
  EXPECT_THAT(trouble(R"({"M1": ["account", "wallet"], "M2": ["account"]})"),
              HasSubstr("cut.json:1:38: the table \"account\" is there twice"));
}

}  // namespace
}  // namespace heddle
