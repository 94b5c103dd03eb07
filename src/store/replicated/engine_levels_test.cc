// What each level keeps, what it does not, and what it refuses.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/replicated/engine_testing.h"

namespace heddle::replicated {

namespace {

constexpr const char* kTwoRows =
    "CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 0), (2, 0)";
constexpr const char* kReadAll = "SELECT v FROM t ORDER BY id";

// Sessions s1 at r1, s2 at r2, s3 at r1, with nothing delivered unless it is said.
class ReplicatedLevels : public testing::Test {
 protected:
  TestStore& begin(IsolationLevel level) {
    for (const char* name : {"s1", "s2", "s3"}) store_.open(name, level);
    store_.run("s1", "DELIVERY MANUAL; MOVE SESSION s2 TO r2");
    return store_;
  }

 private:
  TestStore store_{3, kTwoRows};
};

std::string set(int id, int value) {
  return "UPDATE t SET v = " + std::to_string(value) + " WHERE id = " + std::to_string(id);
}

TEST_F(ReplicatedLevels, eventual_delivers_in_any_order) {
  TestStore& store = begin(IsolationLevel::eventual);
  store.run("s1", set(1, 1));
  store.run("s1", set(2, 2));
  EXPECT_EQ(store.run("s1", "DELIVER s1.2 TO r2"), "DELIVER");
  EXPECT_EQ(store.run("s2", kReadAll), "0;2");
  EXPECT_EQ(store.run("s1", "MOVE TO r3"), "MOVE");
  EXPECT_EQ(store.run("s1", kReadAll), "0;0");
}

TEST_F(ReplicatedLevels, eventual_shows_half_a_transaction) {
  TestStore& store = begin(IsolationLevel::eventual);
  store.run("s1", "BEGIN;" + set(1, 1));
  EXPECT_EQ(store.run("s3", kReadAll), "1;0");
  EXPECT_EQ(store.run("s1", "DELIVER s1.1 TO r2"), "DELIVER");
  EXPECT_EQ(store.run("s2", kReadAll), "1;0");
}

TEST_F(ReplicatedLevels, cassandra_one_is_eventual) {
  TestStore& store = begin(IsolationLevel::cassandra_one);
  store.run("s1", set(1, 1));
  store.run("s1", set(2, 2));
  store.run("s1", "DELIVER s1.2 TO r2");
  EXPECT_EQ(store.run("s2", kReadAll), "0;2");
}

TEST_F(ReplicatedLevels, linearizable_statements_see_all_that_was_done) {
  TestStore& store = begin(IsolationLevel::linearizable);
  store.run("s1", "BEGIN;" + set(1, 1));
  const std::string refusal =
      "ERROR 55000: linearizable (ar-in-vis): a statement sees all that was done before it, but r2 "
      "lacks s1.1; deliver that to r2 first, or HEAL";
  EXPECT_EQ(store.run("s2", kReadAll), refusal);
  EXPECT_EQ(store.run("s2", set(2, 2)), refusal);
  // Each statement by itself: half a transaction is seen, and two statements of one see two states.
  EXPECT_EQ(store.run("s3", "BEGIN;" + std::string(kReadAll)), "1;0");
  store.run("s1", set(2, 2));
  EXPECT_EQ(store.run("s3", kReadAll), "1;2");
  EXPECT_EQ(store.run("s1", "DELIVER ALL; MOVE TO r2; COMMIT"), "COMMIT");
  EXPECT_EQ(store.run("s2", kReadAll), "1;2");
}

TEST_F(ReplicatedLevels, linearizable_sessions_take_along_what_they_did) {
  TestStore& store = begin(IsolationLevel::linearizable);
  store.run("s1", set(1, 1));
  store.run("s1", "MOVE TO r2");
  EXPECT_THAT(store.run("s1", kReadAll), testing::HasSubstr("linearizable (ar-in-vis)"));
  store.run("s1", "DELIVER ALL");
  EXPECT_EQ(store.run("s1", kReadAll), "1;0");
}

TEST_F(ReplicatedLevels, causal_visibility_delivers_causes_first) {
  TestStore& store = begin(IsolationLevel::causal_visibility);
  store.run("s1", set(1, 1));
  store.run("s3", set(2, 2));
  EXPECT_EQ(store.run("s1", "DELIVER s3.1 TO r2"),
            "ERROR 55000: causal-visibility (vis-transitive): who sees s3.1 sees what it had seen, "
            "but r2 lacks s1.1; deliver that to r2 first");
  EXPECT_EQ(store.run("s2", kReadAll), "0;0");
  EXPECT_EQ(store.run("s1", "DELIVER s1.1 TO r2; DELIVER s3.1 TO r2"), "DELIVER");
  EXPECT_EQ(store.run("s2", kReadAll), "1;2");
}

TEST_F(ReplicatedLevels, causal_visibility_lets_a_session_forget) {
  TestStore& store = begin(IsolationLevel::causal_visibility);
  store.run("s1", set(1, 1));
  EXPECT_EQ(store.run("s1", "MOVE TO r2"), "MOVE");
  EXPECT_EQ(store.run("s1", kReadAll), "0;0");
}

TEST_F(ReplicatedLevels, causal_sessions_go_on_seeing) {
  TestStore& store = begin(IsolationLevel::causal);
  store.run("s1", set(1, 1));
  store.run("s3", kReadAll);
  const std::string refusal =
      "ERROR 55000: causal (session-order-in-vis): a session goes on seeing what it did and saw, "
      "but r2 lacks s1.1; deliver that to r2 first, or HEAL";
  EXPECT_EQ(store.run("s1", "MOVE TO r2"), refusal);
  EXPECT_EQ(store.run("s3", "MOVE TO r2"), refusal);
  EXPECT_EQ(store.run("s1", kReadAll), "1;0");
  EXPECT_EQ(store.run("s1", "DELIVER s1.1 TO r2; MOVE TO r2; " + std::string(kReadAll)), "1;0");
}

// Two readers see two writes in different orders.
TEST_F(ReplicatedLevels, causal_allows_a_long_fork) {
  TestStore& store = begin(IsolationLevel::causal);
  store.run("s1", set(1, 1));
  store.run("s2", set(2, 2));
  EXPECT_EQ(store.run("s1", kReadAll), "1;0");
  EXPECT_EQ(store.run("s2", kReadAll), "0;2");
}

TEST_F(ReplicatedLevels, read_committed_never_shows_half_a_transaction) {
  TestStore& store = begin(IsolationLevel::read_committed);
  store.run("s1", "BEGIN;" + set(1, 1));
  EXPECT_EQ(store.run("s3", kReadAll), "0;0");
  EXPECT_EQ(store.run("s1", kReadAll), "1;0");
  EXPECT_EQ(store.run("s3", "DELIVER s1.1 TO r2"),
            "ERROR 55000: read-committed (committed-reads): s1.1 is not committed, and nobody else "
            "may see it; COMMIT first");
  store.run("s1", set(2, 2) + "; COMMIT");
  EXPECT_EQ(store.run("s3", kReadAll), "1;2");
  EXPECT_EQ(store.run("s2", kReadAll), "0;0");
  EXPECT_EQ(store.run("s3", "DELIVER s1.1 TO r2"), "DELIVER");
  EXPECT_EQ(store.run("s2", kReadAll), "1;2");
}

// All writes of one transaction come before all of the other, in the order of commits.
TEST_F(ReplicatedLevels, read_committed_does_not_interleave_arbitration) {
  TestStore& store = begin(IsolationLevel::read_committed);
  store.run("s1", "BEGIN;" + set(1, 1));
  store.run("s2", "BEGIN;" + set(1, 5) + ";" + set(2, 5) + "; COMMIT");
  store.run("s1", set(2, 1) + "; COMMIT");
  store.run("s1", "DELIVER ALL");
  EXPECT_EQ(store.run("s2", kReadAll), "1;1");
}

TEST_F(ReplicatedLevels, read_committed_forgets_what_is_rolled_back) {
  TestStore& store = begin(IsolationLevel::read_committed);
  store.run("s1", "BEGIN;" + set(1, 1) + "; ROLLBACK");
  EXPECT_EQ(store.run("s1", kReadAll), "0;0");
  EXPECT_EQ(store.converged(kReadAll), "0;0");
}

TEST_F(ReplicatedLevels, read_committed_reads_again) {
  TestStore& store = begin(IsolationLevel::read_committed);
  EXPECT_EQ(store.run("s3", std::string("BEGIN;") + kReadAll), "0;0");
  store.run("s1", set(1, 1));
  EXPECT_EQ(store.run("s3", kReadAll), "1;0");
}

TEST_F(ReplicatedLevels, repeatable_read_axiom_keeps_what_a_transaction_sees) {
  TestStore& store = begin(IsolationLevel::repeatable_read_axiom);
  store.run("s1", set(1, 1));
  EXPECT_EQ(store.run("s3", std::string("BEGIN;") + kReadAll), "1;0");
  store.run("s1", set(2, 2));
  EXPECT_EQ(store.run("s3", kReadAll), "1;0");
  EXPECT_EQ(store.run("s3", "MOVE TO r2"),
            "ERROR 55000: repeatable-read-axiom (repeatable-visibility): what one statement of a "
            "transaction saw the others see, but r2 lacks s1.1; deliver that to r2 first, or HEAL");
  EXPECT_EQ(store.run("s3", "COMMIT; MOVE TO r2"), "MOVE");
}

TEST_F(ReplicatedLevels, repeatable_read_axiom_is_not_atomic) {
  TestStore& store = begin(IsolationLevel::repeatable_read_axiom);
  store.run("s1", "BEGIN;" + set(1, 1));
  EXPECT_EQ(store.run("s3", kReadAll), "1;0");
}

TEST_F(ReplicatedLevels, snapshot_keeps_its_state_and_sees_its_own) {
  TestStore& store = begin(IsolationLevel::snapshot);
  EXPECT_EQ(store.run("s3", std::string("BEGIN;") + kReadAll), "0;0");
  store.run("s1", set(1, 1));
  EXPECT_EQ(store.run("s3", kReadAll), "0;0");
  store.run("s3", set(2, 2));
  EXPECT_EQ(store.run("s3", kReadAll), "0;2");
  EXPECT_EQ(store.run("s3", "COMMIT"), "COMMIT");
  EXPECT_EQ(store.run("s3", kReadAll), "1;2");
}

TEST_F(ReplicatedLevels, snapshot_refuses_the_second_to_commit) {
  TestStore& store = begin(IsolationLevel::snapshot);
  store.run("s1", "BEGIN; UPDATE t SET v = v + 1 WHERE id = 1");
  store.run("s3", "BEGIN; UPDATE t SET v = v + 1 WHERE id = 1");
  EXPECT_EQ(store.run("s1", "COMMIT"), "COMMIT");
  EXPECT_EQ(store.run("s3", "COMMIT"),
            "ERROR 40001: snapshot (first-committer-wins): s3.1 wrote the same row of t as s1.1, "
            "which it did not see");
  EXPECT_EQ(store.engine().transaction_state(store.number("s3")), TransactionState::idle);
  EXPECT_EQ(store.run("s3", kReadAll), "1;0");
  EXPECT_TRUE(store.run("s2", set(1, 9)).starts_with("ERROR 40001"));
}

TEST_F(ReplicatedLevels, snapshot_allows_write_skew) {
  TestStore& store = begin(IsolationLevel::snapshot);
  EXPECT_EQ(store.run("s1", "BEGIN; SELECT sum(v) FROM t"), "0");
  EXPECT_EQ(store.run("s2", "BEGIN; SELECT sum(v) FROM t"), "0");
  store.run("s1", set(1, 1));
  store.run("s2", set(2, 1));
  EXPECT_EQ(store.run("s1", "COMMIT"), "COMMIT");
  EXPECT_EQ(store.run("s2", "COMMIT"), "COMMIT");
  EXPECT_EQ(store.converged(kReadAll), "1;1");
}

// What is seen is a prefix of arbitration, also at a replica that has more.
TEST_F(ReplicatedLevels, snapshot_allows_no_long_fork) {
  TestStore& store = begin(IsolationLevel::snapshot);
  store.run("s1", set(1, 1));
  store.run("s2", set(2, 2));
  EXPECT_EQ(store.run("s1", kReadAll), "1;0");
  EXPECT_EQ(store.run("s2", kReadAll), "0;0");
  store.run("s1", "DELIVER s1.1 TO r2");
  EXPECT_EQ(store.run("s2", kReadAll), "1;2");
}

TEST_F(ReplicatedLevels, serializable_sees_all_that_is_committed) {
  TestStore& store = begin(IsolationLevel::serializable);
  store.run("s1", set(1, 1));
  EXPECT_EQ(store.run("s2", kReadAll),
            "ERROR 55000: serializable (ar-in-vis): a transaction sees all that is committed, but "
            "r2 lacks s1.1; deliver that to r2 first, or HEAL");
  store.run("s1", "DELIVER ALL");
  EXPECT_EQ(store.run("s2", kReadAll), "1;0");
}

TEST_F(ReplicatedLevels, serializable_refuses_write_skew) {
  TestStore& store = begin(IsolationLevel::serializable);
  store.run("s1", "BEGIN; SELECT sum(v) FROM t");
  store.run("s3", "BEGIN; SELECT sum(v) FROM t");
  store.run("s1", set(1, 1));
  store.run("s3", set(2, 1));
  EXPECT_EQ(store.run("s1", "COMMIT"), "COMMIT");
  EXPECT_EQ(store.run("s3", "COMMIT"),
            "ERROR 40001: serializable (no-cycles): s1.2 changed t, which this transaction had "
            "read");
}

TEST_F(ReplicatedLevels, serializable_lets_readers_commit) {
  TestStore& store = begin(IsolationLevel::serializable);
  store.run("s3", std::string("BEGIN;") + kReadAll);
  store.run("s1", set(1, 1));
  EXPECT_EQ(store.run("s3", kReadAll), "0;0");
  EXPECT_EQ(store.run("s3", "COMMIT"), "COMMIT");
}

TEST_F(ReplicatedLevels, are_chosen_by_the_transaction) {
  TestStore& store = begin(IsolationLevel::eventual);
  EXPECT_EQ(store.run("s1", "BEGIN TRANSACTION ISOLATION LEVEL READ COMMITTED;" + set(1, 1)),
            "UPDATE 1");
  EXPECT_EQ(store.run("s1", "SHOW TRANSACTION ISOLATION LEVEL"), "read-committed");
  EXPECT_EQ(store.run("s3", kReadAll), "0;0");
  EXPECT_EQ(store.run("s1", "COMMIT; BEGIN; SET TRANSACTION ISOLATION LEVEL snapshot"), "SET");
  EXPECT_EQ(store.run("s1", "SHOW TRANSACTION ISOLATION LEVEL"), "snapshot");
  EXPECT_EQ(store.run("s3", "BEGIN ISOLATION LEVEL REPEATABLE READ"),
            "ERROR 0A000: the replicated store has no level REPEATABLE READ, use one of eventual, "
            "causal-visibility, causal, read-committed, repeatable-read-axiom, snapshot, "
            "serializable, linearizable, cassandra:one");
}

}  // namespace
}  // namespace heddle::replicated
