// What cuts add: the paper's example, a program for each kind, and what guarantees take away.
#include "heddle/split.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "split/split_testing.h"

namespace heddle {
namespace {

using namespace split_testing;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

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
  EXPECT_THAT(needs(kBank), UnorderedElementsAre("read skew: transactional-causal",
                                                 "dirty write: transactional-causal"));
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

// What handles an error begins with what was open where it came.
TEST(Split, finds_what_an_error_leaves_open) {
  const std::string look =
      "CREATE FUNCTION look(cid int) RETURNS int LANGUAGE plpgsql AS $$\n"
      "DECLARE a int; w int;\nBEGIN\nBEGIN\n"
      "SELECT balance INTO a FROM account WHERE id = cid;\n"
      "IF a = 3 THEN RAISE EXCEPTION 'no'; END IF;\n"
      "SELECT balance INTO w FROM wallet WHERE id = cid + 1;\n"
      "EXCEPTION WHEN others THEN\nSELECT balance INTO w FROM wallet WHERE id = cid;\nEND;\n"
      "RETURN w;\nEND\n$$;\n";
  const std::string store = routine("store(cid int)",
                                    "BEGIN\nUPDATE account SET balance = 3 WHERE id = cid;\n"
                                    "UPDATE wallet SET balance = 3 WHERE id = cid;\nEND");
  const Result<SplitReport> report =
      split_program(parse(std::string(kTables) + look + store), cut_of(kTwo), {});
  ASSERT_TRUE(report);
  EXPECT_TRUE(std::ranges::any_of(report->causes, [](const SplitCause& cause) {
    return cause.kind == AnomalyKind::read_skew;
  }));
}

}  // namespace
}  // namespace heddle
