// Jepsen's histories in, one line for each transaction or call out.
#include "frontend/history/jepsen.h"

#include <string>

#include <gtest/gtest.h>

#include "frontend/history/jepsen_dump_testing.h"

namespace heddle {
namespace {

std::string dumped_jepsen(std::string_view text, HistoryFormat format = HistoryFormat::jepsen_edn,
                          const ReadHistoryOptions& options = {}) {
  return dump_read(text, format, options);
}

std::string read_json(std::string_view text) {
  return dumped_jepsen(text, HistoryFormat::jepsen_json);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST(JepsenTransactions, PairsInvocationsWithCompletions) {
  EXPECT_EQ(dumped_jepsen(R"([
    {:process 0, :type :invoke, :f :txn, :value [[:append 1 2] [:r 1 nil]], :index 7}
    {:process 1, :type :invoke, :f :txn, :value [[:r 2 nil]]}
    {:process 0, :type :ok, :f :txn, :value [[:append 1 2] [:r 1 [2]]]}
    {:process :nemesis, :type :info, :f :start, :value nil}
    {:process 1, :type :ok, :f :txn, :value [[:r 2 nil]]}
    {:process 0, :type :invoke, :f :txn, :value [[:append 1 3] [:r 1 nil]]}
    {:process 1, :type :invoke, :f :txn, :value [[:append 1 4]]}
    {:process 0, :type :fail, :f :txn, :value [[:append 1 3] [:r 1 nil]], :error :conflict}
    {:process 1, :type :info, :f :txn, :value [[:append 1 4]], :error "time out"}
    {:process 2, :type :invoke, :f :txn, :value [[:append 1 5] [:r 3 nil]]}])"),
            "0 committed 1-3: append 1 2, r 1 [2]\n"
            "1 committed 2-5: r 2 []\n"
            "0 aborted 6-8: append 1 3, r 1 list?\n"
            "1 unknown 7-never: append 1 4\n"
            "2 unknown 10-never: append 1 5, r 3 list?\n");
}

TEST(JepsenTransactions, ReadsRegisters) {
  EXPECT_EQ(dumped_jepsen(R"({:process 0 :type :invoke :value [[:w :x 1] ["r" :y nil]]}
                    {:process 0 :type :ok :value [[:w :x 1] ["r" :y nil]]}
                    {:process 0 :type :invoke :value [[:w :x "a b"] [:r :x]]}
                    {:process 0 :type :info :value nil})"),
            "0 committed 1-2: w :x 1, r :y nil\n"
            "0 unknown 3-never: w :x a b, r :x ?\n");
}

TEST(JepsenTransactions, ReadsJson) {
  EXPECT_EQ(read_json(R"({"type":"invoke","f":"txn","value":[["w","x",2]],"process":0,"index":1}
{"type":"ok","f":"txn","value":[["w","x",2],["r","y",null]],"process":0,"index":2})"),
            "0 committed 1-2: w x 2, r y nil\n");
  EXPECT_EQ(
      read_json(R"([{"type":"ok","value":[["append","x",2],["r","x",[1,2]]],"process":"p"}])"),
      "p committed: append x 2, r x [1 2]\n");
}

TEST(JepsenTransactions, ReadsLogs) {
  EXPECT_EQ(dumped_jepsen(
                "INFO  jepsen.core - begins\n"
                "INFO [2020-01-01] jepsen worker 0 - jepsen.util 0\t:invoke\t:txn\t[[:r 1 nil]]\n"
                "INFO  jepsen.util - :nemesis\t:info\t:start\tnil\n"
                "INFO  jepsen.util - cleaning up\n\n"
                "INFO  jepsen.util - 0\t:ok\t:txn\t[[:r 1 2]]",
                HistoryFormat::jepsen_log),
            "0 committed 1-3: r 1 2\n");
}

TEST(JepsenTransactions, WithoutProcessesEachIsASession) {
  EXPECT_EQ(
      dumped_jepsen(R"({:type :invoke :value [[:append 1 1]]} {:type :invoke :value [[:append 1 2]]}
                    {:type :ok :value [[:append 1 2]]} {:type :ok :value [[:append 1 1]]}
                    {:type :invoke :value [[:r 1 nil]]} {:type :ok :value [[:r 1 [1 2]]]})"),
      "s2 committed 2-3: append 1 2\n"
      "s1 committed 1-4: append 1 1\n"
      "s3 committed 5-6: r 1 [1 2]\n");
}

TEST(JepsenTransactions, CompletionsAloneHaveNoTimes) {
  EXPECT_EQ(dumped_jepsen(
                "{:process 0 :type :ok :value [[:w 1 1]]} {:process 1 :type :ok :value [[:r 1 1]]}"
                "{:process 0 :type :fail :value [[:w 1 2]]}"),
            "0 committed: w 1 1\n1 committed: r 1 1\n0 aborted: w 1 2\n");
  // One committed transaction without its invocation is enough.
  EXPECT_EQ(dumped_jepsen("{:process 0 :type :ok :value [[:w 1 1]]}"
                          "{:process 1 :type :invoke :value [[:r 1 nil]]}"
                          "{:process 1 :type :ok :value [[:r 1 1]]}"),
            "0 committed: w 1 1\n1 committed: r 1 1\n");
}

TEST(JepsenTransactions, TakesWhatTheCompletionDoesNotRepeatFromTheInvocation) {
  EXPECT_EQ(dumped_jepsen("{:process 0 :type :invoke :value [[:w 1 1] [:r 2 7]]}"
                          "{:process 0 :type :info :value :timed-out}"
                          "{:process 1 :type :invoke :value [[:w 1 2] [:r 2 7]]}"
                          "{:process 1 :type :ok}"
                          "{:process 2 :type :invoke :value [[:w 1 3] [:r 2 nil] [:r 3 nil]]}"
                          "{:process 2 :type :info :value [[:w 1 3] [:r 2 5] [:r 3 nil]]}"),
            "0 unknown 1-never: w 1 1, r 2 ?\n"
            "1 committed 3-4: w 1 2, r 2 ?\n"
            "2 unknown 5-never: w 1 3, r 2 5, r 3 ?\n");
}

TEST(JepsenTransactions, TellsListsFromRegisters) {
  // Appended to, or never written in a history that appends: a list.
  EXPECT_EQ(
      dumped_jepsen("{:process 0 :type :ok :value [[:append 1 1] [:r 2 nil] [:r 3 nil] [:w 3 4]]}"),
      "0 committed: append 1 1, r 2 [], r 3 nil, w 3 4\n");
  // Nothing is written: what reads return decides.
  EXPECT_EQ(dumped_jepsen("{:process 0 :type :ok :value [[:r 2 nil] [:r 3 [1]]]}"),
            "0 committed: r 2 [], r 3 [1]\n");
  // Values of registers may be collections; equal ones have equal texts.
  EXPECT_EQ(dumped_jepsen(
                "{:process 0 :type :ok :value [[:w 1 [1 \"a b\" [2 :c]]] [:r 1 [1 \"a b\" (2 :c)]]"
                " [:w 2 {:b 2, :a #{2 1}}] [:r 2 {:a #{1 2} :b 2}] [:r 1 []]]}"),
            "0 committed: w 1 [1 \"a b\" [2 :c]], r 1 [1 \"a b\" [2 :c]], w 2 {:a #{1 2}, :b 2}, "
            "r 2 {:a #{1 2}, :b 2}, r 1 []\n");
  EXPECT_EQ(dumped_jepsen("{:process 0 :type :ok :value [[:append 1 1]]}\n"
                          "{:process 0 :type :ok :value [[:w 1 1]]}"),
            "file:1: key 1 is both appended to and written, "
            "use different keys for lists and for registers");
  EXPECT_EQ(dumped_jepsen("{:process 0 :type :ok :value [[:append 1 1]]}\n"
                          "{:process 0 :type :ok :value [[:r 1 1]]}"),
            "file:2: key 1 is a list, but was read as something else, "
            "let reads of lists return vectors, or nil for the empty one");
}

TEST(JepsenTransactions, KeepsNamesApart) {
  EXPECT_EQ(
      dumped_jepsen("{:process 0 :type :ok :value "
                    "[[:w [1 2] 1] [:r \"1\" nil] [:r 1 nil] [:r :x true] [:r \"x\\n\" \\y]]}"),
      "0 committed: w [1 2] 1, r 1 nil, r 1 nil, r :x true, r x\n y\n");
}

TEST(JepsenTransactions, EmptyOnesAreKept) {
  EXPECT_EQ(
      dumped_jepsen("{:process 0 :type :ok :f :txn :value []} {:process 0 :type :ok :f :txn}"),
      "0 committed\n0 committed\n");
}

TEST(JepsenTransactions, NamesWhatIsWrong) {
  EXPECT_EQ(dumped_jepsen("{:process 0 :type :ok :f :txn\n :value [[:r 1 2] [:inc 1 2]]}"),
            "file:2:19: a micro-operation of a transaction that is not known, "
            "write [:r key value], [:w key value] or [:append key value]");
  EXPECT_EQ(dumped_jepsen("{:process 0 :type :ok :f :txn :value [[:w 1]]}").substr(0, 29),
            "file:1:39: a micro-operation ");
  EXPECT_EQ(dumped_jepsen("{:process 0 :type :ok :f :txn :value 7}").substr(0, 48),
            "file:1:38: the value of a transaction is no vect");
  EXPECT_EQ(
      dumped_jepsen("{:process 0 :type :ok :f :txn :value []}\n{:process 0 :f :txn}").substr(0, 40),
      "file:2:1: an operation without :type, gi");
  EXPECT_EQ(dumped_jepsen("{:process 0 :type :maybe :f :txn}").substr(0, 33),
            "file:1:19: an unknown :type, give");
  EXPECT_EQ(dumped_jepsen("[{:process 0 :type :ok :f :txn} 7]").substr(0, 53),
            "file:1:33: \"7\" stands where an operation is due, writ");
  EXPECT_EQ(dumped_jepsen("[{:process 0 :type :ok :f :txn}").substr(0, 60),
            "file:1:1: the list of operations that begins here has no end");
  EXPECT_EQ(dumped_jepsen("[{:process 0 :type :ok :f :txn}]]").substr(0, 20),
            "file:1:33: \"]\" stand");
  EXPECT_EQ(
      dumped_jepsen("[]"),
      "file: there is no operation in this history, give a history with operations of clients");
  EXPECT_EQ(dumped_jepsen("{:process 0 :type :ok :f :txn}", HistoryFormat::jepsen_edn,
                          {.model = ObjectModel::set}),
            "file: the operations are transactions, which no set has, "
            "leave the model out; it is for single calls on objects");
}

TEST(JepsenPairing, NamesWhatIsWrong) {
  EXPECT_EQ(
      dumped_jepsen("{:process 3 :type :invoke :f :read}\n{:process 3 :type :invoke :f :read}"),
      "file:2:1: process 3 invokes an operation before that of line 1 is completed, complete "
      "the first as :ok, :fail or :info, or give the second another process");
  EXPECT_EQ(dumped_jepsen("{:process 3 :type :invoke :f :read}\n{:process 3 :type :ok :f :read}\n"
                          "{:process 3 :type :ok :f :read}"),
            "file:3:1: process 3 completes an operation that it has already completed, or did not "
            "invoke, give every completion one :invoke of the same process in front of it");
  EXPECT_EQ(dumped_jepsen("{:process 3 :type :invoke :f :read}\n{:process 3 :type :ok :f :write}"),
            "file:2:1: a :write completes the :read of line 1, "
            "a process does one thing at a time; give each its own process");
  EXPECT_EQ(dumped_jepsen("{:process [3] :type :invoke :f :read}").substr(0, 44),
            "file:1:11: a :process that is a collection, ");
  std::string nameless;
  for (int i = 0; i < 101; ++i) nameless += "{:type :invoke :f :read}\n";
  EXPECT_EQ(dumped_jepsen(nameless).substr(0, 50),
            "file:101:1: more than 100 operations without :proc");
}

TEST(JepsenOptions, SayWhatHistoriesDoNot) {
  EXPECT_EQ(dumped_jepsen(
                "{:process 0 :type :invoke :f :read} {:process 0 :type :ok :f :read :value nil}",
                HistoryFormat::jepsen_edn, {.initial = "0"}),
            "cas-register initially 0\n0 read 1-2\n");
  EXPECT_EQ(dumped_jepsen("{:process 0 :type :invoke :f :acquire}", HistoryFormat::jepsen_edn,
                          {.model = ObjectModel::semaphore}),
            "semaphore initially nil\n0 acquire unknown 1-never\n");
  EXPECT_EQ(first_line(dumped_jepsen("{:process 0 :type :invoke :f :add :value 1}",
                                     HistoryFormat::jepsen_edn, {.model = ObjectModel::set})),
            "set initially nil");
  EXPECT_EQ(dumped_jepsen("{:process 0 :type :invoke :f :push}", HistoryFormat::jepsen_edn,
                          {.model = ObjectModel::queue}),
            "file: a queue has no function :push, its functions are enqueue, dequeue, drain");
}

}  // namespace
}  // namespace heddle
