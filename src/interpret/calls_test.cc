// Routines that call routines: what is read puts what they do in the place of the calls, and does
// what PostgreSQL does when the routines call each other.
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "interpret/routine_testing.h"

namespace heddle::interpreter {
namespace {

constexpr std::string_view kCalled[] = {"f", "g", "h", "k", "q"};

void drop_called() {
  for (const std::string_view name : kCalled) {
    execute(fmt::format("DROP ROUTINE IF EXISTS {}", name));
  }
}

std::string called_on_server(const std::string& routines, const Functionality& functionality,
                             const std::vector<Cell>& arguments) {
  drop_called();
  reset("");
  for (const StatementText& piece : split_statements(routines)) execute(piece.text);
  return plain(call_on_server(functionality, arguments));
}

Program read_calls(const std::string& routines) {
  auto program = parse_program({{"p.sql", std::string(kTables) + routines}});
  if (!program) throw std::runtime_error(to_string(program.error()) + routines);
  return *std::move(program);
}

// The first routine does the same whether it calls the others or their statements are in it.
void expect_same_calls(const std::string& routines, const std::vector<Cell>& arguments) {
  const Program program = read_calls(routines);
  const Functionality& first = program.functionalities.at(0);
  const Program alone{.schema = {}, .functionalities = {first}, .notes = {}};
  const std::string printed = print_program(alone);
  const std::string expected = called_on_server(routines, first, arguments);
  drop_called();
  EXPECT_EQ(interpreted(program, first, arguments), expected) << routines << printed;
  EXPECT_EQ(called_on_server(printed, first, arguments), expected) << routines << printed;
}

struct CallCase {
  std::string_view name;
  std::string routines;
  std::vector<std::vector<Cell>> arguments;
};

std::ostream& operator<<(std::ostream& out, const CallCase& one) { return out << one.name; }

class Calls : public testing::TestWithParam<CallCase> {};

TEST_P(Calls, are_what_is_called) {
  for (const auto& arguments : GetParam().arguments) {
    expect_same_calls(GetParam().routines, arguments);
  }
}

std::string function(std::string_view name, std::string_view parameters, std::string_view returns,
                     std::string_view body) {
  return fmt::format("CREATE FUNCTION {}({}) RETURNS {} LANGUAGE plpgsql AS $$ {} $$;\n", name,
                     parameters, returns, body);
}

const std::vector<CallCase> kCalls = {
    {"values",
     function(
         "f", "a integer", "text",
         "DECLARE n integer; t text := ''; BEGIN n := g(a) + 2 * g(a + 1); SELECT g(n) INTO n; "
         "PERFORM g(7); IF a > 1 AND g(a) > 3 OR g(2) = 5 THEN t := 'x'; END IF; "
         "t := t || CASE WHEN a = 1 THEN g(8) WHEN g(9) = 1 THEN 0 ELSE g(10) END; "
         "RETURN t || n || coalesce(g(a), g(11)) || found::text; END") +
         function("g", "b integer", "integer",
                  "BEGIN INSERT INTO entry (amount) VALUES (b); IF b % 4 = 0 THEN RETURN NULL; END "
                  "IF; RETURN b - 1; END"),
     {{"1"}, {"2"}, {"4"}, {{}}}},
    {"ways out",
     function("f", "a integer", "text",
              "DECLARE t text := ''; BEGIN FOR i IN 1 .. 4 LOOP t := t || g(i, a) || ','; "
              "CONTINUE WHEN i = 2; t := t || ';'; END LOOP; RETURN t; END") +
         function(
             "g", "a integer, b integer", "integer",
             "DECLARE n integer; BEGIN FOR i IN 1 .. b LOOP IF i = a THEN IF i > 1 THEN "
             "RETURN n; END IF; END IF; n := coalesce(n, 0) + i; END LOOP; IF n > 3 THEN RETURN "
             "-n; END IF; UPDATE account SET note = 'g' WHERE id = a; RETURN n; END"),
     {{"0"}, {"2"}, {"5"}}},
    {"results",
     function("f", "a integer", "text",
              "DECLARE n integer; t text; m integer := 5; BEGIN SELECT * INTO n, t FROM g(a); CALL "
              "k(a, m); RETURN n || t || m; END") +
         function("g", "a integer, OUT n integer, OUT t text", "record",
                  "BEGIN SELECT id, owner INTO n, t FROM account WHERE id = a; IF NOT found THEN n "
                  ":= 0; t := '-'; RETURN; END IF; t := t || '!'; END") +
         "CREATE PROCEDURE k(a integer, INOUT m integer, b integer DEFAULT 3) LANGUAGE plpgsql AS "
         "$$ BEGIN m := m * a + b; END $$;",
     {{"1"}, {"9"}}},
    {"a row of results",
     function("f", "a integer", "text",
              "DECLARE r record; BEGIN SELECT * INTO r FROM g(a); RETURN r.n || r.t; END") +
         function("g", "a integer, OUT n integer, OUT t text", "record",
                  "BEGIN n := a + 1; SELECT owner INTO t FROM account WHERE id = a; END"),
     {{"1"}, {"9"}}},
    {"SQL",
     function(
         "f", "a integer", "text",
         "DECLARE t text; BEGIN PERFORM h(a); t := g(a); INSERT INTO entry (account_id, amount) "
         "VALUES (a, q(a)); RETURN coalesce(t, '-'); END") +
         "CREATE FUNCTION g(integer) RETURNS text LANGUAGE sql AS $$ SELECT owner FROM account "
         "WHERE id >= $1 ORDER BY id $$;\n"
         "CREATE FUNCTION h(b integer) RETURNS void LANGUAGE sql AS $$ UPDATE account SET note = "
         "'h' WHERE id = b; DELETE FROM entry WHERE account_id = b $$;\n"
         "CREATE FUNCTION q(b integer) RETURNS integer LANGUAGE sql AS $$ SELECT count(*)::int + b "
         "FROM entry $$;",
     {{"1"}, {"3"}}},
    {"errors",
     function("f", "a integer", "text",
              "BEGIN BEGIN PERFORM g(a); EXCEPTION WHEN division_by_zero THEN RETURN 'zero'; WHEN "
              "raise_exception THEN PERFORM g(1); RETURN sqlerrm; END; RETURN 'ok'; END") +
         function("g", "a integer", "integer",
                  "BEGIN UPDATE account SET note = a; IF a = 3 THEN RAISE EXCEPTION 'no %', a; END "
                  "IF; RETURN 1 / a; END"),
     {{"0"}, {"1"}, {"3"}}},
    {"commits",
     "CREATE PROCEDURE f(a integer) LANGUAGE plpgsql AS $$ BEGIN UPDATE account SET note = 'f'; "
     "CALL "
     "k(a); UPDATE account SET note = 'x' WHERE id = 1; IF a = 2 THEN ROLLBACK; END IF; END $$;\n"
     "CREATE PROCEDURE k(b integer) LANGUAGE plpgsql AS $$ BEGIN INSERT INTO entry (amount) VALUES "
     "(b); IF b > 0 THEN COMMIT; END IF; END $$;",
     {{"0"}, {"1"}, {"2"}}},
    {"a function that commits",
     "CREATE PROCEDURE f(a integer) LANGUAGE plpgsql AS $$ BEGIN UPDATE account SET note = 'f'; "
     "PERFORM g(a); END $$;\n" +
         function("g", "b integer", "integer", "BEGIN IF b = 1 THEN COMMIT; END IF; RETURN 1; END"),
     {{"1"}, {"2"}}},
    {"rows",
     function("f", "a integer", "text",
              "DECLARE r record; t text := ''; BEGIN FOR r IN SELECT * FROM g(a) LOOP t := t || "
              "r.owner; END LOOP; RETURN t || found::text; END") +
         function("g", "a integer", "SETOF account",
                  "BEGIN RETURN QUERY SELECT * FROM account WHERE id >= a ORDER BY id; END"),
     {{"1"}, {"3"}, {"9"}}},
    {"recursion",
     function("f", "a integer", "integer",
              "BEGIN IF a <= 0 THEN RETURN 0; END IF; UPDATE account SET note = a WHERE id = a; "
              "RETURN a + g(a - 1); END") +
         function("g", "b integer", "integer",
                  "BEGIN IF b < 1 THEN RETURN 10; END IF; RETURN b; END"),
     {{"0"}, {"2"}}},
};

INSTANTIATE_TEST_SUITE_P(All, Calls, testing::ValuesIn(kCalls));

// Bodies that call each other, made up: g calls h, f calls both.
class MadeCalls {
 public:
  explicit MadeCalls(std::uint32_t seed) : random_(seed) {}

