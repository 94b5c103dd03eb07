// Which rounds of a loop are attempts that came to nothing: a runner with answers of its own is
// told of them.
#include <deque>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "heddle/interpret.h"
#include "heddle/program.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Queries find one row with a 7; of UPDATEs all but the last one change nothing.
class Answering : public StatementRunner {
 public:
  explicit Answering(std::size_t refusals) : refusals_(refusals) {}

  Result<StatementResult> run(const ProgramStatement& statement,
                              const std::vector<ClientValue>& /*values*/) override {
    sent_.push_back(statement.statement.text.substr(0, 6));
    StatementResult result;
    if (statement.statement.kind == StatementKind::select) {
      result.columns = {{"x", "integer"}};
      result.rows = {{std::to_string(read_++)}};
      result.affected = 1;
    } else if (statement.statement.kind != StatementKind::update) {
      result.affected = 1;
    } else if (refusals_ == 0) {
      result.affected = 1;
    } else {
      --refusals_;
    }
    return result;
  }

  Result<StatementResult> cross(Boundary boundary, const std::string& /*savepoint*/,
                                std::size_t /*connection*/) override {
    sent_.emplace_back(to_string(boundary));
    return StatementResult();
  }

  void leave_out(std::size_t first) override {
    for (std::size_t i = first; i < sent_.size(); ++i) left_out_.push_back(sent_[i]);
  }

  const std::vector<std::string>& left_out() const { return left_out_; }

 private:
  std::size_t refusals_;
  int read_ = 7;
  std::vector<std::string> sent_;
  std::vector<std::string> left_out_;
};

std::vector<std::string> left_out(const std::string& body, std::size_t refusals = 1) {
  const std::string text =
      "CREATE TABLE t (id int PRIMARY KEY, x int, y int);\n"
      "CREATE PROCEDURE p() LANGUAGE plpgsql AS $$\nDECLARE v int; w int; n int := 0;\n"
      "done boolean := false;\nBEGIN\n" +
      body + "END $$;";
  const Result<Program> program = parse_program({{"p.sql", text}});
  EXPECT_TRUE(program) << (program ? "" : to_string(program.error()));
  Answering runner(refusals);
  const auto run = interpret(*program, program->functionalities[0], {}, runner);
  EXPECT_TRUE(run) << (run ? "" : to_string(run.error()));
  return runner.left_out();
}

// An attempt of which something stays on another connection has not come to nothing.
TEST(Retries, look_at_each_connection) {
  const std::string begin = "WHILE NOT done LOOP\nSELECT x INTO v FROM t WHERE id = 1;\n";
  const std::string end =
      "UPDATE t SET x = v + 1 WHERE id = 1 AND x = v;\ndone := FOUND;\nEND LOOP;\n";
  EXPECT_THAT(left_out(begin + end), ElementsAre("SELECT", "UPDATE"));
  EXPECT_THAT(left_out(begin + "-- on connection 2:\nPERFORM x FROM t;\n" + end),
              ElementsAre("SELECT", "SELECT", "UPDATE"));
  for (const char* const stays : {"", "-- on connection 2:\nCOMMIT;\n"}) {
    EXPECT_THAT(left_out(begin + "-- on connection 2:\nINSERT INTO t VALUES (2);\n" + stays + end),
                IsEmpty());
  }
}

constexpr const char* kChange = "UPDATE t SET x = v + 1 WHERE id = 1 AND x = v;\n";
constexpr const char* kRead = "SELECT x INTO v FROM t WHERE id = 1;\n";
constexpr const char* kEnd = "IF found THEN COMMIT; RETURN; END IF;\nROLLBACK;\n";

TEST(Retries, an_attempt_that_is_rolled_back_is_left_out) {
  const std::string loop = std::string("LOOP\n") + kRead + kChange + kEnd + "END LOOP;\n";
  EXPECT_THAT(left_out(loop), ElementsAre("SELECT", "UPDATE", "rollback", "begin"));
  EXPECT_THAT(left_out("FOR i IN 1..3 " + loop, 0), IsEmpty());
}

