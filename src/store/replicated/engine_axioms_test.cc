// Random runs at each level, and whether what statements saw satisfies the axioms of the level.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "store/replicated/engine_testing.h"

namespace heddle::replicated {
namespace {

constexpr const char* kSetup =
    "CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 0), (2, 0), (3, 0)";
constexpr const char* kRead = "SELECT v FROM t ORDER BY id";

using Names = std::set<std::string>;

enum class End : std::uint8_t { open, committed, rolled_back };

struct SeenTransaction {
  std::string session;
  End end = End::open;
  std::size_t begun = 0;  // when its first statement ran
  std::size_t ended = 0;
  std::vector<std::string> texts;
  std::vector<std::string> replies;
  Names writes;
  std::set<int> rows;
};

struct SeenStatement {
  std::string name;
  std::string session;
  std::size_t transaction = 0;
  bool wrote = false;
  Names seen;
};

// One random run and what it showed.
class RandomRun {
 public:
  RandomRun(IsolationLevel level, std::uint32_t seed) : random_(seed), store_(3, kSetup) {
    for (const std::string& name : sessions_) store_.open(name, level);
    store_.open("network", IsolationLevel::eventual);
    if (seed % 2 == 0) store_.run("network", "DELIVERY MANUAL");
    for (int i = 0; i < 60; ++i) step();
    for (const std::string& name : sessions_) finish(name, "ROLLBACK", End::rolled_back);
  }

  const std::vector<SeenStatement>& statements() const { return statements_; }
  const std::vector<SeenTransaction>& transactions() const { return transactions_; }
  std::string converged() { return store_.converged(kRead); }

  // What a statement saw of transactions that were not rolled back, its own left out.
  Names others_seen(const SeenStatement& statement) const {
    Names names;
    for (const std::string& name : statement.seen) {
      const std::size_t writer = transaction_of(name);
      const bool counts = transactions_[writer].end != End::rolled_back;
      if (counts && writer != statement.transaction) names.insert(name);
    }
    return names;
  }

  std::size_t transaction_of(const std::string& name) const { return writers_.at(name); }

 private:
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }

  void step() {
    const std::string name = sessions_[static_cast<std::size_t>(pick(3))];
    const int kind = pick(20);
    if (kind < 10) {
      execute(name);
    } else if (kind < 12) {
      if (open_.contains(name)) {
        finish(name, "COMMIT", End::committed);
      } else {
        store_.run(name, "BEGIN");
        begin(name);
      }
    } else if (kind == 12) {
      finish(name, "ROLLBACK", End::rolled_back);
    } else if (kind < 15) {
      store_.run("network", fmt::format("MOVE SESSION {} TO r{}", name, pick(3) + 1));
    } else if (kind < 18) {
      store_.run("network", fmt::format("DELIVER {}.{} TO r{}", name, pick(8) + 1, pick(3) + 1));
    } else if (kind == 18) {
      store_.run("network", pick(2) == 0 ? "HEAL" : "DELIVER ALL");
    } else {
      store_.run("network", fmt::format("PARTITION r{} FROM r{}", pick(3) + 1, pick(3) + 1));
    }
  }

  void begin(const std::string& name) {
    open_[name] = transactions_.size();
    SeenTransaction& transaction = transactions_.emplace_back();
    transaction.session = name;
  }

  void finish(const std::string& name, const std::string& text, End end) {
    const auto open = open_.find(name);
    if (open == open_.end()) return;
    const std::string reply = store_.run(name, text);
    SeenTransaction& transaction = transactions_[open->second];
    transaction.end = reply.starts_with("ERROR") ? End::rolled_back : end;
    transaction.ended = ++time_;
    open_.erase(open);
  }

  void execute(const std::string& name) {
    const int row = pick(3) + 1;
    const int kind = pick(3);
    const std::string text = kind == 0 ? std::string(kRead)
                             : kind == 1
                                 ? fmt::format("UPDATE t SET v = v + 1 WHERE id = {}", row)
                                 : fmt::format("UPDATE t SET v = {} WHERE id = {}", pick(9), row);
    const bool is_alone = !open_.contains(name);
    if (is_alone) begin(name);
    const std::size_t number = open_.at(name);
    const std::string reply = store_.run(name, text);
    SeenTransaction& transaction = transactions_[number];
    ++time_;
    const std::string statement = fmt::format("{}.{}", name, ++counts_[name]);
    writers_[statement] = number;
    const bool is_refused = reply.starts_with("ERROR");
    if (is_refused || is_alone) {
      transaction.end = is_refused ? End::rolled_back : End::committed;
      transaction.ended = time_;
      open_.erase(name);
    }
    if (is_refused) return;
    if (transaction.begun == 0) transaction.begun = time_;
    transaction.texts.push_back(text);
    transaction.replies.push_back(reply);
    if (kind != 0) {
      transaction.writes.insert(statement);
      transaction.rows.insert(row);
    }
    Names seen;
    for (std::string& one : split(store_.seen(name), ' ')) {
      if (!one.empty()) seen.insert(std::move(one));
    }
    statements_.push_back({statement, name, number, kind != 0, std::move(seen)});
  }

