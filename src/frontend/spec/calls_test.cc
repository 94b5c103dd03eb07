#include "frontend/spec/calls.h"

#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "frontend/spec/scenario_dump_testing.h"

namespace heddle {
namespace {

constexpr std::string_view kProgram = R"(program {
CREATE FUNCTION pay(source integer, amount numeric, tags text[], is_gift boolean) RETURNS text
LANGUAGE plpgsql AS $$
DECLARE note text := '} is no end';
BEGIN
  UPDATE account SET balance = balance - amount WHERE id = source;
  IF is_gift THEN
    SELECT 1;
    SELECT 2;
  ELSE
    SELECT 3;
  END IF;
  RETURN note;
END
$$;
CREATE PROCEDURE "Bank.drain"() LANGUAGE plpgsql AS $$
BEGIN
  WHILE true LOOP DELETE FROM account; END LOOP;
END
$$;
}
)";

Result<Scenario> scenario_with(std::string_view sessions) {
  return parse_scenario(std::string(kProgram) + std::string(sessions), "calls.spec");
}

std::string error_of(std::string_view sessions) {
  const auto scenario = scenario_with(sessions);
  return scenario ? "no error" : to_string(scenario.error());
}

std::string arguments_text(const Call& call) {
  std::vector<std::string> texts;
  for (const auto& argument : call.arguments) texts.push_back(argument.value_or("null"));
  return join(texts, "|");
}

TEST(Calls, have_arguments_and_as_many_steps_as_there_can_be_statements) {
  const auto scenario = scenario_with(
      "session s1 call { pay(1, -2.50, '{a,b}', TRUE) }\nsession s2 call "
      "{PAY ( 2, NULL , '{it''s}', false );}\nsession s3 call { \"Bank.drain\"() }");
  ASSERT_TRUE(scenario) << to_string(scenario.error());
  const Session& first = scenario->sessions[0];
  ASSERT_TRUE(first.call);
  EXPECT_EQ(arguments_text(*first.call), "1|-2.50|{a,b}|true");
  EXPECT_EQ(called_functionality(*scenario, SessionId(0))->name, "pay");
  ASSERT_EQ(first.steps.size(), 4U);
  const Step& step = scenario->steps[first.steps[1].index()];
  EXPECT_EQ(step.name, "s1_2");
  EXPECT_EQ(step.sql.text, "-- the next statement of pay(1, -2.50, '{a,b}', TRUE)");
  EXPECT_TRUE(step.instructions.empty());
  EXPECT_EQ(arguments_text(*scenario->sessions[1].call), "2|null|{it's}|false");
  EXPECT_EQ(called_functionality(*scenario, SessionId(2))->name, "Bank.drain");
  EXPECT_EQ(scenario->sessions[2].steps.size(), 20U);
}

TEST(Calls, have_as_many_steps_as_is_stated) {
  const auto scenario = scenario_with(
      "session s1 call { \"Bank.drain\"() } steps 3\n"
      "permutation s1_1 s1_2");
  ASSERT_TRUE(scenario) << to_string(scenario.error());
  EXPECT_EQ(scenario->steps.size(), 3U);
  EXPECT_TRUE(scenario->warnings.empty());
}

TEST(Calls, are_written_so_that_they_are_read_as_they_were) {
  const auto scenario = scenario_with(
      "session s1\nisolation serializable\nsetup { SELECT 1; }\ncall { pay(1, 2, "
      "'{}', true)\n} steps 3 teardown { SELECT 2; }\npermutation s1_3 s1_1");
  ASSERT_TRUE(scenario) << to_string(scenario.error());
  const std::string written = to_spec(*scenario);
  const auto again = parse_scenario(written, "calls.spec");
  ASSERT_TRUE(again) << to_string(again.error()) << written;
  EXPECT_EQ(dump_scenario(*again), dump_scenario(*scenario));
  EXPECT_EQ(to_spec(*again), written);
}

TEST(Calls, say_which_method_they_are_read_from) {
  const auto scenario = scenario_with(
      "session s1 call { pay(1, 2, '{}', true) } method { bank.Bank$Inner.pay(Connection, int) }"
      " steps 3\nsession method call { \"Bank.drain\"() }\n");
  ASSERT_TRUE(scenario) << to_string(scenario.error());
  EXPECT_EQ(scenario->sessions[0].call->method, "bank.Bank$Inner.pay(Connection, int)");
  EXPECT_EQ(scenario->sessions[0].call->steps, 3U);
  EXPECT_EQ(scenario->sessions[1].call->method, "");
  const std::string written = to_spec(*scenario);
  const auto again = parse_scenario(written, "calls.spec");
  ASSERT_TRUE(again) << to_string(again.error()) << written;
  EXPECT_EQ(again->sessions[0].call->method, scenario->sessions[0].call->method);
  EXPECT_EQ(to_spec(*again), written);
}

