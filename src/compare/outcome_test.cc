#include "compare/outcome.h"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/text.h"

namespace heddle {
namespace {

// One session per line, its steps separated by blanks.
Scenario compared_scenario(const std::vector<std::vector<std::string>>& sessions) {
  Scenario scenario;
  for (const auto& steps : sessions) {
    Session session;
    session.name = "s" + std::to_string(scenario.sessions.size() + 1);
    for (const std::string& name : steps) {
      session.steps.emplace_back(scenario.steps.size());
      Step step;
      step.name = name;
      step.session = SessionId(scenario.sessions.size());
      scenario.steps.push_back(step);
    }
    scenario.sessions.push_back(session);
  }
  return scenario;
}

// "id* item when*clock": columns; an asterisk marks a generated one, what follows is its domain.
std::vector<Column> read_columns(const std::string& text) {
  std::vector<Column> columns;
  for (const std::string& word : split(text, ' ')) {
    Column& column = columns.emplace_back();
    const std::size_t star = word.find('*');
    column.name = word.substr(0, star);
    column.generated = star != std::string::npos;
    if (column.generated) column.domain = word.substr(star + 1);
  }
  return columns;
}

// "1,ann 2,NULL": rows separated by blanks, cells by commas.
std::vector<Row> read_rows(const std::string& text) {
  std::vector<Row> rows;
  if (text.empty()) return rows;
  for (const std::string& line : split(text, ' ')) {
    Row& row = rows.emplace_back();
    for (const std::string& cell : split(line, ',')) {
      row.push_back(cell == "NULL" ? Cell() : Cell(cell));
    }
  }
  return rows;
}

Reply rows_reply(const std::string& columns, const std::string& rows, bool ordered = false) {
  ResultSet result;
  result.columns = read_columns(columns);
  result.rows = read_rows(rows);
  result.ordered = ordered;
  result.has_rows = true;
  return {result, std::nullopt};
}

Reply command_reply(const std::string& tag) {
  ResultSet result;
  result.command_tag = tag;
  return {result, std::nullopt};
}

Reply error_reply(ErrorClass error_class, const std::string& code, const std::string& message) {
  StepError error;
  error.error_class = error_class;
  error.code = code;
  error.severity = "ERROR";
  error.message = message;
  return {std::nullopt, error};
}

TableState compared_table(const std::string& name, const std::string& columns,
                          const std::string& rows) {
  return {name, read_columns(columns), read_rows(rows)};
}

StepRecord record(std::size_t step, std::vector<Reply> replies) {
  StepRecord result;
  result.step = StepId(step);
  result.replies = std::move(replies);
  return result;
}

// Two sessions with one step each.
const Scenario& two_steps() {
  static const Scenario scenario = compared_scenario({{"a"}, {"b"}});
  return scenario;
}

struct Side {
  Reply a = command_reply("INSERT 0 1");
  Reply b = command_reply("INSERT 0 1");
  std::vector<TableState> tables;
};

Outcome outcome(const Side& side) {
  heddle::Run run;
  run.records = {record(0, {side.a}), record(1, {side.b})};
  run.tables = side.tables;
  return outcome_of(run, two_steps(), {});
}

std::string printed_outcome(const OutcomeComparison& comparison) {
  std::string text = std::string(comparison.final_equal ? "final equal" : "final differs") +
                     (comparison.reads_equal ? ", reads equal" : ", reads differ");
  for (const Difference& difference : comparison.differences) {
    text += "\n" + difference.where + ": " + difference.observed + " | " + difference.serial;
  }
  return text;
}

std::string compare_sides(const Side& run, const Side& serial, const FixedValues& fixed = {}) {
  const Outcome left = outcome(run);
  const Outcome right = outcome(serial);
  const OutcomeComparison comparison = compare(left, right, two_steps(), fixed);
  EXPECT_TRUE(comparison.exact);
  EXPECT_EQ(comparison.differences.empty(), comparison.equal());
  EXPECT_EQ(is_equal(left, right, fixed), comparison.equal());
  if (canonical_key(left, fixed) == canonical_key(right, fixed)) {
    EXPECT_TRUE(comparison.equal());
  }
  return printed_outcome(comparison);
}

std::string compare_tables(const std::vector<TableState>& run,
                           const std::vector<TableState>& serial, const FixedValues& fixed = {}) {
  Side left;
  left.tables = run;
  Side right;
  right.tables = serial;
  return compare_sides(left, right, fixed);
}

std::string compare_reads(const Reply& run, const Reply& serial) {
  Side left;
  left.a = run;
  Side right;
  right.a = serial;
  return compare_sides(left, right);
}

constexpr const char* kEqual = "final equal, reads equal";

TEST(OutcomeOf, leaves_out_skipped_and_removed_steps) {
  const Scenario scenario = compared_scenario({{"a1", "a2"}, {"b1"}});
  heddle::Run run;
  run.records = {record(0, {command_reply("BEGIN")}), record(2, {command_reply("UPDATE 1")}),
                 record(1, {command_reply("COMMIT")})};
  run.records[2].skipped = true;
  Outcome all = outcome_of(run, scenario, {});
  ASSERT_EQ(all.sessions.size(), 2U);
  ASSERT_EQ(all.sessions[0].size(), 1U);
  EXPECT_EQ(all.sessions[0][0].step, StepId(0));
  EXPECT_EQ(all.sessions[1].size(), 1U);
  EXPECT_EQ(outcome_of(run, scenario, {SessionId(1)}).sessions[1].size(), 0U);
}

TEST(CompareOutcomes, ignores_the_order_between_sessions) {
  heddle::Run run;
  run.records = {record(1, {rows_reply("x", "2")}), record(0, {rows_reply("x", "1")})};
  heddle::Run serial;
  serial.records = {record(0, {rows_reply("x", "1")}), record(1, {rows_reply("x", "2")})};
  const OutcomeComparison comparison =
      compare(outcome_of(run, two_steps(), {}), outcome_of(serial, two_steps(), {}), two_steps());
  EXPECT_TRUE(comparison.equal());
}

TEST(CompareOutcomes, shows_only_the_final_rows_that_differ) {
  EXPECT_EQ(compare_tables({compared_table("account", "id balance", "1,110 2,50 3,7")},
                           {compared_table("account", "id balance", "1,120 2,50 3,7")}),
            "final differs, reads equal\n"
            "final rows of account: (1, 110) | (1, 120)");
  EXPECT_EQ(
      compare_tables({compared_table("account", "id", "")}, {compared_table("account", "id", "1")}),
      "final differs, reads equal\n"
      "final rows of account: no rows | (1)");
  EXPECT_EQ(compare_tables({compared_table("account", "id", "1 2")},
                           {compared_table("account", "id", "1")}),
            "final differs, reads equal\n"
            "final rows of account: (2) | no such row");
}

TEST(CompareOutcomes, counts_duplicates) {
  EXPECT_EQ(
      compare_tables({compared_table("t", "x", "1 1 2")}, {compared_table("t", "x", "1 2 1")}),
      kEqual);
  EXPECT_EQ(
      compare_tables({compared_table("t", "x", "1 1 2")}, {compared_table("t", "x", "1 2 2")}),
      "final differs, reads equal\n"
      "final rows of t: (1) | (2)");
}

TEST(CompareOutcomes, tells_null_from_text) {
  EXPECT_EQ(compare_tables({compared_table("t", "x y", "NULL,1")},
                           {compared_table("t", "x y", "NULL,1")}),
            kEqual);
  EXPECT_NE(compare_reads(rows_reply("x", "NULL"), rows_reply("x", "null")), kEqual);
  EXPECT_NE(compare_tables({compared_table("t", "id*", "NULL")}, {compared_table("t", "id*", "5")}),
            kEqual);
  EXPECT_EQ(compare_tables({compared_table("t", "id*", "NULL 4")},
                           {compared_table("t", "id*", "5 NULL")}),
            kEqual);
}

TEST(CompareOutcomes, shows_at_most_five_rows) {
  EXPECT_EQ(
      compare_tables({compared_table("t", "x", "1 2 3 4 5 6 7")}, {compared_table("t", "x", "8")}),
      "final differs, reads equal\n"
      "final rows of t: (1), (2), (3), (4), (5), ... 2 more | (8)");
}

TEST(CompareOutcomes, respects_order_by) {
  EXPECT_EQ(compare_reads(rows_reply("x", "1 2"), rows_reply("x", "2 1")), kEqual);
  EXPECT_EQ(compare_reads(rows_reply("x", "1 2 3", true), rows_reply("x", "2 1 3", true)),
            "final equal, reads differ\n"
            "result of step a: (1), (2) | (2), (1)");
}

TEST(CompareOutcomes, compares_errors_by_code_and_message) {
  const Reply unique = error_reply(ErrorClass::other, "23505", "duplicate key");
  EXPECT_EQ(compare_reads(unique, unique), kEqual);
  EXPECT_EQ(compare_reads(unique, error_reply(ErrorClass::other, "23503", "no such key")),
            "final equal, reads differ\n"
            "error of step a: ERROR: duplicate key (23505) | ERROR: no such key (23503)");
  EXPECT_EQ(compare_reads(unique, command_reply("INSERT 0 1")),
            "final equal, reads differ\n"
            "error of step a: ERROR: duplicate key (23505) | INSERT 0 1");
  EXPECT_EQ(compare_reads(rows_reply("x y", "1,2"), unique),
            "final equal, reads differ\n"
            "error of step a: [x, y] (1, 2) | ERROR: duplicate key (23505)");
}

TEST(CompareOutcomes, ignores_the_messages_of_concurrency_errors) {
  EXPECT_EQ(compare_reads(error_reply(ErrorClass::deadlock, "40P01", "process 1"),
                          error_reply(ErrorClass::deadlock, "40P01", "process 2")),
            kEqual);
  EXPECT_NE(compare_reads(error_reply(ErrorClass::deadlock, "40P01", "x"),
                          error_reply(ErrorClass::lock_timeout, "55P03", "x")),
            kEqual);
}

TEST(CompareOutcomes, compares_rows_affected_and_command_tags) {
  EXPECT_EQ(compare_reads(command_reply("UPDATE 1"), command_reply("UPDATE 0")),
            "final equal, reads differ\n"
            "rows affected by step a: UPDATE 1 | UPDATE 0");
  EXPECT_EQ(compare_reads(command_reply("ROLLBACK"), command_reply("COMMIT")),
            "final equal, reads differ\n"
            "reply of step a: ROLLBACK | COMMIT");
}

TEST(CompareOutcomes, compares_column_names) {
  EXPECT_EQ(compare_reads(rows_reply("x", "1"), rows_reply("y", "1")),
            "final equal, reads differ\n"
            "result of step a: [x] (1) | [y] (1)");
}

TEST(CompareOutcomes, names_the_statement_and_the_time) {
  const Scenario scenario = compared_scenario({{"a"}});
  heddle::Run run;
  run.records = {record(0, {command_reply("BEGIN"), rows_reply("x", "1")}),
                 record(0, {command_reply("BEGIN"), rows_reply("x", "2")})};
  heddle::Run serial = run;
  serial.records[0].replies[1] = rows_reply("x", "3");
  serial.records[1].replies.pop_back();
  const OutcomeComparison comparison =
      compare(outcome_of(run, scenario, {}), outcome_of(serial, scenario, {}), scenario);
  EXPECT_EQ(printed_outcome(comparison),
            "final equal, reads differ\n"
            "result of statement 2 of step a: (1) | (3)\n"
            "result of statement 2 of step a (time 2): [x] (2) | nothing");
  EXPECT_EQ(comparison.wrong_steps, (std::vector<StepOccurrence>{{StepId(0), 0}, {StepId(0), 1}}));
}

TEST(CompareOutcomes, compares_invariants) {
  Outcome run = outcome({});
  Outcome serial = run;
  run.invariants = {{"no overdraft", false, {}, {}}};
  serial.invariants = {{"no overdraft", true, {}, {}}};
  EXPECT_EQ(printed_outcome(compare(run, serial, two_steps())),
            "final differs, reads equal\n"
            "invariant \"no overdraft\": broken | holds");
}

TEST(CompareOutcomes, notices_tables_of_one_side_only) {
  EXPECT_EQ(compare_tables({compared_table("t", "x", "1")}, {}),
            "final differs, reads equal\n"
            "final rows of t: [x] (1) | nothing");
}

TEST(CompareOutcomes, renames_swapped_and_skipped_sequence_values) {
  EXPECT_EQ(compare_tables({compared_table("orders", "id* item", "7,bread 9,milk")},
                           {compared_table("orders", "id* item", "7,milk 8,bread")}),
            kEqual);
  EXPECT_EQ(compare_tables({compared_table("orders", "id* item", "7,bread 9,milk")},
                           {compared_table("orders", "id* item", "7,milk 8,salt")}),
            "final differs, reads equal\n"
            "final rows of orders: (7, bread) | (8, salt)");
}

TEST(CompareOutcomes, never_renames_keys_the_program_computed) {
  EXPECT_EQ(compare_tables({compared_table("orders", "id item", "7,bread 8,milk")},
                           {compared_table("orders", "id item", "7,milk 8,bread")}),
            "final differs, reads equal\n"
            "final rows of orders: (7, bread), (8, milk) | (7, milk), (8, bread)");
}

TEST(CompareOutcomes, renames_uuid_keys_and_what_references_them) {
  const auto tables = [](const std::string& orders, const std::string& items) {
    return std::vector<TableState>{compared_table("item", "order_id* what", items),
                                   compared_table("orders", "id* customer", orders)};
  };
  EXPECT_EQ(compare_tables(tables("a0,ann b1,bob", "a0,milk b1,bread b1,salt"),
                           tables("c2,bob d3,ann", "c2,bread c2,salt d3,milk")),
            kEqual);
  EXPECT_EQ(compare_tables(tables("a0,ann b1,bob", "a0,milk b1,bread b1,salt"),
                           tables("c2,bob d3,ann", "c2,bread d3,salt d3,milk")),
            "final differs, reads equal\n"
            "final rows of item: (b1, salt) | (d3, salt)");
}

TEST(CompareOutcomes, demands_that_equal_times_stay_equal) {
  EXPECT_EQ(compare_tables({compared_table("t", "at* x", "10:00,1 10:00,2")},
                           {compared_table("t", "at* x", "11:00,1 11:00,2")}),
            kEqual);
  EXPECT_NE(compare_tables({compared_table("t", "at* x", "10:00,1 10:00,2")},
                           {compared_table("t", "at* x", "11:00,1 12:00,2")}),
            kEqual);
  EXPECT_NE(compare_tables({compared_table("t", "at* x", "10:00,1 10:01,2")},
                           {compared_table("t", "at* x", "11:00,1 11:00,2")}),
            kEqual);
}

// Two serial columns both begin with 1; which of their values meet is chance.
TEST(CompareOutcomes, renames_each_domain_on_its_own) {
  EXPECT_EQ(compare_tables({compared_table("a", "id*a x", "1,ann 2,bob"),
                            compared_table("b", "id*b x", "1,ann 2,bob")},
                           {compared_table("a", "id*a x", "1,ann 2,bob"),
                            compared_table("b", "id*b x", "2,ann 1,bob")}),
            kEqual);
  EXPECT_NE(compare_tables({compared_table("a", "id* x", "1,ann 2,bob"),
                            compared_table("b", "id* x", "1,ann 2,bob")},
                           {compared_table("a", "id* x", "1,ann 2,bob"),
                            compared_table("b", "id* x", "2,ann 1,bob")}),
            kEqual);
}

TEST(CompareOutcomes, keeps_rows_that_were_there_before) {
  const std::vector<TableState> initial = {compared_table("t", "id* x", "1,a 2,b")};
  const FixedValues fixed = fixed_values(initial);
  EXPECT_EQ(fixed, (FixedValues{{"", "1"}, {"", "2"}}));
  const std::vector<TableState> run = {compared_table("t", "id* x", "1,a 2,c 3,d")};
  EXPECT_EQ(compare_tables(run, {compared_table("t", "id* x", "1,a 2,c 4,d")}, fixed), kEqual);
  const std::vector<TableState> other = {compared_table("t", "id* x", "1,c 2,a 3,d")};
  EXPECT_EQ(compare_tables(run, other), kEqual);
  EXPECT_EQ(compare_tables(run, other, fixed),
            "final differs, reads equal\n"
            "final rows of t: (1, a), (2, c) | (1, c), (2, a)");
}

TEST(CompareOutcomes, renames_reads_and_final_rows_together) {
  const auto side = [](const std::string& a, const std::string& b, const std::string& rows) {
    return Side{rows_reply("id*", a), rows_reply("id*", b), {compared_table("t", "id* x", rows)}};
  };
  EXPECT_EQ(compare_sides(side("1", "2", "1,ann 2,bob"), side("6", "5", "6,ann 5,bob")), kEqual);
  // Each part has a renaming, but not the same.
  EXPECT_EQ(compare_sides(side("1", "2", "1,ann 2,bob"), side("5", "6", "6,ann 5,bob")),
            "final equal, reads differ\n"
            "result of step a: (1) | (5)\n"
            "result of step b: (2) | (6)");
}

// A session that rolled back used up a value: it is in its reads only.
TEST(CompareOutcomes, allows_values_of_aborted_inserts) {
  const auto side = [](const std::string& a, const std::string& b, const std::string& rows) {
    return Side{rows_reply("id*", a), rows_reply("id*", b), {compared_table("t", "id*", rows)}};
  };
  EXPECT_EQ(compare_sides(side("1", "2", "2"), side("2", "1", "1")), kEqual);
  EXPECT_NE(compare_sides(side("1", "2", "2"), side("1", "2", "1")), kEqual);
}

TEST(CompareOutcomes, reports_final_and_read_differences) {
  Side run;
  run.a = rows_reply("balance", "100");
  run.tables = {compared_table("account", "id balance", "1,110")};
  Side serial;
  serial.a = rows_reply("balance", "120");
  serial.tables = {compared_table("account", "id balance", "1,130")};
  EXPECT_EQ(compare_sides(run, serial),
            "final differs, reads differ\n"
            "result of step a: (100) | (120)\n"
            "final rows of account: (1, 110) | (1, 130)");
}

TEST(CanonicalKey, is_equal_for_renamed_outcomes) {
  Side run;
  run.tables = {compared_table("t", "id* x", "1,a 2,a 3,b")};
  Side serial;
  serial.tables = {compared_table("t", "id* x", "4,b 5,a 9,a")};
  EXPECT_EQ(canonical_key(outcome(run)), canonical_key(outcome(serial)));
  serial.tables = {compared_table("t", "id* x", "4,b 5,a 9,b")};
  EXPECT_NE(canonical_key(outcome(run)), canonical_key(outcome(serial)));
}

// Random small outcomes against the slow answer: every bijection of the values, tried literally.
class RandomOutcomes {
 public:
  explicit RandomOutcomes(std::uint32_t seed) : random_(seed) {}

