// What an interpretation records, on a store that is made up here.
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"
#include "heddle/interpret.h"

namespace heddle {
namespace {

std::string shown(const Cell& cell) { return cell.value_or("null"); }

// Answers by the text of the statement; what it is not told of changes nothing.
class Answers : public StatementRunner {
 public:
  std::map<std::string, StatementResult> known;
  bool is_gone = false;

  Result<StatementResult> run(const ProgramStatement& statement,
                              const std::vector<ClientValue>& /*values*/) override {
    if (is_gone) return Diagnostic{.what = "gone", .trouble = Trouble::environment};
    const auto answer = known.find(statement.statement.text);
    return answer == known.end() ? StatementResult{} : answer->second;
  }
  Result<StatementResult> cross(Boundary boundary, const std::string& savepoint,
                                std::size_t connection) override {
    crossed += to_string(boundary);
    if (!savepoint.empty()) crossed += " " + savepoint;
    if (connection != 0) crossed += " on connection " + std::to_string(connection + 1);
    crossed += ";";
    return StatementResult{};
  }

  std::string crossed;
};

struct EventText {
  std::string operator()(const ExecutedStatement& executed) const {
    std::string text = executed.statement->statement.text;
    for (const ClientValue& value : executed.values) {
      text += " <" + shown(value.text) + " " + value.type + ">";
    }
    for (const Row& row : executed.result.rows) text += " -> " + shown(row.at(0));
    if (executed.result.refusal) text += " refused " + executed.result.refusal->sqlstate;
    return text;
  }
  std::string operator()(const CrossedBoundary& crossed) const {
    return std::string(to_string(crossed.boundary)) + (crossed.statement ? " stated" : "");
  }
  std::string operator()(const TakenBranch& branch) const {
    const std::string line = std::to_string(branch.source.position.line);
    return line + (!branch.condition ? " null" : *branch.condition ? " yes" : " no");
  }
  std::string operator()(const LoopIteration& iteration) const {
    return std::to_string(iteration.source.position.line) + " iteration " +
           std::to_string(iteration.number);
  }
  std::string operator()(const HandledError& handled) const {
    return "handled " + handled.sqlstate;
  }
};

std::string text_of(const Result<Interpretation>& run) {
  if (!run) return to_string(run.error());
  std::string text;
  for (const TraceEvent& event : run->trace) text += std::visit(EventText{}, event) + "\n";
  for (const Row& row : run->returned) text += "returned " + shown(row.at(0)) + "\n";
  if (run->error) {
    text += "error " + run->error->sqlstate + " " + run->error->message + " at line " +
            std::to_string(run->error->source.position.line) + "\n";
  }
  return text;
}

std::string traced(const std::string& routine, const std::vector<Cell>& arguments,
                   StatementRunner& runner, const InterpretOptions& options = {}) {
  const auto program = parse_program({{"p.sql", routine}});
  if (!program) return to_string(program.error());
  return text_of(interpret(*program, program->functionalities[0], arguments, runner, options));
}

// A function f(a integer) whose first statement stands in line 2.
std::string function_of(const std::string& body) {
  return "CREATE FUNCTION f(a integer) RETURNS integer LANGUAGE plpgsql AS $$ DECLARE n integer; "
         "BEGIN\n" +
         body + "\nEND $$;";
}

TEST(Trace, has_statements_branches_and_iterations_in_order) {
  Answers answers;
  answers.known["SELECT x FROM t WHERE y = $1"] = {
      .columns = {{"x", "integer"}}, .rows = {{"7"}}, .affected = 1, .refusal = {}};
  EXPECT_EQ(traced(function_of("SELECT x INTO n FROM t WHERE y = a;\n"
                               "IF n > 5 THEN UPDATE t SET x = n; END IF;\n"
                               "FOR i IN 1 .. 2 LOOP\n"
                               "DELETE FROM t WHERE x = i; END LOOP;\n"
                               "IF NULL THEN RETURN 0; END IF; RETURN n * 2;"),
                   {"3"}, answers),
            "begin\n"
            "SELECT x FROM t WHERE y = $1 <3 integer> -> 7\n"
            "3 yes\n"
            "UPDATE t SET x = $1 <7 integer>\n"
            "4 iteration 1\n"
            "DELETE FROM t WHERE x = $1 <1 integer>\n"
            "4 iteration 2\n"
            "DELETE FROM t WHERE x = $1 <2 integer>\n"
            "6 null\n"
            "commit\n"
            "returned 14\n");
}

TEST(Trace, has_errors_and_what_handles_them) {
  Answers answers;
  answers.known["DELETE FROM t"].refusal = {.sqlstate = "40001", .message = "no"};
  EXPECT_EQ(traced(function_of("BEGIN DELETE FROM t; EXCEPTION WHEN serialization_failure THEN\n"
                               "RAISE EXCEPTION 'gave up on %', a; END;"),
                   {"3"}, answers),
            "begin\n"
            "savepoint\n"
            "DELETE FROM t refused 40001\n"
            "rollback to savepoint\n"
            "release savepoint\n"
            "handled 40001\n"
            "rollback\n"
            "error P0001 gave up on 3 at line 3\n");
  EXPECT_EQ(answers.crossed,
            "begin;savepoint heddle_1;rollback to savepoint heddle_1;release savepoint heddle_1;"
            "rollback;");
}

// What is open at the end is ended in the order of the connections.
TEST(Trace, has_transactions_on_each_connection) {
  Answers answers;
  const std::string both =
      "UPDATE t SET x = 1;\n-- on connection 2:\nUPDATE t SET x = 2;\n"
      "-- on connection 2:\nCOMMIT;\n-- on connection 2:\nUPDATE t SET x = 3;\n";
  traced(function_of(both + "RETURN a;"), {"3"}, answers);
  EXPECT_EQ(answers.crossed,
            "begin;begin on connection 2;commit on connection 2;begin on connection 2;"
            "commit;commit on connection 2;");
  answers.crossed.clear();
  traced(function_of(both + "RAISE EXCEPTION 'no';"), {"3"}, answers);
  EXPECT_EQ(answers.crossed,
            "begin;begin on connection 2;commit on connection 2;begin on connection 2;"
            "rollback;rollback on connection 2;");
}

// A block that undoes what it did does so on the connections that it uses.
TEST(Trace, has_savepoints_on_each_connection_that_a_block_uses) {
  Answers answers;
  answers.known["DELETE FROM t"].refusal = {.sqlstate = "40001", .message = "no"};
  traced(function_of("-- on connection 3:\nUPDATE t SET x = 1;\nBEGIN\nUPDATE t SET x = 1;\n"
                     "-- on connection 2:\nDELETE FROM t;\n"
                     "EXCEPTION WHEN others THEN RETURN 0;\nEND; RETURN 1;"),
         {"3"}, answers);
  EXPECT_EQ(answers.crossed,
            "begin;begin on connection 2;begin on connection 3;"
            "savepoint heddle_1;savepoint heddle_1 on connection 2;"
            "rollback to savepoint heddle_1;release savepoint heddle_1;"
            "rollback to savepoint heddle_1 on connection 2;"
            "release savepoint heddle_1 on connection 2;"
            "commit;commit on connection 2;commit on connection 3;");
}

TEST(Trace, goes_on_in_the_same_transaction_where_a_client_catches) {
  Answers answers;
  answers.known["DELETE FROM t"].refusal = {.sqlstate = "40001", .message = "no"};
  const std::string handler =
      "EXCEPTION WHEN others THEN\nIF sqlstate = '40001' AND sqlerrm = 'no' THEN ROLLBACK; END IF; "
      "UPDATE t SET x = 1; END; COMMIT; RETURN a;";
  EXPECT_EQ(
      traced(function_of("<<heddle_client>> BEGIN DELETE FROM t; " + handler), {"3"}, answers),
      "begin\n"
      "DELETE FROM t refused 40001\n"
      "handled 40001\n"
      "3 yes\n"
      "rollback stated\n"
      "begin\n"
      "UPDATE t SET x = 1\n"
      "commit stated\n"
      "begin\n"
      "commit\n"
      "returned 3\n");
  // What the client throws itself it knows about.
  EXPECT_EQ(traced(function_of("<<heddle_client>> BEGIN RAISE 'mine'; " + handler), {"3"}, answers),
            "begin\nrollback\nerror P0001 mine at line 2\n");
  // Inside of a block of PL/pgSQL there is a subtransaction.
  EXPECT_EQ(traced(function_of("BEGIN <<heddle_client>> BEGIN DELETE FROM t; EXCEPTION WHEN others "
                               "THEN COMMIT; END; EXCEPTION WHEN others THEN RAISE; END;"),
                   {"3"}, answers),
            "begin\nsavepoint\nDELETE FROM t refused 40001\nhandled 40001\n"
            "rollback to savepoint\nrelease savepoint\nhandled 2D000\nrollback\n"
            "error 2D000 cannot commit while a subtransaction is active at line 2\n");
}

TEST(Trace, has_texts_that_are_made) {
  Answers answers;
  const auto program = parse_program(
      {{"p.sql",
        function_of("EXECUTE 'DELETE FROM t_' || a || ' WHERE x = $1' USING a; RETURN 1;")}});
  ASSERT_TRUE(program) << to_string(program.error());
  const auto run = interpret(*program, program->functionalities[0], {"3"}, answers);
  ASSERT_TRUE(run) << to_string(run.error());
  const auto* executed = std::get_if<ExecutedStatement>(&run->trace.at(1));
  ASSERT_NE(executed, nullptr);
  EXPECT_EQ(executed->made_text, "DELETE FROM t_3 WHERE x = $1");
  EXPECT_EQ(executed->values, (std::vector<ClientValue>{{.text = "3", .type = "integer"}}));
}

TEST(Trace, has_the_boundaries_that_are_stated) {
  Answers answers;
  EXPECT_EQ(traced("CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN DELETE FROM t; COMMIT; "
                   "DELETE FROM u; ROLLBACK; END $$",
                   {}, answers),
            "begin\nDELETE FROM t\ncommit stated\nbegin\nDELETE FROM u\nrollback stated\nbegin\n"
            "commit\n");
}

// As programs of other languages do.
TEST(Trace, leaves_boundaries_to_a_functionality_that_begins_itself) {
  const auto statement = [](StatementKind kind, const std::string& text) {
    RunStatement run;
    run.statement.statement.kind = kind;
    run.statement.statement.text = text;
    return Action{.source = {}, .what = std::move(run)};
  };
  Functionality functionality;
  functionality.name = "f";
  functionality.states_boundaries = true;
  functionality.body = {
      statement(StatementKind::delete_, "one"), statement(StatementKind::begin, "BEGIN"),
      statement(StatementKind::delete_, "two"), statement(StatementKind::commit, "COMMIT"),
      statement(StatementKind::begin, "BEGIN"), statement(StatementKind::delete_, "three")};
  Answers answers;
  EXPECT_EQ(text_of(interpret({}, functionality, {}, answers)),
            "one\nbegin stated\ntwo\ncommit stated\nbegin stated\nthree\nrollback\n");
}

TEST(Trace, asks_for_values_that_are_not_known) {
  Answers answers;
  const std::string routine =
      function_of("n := heddle_unknown('the request''s age', a); RETURN n;");
  EXPECT_EQ(
      traced(routine, {"3"}, answers),
      "p.sql:2:1: the value of heddle_unknown('the request''s age', a) is not known, supply it "
      "as an unknown value");
  InterpretOptions options;
  options.unknown_value = [](const UnknownValue& unknown) -> Result<Cell> {
    return Cell(unknown.operands.at(0).text.value_or("") + "9");
  };
  EXPECT_EQ(traced(routine, {"3"}, answers, options), "begin\ncommit\nreturned 39\n");
  options.unknown_value = [](const UnknownValue& /*unknown*/) -> Result<Cell> {
    return Diagnostic{.what = "nobody knows", .trouble = Trouble::environment};
  };
  EXPECT_EQ(traced(routine, {"3"}, answers, options), "nobody knows");
}

TEST(Trace, ends_at_bounds) {
  Answers answers;
  InterpretOptions options;
  options.max_steps = 100;
  EXPECT_EQ(traced(function_of("LOOP n := 1; END LOOP;"), {"3"}, answers, options),
            "p.sql:2:6: 100 steps were not enough, raise the number of steps, or look for a loop "
            "without an end");
  EXPECT_EQ(answers.crossed, "begin;rollback;");
  options.max_depth = 3;
  EXPECT_EQ(traced(function_of("IF a = 3 THEN IF a = 3 THEN IF a = 3 THEN n := 1; END IF; END IF; "
                               "END IF;"),
                   {"3"}, answers, options),
            "p.sql:2:29: blocks are nested too deeply, raise the depth");
}

TEST(Trace, ends_when_the_store_is_gone) {
  Answers answers;
  answers.is_gone = true;
  EXPECT_EQ(traced(function_of("DELETE FROM t; RETURN 1;"), {"3"}, answers), "gone");
}

TEST(Trace, refuses_arguments_that_do_not_fit) {
  Answers answers;
  const std::string routine = function_of("RETURN a;");
  EXPECT_EQ(traced(routine, {}, answers),
            "p.sql:1:1: f takes 1 arguments, not 0, give one for each parameter");
  EXPECT_EQ(traced(routine, {"x"}, answers),
            "p.sql:1:1: the argument a: invalid input syntax for type integer: \"x\", write it as "
            "PostgreSQL does");
  EXPECT_EQ(answers.crossed, "");
}

TEST(Conditions, are_names_states_and_classes) {
  EXPECT_EQ(condition_states("unique_violation"), std::vector<std::string>{"23505"});
  EXPECT_EQ(condition_states("SQLSTATE '40001'"), std::vector<std::string>{"40001"});
  EXPECT_EQ(condition_states("P0002"), std::vector<std::string>{"P0002"});
  EXPECT_TRUE(condition_states("no_such_thing").empty());
  EXPECT_TRUE(condition_states("null_value_not_allowed").size() == 2);
  EXPECT_TRUE(is_handled("OTHERS", "23505"));
  EXPECT_FALSE(is_handled("others", "57014"));
  EXPECT_TRUE(is_handled("integrity_constraint_violation", "23505"));
  EXPECT_FALSE(is_handled("unique_violation", "23503"));
  EXPECT_FALSE(is_handled("unique_violation", "23000"));
}

}  // namespace
}  // namespace heddle
