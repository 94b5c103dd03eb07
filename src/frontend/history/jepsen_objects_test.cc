// Calls on objects of every kind in, one line for each call out.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "frontend/history/jepsen.h"
#include "frontend/history/jepsen_dump_testing.h"
#include "frontend/history/jepsen_models.h"

namespace heddle {
namespace {

std::string dumped_objects(std::string_view text, HistoryFormat format = HistoryFormat::jepsen_edn,
                           const ReadHistoryOptions& options = {}) {
  return dump_read(text, format, options);
}

// Completions without invocations are enough for what values mean: `calls` are ":f :read :value 1"
// each, of one process.
std::string read_calls(const std::vector<std::string>& calls) {
  std::string text;
  for (const std::string& call : calls)
    text += "{:process 0 :type :invoke " + call + "}" + "{:process 0 :type :ok " + call + "}\n";
  return dumped_objects(text);
}

TEST(JepsenRegister, ReadsWritesAndExchanges) {
  EXPECT_EQ(dumped_objects(R"([
    {:process 0, :type :invoke, :f :read, :value nil}
    {:process 1, :type :invoke, :f :write, :value 3}
    {:process 0, :type :ok, :f :read, :value nil}
    {:process 1, :type :ok, :f :write, :value 3}
    {:process 0, :type :invoke, :f :cas, :value [3 4]}
    {:process 1, :type :invoke, :f :cas, :value [5 6]}
    {:process 1, :type :fail, :f :cas, :value [5 6]}
    {:process 2, :type :invoke, :f :write, :value 7}
    {:process 3, :type :invoke, :f :read, :value 9}
    {:process 3, :type :info, :f :read, :value 9}
    {:process 2, :type :info, :f :write, :value :timed-out}
    {:process 0, :type :ok, :f :cas, :value true}])"),
            "cas-register initially nil\n"
            "0 read -> nil 1-3\n"
            "1 write 3 2-4\n"
            "0 compare-and-set 3 4 5-12\n"
            "1 compare-and-set 5 6 failed 6-7\n"
            "2 write 7 unknown 8-never\n"
            "3 read unknown 9-never\n");
}

TEST(JepsenRegister, ReadsLogsAsPorcupineDoes) {
  EXPECT_EQ(dumped_objects("INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\n"
                           "INFO  jepsen.util - 3\t:invoke\t:write\t4\r\n"
                           "INFO  jepsen.util - 0\t:info\t:cas\t:timed-out\n"
                           "INFO  jepsen.util - 1\t:invoke\t:read\tnil\n"
                           "INFO  jepsen.util - 1\t:fail\t:read\t:timed-out\n"
                           "INFO  jepsen.util - 3\t:ok\t:write\t4\n"
                           "INFO  jepsen.util - 2\t:invoke\t:read\tnil\n"
                           "INFO  jepsen.util - 2\t:ok\t:read\t4",
                           HistoryFormat::jepsen_log),
            "cas-register initially nil\n"
            "0 compare-and-set 1 2 unknown 1-never\n"
            "3 write 4 2-6\n"
            "1 read failed 4-5\n"
            "2 read -> 4 7-8\n");
}

TEST(JepsenRegister, ReadsManyRegistersOfJepsenIndependent) {
  EXPECT_EQ(
      dumped_objects("{:process 0 :type :invoke :f :write :value [:x 1]}"
                     "{:process 0 :type :ok :f :write :value [:x 1]}"
                     "{:process 0 :type :invoke :f :cas :value #jepsen.independent.Tuple[:y [1 2]]}"
                     "{:process 0 :type :fail :f :cas :value [:y [1 2]]}"
                     "{:process 0 :type :invoke :f :read :value [:x nil]}"
                     "{:process 0 :type :ok :f :read :value [:x 1]}"
                     "{:process 0 :type :invoke :f :read :value [:x nil]}"
                     "{:process 0 :type :info :f :read :value :timed-out}"),
      "cas-register initially nil\n"
      "0 write of :x 1 1-2\n"
      "0 compare-and-set of :y 1 2 failed 3-4\n"
      "0 read of :x -> 1 5-6\n"
      "0 read of :x unknown 7-never\n");
  // An exchange of plain values, and a read of nothing in particular, are no pairs with a key.
  EXPECT_EQ(dumped_objects("{:process 0 :type :invoke :f :cas :value [1 2]}"
                           "{:process 0 :type :ok :f :cas :value [1 2]}"),
            "cas-register initially nil\n0 compare-and-set 1 2 1-2\n");
  EXPECT_EQ(dumped_objects("{:process 0 :type :invoke :f :write :value [1 2]}"
                           "{:process 0 :type :ok :f :write :value [1 2]}"
                           "{:process 0 :type :invoke :f :read :value nil}"
                           "{:process 0 :type :ok :f :read :value [1 2]}"),
            "cas-register initially nil\n0 write [1 2] 1-2\n0 read -> [1 2] 3-4\n");
}

TEST(JepsenRegister, PairsByFunctionWithoutProcesses) {
  EXPECT_EQ(dumped_objects("{:type :invoke :f :read} {:type :invoke :f :write :value 1}"
                           "{:type :invoke :f :write :value 2} {:type :ok :f :write :value 2}"
                           "{:type :ok :f :read :value 2}"),
            "cas-register initially nil\n"
            "0 read -> 2 1-5\n"
            "1 write 1 unknown 2-never\n"
            "2 write 2 3-4\n");
}

TEST(JepsenRegister, DatesCallsWithoutInvocations) {
  EXPECT_EQ(dumped_objects(
                "{:process 4 :type :ok :f :write :value 1} {:process 4 :type :ok :f :read :value 1}"
                "{:process 5 :type :info :f :write :value 2}"
                "{:process 6 :type :invoke :f :read} {:process 6 :type :ok :f :read :value 2}"),
            "cas-register initially nil\n"
            "4 write 1 0-2\n"
            "5 write 2 unknown 0-never\n"
            "4 read -> 1 3-4\n"
            "6 read -> 2 8-10\n");
}

TEST(JepsenRegister, NumbersProcessesThatHaveNames) {
  EXPECT_EQ(
      dumped_objects("{:process :a :type :invoke :f :read} {:process 7 :type :invoke :f :read}"),
      "cas-register initially nil\n0 read unknown 1-never\n1 read unknown 2-never\n");
}

TEST(JepsenKeyValue, ReadsPorcupinesLogs) {
  EXPECT_EQ(dumped_objects(R"({:process 0, :type :invoke, :f :append, :key "0", :value "x 0 0 y"}
                    {:process 0, :type :ok, :f :append, :key "0", :value "x 0 0 y"}
                    {:process 0, :type :invoke, :f :get, :key "1", :value nil}
                    {:process 0, :type :ok, :f :get, :key "1", :value ""}
                    {:process 0, :type :invoke, :f :put, :key "1", :value "z"})"),
            "key-value initially \n"
            "0 append of 0 x 0 0 y 1-2\n"
            "0 get of 1 ->  3-4\n"
            "0 put of 1 z unknown 5-never\n");
  EXPECT_EQ(read_calls({":f :get :key 1 :value nil"}),
            "key-value initially nil\n0 get of 1 -> nil 1-2\n");
}

TEST(JepsenCounter, AddsAndReads) {
  EXPECT_EQ(read_calls({":f :add :value 1", ":f :add :value -2", ":f :read :value -1"}),
            "counter initially 0\n0 add 1 1-2\n0 add -2 3-4\n0 read -> -1 5-6\n");
  EXPECT_EQ(read_calls({":f :increment", ":f :read :value 1"}),
            "counter initially 0\n0 add 1 1-2\n0 read -> 1 3-4\n");
}

TEST(JepsenSet, AddsAndReadsCollections) {
  EXPECT_EQ(dumped_objects(R"([{"process":0,"type":"invoke","f":"add","value":1},
                     {"process":0,"type":"ok","f":"add","value":1},
                     {"process":0,"type":"invoke","f":"read","value":null},
                     {"process":0,"type":"ok","f":"read","value":[1]}])",
                           HistoryFormat::jepsen_json),
            "set initially nil\n0 add 1 1-2\n0 read -> [1] 3-4\n");
  EXPECT_EQ(dumped_objects("{:process 0 :type :invoke :f :add :value 3}"
                           "{:process 1 :type :invoke :f :contains :value 3}"
                           "{:process 1 :type :ok :f :contains :value [3 true]}"
                           "{:process 1 :type :invoke :f :contains :value 4}"
                           "{:process 1 :type :ok :f :contains :value false}"
                           "{:process 1 :type :invoke :f :remove :value 3}"
                           "{:process 1 :type :fail :f :remove :value 3}"),
            "set initially nil\n"
            "0 add 3 unknown 1-never\n"
            "1 contains 3 -> 1 2-3\n"
            "1 contains 4 -> 0 4-5\n"
            "1 remove 3 failed 6-7\n");
  // Rows that are inserted and read as a whole.
  EXPECT_EQ(dumped_objects("{:type :invoke :f :write :value 425} {:type :ok :f :write :value 425}"
                           "{:type :invoke :f :read} {:type :ok :f :read :value #{425}}"),
            "set initially nil\n0 add 425 1-2\n1 read -> [425] 3-4\n");
}

