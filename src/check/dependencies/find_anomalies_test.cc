// Textbook histories, as text in and text out.
//
//   r1[x=0]        session 1 reads the version of x with value 0
//   w1[x=1]        session 1 writes x; w1[x=-] deletes it
//   p1[>0: x=1]    session 1 evaluates the predicate "value > 0"; it saw x=1, other rows not at all
//   c1 a1          session 1 commits, aborts; what follows in session 1 is its next transaction
//   new z          row z does not exist at first; all others begin with value 0
//
// Versions of a row stand in the order of commits, or of writes after the word "write-order".
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/assert.h"
#include "heddle/dependency.h"

namespace heddle {
namespace {

class NotationReader {
 public:
  explicit NotationReader(const std::string& text) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
      if (word == "new") {
        words >> word;
        new_rows_.insert(word);
      } else if (word == "write-order") {
        write_order_ = true;
      } else {
        if (word[0] == 'p') {  // its list is written with spaces
          for (std::string more; word.back() != ']' && words >> more;) word += " " + more;
        }
        read(word);
      }
    }
  }

  History take() {
    for (auto& versions : history_.versions_of) {
      std::erase_if(versions, [&](VersionId version) { return !is_installed(version); });
      if (write_order_) continue;
      std::ranges::stable_sort(versions, {}, [&](VersionId version) {
        const auto writer = history_.versions[version.index()].writer;
        return writer ? commit_of_[*writer] : 0;
      });
    }
    for (Operation& operation : history_.operations) {
      if (operation.kind != OperationKind::predicate_read) continue;
      for (std::size_t i = 0; i < history_.versions.size(); ++i) {
        const auto& value = history_.versions[i].value;
        if (value && std::stoi(*value) > 0) operation.matching.push_back(VersionId(i));
      }
    }
    return history_;
  }

 private:
  bool is_installed(VersionId version) const {
    const RowVersion& row_version = history_.versions[version.index()];
    return row_version.final && (!row_version.writer || commit_of_.contains(*row_version.writer));
  }

  void read(const std::string& word) {
    const auto session = static_cast<std::uint32_t>(word[1] - '0');
    const TransactionId transaction = transaction_of(session);
    switch (word[0]) {
      case 'c':
        commit_of_[transaction] = commit_of_.size() + 1;
        open_.erase(session);
        break;
      case 'a':
        history_.transactions[transaction.index()].outcome = TransactionOutcome::aborted;
        open_.erase(session);
        break;
      case 'r':
        add(OperationKind::read, transaction, find(word.substr(3, word.size() - 4)));
        break;
      case 'w':
        write(transaction, word.substr(3, word.size() - 4));
        break;
      default:
        read_predicate(transaction, word);
    }
  }

  TransactionId transaction_of(std::uint32_t session) {
    const auto [open, first] = open_.try_emplace(session, history_.transactions.size());
    if (!first) return open->second;
    HistoryTransaction transaction;
    transaction.session = session;
    transaction.name = "s" + std::to_string(session);
    if (const std::size_t number = ++transactions_of_[session]; number > 1) {
      transaction.name += "#" + std::to_string(number);
    }
    history_.transactions.push_back(transaction);
    return open->second;
  }

  Operation& add(OperationKind kind, TransactionId transaction, VersionId version) {
    const OperationId id(history_.operations.size());
    history_.transactions[transaction.index()].operations.push_back(id);
    Operation& operation = history_.operations.emplace_back();
    operation.kind = kind;
    operation.transaction = transaction;
    operation.version = version;
    return operation;
  }

  RowId row_of(const std::string& name) {
    const auto [row, first] = rows_.try_emplace(name, history_.rows.size());
    if (first) {
      history_.rows.push_back({"t", name});
      history_.versions_of.emplace_back();
      if (!new_rows_.contains(name)) add_version({.row = row->second, .writer = {}, .value = "0"});
    }
    return row->second;
  }

