// What find says of a program, in all formats that share its summary.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "format/sample_finding_testing.h"
#include "heddle/find.h"
#include "report/explore/sample_reports_testing.h"
#include "report/find/find_reports.h"
#include "report/text/counted.h"
#include "report/text/layout.h"

namespace heddle {
namespace {

using sample::expect_golden;
using testing::HasSubstr;
using testing::Not;

struct Found {
  Program program;
  FindReport report;
};

Found found_in(const std::string& sql, const std::string& file,
               std::optional<IsolationLevel> level = {}) {
  Result<Program> program = parse_program({{file, sql}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  if (!program) return {};
  Result<FindReport> report = find_anomalies(*program, {.level = level});
  EXPECT_TRUE(report) << (report ? "" : to_string(report.error()));
  if (!report) return {};
  return {std::move(*program), std::move(*report)};
}

// Read, compute, write.
Found bank() {
  return found_in(R"(CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE PROCEDURE withdraw(acc int, amount int) LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT balance INTO b FROM account WHERE id = acc;
  UPDATE account SET balance = b - amount WHERE id = acc;
END $$;
CREATE PROCEDURE deposit(acc int, amount int) LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = balance + amount WHERE id = acc;
END $$;
CREATE FUNCTION total() RETURNS int LANGUAGE plpgsql AS $$
DECLARE s int; n int;
BEGIN
  SELECT sum(balance) INTO s FROM account;
  SELECT count(*) INTO n FROM account;
  RETURN s / n;
END $$;
)",
                  "db/bank.sql", IsolationLevel::eventual);
}

// Rows are looked for and inserted, in a file whose path is long and has a blank in it.
const char* const kLongPath =
    "services/reservation service/src/main/resources/database/procedures/generated/booking.sql";
Found booking() {
  return found_in(R"(CREATE TABLE booking (room int NOT NULL, day date NOT NULL, guest text);
CREATE PROCEDURE book(r int, d date, g text) LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM booking WHERE room = r AND day = d) THEN
    INSERT INTO booking VALUES (r, d, g);
  END IF;
END $$;
)",
                  kLongPath);
}

// Tables and functionalities whose names would harm a terminal, a page and a table of Markdown.
Found odd_names() {
  return found_in(
      "CREATE TABLE \"a|b<i>\x1b[31m\" (k int PRIMARY KEY, \"v`*\" int);\n"
      "CREATE PROCEDURE \"# raise & 'x'\"(p int) LANGUAGE plpgsql AS $$\n"
      "DECLARE w int;\nBEGIN\n"
      "  SELECT \"v`*\" INTO w FROM \"a|b<i>\x1b[31m\" WHERE k = p;\n"
      "  UPDATE \"a|b<i>\x1b[31m\" SET \"v`*\" = w + 1 WHERE k = p;\nEND $$;\n",
      "odd.sql");
}

// Each pair of its procedures loses updates.
Found many() {
  std::string sql = "CREATE TABLE stock (id int PRIMARY KEY, n int NOT NULL);\n";
  for (char name = 'a'; name <= 'f'; ++name) {
    sql += std::string("CREATE PROCEDURE take_") + name +
           "(i int) LANGUAGE plpgsql AS $$\nDECLARE m int;\nBEGIN\n"
           "  SELECT n INTO m FROM stock WHERE id = i;\n"
           "  UPDATE stock SET n = m - 1 WHERE id = i;\nEND $$;\n";
  }
  return found_in(sql, "stock.sql");
}

FoundExecution confirmed(Effect effect) {
  FoundExecution execution{.status = FindingStatus::confirmed,
                           .reason = "",
                           .was_run = true,
                           .finding = sample::lost_update()};
  execution.finding->effect = effect;
  return execution;
}

FoundExecution open(std::string reason) {
  return {.status = FindingStatus::possible,
          .reason = std::move(reason),
          .was_run = true,
          .finding = {}};
}

// One of each status.
Found executed_bank() {
  Found found = bank();
  std::vector<FoundCause>& causes = found.report.causes;
  EXPECT_GE(causes.size(), 4U);
  if (causes.size() < 4) return found;
  causes[0].execution = confirmed(Effect::internal);
  causes[0].execution->broken_invariants = {"no overdraft"};
  causes[1].execution = confirmed(Effect::external);
  for (std::size_t i = 2; i + 1 < causes.size(); ++i) {
    causes[i].execution = open("no rows and arguments were found");
  }
  causes.back().execution = FoundExecution{.status = FindingStatus::refuted,
                                           .reason = "it ends as withdraw, deposit do",
                                           .was_run = true,
                                           .finding = {}};
  causes[2].suppressed = "the nightly job runs alone";
  return found;
}

std::string text_of(const Found& found, const DetailChoice& choice = {}, std::size_t width = 100) {
  return render_text(found.report, found.program, TextOptions{.width = width}, choice);
}

TEST(FindReports, begin_with_the_table_and_tell_some_in_full) {
  const Found found = executed_bank();
  expect_golden("find.txt", text_of(found));
  expect_golden("find.md.txt", render_markdown(found.report, found.program, nullptr, {}));
  expect_golden("find.html", render_html(found.report, found.program, nullptr));
  expect_golden("find.junit.xml", render_junit(found.report, found.program));
}

TEST(FindReports, of_causes_that_nobody_executed) {
  expect_golden("find_possible.txt", text_of(booking()));
}

TEST(FindReports, have_no_names_that_do_harm) {
  const Found found = odd_names();
  const std::string text = text_of(found, {.is_given = true, .all = true});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, HasSubstr("a|b<i>\\x1b[31m"));
  const std::string page = render_html(found.report, found.program, nullptr);
  EXPECT_THAT(page, Not(HasSubstr("<i>")));
  const std::string markdown = render_markdown(found.report, found.program, nullptr, {});
  EXPECT_THAT(markdown, HasSubstr("a\\|b\\<i\\>"));
  EXPECT_THAT(markdown, HasSubstr("\\# raise"));
}

