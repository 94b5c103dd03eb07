// Random programs, all of whose paths are gone through one by one: how often one hands over at most
// is what is counted, no path is in two services without a COMMIT between them, and what it does
// without one is of one sub-transaction.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "program/visit.h"
#include "split/chop.h"
#include "split/hand_overs.h"
#include "split/split_testing.h"

namespace heddle::chopping {
namespace {

using split_testing::cut_of;
using split_testing::parse;
using split_testing::routine;

constexpr std::size_t kRounds = 2;
// Of one program. Those with more are left out.
constexpr std::size_t kMostPaths = 4000;

struct Asked {
  std::size_t service = 0;
  const ProgramStatement* statement = nullptr;
};

// What a run asks services, in order; none: a COMMIT.
using Path = std::vector<std::optional<Asked>>;
using Way = std::function<void(const Path&)>;

// Where a run goes on that leaves a block in one of these ways.
struct WaysOut {
  std::function<void(const std::string&, const Path&)> leave;  // of the loop with this label
  std::function<void(const std::string&, const Path&)> again;
  Way fail;
};

struct Rounds {
  const Block* body = nullptr;
  std::string label;
  bool may_end = true;  // before the next one
  std::size_t left = kRounds;
};

class PathWalker {
 public:
  explicit PathWalker(const TableServices& services) : services_(services) {}

  std::vector<Path> paths(const Block& body) {
    const auto nowhere = [](const std::string&, const Path&) { ADD_FAILURE() << "no loop"; };
    const Way end = [&](const Path& path) { end_with(path); };
    walk(body, 0, {}, end, {.leave = nowhere, .again = nowhere, .fail = end});
    return std::move(paths_);
  }
  bool has_all() const { return steps_ < kMostPaths; }

 private:
  void end_with(const Path& path) { paths_.push_back(path); }

  void walk(const Block& block, std::size_t at, const Path& path, const Way& next,
            const WaysOut& out) {
    if (++steps_ >= kMostPaths) return;
    if (at == block.size()) return next(path);
    const Way rest = [&, at](const Path& so_far) { walk(block, at + 1, so_far, next, out); };
    const auto& what = block[at].what;
    Path after = path;
    if (const ProgramStatement* statement = program::statement_of(block[at])) {
      if (statement->statement.kind == StatementKind::commit) {
        after.emplace_back();
      } else if (const auto own = services_.of(statement->statement); !own.empty()) {
        after.emplace_back(Asked{.service = *own.begin(), .statement = statement});
      }
      out.fail(after);
    }
    if (const auto* rows = std::get_if<RowLoop>(&what)) {
      return loop({.body = &rows->body, .label = rows->label}, after, rest, out);
    }
    if (const auto* count = std::get_if<CountLoop>(&what)) {
      return loop({.body = &count->body, .label = count->label}, path, rest, out);
    }
    if (const auto* one = std::get_if<Loop>(&what)) {
      const bool may_end = one->condition.has_value();
      return loop({.body = &one->body, .label = one->label, .may_end = may_end}, path, rest, out);
    }
    if (const auto* branch = std::get_if<Branch>(&what)) {
      walk(branch->then, 0, path, rest, out);
      return walk(branch->otherwise, 0, path, rest, out);
    }
    if (const auto* attempt = std::get_if<Attempt>(&what)) {
      const Way recover = [&](const Path& so_far) {
        for (const Recovery& one : attempt->recoveries) walk(one.body, 0, so_far, rest, out);
        out.fail(so_far);
      };
      recover(path);
      return walk(attempt->body, 0, path, rest,
                  {.leave = out.leave, .again = out.again, .fail = recover});
    }
    if (const auto* leave = std::get_if<LeaveLoop>(&what)) {
      return (leave->next ? out.again : out.leave)(leave->label, path);
    }
    if (std::holds_alternative<Raise>(what)) return out.fail(path);
    if (std::holds_alternative<Return>(what)) return end_with(path);
    rest(after);
  }

