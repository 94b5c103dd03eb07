// On a store that is made up here.
#include "replay/calls/called_functionality.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"

namespace heddle {
namespace {

Program program_of(const std::string& body) {
  return *parse_program({{"p.sql",
                          "CREATE FUNCTION f(a integer) RETURNS integer LANGUAGE plpgsql AS $$ "
                          "DECLARE n integer; BEGIN " +
                              body + " END $$;"}});
}

Reply done(const std::string& tag) {
  Reply reply;
  reply.result.emplace().command_tag = tag;
  return reply;
}

Reply refused(const std::string& code, ErrorClass error_class) {
  Reply reply;
  reply.error = StepError{error_class, code, "ERROR", "no", ""};
  return reply;
}

// Everything that is sent, answered each time in the same way.
std::string sent_by(CalledFunctionality& call, const Reply& answer) {
  std::vector<std::string> texts;
  while (const CalledFunctionality::Request* request = call.next()) {
    texts.push_back(request->text);
    call.take_answer(
        {request->place == CalledFunctionality::Place::own && request->statement.has_value()
             ? answer
             : done("OK")});
  }
  return join(texts, "; ");
}

TEST(CalledFunctionality, is_one_transaction) {
  const Program program = program_of("UPDATE t SET x = a; RETURN a + 1;");
  CalledFunctionality call(program, program.functionalities[0], {"5"});
  EXPECT_EQ(sent_by(call, done("UPDATE 1")), "BEGIN; UPDATE t SET x = 5; COMMIT");
  ASSERT_TRUE(call.end());
  EXPECT_EQ(call.end()->result->rows, (std::vector<Row>{{"6"}}));
}

// Each transaction begins when its connection is first used, and none where it is not.
TEST(CalledFunctionality, has_a_transaction_on_each_connection) {
  const Program program = program_of(
      "UPDATE t SET x = a;\n-- on connection 3:\nUPDATE t SET y = a;\n"
      "-- on connection 3:\nCOMMIT;\nUPDATE t SET x = 0;\nRETURN a + 1;");
  CalledFunctionality call(program, program.functionalities[0], {"5"});
  std::string sent;
  while (const CalledFunctionality::Request* request = call.next()) {
    sent += std::to_string(request->connection) + " " + request->text + "; ";
    call.take_answer({done("UPDATE 1")});
  }
  EXPECT_EQ(sent,
            "0 BEGIN; 0 UPDATE t SET x = 5; 2 BEGIN; 2 UPDATE t SET y = 5; 2 COMMIT; "
            "0 UPDATE t SET x = 0; 0 COMMIT; ");
}

TEST(CalledFunctionality, that_sends_nothing_has_no_transaction) {
  const Program program = program_of("RETURN a;");
  CalledFunctionality call(program, program.functionalities[0], {"5"});
  EXPECT_EQ(call.next(), nullptr);
  EXPECT_TRUE(call.has_ended());
}

TEST(CalledFunctionality, ends_with_what_the_store_refuses) {
  const Program program = program_of("UPDATE t SET x = a; RETURN 1;");
  CalledFunctionality call(program, program.functionalities[0], {"5"});
  EXPECT_EQ(sent_by(call, refused("40P01", ErrorClass::deadlock)),
            "BEGIN; UPDATE t SET x = 5; ROLLBACK");
  ASSERT_TRUE(call.end());
  EXPECT_EQ(call.end()->error->error_class, ErrorClass::deadlock);
}

TEST(CalledFunctionality, may_handle_what_the_store_refuses) {
  const Program program =
      program_of("BEGIN UPDATE t SET x = a; EXCEPTION WHEN others THEN RETURN -1; END; RETURN 1;");
  CalledFunctionality call(program, program.functionalities[0], {"5"});
  EXPECT_EQ(sent_by(call, refused("40P01", ErrorClass::deadlock)),
            "BEGIN; SAVEPOINT heddle_1; UPDATE t SET x = 5; ROLLBACK TO SAVEPOINT heddle_1; "
            "RELEASE SAVEPOINT heddle_1; COMMIT");
  EXPECT_EQ(call.end()->result->rows, (std::vector<Row>{{"-1"}}));
}

TEST(CalledFunctionality, is_given_up_wherever_it_stands) {
  const Program program =
      program_of("LOOP BEGIN UPDATE t SET x = a; EXCEPTION WHEN others THEN NULL; END; END LOOP;");
  for (int answers = 0; answers < 8; ++answers) {
    CalledFunctionality call(program, program.functionalities[0], {"5"});
    for (int i = 0; i < answers; ++i) {
      ASSERT_NE(call.next(), nullptr);
      call.take_answer({done("OK")});
    }
    EXPECT_FALSE(call.has_ended());
  }
}

TEST(CalledFunctionality, cannot_end_with_values_that_nobody_knows) {
  const Program program = program_of("n := heddle_unknown('the moon'); RETURN n;");
  CalledFunctionality call(program, program.functionalities[0], {"5"});
  EXPECT_EQ(sent_by(call, done("OK")), "BEGIN; ROLLBACK");
  ASSERT_TRUE(call.has_ended());
  EXPECT_FALSE(call.end());
}

}  // namespace
}  // namespace heddle