TEST(FindReports, cut_long_tables_and_say_how_to_see_the_rest) {
  const Found found = many();
  const std::size_t count = found.report.causes.size();
  ASSERT_GT(count, 20U);
  const std::string text = text_of(found);
  EXPECT_THAT(text, HasSubstr("and " + std::to_string(count - 20) + " more: --details=none"));
  EXPECT_THAT(text, HasSubstr("in full below: 1-3; any other with --details=NUMBER"));
  EXPECT_LT(std::ranges::count(text, '\n'), 100);
  const std::string list = text_of(found, {.is_given = true});
  EXPECT_THAT(list, Not(HasSubstr("more: --details=none")));
  EXPECT_THAT(list, HasSubstr("\n" + std::to_string(count) + "  lost update: "));
  EXPECT_THAT(list, Not(HasSubstr("\n1. ")));
}

TEST(FindReports, tell_in_full_what_is_asked_for) {
  const Found found = many();
  const std::string some = text_of(found, {.is_given = true, .ranges = {{2, 3}, {7, 7}}});
  for (const char* head : {"\n2. lost", "\n3. lost", "\n7. lost"})
    EXPECT_THAT(some, HasSubstr(head));
  EXPECT_THAT(some, Not(HasSubstr("\n1. lost")));
  const std::string by_id = text_of(found, {.is_given = true, .ids = {found.report.causes[4].id}});
  EXPECT_THAT(by_id, HasSubstr("\n5. lost"));
  EXPECT_THAT(by_id, Not(HasSubstr("\n4. lost")));
  const DetailChoice wrong{.is_given = true, .ranges = {{1, 1}, {900, 999}}, .ids = {"abc"}};
  std::vector<CauseRow> rows(3);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].number = i + 1;
  EXPECT_THAT(unknown_choices(wrong, rows), testing::ElementsAre("900-999", "abc"));
}

// An editor opens what is clicked on.
TEST(FindReports, never_break_paths) {
  const Found found = booking();
  for (const std::size_t width : {40U, 60U, 100U}) {
    const std::string text = text_of(found, {}, width);
    std::size_t places = 0;
    for (const std::string& line : split(text, '\n')) {
      if (line.find(".sql:") == std::string::npos) continue;
      EXPECT_THAT(line, HasSubstr(std::string(kLongPath) + ":")) << width;
      ++places;
    }
    EXPECT_GE(places, 4U) << text;
  }
}

TEST(FindReports, never_begin_with_an_empty_line) {
  const Found nothing = found_in("CREATE TABLE t (id int PRIMARY KEY);\n", "t.sql");
  EXPECT_EQ(text_of(nothing), "nothing found within 6 operations and 3 transactions\n");
  for (const Found& found : {bank(), booking(), many()}) EXPECT_NE(text_of(found).front(), '\n');
}

TEST(FindReports, say_once_why_several_are_not_confirmed) {
  Found found = many();
  for (FoundCause& cause : found.report.causes) cause.execution = open("its SQL is MySQL's");
  const std::string text = text_of(found);
  EXPECT_THAT(text, HasSubstr("4-" + std::to_string(found.report.causes.size()) +
                              " possible: its SQL is MySQL's\n"));
}

// A statement that is reached on two ways.
TEST(FindReports, put_causes_at_the_same_places_together) {
  Found found = bank();
  const std::size_t all = found.report.causes.size();
  EXPECT_THAT(text_of(found), Not(HasSubstr("ways")));
  found.report.causes.push_back(found.report.causes.front());
  std::string text = text_of(found);
  EXPECT_THAT(text, HasSubstr(fmt::format("1, {}  ", all + 1)));
  EXPECT_THAT(text, HasSubstr("on 2 ways:"));
  EXPECT_THAT(text, HasSubstr(fmt::format("{} T1 by statement", all + 1)));
  EXPECT_THAT(text, HasSubstr(fmt::format("{} causes (at {} sets of places) with", all + 1, all)));
  for (int i = 0; i < 5; ++i) found.report.causes.push_back(found.report.causes.front());
  EXPECT_THAT(text_of(found), HasSubstr(fmt::format("1, {}-{} possible", all + 1, all + 6)));
}

TEST(Counted, numbers_go_with_their_words) {
  EXPECT_EQ(within_bounds(1, 1), "within 1 operation and 1 transaction");
  EXPECT_EQ(within_bounds(4, 3), "within 4 operations and 3 transactions");
  EXPECT_EQ(counted(0, "cause", "causes"), "0 causes");
  EXPECT_EQ(number_ranges({1, 2, 3, 5, 8, 9}), "1-3, 5, 8-9");
  EXPECT_EQ(number_ranges({}), "");
}

TEST(ListTables, have_no_blanks_at_the_ends_of_lines) {
  const ListTable table{.header = {"#", "cause", "effect"},
                        .rows = {{.cells = {"1", "lost update", ""},
                                  .below = {"a/b c.sql:1:2", std::string(90, 'x')}},
                                 {.cells = {"22", "", "internal"}, .below = {}}}};
  const std::string text = render_list_table(table, {.width = 60});
  for (const std::string& line : split(text, '\n')) EXPECT_FALSE(line.ends_with(' ')) << line;
  EXPECT_EQ(text, "#   cause        effect\n1   lost update\n     a/b c.sql:1:2\n     " +
                      std::string(90, 'x') + "\n22               internal\n");
}

}  // namespace
}  // namespace heddle