  Side next() {
    Side side;
    if (below(2) == 0) side.a = rows_reply("id* x", rows(2), below(2) == 0);
    if (below(2) == 0) side.b = rows_reply("id*", ids(2));
    side.tables = {compared_table("t", "id* x", rows(3)), compared_table("u", "a* b*", pairs(3))};
    return side;
  }

  // `side` with values renamed, and often with one cell changed.
  Side disguise(Side side) {
    std::map<std::string, std::string> names;
    std::vector<std::string> fresh = {"1", "2", "3", "4"};
    std::shuffle(fresh.begin(), fresh.end(), random_);
    for (std::size_t i = 0; i < fresh.size(); ++i) names[std::to_string(i + 1)] = fresh[i];
    for_each_rows(side, [&](const std::vector<Column>& columns, std::vector<Row>& content) {
      for (Row& row : content) {
        for (std::size_t i = 0; i < row.size(); ++i) {
          if (columns[i].generated && row[i]) row[i] = names[*row[i]];
          if (below(25) == 0) row[i] = columns[i].generated ? id() : "x";
        }
      }
    });
    return side;
  }

  static void for_each_rows(
      Side& side, const std::function<void(const std::vector<Column>&, std::vector<Row>&)>& visit) {
    for (Reply* reply : {&side.a, &side.b}) visit(reply->result->columns, reply->result->rows);
    for (TableState& state : side.tables) visit(state.columns, state.rows);
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  std::string id() { return std::to_string(1 + below(4)); }
  std::string list(std::size_t limit, const std::function<std::string()>& row) {
    std::vector<std::string> parts;
    for (std::size_t count = below(limit + 1); count > 0; --count) parts.push_back(row());
    return join(parts, " ");
  }
  std::string ids(std::size_t limit) {
    return list(limit, [&] { return id(); });
  }
  std::string rows(std::size_t limit) {
    return list(limit, [&] { return id() + (below(2) == 0 ? ",x" : ",y"); });
  }
  std::string pairs(std::size_t limit) {
    return list(limit, [&] { return id() + "," + id(); });
  }

  std::mt19937 random_;
};

// Rows as sorted text under a renaming of the four values.
std::vector<std::string> print_rows(const Side& side, const std::vector<std::string>& names) {
  std::vector<std::string> parts;
  Side copy = side;
  RandomOutcomes::for_each_rows(
      copy, [&](const std::vector<Column>& columns, std::vector<Row>& rows) {
        std::vector<std::string> lines;
        for (const Row& row : rows) {
          std::string& line = lines.emplace_back();
          for (std::size_t i = 0; i < row.size(); ++i) {
            const bool renamed = columns[i].generated && row[i];
            line += renamed ? names[std::stoul(*row[i]) - 1] : row[i].value_or("-");
            line += ',';
          }
        }
        const bool ordered = (&columns == &copy.a.result->columns && copy.a.result->ordered);
        if (!ordered) std::sort(lines.begin(), lines.end());
        parts.push_back(join(lines, ";") + std::to_string(columns.size()) + (ordered ? ">" : ""));
      });
  return parts;
}

bool try_all_bijections(const Side& run, const Side& serial) {
  const std::vector<std::string> same = {"1", "2", "3", "4"};
  std::vector<std::string> names = same;
  const std::vector<std::string> expected = print_rows(serial, same);
  do {
    if (print_rows(run, names) == expected) return true;
  } while (std::next_permutation(names.begin(), names.end()));
  return false;
}

struct Counts {
  std::size_t equal = 0;
  std::size_t different = 0;
  std::size_t disagreements = 0;
};

Counts compare_with_oracle(const std::function<bool(const Side&, const Side&)>& engine) {
  RandomOutcomes random(7);
  Counts counts;
  for (std::size_t i = 0; i < 1'500; ++i) {
    const Side run = random.next();
    const Side serial = random.disguise(run);
    const bool expected = try_all_bijections(run, serial);
    ++(expected ? counts.equal : counts.different);
    counts.disagreements += engine(run, serial) != expected;
  }
  return counts;
}

TEST(CompareOutcomes, agrees_with_trying_all_bijections) {
  const Counts counts = compare_with_oracle([](const Side& run, const Side& serial) {
    return compare_sides(run, serial) == kEqual;  // checks the key and the differences, too
  });
  EXPECT_EQ(counts.disagreements, 0U);
  EXPECT_GT(counts.equal, 250U);
  EXPECT_GT(counts.different, 250U);
}

// The canary: an engine that blanks generated values, and one that never renames, are noticed.
TEST(CompareOutcomes, oracle_notices_broken_engines) {
  const std::vector<std::string> same = {"1", "2", "3", "4"};
  const std::vector<std::string> blank(4, "?");
  EXPECT_GT(compare_with_oracle([&](const Side& run, const Side& serial) {
              return print_rows(run, blank) == print_rows(serial, blank);
            }).disagreements,
            0U);
  EXPECT_GT(compare_with_oracle([&](const Side& run, const Side& serial) {
              return print_rows(run, same) == print_rows(serial, same);
            }).disagreements,
            0U);
}

}  // namespace
}  // namespace heddle