  void loop(const Rounds& rounds, const Path& path, const Way& next, const WaysOut& out) {
    if (rounds.may_end || rounds.left == 0) next(path);
    if (rounds.left == 0) return;
    const auto is_own = [&](const std::string& named) {
      return named.empty() || named == rounds.label;
    };
    const Way again = [&](const Path& so_far) {
      Rounds others = rounds;
      others.may_end = true;
      --others.left;
      loop(others, so_far, next, out);
    };
    const auto leave = [&](const std::string& named, const Path& so_far) {
      is_own(named) ? next(so_far) : out.leave(named, so_far);
    };
    const auto go_on = [&](const std::string& named, const Path& so_far) {
      is_own(named) ? again(so_far) : out.again(named, so_far);
    };
    walk(*rounds.body, 0, path, again, {.leave = leave, .again = go_on, .fail = out.fail});
  }

  const TableServices& services_;
  std::vector<Path> paths_;
  std::size_t steps_ = 0;
};

std::size_t hand_overs_on(const Path& path) {
  std::size_t count = 0;
  std::optional<std::size_t> last;
  for (const std::optional<Asked>& asked : path) {
    if (!asked) continue;
    if (last && last != asked->service) ++count;
    last = asked->service;
  }
  return count;
}

// Whether two that follow each other in one transaction are such.
template <class Are>
bool has_neighbours(const Path& path, Are are) {
  for (std::size_t i = 1; i < path.size(); ++i) {
    if (path[i - 1] && path[i] && are(*path[i - 1], *path[i])) return true;
  }
  return false;
}

bool shares_transaction(const Path& path) {
  return has_neighbours(path,
                        [](const Asked& a, const Asked& b) { return a.service != b.service; });
}

// Of each statement: the number of its sub-transaction.
using SubNumbers = std::map<const ProgramStatement*, std::size_t>;

SubNumbers sub_numbers(const ChoppedFunctionality& chopped) {
  const std::vector<ListedStatement> listed = list_statements(chopped.functionality);
  SubNumbers numbers;
  for (std::size_t i = 0; i < chopped.sub_transactions.size(); ++i) {
    for (const std::size_t statement : chopped.sub_transactions[i].statements) {
      numbers.emplace(listed[statement].statement, i);
    }
  }
  return numbers;
}

class RandomBody {
 public:
  explicit RandomBody(unsigned seed) : random_(seed) {}

  std::string text() { return "DECLARE r record;\nBEGIN\n" + block(3, 0, false) + "END"; }

 private:
  std::size_t below(std::size_t most) { return random_() % most; }

  std::string statement() { return fmt::format("UPDATE t{} SET n = 1 WHERE id = i;\n", below(3)); }

  std::string block(std::size_t depth, std::size_t loops, bool fails) {
    std::string text;
    const std::size_t actions = 1 + below(3);
    for (std::size_t i = 0; i < actions; ++i) text += action(depth, loops, fails);
    return text;
  }

  std::string action(std::size_t depth, std::size_t loops, bool fails) {
    const std::size_t kind = depth == 0 ? below(6) : below(12);
    if (kind < 4) return statement();
    if (kind < 6) return way_out(loops, fails);
    if (kind < 8) {
      const std::string other = below(2) == 0 ? "ELSE\n" + block(depth - 1, loops, fails) : "";
      return "IF i > 0 THEN\n" + block(depth - 1, loops, fails) + other + "END IF;\n";
    }
    if (kind < 11) {
      return "BEGIN\n" + block(depth - 1, loops, true) + "EXCEPTION WHEN OTHERS THEN\n" +
             block(depth - 1, loops, fails) + "END;\n";
    }
    const char* const heads[] = {"FOR k IN 1..i", "WHILE i > 0", "",
                                 "FOR r IN SELECT n FROM t0 WHERE id > i"};
    return fmt::format("<<l{}>>\n{} LOOP\n{}END LOOP;\n", loops, heads[below(4)],
                       block(depth - 1, loops + 1, fails));
  }

  std::string way_out(std::size_t loops, bool fails) {
    if (fails && below(2) == 0) {
      return "IF i = 4 THEN\n" + statement() + "RAISE EXCEPTION 'no';\nEND IF;\n";
    }
    if (below(3) == 0) return "IF i = 3 THEN\n" + statement() + "RETURN;\nEND IF;\n";
    if (loops == 0) return statement();
    const char* const word = below(2) == 0 ? "EXIT" : "CONTINUE";
    if (below(2) == 0) return fmt::format("{} WHEN i = 5;\n", word);
    return fmt::format("{} l{} WHEN i = 6;\n", word, below(loops));
  }

