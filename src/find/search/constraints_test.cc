// Axioms and facts of users.
#include "heddle/constraints.h"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "find/search/find_testing.h"
#include "heddle/find.h"

namespace heddle::find {
namespace {

using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Constraints constraints(std::string_view text) {
  Result<Constraints> read = parse_constraints(text, "c.txt");
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
  return read ? *std::move(read) : Constraints{};
}

FindOptions with(IsolationLevel level, std::string_view text) {
  FindOptions options;
  options.level = level;
  options.constraints = constraints(text);
  return options;
}

std::string trouble(const std::string& program, std::string_view text) {
  const Result<FindReport> report =
      find_anomalies(parse(program), with(IsolationLevel::eventual, text));
  EXPECT_FALSE(report);
  return report ? "" : to_string(report.error());
}

constexpr const char* kTwoStores = R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE journal (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION put(p int, v int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE account SET balance = v WHERE id = p;
  UPDATE journal SET balance = v WHERE id = p;
END $$;
CREATE FUNCTION look(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; b int;
BEGIN
  SELECT balance INTO b FROM journal WHERE id = p;
  SELECT balance INTO a FROM account WHERE id = p;
  RETURN a - b;
END $$;)";

std::vector<std::string> found_in_stores(const std::string& text) {
  return causes(parse(kTwoStores), with(IsolationLevel::eventual, text));
}

constexpr const char* kMixedWrites = "dirty write: put put on account journal";

// A store that keeps the order of a session's writes.
TEST(Constraints, axioms_speak_of_stores) {
  const std::string in_order =
      "axiom kept { so(a,b) and so(c,d) and same_store(a,b) and same_store(c,d) and same_row(a,c) "
      "and same_row(b,d) and ar(a,c) implies ar(b,d) }\n";
  EXPECT_THAT(found_in_stores(""), Contains(kMixedWrites));
  EXPECT_THAT(found_in_stores(in_order), Not(Contains(kMixedWrites)));
  EXPECT_THAT(found_in_stores(in_order + "store first { account } store second { journal }"),
              Contains(kMixedWrites));
}

TEST(Constraints, axioms_speak_of_functionalities_and_tables) {
  const auto in_order = [](const std::string& name) {
    return "axiom kept { of(a, " + name +
           ") and on(a, account) and on(b, journal) and on(c, account) and on(d, journal) and "
           "so(a,b) and so(c,d) and ar(a,c) implies ar(b,d) }";
  };
  EXPECT_THAT(found_in_stores(in_order("put")), Not(Contains(kMixedWrites)));
  EXPECT_THAT(found_in_stores(in_order("look")), Contains(kMixedWrites));
}

TEST(Constraints, rows_that_conflict_are_seen) {
  constexpr const char* kWithdrawal = R"(
CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION withdraw(p int, v int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE b int;
BEGIN
  SELECT balance INTO b FROM account WHERE id = p;
  UPDATE account SET balance = b - v WHERE id = p;
END $$;)";
  EXPECT_THAT(causes(parse(kWithdrawal), with(IsolationLevel::snapshot, "")), IsEmpty());
  // Snapshots as above but for the first committer that wins.
  FindOptions weaker = with(IsolationLevel::snapshot, "");
  weaker.without = {Axiom::first_committer_wins};
  EXPECT_THAT(causes(parse(kWithdrawal), weaker), Not(IsEmpty()));
  weaker.constraints = constraints(
      "axiom wins { write(a) and write(b) and same_row(a,b) imply vis(a,b) or vis(b,a) }");
  EXPECT_THAT(causes(parse(kWithdrawal), weaker), IsEmpty());
}

constexpr const char* kQueue = R"(
CREATE TABLE counter (id int PRIMARY KEY, next int NOT NULL);
CREATE TABLE job (id int PRIMARY KEY, state int NOT NULL);
CREATE FUNCTION enqueue() RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT next INTO n FROM counter WHERE id = 1;
  UPDATE counter SET next = n + 1 WHERE id = 1;
  INSERT INTO job (id, state) VALUES (n, 0);
END $$;
CREATE FUNCTION finish(p int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  SELECT next INTO n FROM counter WHERE id = 1;
  IF p >= n + 1 THEN
    UPDATE job SET state = 1 WHERE id = p;
  END IF;
END $$;)";

// finish() touches a job above the counter, which enqueue() alone never makes.
TEST(Constraints, facts_leave_out_what_needs_other_rows) {
  constexpr const char* kFact =
      "initially \"jobs are counted\" { SELECT j.id < c.next FROM job j CROSS JOIN counter c }";
  const auto found = [](const std::string& text) {
    return causes(parse(kQueue), with(IsolationLevel::snapshot, text));
  };
  EXPECT_THAT(found(""), IsEmpty());
  const auto weak = [](const std::string& text) {
    return causes(parse(kQueue), with(IsolationLevel::eventual, text));
  };
  std::string on_job;
  for (const std::string& cause : weak("")) {
    if (cause.find("finish") != std::string::npos) on_job += cause + "\n";
  }
  EXPECT_THAT(on_job, HasSubstr("job"));
  for (const std::string& cause : weak(kFact)) EXPECT_THAT(cause, Not(HasSubstr("finish")));
  EXPECT_THAT(weak(kFact), Contains(HasSubstr("enqueue enqueue on")));
}

TEST(Constraints, names_must_be_the_programs) {
  EXPECT_EQ(trouble(kQueue, "axiom x { of(a, enque) implies vis(a,b) }"),
            "c.txt:1:17: there is no functionality \"enque\", did you mean \"enqueue\"?");
  EXPECT_EQ(trouble(kQueue, "store s { jobs }"),
            "c.txt:1:11: there is no table \"jobs\", did you mean \"job\"?");
  EXPECT_EQ(trouble(kQueue, "initially x { SELECT nxt > 0 FROM counter }"),
            "c.txt:1:11: no table of \"x\" has a column \"nxt\", did you mean \"next\"?");
  EXPECT_THAT(trouble(kQueue, "initially x { SELECT count(*) > 0 FROM counter }"),
              HasSubstr("c.txt:1:11: what \"x\" asks cannot be said of single rows"));
  EXPECT_THAT(trouble(kQueue, "initially x { SELECT true }"), HasSubstr("cannot be said"));
}

TEST(Constraints, requirements_are_of_arguments) {
  EXPECT_EQ(trouble(kQueue, "requires finnish { p > 0 }"),
            "c.txt:1:10: there is no functionality \"finnish\", did you mean \"finish\"?");
  EXPECT_EQ(trouble(kQueue, "requires finish { q > 0 }"),
            "c.txt:1:19: finish has no parameter \"q\", use one of: p");
  for (const std::string_view wrong : {"p + 1", "abs(p) > 0", "p = 'x'", "p * p > 1"}) {
    EXPECT_THAT(trouble(kQueue, "requires finish { " + std::string(wrong) + " }"),
                HasSubstr("c.txt:1:"))
        << wrong;
  }
  const auto found = [](const std::string& text) {
    return causes(parse(kQueue), with(IsolationLevel::eventual, text));
  };
  EXPECT_THAT(found(""), Contains(HasSubstr("finish")));
  EXPECT_THAT(found("requires finish { p < 0 AND P > 2 }"), Each(Not(HasSubstr("finish"))));
}

TEST(Constraints, the_reference_engine_refuses_facts) {
  FindOptions options =
      with(IsolationLevel::eventual, "initially x { SELECT next > 0 FROM counter }");
  options.engine = FindEngine::reference;
  const Result<FindReport> report = find_anomalies(parse(kQueue), options);
  ASSERT_FALSE(report);
  EXPECT_THAT(to_string(report.error()), HasSubstr("c.txt:1:11: the reference engine"));
}

}  // namespace
}  // namespace heddle::find
