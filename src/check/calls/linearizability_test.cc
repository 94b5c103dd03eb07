// Hand-written histories of every kind of object, text in, text out; bounds; the public example.
#include "heddle/linearizability.h"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include <gtest/gtest.h>

#include "check/calls/sample.h"

namespace heddle {
namespace {

const std::map<std::string, ObjectFunction>& functions() {
  using enum ObjectFunction;
  static const std::map<std::string, ObjectFunction> kFunctions = {
      {"read", read},       {"write", write},     {"cas", compare_and_set},
      {"get", get},         {"put", put},         {"append", append},
      {"add", add},         {"remove", remove},   {"contains", contains},
      {"enq", enqueue},     {"deq", dequeue},     {"push", push},
      {"pop", pop},         {"insert", insert},   {"min", remove_minimum},
      {"acquire", acquire}, {"release", release}, {"transfer", transfer}};
  return kFunctions;
}

Value value_of(ObjectHistory& history, const std::string& word) {
  if (word == "nil") return kNil;
  if (word == "?") return kUnseen;
  const bool is_number = word.find_first_not_of("-0123456789") == std::string::npos;
  return is_number ? Value::number(std::stoll(word)) : history.texts.text(word);
}

Value list_of(ObjectHistory& history, const std::string& word) {
  std::vector<Value> values;
  std::stringstream words(word.substr(1, word.size() - 2));
  for (std::string element; std::getline(words, element, ',');) {
    values.push_back(value_of(history, element));
  }
  return {static_cast<std::int64_t>(history.lists.add(values).index())};
}

// Calls by their time: "0-3 write 1; 1-2 read -> nil; 4-! deq" (! crashed, x failed). Each line
// element is one process. "@b" behind the times names an object other than "a".
ObjectHistory history_of(ObjectModel model, const std::string& text) {
  ObjectHistory history;
  history.model = model;
  std::stringstream parts(text);
  for (std::string part; std::getline(parts, part, ';');) {
    std::stringstream words(part);
    std::string word;
    ObjectCall call;
    call.process = static_cast<std::uint32_t>(history.calls.size());
    words >> word;
    const std::size_t dash = word.find('-');
    call.called = std::stoll(word.substr(0, dash));
    const std::string end = word.substr(dash + 1);
    call.outcome = end == "!"   ? CallOutcome::unknown
                   : end == "x" ? CallOutcome::failed
                                : CallOutcome::ok;
    if (call.outcome == CallOutcome::ok) call.returned = std::stoll(end);
    words >> word;
    std::string object = "a";
    if (word.front() == '@') {
      object = word.substr(1);
      words >> word;
    }
    if (word.front() == 'p' && word.size() == 2) {
      call.process = static_cast<std::uint32_t>(word.back() - '0') + 100;
      words >> word;
    }
    call.object = history.objects.of(history.texts.text(object));
    call.function = functions().at(word);
    for (Value* argument : {&call.argument, &call.second, &call.result}) {
      if (!(words >> word) || word == "->") break;
      *argument = value_of(history, word);
    }
    if (word == "->" && words >> word) {
      call.result_is_list = word.front() == '[';
      call.result = call.result_is_list ? list_of(history, word) : value_of(history, word);
    }
    history.calls.push_back(call);
  }
  std::ranges::stable_sort(history.calls, {}, &ObjectCall::called);
  return history;
}

std::string join(const std::vector<std::uint32_t>& calls) {
  std::string text;
  for (const std::uint32_t call : calls) text += " " + std::to_string(call);
  return text;
}

// "satisfied: 0 1 2" with the witness, or "violated: 0 2, core: 0 1 3, stuck: 3".
std::string answer_text(const ObjectHistory& history, CallOrder order = CallOrder::linearizable,
                        bool search_only = false) {
  LinearizabilityOptions options;
  options.order = order;
  options.search_only = search_only;
  const LinearizabilityAnswer answer = check_linearizable(history, options);
  std::string text(to_string(answer.verdict));
  text += ":";
  if (answer.verdict == Verdict::unknown) return text + " " + answer.bound;
  const LinearizabilityPart& part = answer.parts[answer.culprit.value_or(0)];
  text += join(part.order);
  if (answer.verdict == Verdict::satisfied) {
    EXPECT_FALSE(find_witness_flaw(history, order, part.object, part.order));
    return text;
  }
  text += ", core:" + join(part.core);
  if (!part.core_optional.empty()) text += " of which optional:" + join(part.core_optional);
  if (!part.core_begins_with.empty()) text += " behind " + part.core_begins_with;
  return text + ", stuck:" + (part.stuck ? " " + std::to_string(*part.stuck) : "");
}

struct ModelCase {
  ObjectModel model;
  const char* history;
  const char* answer;
};

TEST(Linearizability, HistoriesOfEveryModel) {
  using enum ObjectModel;
  const std::vector<ModelCase> cases = {
      {cas_register, "0-1 write 1; 2-3 read -> 1", "satisfied: 0 1"},
      {cas_register, "0-1 read -> nil; 2-3 write 1; 4-5 read -> nil",
       "violated: 0 1, core: 1 2, stuck: 2"},
      {cas_register, "0-5 write 1; 1-2 read -> 1; 3-4 read -> nil",
       "violated: 0 1, core: 0 1 2 of which optional: 0, stuck: 2"},
      {cas_register, "0-1 write 1; 2-! write 2; 3-4 read -> 1; 5-6 read -> 2; 7-8 read -> 1",
       "violated: 0 2 1 3, core: 0 1 3 4 of which optional: 1, stuck: 4"},
      {cas_register, "0-1 write 1; 2-3 cas 1 2; 4-5 cas 2 3; 6-7 read -> 3", "satisfied: 0 1 2 3"},
      {cas_register, "0-1 write 1; 2-3 cas 1 2; 4-5 cas 1 3",
       "violated: 0 1, core: 0 1 2 of which optional: 0, stuck: 2"},
      {cas_register, "0-1 write 1; 2-x cas 1 2; 3-4 read -> 1", "satisfied: 0 2"},
      {cas_register, "0-1 read -> ?; 2-3 write 1; 2-4 read -> ?", "satisfied: 0 1 2"},
      {key_value, "0-1 put x; 2-3 append y; 4-5 get -> xy", "satisfied: 0 1 2"},
      {key_value, "0-1 get -> nil; 2-3 append y; 4-5 append x; 6-7 get -> xy",
       "violated: 0 1 2, core: 1 2 3 of which optional: 2, stuck: 3"},
      {key_value, "0-1 put x; 2-3 @b get -> x", "violated:, core: 1, stuck: 1"},
      {counter, "0-1 add 2; 2-9 add -1; 3-4 read -> 1; 5-6 read -> 1", "satisfied: 0 1 2 3"},
      {counter, "0-1 add 2; 2-9 add -1; 3-4 read -> 1; 5-6 read -> 2",
       "violated: 0 1 2, core: 0 1 2 3 of which optional: 0 1, stuck: 3"},
      {set, "0-1 add 1; 2-3 add 2; 4-5 read -> [2,1]", "satisfied: 0 1 2"},
      {set, "0-5 add 1; 0-6 add 2; 1-2 read -> [1]; 1-3 read -> [2]",
       "violated: 0 2, core: 0 1 2 3 of which optional: 0 1, stuck: 3"},
      {set, "0-1 add 1; 2-3 remove 1; 4-5 contains 1 -> 1", "violated: 0 1, core: 0 1 2, stuck: 2"},
      {set, "0-1 add 1; 2-! remove 1; 3-4 contains 1 -> 1; 5-6 contains 1 -> 0",
       "satisfied: 0 2 1 3"},
      {queue, "0-1 enq 1; 2-3 enq 2; 4-5 deq -> 1; 6-7 deq -> 2; 8-9 deq -> nil",
       "satisfied: 0 1 2 3 4"},
      {queue, "0-1 enq 1; 2-3 enq 2; 4-5 deq -> 2",
       "violated: 0 1, core: 0 1 2 of which optional: 1, stuck: 2"},
      {queue, "0-1 enq 1; 2-! deq; 3-4 enq 2; 5-6 deq -> 2", "satisfied: 0 1 2 3"},
      {queue, "0-1 enq 1; 2-3 deq -> nil", "violated: 0, core: 0 1, stuck: 1"},
      {queue, "0-1 enq 1; 2-5 enq 2; 3-9 deq -> 1; 6-7 deq -> nil",
       "violated: 0 1, core: 1 3, stuck: 3"},
      {stack, "0-1 push 1; 2-3 push 2; 4-5 pop -> 2; 6-7 pop -> 1", "satisfied: 0 1 2 3"},
      {stack, "0-1 push 1; 2-3 push 2; 4-5 pop -> 1", "violated: 0 1, core: 0 1 2, stuck: 2"},
      {stack, "0-1 push 1; 2-9 push 2; 4-5 pop -> 1; 6-7 pop -> nil", "satisfied: 0 2 3 1"},
      {priority_queue, "0-1 insert 5; 2-3 insert 3; 4-5 min -> 3; 6-7 min -> 5",
       "satisfied: 0 1 2 3"},
      {priority_queue, "0-1 insert 5; 2-3 insert 3; 4-5 min -> 5",
       "violated: 0 1, core: 0 1 2 of which optional: 0, stuck: 2"},
      {mutex, "0-1 p1 acquire; 2-5 p2 acquire; 3-4 p1 release", "satisfied: 0 2 1"},
      {mutex, "0-1 p1 acquire; 2-3 p2 acquire; 4-5 p1 release", "violated: 0, core: 0 1, stuck: 1"},
      {semaphore, "0-1 acquire; 2-3 release; 4-5 release",
       "violated: 0 1, core: 0 1 2 of which optional: 0, stuck: 2"},
      {bank,
       "0-1 transfer 1 2 5; 2-3 read -> [1,5,2,15]; 4-5 transfer 2 1 1; 6-7 read -> [1,6,2,14]",
       "satisfied: 0 1 2 3"},
      {bank, "0-1 read -> [1,5,2,15]; 2-3 transfer 2 1 1; 4-5 read -> [1,5,2,15]",
       "violated: 0 1, core: 0 1 2, stuck: 2"},
  };
  for (const ModelCase& row : cases) {
    const ObjectHistory history = history_of(row.model, row.history);
    EXPECT_EQ(answer_text(history), row.answer) << row.history;
  }
}

// What all texts begin with stands for the appends in it.
TEST(Linearizability, AppendedTextsTellTheirOrder) {
  using enum ObjectModel;
  const ModelCase cases[] = {
      {key_value, "0-1 append a; 2-3 append b; 4-5 append c; 6-7 get -> ab",
       "violated: 0 1 2, core: 2 3 behind ab, stuck: 3"},
      {key_value, "0-1 append a; 2-3 get -> a; 4-5 append b; 6-7 get -> ab; 8-9 get -> a",
       "violated: 0 1 2 3, core: 2 4 behind a, stuck: 4"},
      {key_value, "0-1 append a; 2-3 append b; 4-5 append c; 6-7 get -> acb",
       "violated: 0 1 2, core: 1 2 3 of which optional: 2 behind a, stuck: 3"},
      {key_value, "0-1 append a; 2-3 get -> ax; 4-5 append b",
       "violated: 0, core: 1 behind a, stuck: 1"},
      {key_value, "0-1 append a; 2-9 append b; 4-5 get -> ab; 6-7 get -> ab", "satisfied: 0 1 2 3"},
      {key_value, "0-1 append a; 2-3 get -> ab; 4-5 append b",
       "violated: 0, core: 1 2 of which optional: 2 behind a, stuck: 1"},
      {key_value, "0-1 append a; 2-! append b; 4-5 get -> a; 6-7 get -> ab; 8-9 get -> a",
       "violated: 0 2 1 3, core: 1 3 4 of which optional: 1 behind a, stuck: 4"},
  };
  for (const ModelCase& row : cases) {
    const ObjectHistory history = history_of(row.model, row.history);
    EXPECT_EQ(answer_text(history), row.answer) << row.history;
  }
}

TEST(Linearizability, OrdersDiffer) {
  // A read that is stale in real time, in a process that had nothing to do with the write.
  const char* stale = "0-1 p1 write 1; 2-3 p2 read -> nil";
  const ObjectHistory read = history_of(ObjectModel::cas_register, stale);
  EXPECT_EQ(answer_text(read), "violated: 0, core: 0 1, stuck: 1");
  EXPECT_EQ(answer_text(read, CallOrder::sequential), "satisfied: 1 0");
  EXPECT_EQ(answer_text(read, CallOrder::quiescent), "violated: 0, core: 0 1, stuck: 1");
  // While another call runs nothing is quiescent.
  const ObjectHistory busy =
      history_of(ObjectModel::cas_register, "0-1 p1 write 1; 0-9 p3 read -> 1; 2-3 p1 read -> nil");
  EXPECT_EQ(answer_text(busy), "violated: 0, core: 0 2, stuck: 2");
  EXPECT_EQ(answer_text(busy, CallOrder::quiescent), "satisfied: 2 0 1");
  EXPECT_EQ(answer_text(busy, CallOrder::sequential), "violated: 0 1, core: 0 2, stuck: 2");
}

TEST(Linearizability, SequentialConsistencyIsNotDecidedByObject) {
  // Each object alone has an order; both together have none (Herlihy and Wing 1990, section 3.3).
  const char* text =
      "0-1 @p p1 enq 1; 2-3 @q p2 enq 2; 4-5 @q p1 enq 1; 6-7 @p p2 enq 2; "
      "8-9 @p p1 deq -> 2; 10-11 @q p2 deq -> 1";
  const ObjectHistory history = history_of(ObjectModel::queue, text);
  LinearizabilityOptions options;
  options.order = CallOrder::sequential;
  EXPECT_EQ(check_linearizable(history, options).verdict, Verdict::violated);
}

TEST(Linearizability, FunctionsThatAModelLacksAreNamed) {
  const ObjectHistory history = history_of(ObjectModel::queue, "0-1 enq 1; 2-3 read -> 1");
  EXPECT_EQ(answer_text(history), "unknown: call 1: a queue has no function read");
  EXPECT_EQ(find_misfit(history_of(ObjectModel::counter, "0-1 add x")),
            "call 0: it adds what is no number");
  EXPECT_EQ(find_misfit(history_of(ObjectModel::set, "0-1 read -> 7")),
            "call 0: it reads what is no list");
  EXPECT_EQ(find_misfit(history_of(ObjectModel::bank, "0-1 read -> [1]")),
            "call 0: it reads an account without a balance");
}

TEST(Linearizability, AnEmptyHistoryIsSatisfied) {
  EXPECT_EQ(check_linearizable(ObjectHistory()).verdict, Verdict::satisfied);
}

// Many calls at once, and a read that nothing explains: every subset of the calls is a state.
ObjectHistory hard_history(std::uint32_t calls) {
  ObjectHistory history;
  history.model = ObjectModel::counter;
  history.objects.of(kNil);
  for (std::uint32_t i = 0; i < calls; ++i) {
    ObjectCall call;
    call.process = i;
    call.function = i + 1 == calls ? ObjectFunction::read : ObjectFunction::add;
    call.argument = Value::number(std::int64_t{1} << i);
    call.result = Value::number(-1);
    call.called = i;
    call.returned = 1000 + i;
    history.calls.push_back(call);
  }
  return history;
}

TEST(LinearBounds, AreHonouredAndNamed) {
  const ObjectHistory history = hard_history(40);
  LinearizabilityOptions options;
  options.memory_bytes = 1'000'000;
  LinearizabilityAnswer answer = check_linearizable(history, options);
  EXPECT_EQ(answer.verdict, Verdict::unknown);
  EXPECT_EQ(answer.bound, "the memory limit of 1M");
  EXPECT_EQ(answer.parts[0].bound, answer.bound);

  options = {};
  options.steps = 1000;
  answer = check_linearizable(history, options);
  EXPECT_EQ(answer.bound, "the limit of 1000 steps");
  EXPECT_EQ(answer.steps, 1000U);

  options = {};
  options.deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
  EXPECT_EQ(check_linearizable(history, options).bound, "the time limit");
  EXPECT_EQ(check_linearizable(hard_history(12)).verdict, Verdict::violated);
}

TEST(LinearBounds, NearLinearAlgorithmsNeedMemoryToo) {
  SampleShape shape;
  shape.calls = 10'000;
  shape.unique_values = true;
  const ObjectHistory history = sample_calls(shape, 1);
  LinearizabilityOptions options;
  options.memory_bytes = 1'000'000;
  EXPECT_EQ(check_linearizable(history, options).bound, "the memory limit of 1M");
  options.memory_bytes = 10'000'000;
  EXPECT_EQ(check_linearizable(history, options).verdict, Verdict::satisfied);
}

TEST(LinearBounds, OneHardObjectLeavesTheOthersDecided) {
  ObjectHistory history = hard_history(40);
  const KeyId other = history.objects.of(Value::number(1));
  history.calls.push_back(history.calls.back());
  history.calls.back().object = other;
  LinearizabilityOptions options;
  options.memory_bytes = 1'000'000;
  const LinearizabilityAnswer answer = check_linearizable(history, options);
  EXPECT_EQ(answer.verdict, Verdict::violated);
  EXPECT_EQ(answer.culprit, 1U);
  EXPECT_EQ(answer.parts[0].bound, "the memory limit of 1M");
}

TEST(Linearizability, SameInputSameAnswer) {
  SampleShape shape;
  shape.calls = 300;
  shape.mistakes = 1;
  shape.unknown_percent = 5;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const ObjectHistory history = sample_calls(shape, seed);
    EXPECT_EQ(answer_text(history), answer_text(sample_calls(shape, seed)));
  }
}

TEST(LinearWitness, FlawsAreFound) {
  const ObjectHistory history =
      history_of(ObjectModel::cas_register, "0-1 write 1; 2-3 read -> 1; 4-! write 2; 5-x write 3");
  const auto flaw = [&](std::vector<std::uint32_t> order) {
    return find_witness_flaw(history, CallOrder::linearizable, std::nullopt, order)
        .value_or("none");
  };
  EXPECT_EQ(flaw({0, 1}), "none");
  EXPECT_EQ(flaw({0, 1, 2}), "none");
  EXPECT_EQ(flaw({0}), "call 1 is left out");
  EXPECT_EQ(flaw({0, 1, 3}), "call 3 does not belong there");
  EXPECT_EQ(flaw({0, 1, 1}), "call 1 does not belong there");
  EXPECT_EQ(flaw({0, 1, 7}), "call 7 does not belong there");
  EXPECT_EQ(flaw({1, 0}), "call 0 stands behind one that it precedes");
  EXPECT_EQ(flaw({2, 0, 1}), "call 0 stands behind one that it precedes");
}

// The example of the header.
struct Largest final : PlainModel<std::int64_t> {
  std::int64_t first() const override { return 0; }
  std::optional<std::int64_t> next(const std::int64_t& largest,
                                   const ObjectCall& call) const override {
    if (call.function == ObjectFunction::write) return std::max(largest, call.argument.code);
    return call.result.code == largest ? std::optional(largest) : std::nullopt;
  }
};

TEST(LinearModels, ObjectsOfOnesOwn) {
  const ObjectHistory good =
      history_of(ObjectModel::cas_register, "0-1 write 5; 2-3 write 3; 4-5 read -> 5");
  const LinearizabilityAnswer answer = check_linearizable(good, Largest());
  EXPECT_EQ(answer.verdict, Verdict::satisfied);
  EXPECT_FALSE(find_witness_flaw(good, Largest(), CallOrder::linearizable, std::nullopt,
                                 answer.parts[0].order));
  const ObjectHistory bad =
      history_of(ObjectModel::cas_register, "0-1 write 5; 2-3 write 3; 4-5 read -> 3");
  EXPECT_EQ(check_linearizable(bad, Largest()).verdict, Verdict::violated);
}

}  // namespace
}  // namespace heddle
