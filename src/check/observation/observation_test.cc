// Text in, text out: a recorded history (recorded_sample in sample_recorded.h), and what it says
// before any order is guessed.
#include "check/observation/observation.h"

#include <random>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "check/levels/sample_recorded.h"

namespace heddle {
namespace {

std::string name_of(const Observation& observation, KeyId key) {
  const TransactionHistory& history = observation.history();
  return history.texts.to_string(history.keys.name(key));
}

std::string nodes_text(const Observation& observation) {
  std::string text;
  for (Node node = 1; node < observation.node_count(); ++node) {
    text += fmt::format("n{} = t{} of s{}:", node, observation.transaction(node).value,
                        observation.session_of(node));
    for (const Seen& seen : observation.reads(node)) {
      text += fmt::format(" {}<-{}", name_of(observation, seen.key),
                          seen.writer == kManyWriters ? "?" : fmt::format("n{}", seen.writer));
    }
    for (const KeyId key : observation.writes(node)) {
      text += fmt::format(" {}@{}", name_of(observation, key), observation.last_write(node, key));
    }
    text += "\n";
  }
  return text;
}

std::string writers_text(const Observation& observation) {
  std::string text;
  for (std::size_t key = 0; key < observation.key_count(); ++key) {
    const KeyWriters writers = observation.writers(KeyId(key));
    if (writers.all.empty()) continue;
    text += name_of(observation, KeyId(key)) + ":";
    for (std::size_t i = 0; i < writers.all.size(); ++i) {
      if (i == writers.ordered) text += " |";
      text += fmt::format(" n{}", writers.all[i]);
    }
    text += "\n";
  }
  return text;
}

// "n1 = t0 of s0: what it reads and where it makes its last versions"; the writers of each key,
// those before the | in known order; and what is wrong.
std::string text_of(const std::string& history_text) {
  const TransactionHistory history = recorded_sample(history_text);
  const Observation observation(history);
  std::string text = nodes_text(observation) + writers_text(observation);
  for (const VersionPair& pair : observation.interleaved()) {
    text += fmt::format("{}: n{} before n{}\n", name_of(observation, pair.key), pair.earlier,
                        pair.later);
  }
  for (const Choice& choice : observation.choices()) {
    text += fmt::format("read {}: one of", choice.seen);
    for (const Node node : choice.candidates) text += fmt::format(" n{}", node);
    text += "\n";
  }
  for (const IllegalOperation& illegal : observation.illegal()) {
    text += fmt::format("{} at {}", definition(illegal.kind).name, illegal.operation);
    if (illegal.other) text += fmt::format(", see {}", *illegal.other);
    text += "\n";
  }
  if (!observation.doubt().empty()) text += observation.doubt() + "\n";
  return text;
}

TEST(Observe, ReadsAndWritersOfRegisters) {
  EXPECT_EQ(text_of("0 w(x,1) w(y,2) c\n"
                    "1 r(x,1) r(y,nil) w(x,3) r(x,3) r(y,?) c\n"
                    "0 r(x,3) r(x,1) c\n"),
            "n1 = t0 of s0: x@0 y@1\n"
            "n2 = t2 of s0: x<-n3 x<-n1\n"
            "n3 = t1 of s1: x<-n1 y<-n0 x@4\n"
            "x: | n1 n3\n"
            "y: | n1\n");
}

TEST(Observe, NodesOfASessionStandSideBySide) {
  const TransactionHistory history =
      recorded_sample("2 w(x,1) c\n0 w(x,2) c\n2 w(x,3) a\n2 w(x,4) c\n");
  const Observation observation(history);
  EXPECT_EQ(observation.session_count(), 3U);
  EXPECT_EQ(observation.session_begin(0), 1U);
  EXPECT_EQ(observation.session_begin(1), 2U);
  EXPECT_EQ(observation.session_begin(2), 2U);
  EXPECT_EQ(observation.session_begin(3), 4U);
  EXPECT_EQ(observation.node_of(TransactionId(1)), Node{1});
  EXPECT_EQ(observation.node_of(TransactionId(2)), std::nullopt);
  EXPECT_EQ(observation.node_of(TransactionId(3)), Node{3});
}

TEST(Observe, AbortedReads) {
  EXPECT_EQ(text_of("0 w(x,1) a\n1 r(x,1) c\n"),
            "n1 = t1 of s1:\n"
            "aborted read at 1, see 0\n");
}

TEST(Observe, IntermediateReads) {
  EXPECT_EQ(text_of("0 w(x,1) w(x,2) c\n1 r(x,1) c\n"),
            "n1 = t0 of s0: x@1\n"
            "n2 = t1 of s1:\n"
            "x: | n1\n"
            "intermediate read at 2, see 0\n");
}

TEST(Observe, UnwrittenReads) {
  EXPECT_EQ(text_of("0 r(x,7) c\n"),
            "n1 = t0 of s0:\n"
            "unwritten read at 0\n");
}

TEST(Observe, FutureReads) {
  EXPECT_EQ(text_of("0 r(x,1) w(x,1) c\n"),
            "n1 = t0 of s0: x@1\n"
            "x: | n1\n"
            "future read at 0, see 1\n");
}

TEST(Observe, InternalInconsistency) {
  EXPECT_EQ(text_of("0 w(x,1) r(x,2) c\n1 w(x,2) c\n"),
            "n1 = t0 of s0: x@0\n"
            "n2 = t1 of s1: x@2\n"
            "x: | n1 n2\n"
            "internal inconsistency at 1, see 0\n");
}

TEST(Observe, IllegalReadsOfOthersThanTheAbortedOnes) {
  // The reader is aborted itself: nobody cares.
  EXPECT_EQ(text_of("0 r(x,7) a\n"), "");
}

TEST(Observe, UnknownTransactionsThatWereReadCount) {
  EXPECT_EQ(text_of("0 w(x,1) u\n"
                    "1 r(x,1) w(y,2) u\n"
                    "2 r(y,2) c\n"
                    "3 w(x,3) u\n"),
            "n1 = t0 of s0: x@0\n"
            "n2 = t1 of s1: x<-n1 y@2\n"
            "n3 = t2 of s2: y<-n2\n"
            "x: | n1\n"
            "y: | n2\n");
}

TEST(Observe, UnknownTransactionsInListsCount) {
  EXPECT_EQ(text_of("0 a(x,1) u\n"
                    "1 a(x,2) u\n"
                    "2 r(x,[1]) c\n"),
            "n1 = t0 of s0: x@0\n"
            "n2 = t2 of s2: x<-n1\n"
            "x: n1\n");
}

TEST(Observe, ChoicesBetweenEqualValues) {
  EXPECT_EQ(text_of("0 w(x,1) c\n1 w(x,1) c\n2 r(x,1) c\n"),
            "n1 = t0 of s0: x@0\n"
            "n2 = t1 of s1: x@1\n"
            "n3 = t2 of s2: x<-?\n"
            "x: | n1 n2\n"
            "read 0: one of n1 n2\n");
}

TEST(Observe, ChoicesMayContainTheInitialState) {
  EXPECT_EQ(text_of("0 w(x,nil) c\n1 r(x,nil) c\n"),
            "n1 = t0 of s0: x@0\n"
            "n2 = t1 of s1: x<-?\n"
            "x: | n1\n"
            "read 0: one of n0 n1\n");
}

TEST(Observe, AbortedAndIntermediateWritesAreNoCandidates) {
  EXPECT_EQ(text_of("0 w(x,1) c\n1 w(x,1) a\n1 w(x,1) w(x,2) c\n2 r(x,1) c\n"),
            "n1 = t0 of s0: x@0\n"
            "n2 = t2 of s1: x@3\n"
            "n3 = t3 of s2: x<-n1\n"
            "x: | n1 n2\n");
}

TEST(Observe, ListsShowTheOrderOfTheirWriters) {
  EXPECT_EQ(text_of("0 a(x,1) c\n"
                    "1 a(x,2) c\n"
                    "0 a(x,3) c\n"
                    "2 r(x,[1,3]) c\n"
                    "2 r(x,[]) a(x,4) r(x,[1,4]) c\n"),
            "n1 = t0 of s0: x@0\n"
            "n2 = t2 of s0: x@2\n"
            "n3 = t1 of s1: x@1\n"
            "n4 = t3 of s2: x<-n2\n"
            "n5 = t4 of s2: x<-n0 x@5\n"
            "x: n1 n2 | n3 n5\n"
            "inconsistent order at 6, see 3\n");
}

TEST(Observe, ListsEndWithWhatTheReaderAppended) {
  EXPECT_EQ(text_of("0 a(x,1) c\n"
                    "1 a(x,2) r(x,[1,2]) a(x,3) c\n"
                    "2 r(x,[1,2,3]) c\n"),
            "n1 = t0 of s0: x@0\n"
            "n2 = t1 of s1: x<-n1 x@3\n"
            "n3 = t2 of s2: x<-n2\n"
            "x: n1 n2\n");
  EXPECT_EQ(text_of("0 a(x,1) c\n1 a(x,2) r(x,[1]) c\n"),
            "n1 = t0 of s0: x@0\n"
            "n2 = t1 of s1: x@1\n"
            "x: n1 | n2\n"
            "internal inconsistency at 2, see 1\n");
}

TEST(Observe, ListsWithoutOrder) {
  EXPECT_EQ(text_of("0 a(x,1) c\n1 a(x,2) c\n2 r(x,[1]) c\n3 r(x,[2]) c\n"),
            "n1 = t0 of s0: x@0\n"
            "n2 = t1 of s1: x@1\n"
            "n3 = t2 of s2: x<-n1\n"
            "n4 = t3 of s3:\n"
            "x: n1 | n2\n"
            "inconsistent order at 3, see 2\n");
}

TEST(Observe, IllegalElementsOfLists) {
  // 1 was appended by an aborted transaction, 9 by nobody.
  EXPECT_EQ(text_of("0 a(x,1) a\n1 a(x,2) c\n2 r(x,[1,9,2]) c\n"),
            "n1 = t1 of s1: x@1\n"
            "n2 = t2 of s2:\n"
            "x: n1\n"
            "aborted read at 2, see 0\n"
            "unwritten read at 2\n");
  EXPECT_EQ(text_of("0 r(x,[1]) a(x,1) c\n"),
            "n1 = t0 of s0: x@1\n"
            "x: n1\n"
            "future read at 0, see 1\n");
}

TEST(Observe, IntermediateListsShowTheirWriter) {
  EXPECT_EQ(text_of("0 a(x,1) a(x,2) c\n1 r(x,[1]) c\n"),
            "n1 = t0 of s0: x@1\n"
            "n2 = t1 of s1: x<-n1\n"
            "x: | n1\n"
            "intermediate read at 2, see 0\n");
}

TEST(Observe, InterleavedAppends) {
  EXPECT_EQ(text_of("0 a(x,1) a(x,3) c\n1 a(x,2) c\n2 r(x,[1,2,3]) c\n"),
            "n1 = t0 of s0: x@1\n"
            "n2 = t1 of s1: x@2\n"
            "n3 = t2 of s2: x<-n1\n"
            "x: n2 n1\n"
            "x: n1 before n2\n");
}

TEST(Observe, AppendsOfOneTransactionTurnedAround) {
  EXPECT_EQ(text_of("0 a(x,1) a(x,2) c\n1 r(x,[2,1]) c\n"),
            "n1 = t0 of s0: x@1\n"
            "n2 = t1 of s1: x<-n1\n"
            "x: | n1\n"
            "intermediate read at 2, see 0\n"
            "inconsistent order at 2, see 0\n");
}

// Which of the two was read is not known; the order shown is one of those possible.
TEST(Observe, AppendsOfTheSameValueLeaveDoubt) {
  EXPECT_EQ(text_of("0 a(x,1) c\n1 a(x,1) c\n2 r(x,[1,1]) c\n"),
            "n1 = t0 of s0: x@0\n"
            "n2 = t1 of s1: x@1\n"
            "n3 = t2 of s2: x<-n1\n"
            "x: n1 | n2\n"
            "1 was appended to x more than once\n");
}

TEST(Observe, NothingAtAll) { EXPECT_EQ(text_of(""), ""); }

// What holds of every observation, whatever was recorded.
TEST(Observe, RandomHistoriesAreTakenInWhole) {
  for (std::uint32_t seed = 0; seed < 5000; ++seed) {
    std::mt19937 random(seed);
    const TransactionHistory history = sample_recorded(
        [&](std::uint32_t below) { return static_cast<std::uint32_t>(random() % below); });
    ASSERT_EQ(find_flaw(history), std::nullopt) << "seed " << seed;
    const Observation observation(history);
    std::size_t writes = 0;
    std::size_t unresolved = 0;
    for (Node node = 1; node < observation.node_count(); ++node) {
      writes += observation.writes(node).size();
      ASSERT_EQ(observation.node_of(observation.transaction(node)), node);
      for (const Seen& seen : observation.reads(node)) {
        ASSERT_NE(seen.writer, node);
        unresolved += seen.writer == kManyWriters ? 1 : 0;
        if (seen.writer == kManyWriters || seen.writer == kInitialNode) continue;
        ASSERT_TRUE(observation.writes_key(seen.writer, seen.key)) << "seed " << seed;
      }
    }
    std::size_t writers = 0;
    for (std::size_t key = 0; key < observation.key_count(); ++key) {
      writers += observation.writers(KeyId(key)).all.size();
    }
    ASSERT_EQ(writers, writes);
    ASSERT_EQ(observation.choices().size(), unresolved);
  }
}

}  // namespace
}  // namespace heddle