  std::string routines() {
    const std::string h = called("h", {});
    const std::string g = called("g", {"h"});
    return function("f", "a integer", "text",
                    fmt::format("DECLARE n integer := 1; t text := ''; BEGIN {} RETURN t || n; END",
                                statements({"g", "h"}, 3))) +
           g + h;
  }

 private:
  std::size_t draw(std::size_t count) { return random_() % count; }
  template <class List>
  std::string one_of(const List& list) {
    return std::string(list[draw(std::size(list))]);
  }

  std::string called(std::string_view name, const std::vector<std::string>& others) {
    return function(
        name, "a integer", "integer",
        fmt::format("DECLARE n integer := {}; t text := ''; BEGIN {} RETURN n % 100; END", draw(5),
                    statements(others, 2)));
  }

  std::string value(const std::vector<std::string>& others) {
    static constexpr std::string_view kValues[] = {"n", "a", "2", "n + a", "NULL", "a % 3"};
    if (others.empty() || draw(2) == 0) return one_of(kValues);
    return fmt::format("{}({})", one_of(others), one_of(kValues));
  }

  std::string condition(const std::vector<std::string>& others) {
    const std::string first = fmt::format("{} > {}", value(others), draw(4));
    if (draw(2) == 0) return first;
    return fmt::format("{} {} {} < {}", first, draw(2) == 0 ? "AND" : "OR", value(others), draw(4));
  }