TEST(Calls, leave_the_words_good_names) {
  const auto scenario = parse_scenario(
      "session program step call { SELECT 1; } step steps { SELECT 2; } step method { SELECT 3; }\n"
      "permutation call steps method",
      "names.spec");
  EXPECT_TRUE(scenario) << to_string(scenario.error());
}

TEST(Calls, know_the_tables_that_the_setup_makes) {
  const auto scenario = parse_scenario(
      "setup { CREATE TABLE account (id int, balance int); INSERT INTO account VALUES (1, 2); }\n"
      "program { CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE one "
      "account%ROWTYPE; BEGIN SELECT * INTO one FROM account; RETURN one.balance; END $$; }\n"
      "session s call { f() }",
      "tables.spec");
  ASSERT_TRUE(scenario) << to_string(scenario.error());
  ASSERT_EQ(scenario->program->program.schema.tables.size(), 1U);
  EXPECT_TRUE(scenario->warnings.empty());
}

TEST(Calls, are_refused_at_their_place) {
  EXPECT_EQ(error_of("session s call { pat(1, 2, '{}', true) }"),
            "calls.spec:22:18: the program has no functionality \"pat\", did you mean \"pay\"?");
  EXPECT_EQ(error_of("session s call { pay(1, 2) }"),
            "calls.spec:22:18: pay takes 4 arguments, not 2, give one for each parameter");
  EXPECT_EQ(error_of("session s call { pay(1, now(), '{}', true) }"),
            "calls.spec:22:25: now() is no literal, write a number, a text in single quotes, true, "
            "false or NULL; an array is a text: '{1,2}'");
  EXPECT_EQ(error_of("session s call { pay('one', 2, '{}', true) }"),
            "calls.spec:22:22: the argument source: invalid input syntax for type integer: "
            "\"one\", write it as PostgreSQL does");
  EXPECT_EQ(
      error_of("session s call { pay }"),
      "calls.spec:22:18: this is no call, write for example: call { transfer(1, 'x', NULL) }");
  EXPECT_EQ(error_of("session s call { pay(1,, 2) }"),
            "calls.spec:22:24: an argument is missing here, write for example: call { transfer(1, "
            "'x', NULL) }");
  EXPECT_EQ(error_of("session s call { pay(1, 2, '{}', true) } steps 0"),
            "calls.spec:22:48: a call cannot have 0 steps, use a number from 1 to 10000");
  EXPECT_EQ(
      error_of("session s call { pay(1, 2, '{}', true) } method Bank.pay"),
      "calls.spec:22:49: unexpected \"Bank\", write a method: method { Bank.transfer(Connection, "
      "int, int) }");
  EXPECT_EQ(error_of("session s call { pay(1, 2, '{}', true) } step a { SELECT 1; }"),
            "calls.spec:22:42: a session that calls a functionality has steps of its own, take the "
            "step out, or the call");
}

std::string error_of_file(std::string_view text) {
  const auto scenario = parse_scenario(text, "calls.spec");
  return scenario ? "no error" : to_string(scenario.error());
}

TEST(Calls, need_a_program_that_can_be_read) {
  EXPECT_EQ(error_of_file("session s call { pay(1) }"),
            "calls.spec:1:11: this session calls a functionality, and no program is given above, "
            "put it above: program { CREATE FUNCTION ... }");
  EXPECT_EQ(error_of_file("program { CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$\n"
                          "BEGIN\n  RETURN 1 +;\nEND $$; }\nsession s call { f() }"),
            "calls.spec:3:13: syntax error at end of input, declare it, or check the expression");
  EXPECT_EQ(error_of_file("program { SELECT '}"), "calls.spec:1:9: this block has no end, add a }");
}

TEST(Calls, are_written_from_values) {
  const auto scenario = scenario_with("session s call { pay(1, 2, NULL, true) }");
  ASSERT_TRUE(scenario);
  const std::vector<Functionality>& all = scenario->program->program.functionalities;
  EXPECT_EQ(print_call(all[0], {"1", "-2.50", std::nullopt, "it's"}),
            "pay(1, -2.50, NULL, 'it''s')");
  EXPECT_EQ(print_call(all[1], {}), "\"Bank.drain\"()");
}

}  // namespace
}  // namespace heddle