  std::mt19937 random_;
  TestStore store_;
  std::vector<std::string> sessions_ = {"s1", "s2", "s3"};
  std::vector<SeenStatement> statements_;
  std::vector<SeenTransaction> transactions_;
  std::map<std::string, std::size_t> open_;
  std::map<std::string, std::size_t> counts_;
  std::map<std::string, std::size_t> writers_;
  std::size_t time_ = 0;
};

bool contains_all(const Names& all, const Names& some) { return std::ranges::includes(all, some); }

const SeenStatement* find_statement(const RandomRun& run, const std::string& name) {
  const auto found = std::ranges::find(run.statements(), name, &SeenStatement::name);
  return found == run.statements().end() ? nullptr : &*found;
}

// Each check returns how often it had something to check.
int check_transitive(const RandomRun& run) {
  int checked = 0;
  for (const SeenStatement& statement : run.statements()) {
    for (const std::string& name : run.others_seen(statement)) {
      Names all = run.others_seen(statement);
      all.insert(statement.seen.begin(), statement.seen.end());
      const SeenStatement* const cause = find_statement(run, name);
      EXPECT_TRUE(contains_all(all, run.others_seen(*cause))) << statement.name << " " << name;
      checked += run.others_seen(*cause).empty() ? 0 : 1;
    }
  }
  return checked;
}

int check_sessions(const RandomRun& run) {
  int checked = 0;
  std::map<std::string, Names> known;
  for (const SeenStatement& statement : run.statements()) {
    Names kept;
    for (const std::string& name : known[statement.session]) {
      if (run.transactions()[run.transaction_of(name)].end != End::rolled_back) kept.insert(name);
    }
    EXPECT_TRUE(contains_all(statement.seen, kept)) << statement.name;
    checked += kept.empty() ? 0 : 1;
    known[statement.session].insert(statement.seen.begin(), statement.seen.end());
    if (statement.wrote) known[statement.session].insert(statement.name);
  }
  return checked;
}

int check_whole_transactions(const RandomRun& run) {
  int checked = 0;
  for (const SeenStatement& statement : run.statements()) {
    for (const std::string& name : statement.seen) {
      const std::size_t writer = run.transaction_of(name);
      if (writer == statement.transaction) continue;
      const SeenTransaction& transaction = run.transactions()[writer];
      EXPECT_EQ(transaction.end, End::committed) << statement.name << " " << name;
      EXPECT_TRUE(contains_all(statement.seen, transaction.writes)) << statement.name;
      checked += transaction.writes.size() > 1 ? 1 : 0;
    }
  }
  return checked;
}

int check_one_view(const RandomRun& run) {
  int checked = 0;
  std::map<std::size_t, Names> views;
  for (const SeenStatement& statement : run.statements()) {
    const auto [view, is_first] = views.emplace(statement.transaction, run.others_seen(statement));
    EXPECT_EQ(view->second, run.others_seen(statement)) << statement.name;
    checked += is_first ? 0 : 1;
  }
  return checked;
}

std::vector<const SeenTransaction*> committed_writers(const RandomRun& run) {
  std::vector<const SeenTransaction*> writers;
  for (const SeenTransaction& transaction : run.transactions()) {
    const bool counts = transaction.end == End::committed && !transaction.writes.empty();
    if (counts) writers.push_back(&transaction);
  }
  std::ranges::sort(writers, {}, &SeenTransaction::ended);
  return writers;
}

int check_prefix(const RandomRun& run) {
  int checked = 0;
  for (const SeenStatement& statement : run.statements()) {
    const Names seen = run.others_seen(statement);
    bool goes_on = true;
    for (const SeenTransaction* const writer : committed_writers(run)) {
      const bool sees = contains_all(seen, writer->writes);
      EXPECT_FALSE(sees && !goes_on) << statement.name;
      goes_on = goes_on && sees;
      checked += sees ? 1 : 0;
    }
  }
  return checked;
}

int check_first_committer(const RandomRun& run) {
  int checked = 0;
  const std::vector<const SeenTransaction*> writers = committed_writers(run);
  for (std::size_t later = 0; later < writers.size(); ++later) {
    for (std::size_t earlier = 0; earlier < later; ++earlier) {
      const auto is_shared = [&](int row) { return writers[earlier]->rows.contains(row); };
      if (std::ranges::none_of(writers[later]->rows, is_shared)) continue;
      const SeenStatement* const write = find_statement(run, *writers[later]->writes.begin());
      EXPECT_TRUE(contains_all(write->seen, writers[earlier]->writes)) << write->name;
      ++checked;
    }
  }
  return checked;
}

// The transactions one after the other give the same: those that write in the order of their
// commits, those that only read where they began.
int check_serial(RandomRun& run) {
  std::vector<std::pair<std::size_t, const SeenTransaction*>> order;
  for (const SeenTransaction& transaction : run.transactions()) {
    if (transaction.end != End::committed || transaction.texts.empty()) continue;
    order.emplace_back(transaction.writes.empty() ? transaction.begun : transaction.ended,
                       &transaction);
  }
  std::ranges::sort(order);
  TestStore serial(1, kSetup);
  serial.open("s", IsolationLevel::serializable);
  int checked = 0;
  for (const auto& [time, transaction] : order) {
    for (std::size_t i = 0; i < transaction->texts.size(); ++i, ++checked) {
      EXPECT_EQ(serial.run("s", transaction->texts[i]), transaction->replies[i]);
    }
  }
  EXPECT_EQ(serial.converged(kRead), run.converged());
  return checked;
}

// All that was done before a statement, and stayed, is seen by it.
int check_all_seen(const RandomRun& run) {
  int checked = 0;
  Names done;
  for (const SeenStatement& statement : run.statements()) {
    EXPECT_TRUE(contains_all(statement.seen, done)) << statement.name;
    checked += done.empty() ? 0 : 1;
    const bool stays = run.transactions()[statement.transaction].end != End::rolled_back;
    if (statement.wrote && stays) done.insert(statement.name);
  }
  return checked;
}

// Runs that check nothing would agree, too.
constexpr std::size_t kRuns = 40;
constexpr int kLeastChecks = 50;

template <class Check>
int check_runs(IsolationLevel level, const Check& check) {
  int checked = 0;
  for (std::uint32_t seed = 1; seed <= test_rounds(kRuns); ++seed) {
    RandomRun run(level, seed);
    checked += check(run);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "seed " << seed;
      break;
    }
  }
  return checked;
}

