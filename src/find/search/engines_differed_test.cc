// Random programs about which the two searches differed once, made small.
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "find/search/find_testing.h"
#include "heddle/find.h"

namespace heddle::find {
namespace {

struct Shrunk {
  std::vector<std::string> procedures;
  IsolationLevel level;
  std::optional<IsolationLevel> across;
  std::string cycle;
  bool is_found;
};

const std::vector<Shrunk>& shrunk() {
  static const std::vector<Shrunk> all = {
      // Two snapshots of one session: the second one changes a row that the first one has deleted,
      // which it must have seen, and so it changes nothing.
      {.procedures = {"DELETE FROM t0 WHERE id = a; COMMIT; SELECT x INTO v FROM t0 WHERE x = b; "
                      "COMMIT; UPDATE t0 SET x = a WHERE id = a;"},
       .level = IsolationLevel::snapshot,
       .across = {},
       .cycle = "f0.2 rw f0.4 on t0, f0.2 rw f0.4 on t0",
       .is_found = false},
      // Where the last statement does not run, nothing is said of what it would have seen, which
      // the two levels would have had it see differently.
      {.procedures = {"UPDATE t1 SET x = b WHERE id = a; INSERT INTO t0 VALUES (a, 2);",
                      "UPDATE t0 SET x = b WHERE id = a; COMMIT; UPDATE t1 SET x = x + 2 WHERE id "
                      "= a; COMMIT; IF 1 > b THEN UPDATE t0 SET x = b WHERE id = a; END IF;"},
       .level = IsolationLevel::transactional_causal,
       .across = IsolationLevel::repeatable_read_axiom,
       .cycle = "f0.0 wr f1.2 on t1, f1.0 rw f0.1 on t0",
       .is_found = true},
      // An INSERT that does not see that the row is gone, and changes it, does not make it again.
      {.procedures = {"DELETE FROM t0 WHERE id = a; INSERT INTO t0 VALUES (a, 1) ON CONFLICT (id) "
                      "DO UPDATE SET x = t0.x + 1;",
                      "SELECT x INTO v FROM t0 WHERE id = a; UPDATE t0 SET x = b WHERE id = a;"},
       .level = IsolationLevel::repeatable_read_axiom,
       .across = {},
       .cycle = "f0.1 wr f1.0 on t0, f1.0 rw f0.0 on t0",
       .is_found = true},
      // A later transaction is refused: the earlier one is seen all the same.
      {.procedures = {"SELECT x INTO v FROM t0 WHERE id = a; SELECT x INTO v FROM t0 WHERE x > 2;",
                      "UPDATE t0 SET x = 7 WHERE id = a; COMMIT; INSERT INTO t0 VALUES (a, 1);"},
       .level = IsolationLevel::read_committed,
       .across = IsolationLevel::repeatable_read,
       .cycle = "f0.1 rw f1.0 on t0, f1.0 wr f0.0 on t0",
       .is_found = true},
  };
  return all;
}

TEST(EnginesDiffered, agree_now) {
  for (const Shrunk& one : shrunk()) {
    std::string text =
        "CREATE TABLE t0 (id int PRIMARY KEY, x int NOT NULL);\n"
        "CREATE TABLE t1 (id int PRIMARY KEY, x int NOT NULL);\n";
    for (std::size_t i = 0; i < one.procedures.size(); ++i) {
      text += fmt::format(
          "CREATE PROCEDURE f{}(a int, b int) LANGUAGE plpgsql AS $$\nDECLARE v int;\n"
          "BEGIN\n{}\nEND $$;\n",
          i, one.procedures[i]);
    }
    const Program program = parse(text);
    FindOptions options;
    options.level = one.level;
    options.across = one.across;
    options.max_instances = 2;
    options.max_length = 4;
    options.jobs = 1;
    const Found fast = cycles_of(program, options);
    options.engine = FindEngine::reference;
    const Found reference = cycles_of(program, options);
    EXPECT_EQ(difference(fast.named, reference.named), "") << text;
    EXPECT_EQ(fast.cycles.contains(one.cycle), one.is_found) << one.cycle << "\n" << text;
  }
}

}  // namespace
}  // namespace heddle::find