TEST(JepsenQueues, ReadWhatWasTaken) {
  EXPECT_EQ(dumped_objects("{:process 0 :type :invoke :f :enqueue :value 1}"
                           "{:process 0 :type :ok :f :enqueue :value 1}"
                           "{:process 1 :type :invoke :f :dequeue}"
                           "{:process 1 :type :ok :f :dequeue :value 1}"
                           "{:process 1 :type :invoke :f :dequeue}"
                           "{:process 1 :type :fail :f :dequeue :error :empty}"
                           "{:process 1 :type :invoke :f :dequeue}"
                           "{:process 1 :type :ok :f :dequeue :value nil}"
                           "{:process 1 :type :invoke :f :drain}"
                           "{:process 1 :type :ok :f :drain :value [2 3]}"),
            "queue initially nil\n"
            "0 enqueue 1 1-2\n"
            "1 dequeue -> 1 3-4\n"
            "1 dequeue failed 5-6\n"
            "1 dequeue -> nil 7-8\n"
            "1 dequeue -> 2 9-10\n"
            "1 dequeue -> 3 9-10\n");
  EXPECT_EQ(
      dumped_objects("{:process 0 :type :invoke :f :push :value 1}"
                     "{:process 1 :type :invoke :f :pop} {:process 1 :type :ok :f :pop :value 1}"),
      "stack initially nil\n0 push 1 unknown 1-never\n1 pop -> 1 2-3\n");
  EXPECT_EQ(dumped_objects("{:process 0 :type :invoke :f :insert :value 1}"
                           "{:process 1 :type :invoke :f :delete-min}"
                           "{:process 1 :type :ok :f :delete-min :value 1}"),
            "priority-queue initially nil\n"
            "0 insert 1 unknown 1-never\n1 remove-minimum -> 1 2-3\n");
}