TEST(EngineAxioms, causal_visibility_is_transitive) {
  EXPECT_GT(check_runs(IsolationLevel::causal_visibility, check_transitive), kLeastChecks);
}

TEST(EngineAxioms, causal_is_transitive_and_keeps_sessions) {
  EXPECT_GT(check_runs(IsolationLevel::causal, check_transitive), kLeastChecks);
  EXPECT_GT(check_runs(IsolationLevel::causal, check_sessions), kLeastChecks);
}

TEST(EngineAxioms, read_committed_shows_whole_transactions) {
  EXPECT_GT(check_runs(IsolationLevel::read_committed, check_whole_transactions), kLeastChecks);
}

TEST(EngineAxioms, repeatable_read_axiom_has_one_view) {
  EXPECT_GT(check_runs(IsolationLevel::repeatable_read_axiom, check_one_view), kLeastChecks);
}

TEST(EngineAxioms, snapshot_has_one_view_of_a_prefix_and_one_committer) {
  EXPECT_GT(check_runs(IsolationLevel::snapshot, check_whole_transactions), kLeastChecks);
  EXPECT_GT(check_runs(IsolationLevel::snapshot, check_one_view), kLeastChecks);
  EXPECT_GT(check_runs(IsolationLevel::snapshot, check_prefix), kLeastChecks);
  EXPECT_GT(check_runs(IsolationLevel::snapshot, check_first_committer), kLeastChecks);
}

TEST(EngineAxioms, serializable_is_serial) {
  EXPECT_GT(check_runs(IsolationLevel::serializable, check_serial), kLeastChecks);
}

TEST(EngineAxioms, linearizable_statements_see_all) {
  EXPECT_GT(check_runs(IsolationLevel::linearizable, check_all_seen), kLeastChecks);
}

}  // namespace

// The checks can fail: weaker levels do not pass those of stronger ones.
TEST(EngineAxioms, weaker_levels_show_more) {
  const auto fails = [](IsolationLevel level, const auto& is_kept) {
    for (std::uint32_t seed = 1; seed <= kRuns; ++seed) {
      const RandomRun run(level, seed);
      if (!is_kept(run)) return true;
    }
    return false;
  };
  EXPECT_TRUE(fails(IsolationLevel::eventual, [](const RandomRun& run) {
    return std::ranges::all_of(run.statements(), [&](const SeenStatement& statement) {
      const Names seen = run.others_seen(statement);
      return std::ranges::all_of(seen, [&](const std::string& name) {
        return contains_all(statement.seen, run.others_seen(*find_statement(run, name)));
      });
    });
  }));
  EXPECT_TRUE(fails(IsolationLevel::eventual, [](const RandomRun& run) {
    return std::ranges::all_of(run.statements(), [&](const SeenStatement& statement) {
      return std::ranges::all_of(run.others_seen(statement), [&](const std::string& name) {
        const SeenTransaction& writer = run.transactions()[run.transaction_of(name)];
        return contains_all(statement.seen, writer.writes);
      });
    });
  }));
  EXPECT_TRUE(fails(IsolationLevel::causal, [](const RandomRun& run) {
    Names done;
    return std::ranges::all_of(run.statements(), [&](const SeenStatement& statement) {
      const bool sees_all = contains_all(statement.seen, done);
      const bool stays = run.transactions()[statement.transaction].end != End::rolled_back;
      if (statement.wrote && stays) done.insert(statement.name);
      return sees_all;
    });
  }));
}

}  // namespace heddle::replicated