  VersionId add_version(RowVersion version) {
    const VersionId id(history_.versions.size());
    history_.versions_of[version.row.index()].push_back(id);
    history_.versions.push_back(std::move(version));
    return id;
  }

  // The newest version with that value, written "x=1".
  VersionId find(const std::string& text) {
    const RowId row = row_of(text.substr(0, text.find('=')));
    const std::string value = text.substr(text.find('=') + 1);
    const auto& versions = history_.versions_of[row.index()];
    for (std::size_t i = versions.size(); i-- > 0;) {
      if (history_.versions[versions[i].index()].value.value_or("-") == value) return versions[i];
    }
    ADD_FAILURE() << "no version " << text;
    return {};
  }

  void write(TransactionId transaction, const std::string& text) {
    const RowId row = row_of(text.substr(0, text.find('=')));
    const std::string value = text.substr(text.find('=') + 1);
    for (const VersionId earlier : history_.versions_of[row.index()]) {
      RowVersion& version = history_.versions[earlier.index()];
      if (version.writer == transaction) version.final = false;
    }
    RowVersion version{.row = row, .writer = transaction, .value = {}};
    if (value != "-") version.value = value;
    const VersionId id = add_version(version);
    add(OperationKind::write, transaction, id);
  }

  void read_predicate(TransactionId transaction, const std::string& word) {
    Operation& operation = add(OperationKind::predicate_read, transaction, {});
    operation.table = "t";
    operation.predicate = "v > 0";
    std::istringstream seen(word.substr(word.find(':') + 1, word.size() - word.find(':') - 2));
    for (std::string version; seen >> version;) operation.visible.push_back(find(version));
  }

  History history_;
  bool write_order_ = false;
  std::set<std::string> new_rows_;
  std::map<std::string, RowId> rows_;
  std::map<std::uint32_t, TransactionId> open_;
  std::map<std::uint32_t, std::size_t> transactions_of_;
  std::map<TransactionId, std::size_t> commit_of_;
};

std::string anomalies(const std::string& notation, Unit unit = Unit::session) {
  const History history = NotationReader(notation).take();
  EXPECT_EQ(find_flaw(history), std::nullopt);
  std::string text;
  for (const Cycle& cycle : find_anomalies(history, dependency_graph(history), unit)) {
    EXPECT_EQ(find_flaw(cycle, history), std::nullopt);
    text += std::string(definition(cycle.kind).name) + ": " + to_string(cycle, history) + "\n";
  }
  return text;
}

// On several connections a session has no order of those that were open at the same time, and has
// one of those that were not.
TEST(FindAnomalies, TransactionsBesideEachOtherHaveNoOrder) {
  History history = NotationReader("w1[x=1] c1 r1[x=0] c1 r1[x=0] c1").take();
  const auto count = [&] {
    return find_anomalies(history, dependency_graph(history), Unit::session).size();
  };
  EXPECT_EQ(count(), 2U);
  history.transactions[0].beside = {TransactionId(1)};
  history.transactions[1].beside = {TransactionId(0)};
  EXPECT_EQ(count(), 1U);
  const DependencyGraph graph = dependency_graph(history);
  std::set<std::pair<TransactionId, TransactionId>> ordered;
  for (const DependencyEdge& edge : graph.edges) {
    if (edge.kind == DependencyKind::so) ordered.emplace(edge.from, edge.to);
  }
  const std::set<std::pair<TransactionId, TransactionId>> known = {
      {TransactionId(0), TransactionId(2)}, {TransactionId(1), TransactionId(2)}};
  EXPECT_EQ(ordered, known);
}

TEST(FindAnomalies, SerialHistoryHasNone) {
  EXPECT_EQ(anomalies("r1[x=0] w1[x=1] c1 r2[x=1] w2[x=2] c2"), "");
}

TEST(FindAnomalies, LostUpdate) {
  EXPECT_EQ(anomalies("r1[x=0] r2[x=0] w1[x=1] c1 w2[x=2] c2"),
            "lost update: s1 -ww t(x)-> s2 -rw t(x)-> s1\n");
}

