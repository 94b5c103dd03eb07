#include "report/explore/isolationtester.h"

#include <gtest/gtest.h>

#include "format/sample_finding_testing.h"

namespace heddle {
namespace {

constexpr const char* kSpec = R"(session a
step a1 { SELECT 1; }
session "b c"
step b1 { LOCK t; }
permutation a1 b1
)";

Event event(Event::Kind kind, std::size_t record, const std::string& text = "") {
  Event result;
  result.kind = kind;
  result.record = record;
  result.text = text;
  return result;
}

ResultSet table(std::initializer_list<std::string> names, std::vector<Row> rows) {
  return *sample::rows(names, std::move(rows)).result;
}

TEST(PqPrint, aligns_numbers_right_and_other_text_left) {
  EXPECT_EQ(pqprint(table({"id", "name"}, {{"1", "x"}, {"10", "long name"}})),
            "id|name     \n"
            "--+---------\n"
            " 1|x        \n"
            "10|long name\n"
            "(2 rows)\n\n");
}

TEST(PqPrint, an_empty_result_has_a_header_aligned_right) {
  EXPECT_EQ(pqprint(table({"id", "n"}, {})), "id|n\n--+-\n(0 rows)\n\n");
}

TEST(PqPrint, null_and_empty_values_do_not_decide_the_alignment) {
  EXPECT_EQ(pqprint(table({"value"}, {{std::nullopt}, {""}, {"7"}})),
            "value\n-----\n     \n     \n    7\n(3 rows)\n\n");
}

TEST(PqPrint, an_exponent_first_or_no_digit_last_is_text) {
  EXPECT_EQ(pqprint(table({"aaa"}, {{"e1"}})), "aaa\n---\ne1 \n(1 row)\n\n");
  EXPECT_EQ(pqprint(table({"aaa"}, {{"1."}})), "aaa\n---\n1. \n(1 row)\n\n");
  EXPECT_EQ(pqprint(table({"aaaa"}, {{"1e5"}})), "aaaa\n----\n 1e5\n(1 row)\n\n");
  EXPECT_EQ(pqprint(table({"aaaa"}, {{"t"}, {"12"}})), "aaaa\n----\nt   \n12  \n(2 rows)\n\n");
}

TEST(PqPrint, counts_bytes_not_columns) {
  EXPECT_EQ(pqprint(table({"a"}, {{"é"}, {"x"}})), "a \n--\né\nx \n(2 rows)\n\n");
}

TEST(PqPrint, prints_nothing_without_columns) { EXPECT_EQ(pqprint(table({}, {{}, {}})), ""); }

TEST(Isolationtester, prints_a_permutation_as_it_happened) {
  const Scenario scenario = sample::parse(kSpec, "x.spec");
  heddle::Run run;
  run.planned = schedule_of(scenario.permutations[0]);
  run.records.resize(2);
  run.records[0].step = StepId(0);
  run.records[0].replies = {sample::rows({"?column?"}, {{"1"}}), sample::tag("COMMIT")};
  run.records[1].step = StepId(1);
  run.records[1].replies = {sample::error(ErrorClass::deadlock, "40P01", "deadlock detected")};
  Event notice = event(Event::Kind::notice, 0, "NOTICE:  hello\n");
  notice.session = SessionId(1);
  run.events = {event(Event::Kind::waiting, 1), event(Event::Kind::completed, 0), notice,
                event(Event::Kind::notification, 0, "a: NOTIFY \"c\" with payload \"\" from b c"),
                event(Event::Kind::late_completed, 1)};

  EXPECT_EQ(isolationtester_head(scenario), "Parsed test spec with 2 sessions\n");
  EXPECT_EQ(isolationtester_permutation(scenario, run),
            "\nstarting permutation: a1 b1\n"
            "step b1: LOCK t; <waiting ...>\n"
            "step a1: SELECT 1;\n"
            "?column?\n--------\n       1\n(1 row)\n\n"
            "b c: NOTICE:  hello\n"
            "a: NOTIFY \"c\" with payload \"\" from b c\n"
            "step b1: <... completed>\n"
            "ERROR:  deadlock detected\n");
  EXPECT_EQ(isolationtester_errors(scenario, run), "");
}

TEST(Isolationtester, an_error_without_fields_is_printed_as_it_came) {
  const Scenario scenario = sample::parse(kSpec, "x.spec");
  heddle::Run run;
  run.records.resize(1);
  StepError error;
  error.text = "server closed the connection\n";
  run.records[0].replies = {{std::nullopt, error}};
  run.events = {event(Event::Kind::completed, 0)};
  EXPECT_EQ(isolationtester_permutation(scenario, run),
            "\nstarting permutation:\nstep a1: SELECT 1;\nserver closed the connection\n\n");
}

TEST(Isolationtester, a_setup_block_shows_its_last_result_only) {
  const Scenario scenario = sample::parse(kSpec, "x.spec");
  heddle::Run run;
  Event setup = event(Event::Kind::setup_result, 0);
  setup.replies = {sample::rows({"a"}, {{"1"}}), sample::rows({"b"}, {{"2"}})};
  Event teardown = event(Event::Kind::teardown_result, 0);
  teardown.replies = {sample::rows({"c"}, {{"3"}}), sample::tag("DROP TABLE")};
  run.events = {setup, teardown};
  EXPECT_EQ(isolationtester_permutation(scenario, run),
            "\nstarting permutation:\nb\n-\n2\n(1 row)\n\n");
}

TEST(Isolationtester, failed_blocks_go_to_standard_error) {
  const Scenario scenario = sample::parse(kSpec, "x.spec");
  heddle::Run run;
  Event global = event(Event::Kind::setup_failed, 0, "ERROR:  no table\n");
  global.global = true;
  Event session = event(Event::Kind::setup_failed, 0, "ERROR:  no\n");
  session.session = SessionId(1);
  Event teardown = event(Event::Kind::teardown_failed, 0, "ERROR:  gone\n");
  Event last = teardown;
  last.global = true;
  run.events = {global, session, teardown, last};
  EXPECT_EQ(isolationtester_errors(scenario, run),
            "setup failed: ERROR:  no table\n"
            "setup of session b c failed: ERROR:  no\n"
            "teardown of session a failed: ERROR:  gone\n"
            "teardown failed: ERROR:  gone\n");
  EXPECT_EQ(isolationtester_permutation(scenario, run), "\nstarting permutation:\n");
}

}  // namespace
}  // namespace heddle
