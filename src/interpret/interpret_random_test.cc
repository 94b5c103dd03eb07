// Random routines, small ones.
#include <array>
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "interpret/routine_testing.h"

namespace heddle::interpreter {
namespace {

constexpr std::size_t kRoutines = 40;

class RandomRoutine {
 public:
  explicit RandomRoutine(std::uint64_t seed) : random_(seed), asks_store_(seed % 2 == 0) {}

  std::string text() {
    return "CREATE FUNCTION f(a integer, b text) RETURNS text LANGUAGE plpgsql AS $$\nDECLARE\n"
           "  n integer := 1; m numeric(6,2) := 2.5; t text := 'x'; q boolean; r record;\nBEGIN\n"
           "  SELECT * INTO r FROM account WHERE id = a;\n" +
           block(3) + "  RETURN concat(n, '|', m, '|', t, '|', q, '|', r.id, '|', " +
           (asks_store_ ? "1" : "found") + ");\nEND $$";
  }

 private:
  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }
  template <std::size_t size>
  std::string one_of(const std::array<std::string_view, size>& texts) {
    return std::string(texts.at(below(size)));
  }

  std::string number() {
    static constexpr std::array<std::string_view, 14> kNumbers = {
        "n",     "m",     "a",     "r.id",      "r.balance",      "1",        "0", "2.75",
        "n + a", "m * n", "a / n", "length(t)", "coalesce(n, m)", "n - 2 * a"};
    return one_of(kNumbers);
  }
  // A value that the store computes is read as a statement, which sets `found`; the original leaves
  // it alone.
  std::string condition() {
    static constexpr std::array<std::string_view, 10> kConditions = {
        "q",     "NOT q",       "t LIKE 'x%'",       "b IS NULL",     "n = a",
        "m > n", "r.owner = b", "n BETWEEN 0 AND a", "q IS NOT TRUE", "a IN (1, n)"};
    const std::size_t choice = below(20);
    if (choice < 5) {
      return "(" + condition() + (below(2) == 0 ? " AND " : " OR ") + condition() + ")";
    }
    if (choice < 8) {
      return asks_store_ ? "EXISTS (SELECT 1 FROM account WHERE id = n)" : "found";
    }
    return one_of(kConditions);
  }
  std::string label() { return "l" + std::to_string(++labels_); }

  std::string block(std::size_t depth) {
    std::string text;
    for (std::size_t i = 0; i <= below(4); ++i) text += statement(depth);
    return text;
  }

  std::string statement(std::size_t depth) {
    if (depth > 0 && below(2) == 0) return control(depth - 1);
    switch (below(12)) {
      case 0:
        return "n := " + number() + ";\n";
      case 1:
        return "m := " + number() + ";\n";
      case 2:
        return "t := t || coalesce(" + number() + "::text, b, '-');\n";
      case 3:
        return "q := " + condition() + ";\n";
      case 4:
        return "UPDATE account SET balance = balance + " + number() + " WHERE id = n;\n";
      case 5:
        return "INSERT INTO account VALUES (" + number() + ", t, " + number() + ");\n";
      case 6:
        return "INSERT INTO entry (account_id, amount) VALUES (n, " + number() +
               ") RETURNING amount INTO m;\n";
      case 7:
        return "DELETE FROM entry WHERE amount > " + number() + ";\n";
      case 8:
        return "SELECT owner, balance INTO t, m FROM account WHERE id >= n ORDER BY id;\n";
      case 9:
        return "GET DIAGNOSTICS n = ROW_COUNT;\n";
      case 10:
        return "r.balance := " + number() + ";\n";
      default:
        return below(3) == 0 ? "RAISE EXCEPTION 'no % %', n, q;\n"
                             : "UPDATE account SET note = t WHERE balance > m;\n";
    }
  }

  std::string control(std::size_t depth) {
    switch (below(6)) {
      case 0:
        return "IF " + condition() + " THEN\n" + block(depth) + "ELSE\n" + block(depth) +
               "END IF;\n";
      case 1:
        return "FOR i IN 1 .. 3 LOOP\nt := t || i;\n" + block(depth) + "EXIT WHEN " + condition() +
               ";\n" + block(depth) + "END LOOP;\n";
      case 2:
        return "FOR r IN SELECT * FROM account WHERE id > " + number() + " ORDER BY id LOOP\n" +
               block(depth) + "CONTINUE WHEN " + condition() + ";\nt := t || '.';\nEND LOOP;\n";
      case 3:
        return handled(depth);
      case 4: {
        const std::string name = label();
        return "<<" + name + ">>\nFOR j IN REVERSE 3 .. 2 LOOP\nFOR k IN 1 .. 2 LOOP\n" +
               block(depth) + "IF " + condition() + " THEN EXIT " + name +
               "; END IF;\nEND LOOP;\nEND LOOP;\n";
      }
      default:
        return "IF " + condition() + " THEN RETURN t || n; END IF;\n";
    }
  }

  std::string handled(std::size_t depth) {
    static constexpr std::array<std::string_view, 7> kNames = {
        "others",
        "unique_violation",
        "check_violation",
        "division_by_zero",
        "raise_exception",
        "data_exception",
        "integrity_constraint_violation OR SQLSTATE '22012'"};
    return "BEGIN\n" + block(depth) + "EXCEPTION WHEN " + one_of(kNames) + " THEN\n" +
           block(depth) + (below(3) == 0 ? "RAISE;\n" : "") + "END;\n";
  }

  std::mt19937_64 random_;
  bool asks_store_;
  std::size_t labels_ = 0;
};

TEST(InterpretRandom, does_what_postgres_does) {
  for (std::uint64_t seed = 1; seed <= test_rounds(kRoutines); ++seed) {
    const std::string routine = RandomRoutine(seed).text();
    expect_same(routine, {Cell(std::to_string(seed % 4)), seed % 5 == 0 ? Cell() : Cell("ann")});
    if (HasFailure()) FAIL() << "seed " << seed;
  }
}

// A program that is not quite the routine.
TEST(InterpretRandom, notices_a_missing_action) {
  std::size_t noticed = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const std::string routine = RandomRoutine(seed).text();
    Program program = must(parse_program({{"p.sql", std::string(kTables) + routine}}));
    Functionality& functionality = program.functionalities.at(0);
    const std::vector<Cell> arguments = {"1", "ann"};
    const std::string expected = served(functionality, routine, arguments);
    functionality.body.erase(functionality.body.begin());
    if (interpreted(program, functionality, arguments) != expected) ++noticed;
  }
  EXPECT_GT(noticed, 0U);
}

}  // namespace
}  // namespace heddle::interpreter