TEST(FindAnomalies, LostUpdateOnEachOfTwoRowsIsReportedForEach) {
  EXPECT_EQ(anomalies("r1[x=0] r1[y=0] r2[x=0] r2[y=0] w1[x=1] w1[y=1] c1 w2[x=2] w2[y=2] c2"),
            "lost update: s1 -ww t(x)-> s2 -rw t(x)-> s1\n"
            "lost update: s1 -ww t(y)-> s2 -rw t(y)-> s1\n");
}

TEST(FindAnomalies, BlindWritesLoseNothing) { EXPECT_EQ(anomalies("w1[x=1] w2[x=2] c1 c2"), ""); }

TEST(FindAnomalies, DirtyWrite) {
  EXPECT_EQ(anomalies("write-order w1[x=1] w2[x=2] w2[y=2] w1[y=1] c1 c2"),
            "dirty write: s1 -ww t(x)-> s2 -ww t(y)-> s1\n");
}

TEST(FindAnomalies, AbortedRead) {
  EXPECT_EQ(anomalies("w1[x=1] r2[x=1] a1 c2"),
            "aborted read: s2 reads t(x) from s1, which did not commit\n");
}

TEST(FindAnomalies, AbortedReadThroughAPredicate) {
  EXPECT_EQ(anomalies("new z w1[z=1] p2[>0: z=1] a1 c2"),
            "aborted read: s2 reads t(z) from s1, which did not commit\n");
}

TEST(FindAnomalies, AbortedReadsOfAbortedTransactionsDoNotMatter) {
  EXPECT_EQ(anomalies("w1[x=1] r2[x=1] a1 a2"), "");
}

TEST(FindAnomalies, RowsThatThePredicateNeverMatchesAreNotRead) {
  EXPECT_EQ(anomalies("new z w1[z=-5] p2[>0: z=-5] a1 c2"), "");
}

TEST(FindAnomalies, IntermediateRead) {
  EXPECT_EQ(anomalies("w1[x=1] r2[x=1] w1[x=2] c1 c2"),
            "intermediate read: s2 reads t(x) from s1, which changed it again\n");
}

TEST(FindAnomalies, CircularFlow) {
  EXPECT_EQ(anomalies("w1[x=1] w2[y=1] r1[y=1] r2[x=1] c1 c2"),
            "circular information flow: s1 -wr t(x)-> s2 -wr t(y)-> s1\n");
}

TEST(FindAnomalies, NonRepeatableRead) {
  EXPECT_EQ(anomalies("r1[x=0] w2[x=1] c2 r1[x=1] c1"),
            "non-repeatable read: s1 -rw t(x)-> s2 -wr t(x)-> s1\n");
}

TEST(FindAnomalies, ReadSkew) {
  EXPECT_EQ(anomalies("r1[x=0] w2[x=1] w2[y=1] c2 r1[y=1] c1"),
            "read skew: s1 -rw t(x)-> s2 -wr t(y)-> s1\n");
}

TEST(FindAnomalies, WriteSkew) {
  EXPECT_EQ(anomalies("r1[x=0] r1[y=0] r2[x=0] r2[y=0] w1[x=1] w2[y=1] c1 c2"),
            "write skew: s1 -rw t(y)-> s2 -rw t(x)-> s1\n");
}

TEST(FindAnomalies, WriteSkewOfThree) {
  EXPECT_EQ(anomalies("r1[x=0] r2[y=0] r3[z=0] w1[z=1] w2[x=1] w3[y=1] c1 c2 c3"),
            "write skew: s1 -rw t(x)-> s2 -rw t(y)-> s3 -rw t(z)-> s1\n");
}

TEST(FindAnomalies, PhantomThatAppearsBetweenTwoSearches) {
  EXPECT_EQ(anomalies("new z p1[>0: x=0] w2[z=1] c2 p1[>0: x=0 z=1] c1"),
            "phantom: s1 -rw t(z) in \"v > 0\"-> s2 -wr t(z) in \"v > 0\"-> s1\n");
}