TEST(JepsenLocks, AcquireAndRelease) {
  EXPECT_EQ(
      dumped_objects("{:process 0 :type :invoke :f :acquire} {:process 0 :type :ok :f :acquire}"
                     "{:process 1 :type :invoke :f :release}"
                     "{:process 1 :type :fail :f :release :error :not-held}"),
      "mutex initially nil\n0 acquire 1-2\n1 release failed 3-4\n");
}

TEST(JepsenBank, TransfersAndReads) {
  EXPECT_EQ(
      dumped_objects("{:process 0 :type :invoke :f :transfer :value {:from 2 :to 1 :amount 5}}"
                     "{:process 0 :type :fail :f :transfer :value {:from 2 :to 1 :amount 5}}"
                     "{:process 0 :type :invoke :f :read}"
                     "{:process 0 :type :ok :f :read :value {2 7, 10 1, 1 -3}}"),
      "bank initially nil\n0 transfer 2 1 -> 5 failed 1-2\n0 read -> [1 -3 2 7 10 1] 3-4\n");
  EXPECT_EQ(dumped_objects(
                R"({"process":0,"type":"ok","f":"transfer","value":{"from":2,"to":1,"amount":5}}
                    {"process":0,"type":"ok","f":"read","value":{"2":7,"1":-3}}
                    {"process":0,"type":"ok","f":"read","value":[4,5]})",
                HistoryFormat::jepsen_json),
            "bank initially nil\n0 transfer 2 1 -> 5 0-2\n0 read -> [1 -3 2 7] 3-4\n"
            "0 read -> [0 4 1 5] 5-6\n");
}