  std::mt19937 random_;
};

const std::string kThreeTables =
    "CREATE TABLE t0 (id int PRIMARY KEY, n int);\nCREATE TABLE t1 (id int PRIMARY KEY, n int);\n"
    "CREATE TABLE t2 (id int PRIMARY KEY, n int);\n";
const char* const kCuts[] = {R"({"A": ["t0"], "B": ["t1"], "C": ["t2"]})",
                             R"({"A": ["t0", "t1"], "B": ["t2"]})"};

struct ChoppedPaths {
  std::string text;
  std::vector<Path> paths;
  std::size_t counted = 0;
  bool has_all = false;
  bool divides_transaction = false;  // one that no COMMIT ends, into sub-transactions
};

ChoppedPaths paths_of(unsigned seed) {
  const std::string body = RandomBody(seed).text();
  const Program program = parse(kThreeTables + routine("f(i int)", body));
  const Cut cut = cut_of(kCuts[seed % 2U]);
  const TableServices services(cut, program.schema);
  const ChoppedFunctionality chopped =
      chop_functionality(program.functionalities[0], program.schema, services);
  PathWalker walker(services);
  ChoppedPaths all;
  all.text = print_program({.schema = {}, .functionalities = {chopped.functionality}, .notes = {}});
  all.paths = walker.paths(chopped.functionality.body);
  all.has_all = walker.has_all();
  const SubNumbers numbers = sub_numbers(chopped);
  all.divides_transaction = std::ranges::any_of(all.paths, [&](const Path& path) {
    return has_neighbours(path, [&](const Asked& a, const Asked& b) {
      return numbers.at(a.statement) != numbers.at(b.statement);
    });
  });
  all.counted = count_hand_overs(chopped.functionality, services, kRounds);
  return all;
}

std::size_t most_on(const std::vector<Path>& paths) {
  std::size_t most = 0;
  for (const Path& path : paths) most = std::max(most, hand_overs_on(path));
  return most;
}

const unsigned kPrograms = static_cast<unsigned>(test_rounds(300));

TEST(Paths, have_as_many_hand_overs_as_are_counted) {
  std::size_t looked_at = 0;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const ChoppedPaths all = paths_of(seed);
    if (!all.has_all) continue;
    ++looked_at;
    ASSERT_EQ(all.counted, most_on(all.paths)) << "seed " << seed << "\n" << all.text;
  }
  EXPECT_GT(looked_at, kPrograms / 2);
}

TEST(Paths, share_no_transaction_between_services) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const ChoppedPaths all = paths_of(seed);
    if (!all.has_all) continue;
    ASSERT_TRUE(std::ranges::none_of(all.paths, shares_transaction)) << "seed " << seed << "\n"
                                                                     << all.text;
  }
}

TEST(Paths, have_one_sub_transaction_until_a_commit) {
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    const ChoppedPaths all = paths_of(seed);
    if (!all.has_all) continue;
    ASSERT_FALSE(all.divides_transaction) << "seed " << seed << "\n" << all.text;
  }
}

// The comparison notices who counts in the order of the text.
TEST(PathsCanary, the_order_of_the_text_is_another_number) {
  const Program program =
      parse(kThreeTables + routine("f(i int)",
                                   "BEGIN\nIF i > 0 THEN\nUPDATE t0 SET n = 1 WHERE id = i;\n"
                                   "ELSE\nUPDATE t1 SET n = 1 WHERE id = i;\nEND IF;\nEND"));
  const Cut cut = cut_of(kCuts[0]);
  const TableServices services(cut, program.schema);
  Path in_text;
  for (const ListedStatement& listed : list_statements(program.functionalities[0])) {
    in_text.emplace_back(Asked{.service = *services.of(listed.statement->statement).begin(),
                               .statement = listed.statement});
  }
  EXPECT_EQ(hand_overs_on(in_text), 1U);
  EXPECT_TRUE(shares_transaction(in_text));
  EXPECT_EQ(most_on(PathWalker(services).paths(program.functionalities[0].body)), 0U);
}

}  // namespace
}  // namespace heddle::chopping
