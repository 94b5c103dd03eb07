#include "heddle/history.h"

#include <functional>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "heddle/dependency.h"

namespace heddle {
namespace {

// s1 reads the initial version of account(id=1), s2 writes the next one.
History small_history() {
  History history;
  history.rows = {{"account", "id=1"}};
  history.versions.resize(2);
  history.versions[0].value = "(1, 100)";
  history.versions[1].value = "(1, 110)";
  history.versions[1].writer = TransactionId(1);
  history.versions_of = {{VersionId(0), VersionId(1)}};
  history.operations.resize(2);
  history.operations[1].kind = OperationKind::write;
  history.operations[1].transaction = TransactionId(1);
  history.operations[1].version = VersionId(1);
  history.transactions.resize(2);
  history.transactions[0].name = "s1";
  history.transactions[0].operations = {OperationId(0)};
  history.transactions[1].name = "s2";
  history.transactions[1].session = 1;
  history.transactions[1].operations = {OperationId(1)};
  return history;
}

Cycle small_cycle() {
  DependencyEdge there;
  there.kind = DependencyKind::rw;
  there.to = TransactionId(1);
  there.to_operation = OperationId(1);
  there.to_version = VersionId(1);
  DependencyEdge back = there;
  back.kind = DependencyKind::ww;
  std::swap(back.from, back.to);
  Cycle cycle;
  cycle.edges = {there, back};
  return cycle;
}

std::string flaw_after(const std::function<void(History&)>& change) {
  History history = small_history();
  change(history);
  return find_flaw(history).value_or("");
}

TEST(RowText, IsTableAndKey) { EXPECT_EQ(to_string(RowName{"account", "id=1"}), "account(id=1)"); }

TEST(FindFlaw, OfAHistoryNamesWhatDoesNotExist) {
  EXPECT_EQ(find_flaw(small_history()), std::nullopt);
  EXPECT_EQ(flaw_after([](History& h) { h.versions_of.clear(); }),
            "there are 1 rows but versions of 0");
  EXPECT_EQ(flaw_after([](History& h) { h.versions[1].row = RowId(7); }),
            "version 1 is of row 7, which does not exist");
  EXPECT_EQ(flaw_after([](History& h) { h.versions[1].writer = TransactionId(2); }),
            "version 1 was written by transaction 2, which does not exist");
  EXPECT_EQ(flaw_after([](History& h) { h.versions_of[0].push_back(VersionId(2)); }),
            "row 0 has version 2, which does not exist");
  EXPECT_EQ(flaw_after([](History& h) { h.versions_of[0].push_back(VersionId(0)); }),
            "row 0 has the same version twice");
  EXPECT_EQ(flaw_after([](History& h) {
              h.rows.push_back({"account", "id=2"});
              h.versions_of.push_back({VersionId(0)});
            }),
            "row 1 has version 0, which is of another row");
  EXPECT_EQ(flaw_after([](History& h) { h.operations[0].version = VersionId(9); }),
            "operation 0 names version 9, which does not exist");
  EXPECT_EQ(flaw_after([](History& h) { h.operations[0].matching = {VersionId(9)}; }),
            "operation 0 names version 9, which does not exist");
  EXPECT_EQ(flaw_after([](History& h) { h.operations[0].transaction = TransactionId(9); }),
            "operation 0 is of transaction 9, which does not exist");
  EXPECT_EQ(flaw_after([](History& h) { h.operations[1].version = VersionId(0); }),
            "operation 1 writes version 0, which another transaction wrote");
  EXPECT_EQ(flaw_after([](History& h) { h.transactions[0].operations = {OperationId(5)}; }),
            "transaction 0 has operation 5, which does not exist");
  EXPECT_EQ(flaw_after([](History& h) { h.transactions[0].operations = {OperationId(1)}; }),
            "transaction 0 has operation 1, which is of another one");
  EXPECT_EQ(flaw_after([](History& h) { h.operations[1].kind = OperationKind::read; }),
            "version 1 has a writer but no write");
}

TEST(FindFlaw, OfACycleNamesWhatDoesNotMeet) {
  const History history = small_history();
  EXPECT_EQ(find_flaw(small_cycle(), history), std::nullopt);
  Cycle apart = small_cycle();
  apart.edges.pop_back();
  EXPECT_EQ(find_flaw(apart, history), "edges 0 and 0 of a cycle do not meet");
  Cycle nowhere = small_cycle();
  nowhere.edges[0].to = TransactionId(4);
  EXPECT_EQ(find_flaw(nowhere, history), "an edge joins transactions that do not exist");
  Cycle unread;
  unread.illegal_read = OperationId(3);
  EXPECT_EQ(find_flaw(unread, history), "the illegal read 3 does not exist");
}

TEST(CycleText, IsAChainOfTransactionsAndEdges) {
  EXPECT_EQ(to_string(small_cycle(), small_history()),
            "s1 -rw account(id=1)-> s2 -ww account(id=1)-> s1");
  EXPECT_EQ(rows_of(small_cycle(), small_history()), std::vector<std::string>{"account(id=1)"});
}

TEST(CycleText, OfNothingIsEmpty) { EXPECT_EQ(to_string(Cycle{}, small_history()), ""); }

}  // namespace
}  // namespace heddle