TEST(JepsenObjects, NameWhatIsWrong) {
  const std::string unknown = read_calls({":f :frobnicate :value 1", ":f :read"});
  EXPECT_EQ(unknown.substr(0, 106),
            "file: no kind of object has the functions and values of this history: :frobnicate, "
            ":read, the kinds are ca");
  EXPECT_NE(unknown.find("counter (add, inc, increment, read)"), std::string::npos);
  EXPECT_NE(read_calls({""}).find("history: operations without :f,"), std::string::npos);
  EXPECT_EQ(read_calls({":f :read", ":f :cas :value 7"}),
            "file:2: :cas without the values to compare and to set, write [from to]");
  EXPECT_EQ(read_calls({":f :transfer :value {:from 1 :to 2}"}),
            "file:1: :transfer without accounts and amount, write {:from 1, :to 2, :amount 3}");
  EXPECT_EQ(read_calls({":f :transfer :value [1 2 3]", ":f :read :value 7"}),
            "file:2: :read of a bank returned no balances, return a map from account to balance");
  EXPECT_EQ(read_calls({":f :add", ":f :read :value 7"}),
            "file:1: :add of a counter without an integer, add an integer of 64 bits");
  EXPECT_EQ(
      dumped_objects("{:process 0 :type :invoke :f :enqueue} {:process 1 :type :invoke :f :drain}"),
      "file:1: :drain did not return what it took out of the queue, "
      "leave it out, or record it as one dequeue after another");
}

TEST(JepsenModels, EveryModelIsFoundByItsFunctions) {
  const auto chosen = [](const std::vector<std::string>& functions, bool reads_collections = false,
                         bool reads_maps = false) {
    const auto model = choose_model(
        {.functions = functions, .reads_collections = reads_collections, .reads_maps = reads_maps},
        std::nullopt);
    return model ? std::string(to_string(*model)) : "none";
  };
  EXPECT_EQ(chosen({"read"}), "cas-register");
  EXPECT_EQ(chosen({"read"}, true), "set");
  EXPECT_EQ(chosen({"read"}, false, true), "bank");
  EXPECT_EQ(chosen({"read", "compare_and_set"}), "cas-register");
  EXPECT_EQ(chosen({"get"}), "key-value");
  EXPECT_EQ(chosen({"add", "read"}), "counter");
  EXPECT_EQ(chosen({"add", "read"}, true), "set");
  EXPECT_EQ(chosen({"add", "remove"}), "set");
  EXPECT_EQ(chosen({"add", "read"}, false, true), "none");
  EXPECT_EQ(chosen({"read", "transfer"}), "bank");
  EXPECT_EQ(chosen({"dequeue"}), "queue");
  EXPECT_EQ(chosen({"pop", "push"}), "stack");
  EXPECT_EQ(chosen({"insert", "poll"}), "priority-queue");
  EXPECT_EQ(chosen({"lock", "unlock"}), "mutex");
  EXPECT_EQ(chosen({"read", "enqueue"}), "none");
}

}  // namespace
}  // namespace heddle