TEST(FindAnomalies, PhantomWriteSkew) {
  EXPECT_EQ(anomalies("new y new z p1[>0:] p2[>0:] w1[y=1] w2[z=1] c1 c2"),
            "phantom: s1 -rw t(z) in \"v > 0\"-> s2 -rw t(y) in \"v > 0\"-> s1\n");
}

TEST(FindAnomalies, PredicateThatWasReadAsRowsTooIsWriteSkew) {
  EXPECT_EQ(anomalies("w0[x=1] w0[y=1] c0 p1[>0: x=1 y=1] r1[x=1] r1[y=1] p2[>0: x=1 y=1] r2[x=1] "
                      "r2[y=1] w1[x=0] w2[y=0] c1 c2"),
            "write skew: s1 -rw t(y)-> s2 -rw t(x)-> s1\n");
}

TEST(FindAnomalies, ChangesThatLeaveTheMatchesAloneAreNoPhantoms) {
  EXPECT_EQ(anomalies("w0[x=1] w0[y=1] c0 p1[>0: x=1 y=1] p2[>0: x=1 y=1] w1[x=2] w2[y=2] c1 c2"),
            "");
}

TEST(FindAnomalies, DeletedRowIsAPhantom) {
  EXPECT_EQ(anomalies("w0[x=1] c0 p1[>0: x=1 y=0] w2[x=-] w2[y=-5] c2 r1[y=-5] c1"),
            "phantom: s1 -rw t(x) in \"v > 0\"-> s2 -wr t(y)-> s1\n");
}

// Nothing is wrong between transactions: the session's transaction ends too early.
constexpr const char* kSplitUpdate = "r1[x=0] c1 r2[x=0] w2[x=2] c2 w1[x=1] c1";

TEST(FindAnomalies, SessionAsUnitLosesAnUpdateBetweenItsTransactions) {
  EXPECT_EQ(anomalies(kSplitUpdate), "lost update: s1#2/s1 -rw t(x)-> s2 -ww t(x)-> s1#2/s1\n");
}

TEST(FindAnomalies, TransactionAsUnitDoesNot) {
  EXPECT_EQ(anomalies(kSplitUpdate, Unit::transaction), "");
}

constexpr const char* kForgetsItsOwn = "w1[x=1] c1 r1[x=0] c1";

TEST(FindAnomalies, SessionThatDoesNotSeeItsOwnTransaction) {
  EXPECT_EQ(anomalies(kForgetsItsOwn), "session order cycle: s1 -so-> s1#2 -rw t(x)-> s1\n");
  EXPECT_EQ(anomalies(kForgetsItsOwn, Unit::transaction),
            "session order cycle: s1 -so-> s1#2 -rw t(x)-> s1\n");
}

TEST(FindAnomalies, CycleThatNeedsSessionOrder) {
  EXPECT_EQ(anomalies("r2[x=0] w1[x=1] c1 r2[y=0] w3[y=1] c3 r1[y=1] c1 c2", Unit::transaction),
            "");
  EXPECT_EQ(anomalies("w1[x=1] c1 r1[y=0] c1 w2[y=1] r2[x=0] c2", Unit::transaction),
            "session order cycle: s1 -so-> s1#2 -rw t(y)-> s2 -rw t(x)-> s1\n");
}

TEST(FindAnomalies, SmallerCycleStandsForTheLargerOneAroundIt) {
  EXPECT_EQ(anomalies("r1[x=0] r2[x=0] r3[x=0] w1[x=1] c1 w2[x=2] c2 w3[x=3] c3"),
            "lost update: s1 -ww t(x)-> s2 -rw t(x)-> s1\n");
}