  std::string statements(const std::vector<std::string>& others, std::size_t depth) {
    std::string all;
    for (std::size_t i = 0, count = 1 + draw(3); i < count; ++i) {
      all += statement(others, depth) + " ";
    }
    return all;
  }

  std::string statement(const std::vector<std::string>& others, std::size_t depth) {
    switch (draw(depth == 0 ? 6 : 9)) {
      case 0:
        return fmt::format("n := {};", value(others));
      case 1:
        // With a call in it PostgreSQL numbers the row before those that the call makes.
        return fmt::format("INSERT INTO entry (amount) VALUES ({});", value({}));
      case 2:
        return fmt::format("PERFORM {};", value(others));
      case 3:
        return fmt::format("SELECT {} INTO n;", value(others));
      case 4:
        return "UPDATE account SET note = n WHERE id = a; t := t || found::text;";
      case 5:
        return fmt::format("n := CASE WHEN {} THEN {} ELSE {} END;", condition(others),
                           value(others), value(others));
      case 6:
        return fmt::format("IF {} THEN {} ELSE {} END IF;", condition(others),
                           statements(others, depth - 1), statements(others, depth - 1));
      case 7:
        return fmt::format("FOR i IN 1 .. 2 LOOP {} EXIT WHEN {}; END LOOP;",
                           statements(others, depth - 1), condition(others));
      default:
        return fmt::format("IF {} THEN RETURN {}; END IF;", condition(others), value(others));
    }
  }

  std::mt19937 random_;
};

TEST(MadeUpCalls, are_what_is_called) {
  const std::size_t count = test_rounds(12);
  for (std::uint32_t seed = 1; seed <= count && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const std::string routines = MadeCalls(seed).routines();
    for (const char* a : {"1", "2"}) expect_same_calls(routines, {a});
  }
}

// A program that leaves out the first statement of a called routine is told from what is called.
TEST(MadeUpCalls, are_told_from_others) {
  const std::string routines =
      function("f", "a integer", "integer", "BEGIN RETURN g(a); END") +
      function("g", "a integer", "integer",
               "BEGIN UPDATE account SET note = 'g' WHERE id = a; RETURN 1; END");
  Program program = read_calls(routines);
  Functionality& first = program.functionalities.at(0);
  const std::string expected = called_on_server(routines, first, {"1"});
  const std::size_t dropped = std::erase_if(first.body, [](const Action& action) {
    return std::holds_alternative<RunStatement>(action.what);
  });
  EXPECT_EQ(dropped, 1U);
  drop_called();
  EXPECT_NE(interpreted(program, first, {"1"}), expected);
}

}  // namespace
}  // namespace heddle::interpreter