TEST(Retries, so_is_one_that_changed_nothing) {
  EXPECT_THAT(left_out(std::string("LOOP\n") + kRead + kChange + "EXIT WHEN found;\nEND LOOP;\n"),
              ElementsAre("SELECT", "UPDATE"));
  EXPECT_THAT(left_out(std::string("WHILE NOT done AND n < 3 LOOP\n") + kRead + kChange +
                       "done := found; n := n + 1;\nEND LOOP;\n"),
              ElementsAre("SELECT", "UPDATE"));
}

TEST(Retries, the_last_one_is_not) {
  EXPECT_THAT(left_out(std::string("FOR i IN 1..2 LOOP\n") + kRead + kChange + kEnd +
                           "END LOOP;\nPERFORM x FROM t;\n",
                       9),
              ElementsAre("SELECT", "UPDATE", "rollback", "begin"));
}

TEST(Retries, a_value_that_is_kept_keeps_its_attempt) {
  EXPECT_THAT(left_out(std::string("LOOP\nIF v IS NULL THEN\n") + kRead + "END IF;\n" + kChange +
                       kEnd + "END LOOP;\n"),
              IsEmpty());
  EXPECT_THAT(left_out(std::string("LOOP\nw := v;\n") + kRead + kChange +
                       "IF found THEN UPDATE t SET y = w WHERE id = 1; COMMIT; RETURN; END IF;\n"
                       "ROLLBACK;\nEND LOOP;\n"),
              IsEmpty());
}

TEST(Retries, a_change_that_stays_keeps_its_attempt) {
  EXPECT_THAT(left_out(std::string("LOOP\nINSERT INTO t VALUES (2); COMMIT;\n") + kRead + kChange +
                       kEnd + "END LOOP;\n"),
              IsEmpty());
  EXPECT_THAT(left_out(std::string("LOOP\nINSERT INTO t VALUES (2);\n") + kRead + kChange +
                       "EXIT WHEN found;\nEND LOOP;\n"),
              IsEmpty());
}

// The first attempt is of the transaction in which something was read before.
TEST(Retries, so_does_what_ran_before_it_in_its_transaction) {
  EXPECT_THAT(left_out(std::string("SELECT y INTO w FROM t WHERE id = 1;\nLOOP\n") + kRead +
                           kChange + kEnd + "END LOOP;\n",
                       2),
              ElementsAre("SELECT", "UPDATE", "rollback", "begin"));
}

TEST(Retries, rounds_that_differ_by_their_number_are_no_attempts) {
  EXPECT_THAT(left_out(std::string("FOR i IN 1..3 LOOP\n") + kRead +
                       "UPDATE t SET x = v + i WHERE id = 1 AND x = v;\n" + kEnd + "END LOOP;\n"),
              IsEmpty());
  EXPECT_THAT(left_out(std::string("FOR i IN 1..3 LOOP\n") + kRead +
                       "IF i = 1 AND v > 9 THEN ROLLBACK; RETURN; END IF;\n" + kChange + kEnd +
                       "END LOOP;\n"),
              IsEmpty());
  EXPECT_THAT(left_out(std::string("FOR i IN 1..3 LOOP\nIF i < 2 THEN\n") + kRead +
                       "ELSE v := 1; END IF;\n" + kChange + kEnd + "END LOOP;\n"),
              IsEmpty());
}

TEST(Retries, a_counter_may_say_that_it_is_enough) {
  EXPECT_THAT(
      left_out(std::string("LOOP\nn := n + 1;\nIF n > 3 THEN RAISE EXCEPTION 'no'; END IF;\n") +
               kRead + kChange + kEnd + "END LOOP;\n"),
      ElementsAre("SELECT", "UPDATE", "rollback", "begin"));
  EXPECT_THAT(left_out(std::string("LOOP\n") + kRead + kChange + kEnd +
                       "n := n + 1;\nIF n > 3 THEN RAISE EXCEPTION 'no'; END IF;\nEND LOOP;\n"),
              ElementsAre("SELECT", "UPDATE", "rollback", "begin"));
  // And is shown to nobody.
  EXPECT_THAT(left_out(std::string("LOOP\n") + kRead + kChange +
                       "IF found THEN UPDATE t SET y = n WHERE id = 1; COMMIT; RETURN; END IF;\n"
                       "ROLLBACK;\nn := n + 1;\nEND LOOP;\n"),
              IsEmpty());
}

}  // namespace
}  // namespace heddle