TEST(FindAnomalies, GravestFirst) {
  EXPECT_EQ(anomalies("r1[x=0] r1[y=0] r2[x=0] r2[y=0] w1[x=1] w2[y=1] r3[q=0] r4[q=0] w3[q=1] c3 "
                      "w4[q=2] c1 c2 c4"),
            "lost update: s3 -ww t(q)-> s4 -rw t(q)-> s3\n"
            "write skew: s1 -rw t(y)-> s2 -rw t(x)-> s1\n");
}

TEST(FindAnomalies, UnknownOutcomeCountsAsCommittedOnceItsVersionIsInstalled) {
  History history = NotationReader("r1[x=0] r2[x=0] w1[x=1] c1 w2[x=2] c2").take();
  history.transactions[1].outcome = TransactionOutcome::unknown;
  EXPECT_EQ(find_anomalies(history, dependency_graph(history), Unit::session).size(), 1u);
  history.versions_of[0].pop_back();
  EXPECT_TRUE(find_anomalies(history, dependency_graph(history), Unit::session).empty());
}

// Far beyond the bound on lengths: n transactions, each of which read what the next one wrote.
TEST(FindAnomalies, CyclesBeyondTheBoundAreStillSeen) {
  std::string notation;
  for (int i = 0; i < 9; ++i) {
    const std::string session = std::to_string(i);
    notation += "r" + session + "[x" + session + "=0] ";
  }
  for (int i = 0; i < 9; ++i) {
    const std::string row = std::to_string((i + 8) % 9);
    notation += "w" + std::to_string(i) + "[x" + row + "=1] c" + std::to_string(i) + " ";
  }
  EXPECT_EQ(anomalies(notation),
            "write skew: s0 -rw t(x0)-> s1 -rw t(x1)-> s2 -rw t(x2)-> s3 -rw t(x3)-> s4 "
            "-rw t(x4)-> s5 -rw t(x5)-> s6 -rw t(x6)-> s7 -rw t(x7)-> s8 -rw t(x8)-> s0\n");
}

TEST(FindAnomalies, ManyRowsStayCheapAndAreAllNamed) {
  std::string notation;
  for (const char* session : {"1", "2", "3", "4", "5", "6"}) {
    for (int row = 0; row < 20; ++row) {
      notation += std::string("r") + session + "[x" + std::to_string(row) + "=0] ";
    }
  }
  for (const char* session : {"1", "2", "3", "4", "5", "6"}) {
    for (int row = 0; row < 20; ++row) {
      notation += std::string("w") + session + "[x" + std::to_string(row) + "=" + session + "] ";
    }
    notation += std::string("c") + session + " ";
  }
  const History history = NotationReader(notation).take();
  const std::vector<Cycle> cycles =
      find_anomalies(history, dependency_graph(history), Unit::session);
  std::set<std::string> rows;
  for (const Cycle& cycle : cycles) {
    EXPECT_EQ(cycle.kind, AnomalyKind::lost_update);
    for (const std::string& row : rows_of(cycle, history)) rows.insert(row);
  }
  EXPECT_EQ(rows.size(), 20u);
}

TEST(RowsOf, AreSortedAndNamedOnce) {
  const History history =
      NotationReader("r1[y=0] r1[x=0] r2[x=0] r2[y=0] w1[x=1] w2[y=1] c1 c2").take();
  const std::vector<Cycle> cycles =
      find_anomalies(history, dependency_graph(history), Unit::session);
  ASSERT_EQ(cycles.size(), 1u);
  EXPECT_EQ(rows_of(cycles[0], history), (std::vector<std::string>{"t(x)", "t(y)"}));
}

TEST(RowsOf, IllegalReadNamesItsRow) {
  const History history = NotationReader("new z w1[z=1] p2[>0: x=0 z=1] a1 c2").take();
  const std::vector<Cycle> cycles =
      find_anomalies(history, dependency_graph(history), Unit::session);
  ASSERT_EQ(cycles.size(), 1u);
  EXPECT_EQ(rows_of(cycles[0], history), (std::vector<std::string>{"t(z)"}));
}

}  // namespace
}  // namespace heddle
