// What is written in a format and read again says the same, as far as the format goes: which
// transactions there are, what they did, whose they are, in which order a session made them, and
// which ended before which began.

#include "frontend/history/formats/write_history.h"

#include <map>

#include <gtest/gtest.h>

#include "frontend/history/formats/read_history.h"
#include "frontend/history/write/samples_testing.h"
#include "frontend/history/write/write_random.h"
#include "frontend/history/write/write_spelling.h"

namespace heddle {
namespace {

constexpr std::int64_t kLabels = 100'000;

// Gives every transaction one more write, whose value tells it from all others.
TransactionHistory with_labels(const TransactionHistory& history) {
  TransactionHistory labelled = history;
  const KeyId key = labelled.keys.of(Value::number(88));
  labelled.operations.clear();
  for (std::size_t i = 0; i < history.transactions.size(); ++i) {
    RecordedTransaction& txn = labelled.transactions[i];
    txn.first = static_cast<std::uint32_t>(labelled.operations.size());
    const Value label = Value::number(kLabels + static_cast<std::int64_t>(i));
    labelled.operations.push_back({key, KeyAction::write, label});
    for (const KeyOperation& operation : history.operations_of(TransactionId(i))) {
      labelled.operations.push_back(operation);
    }
    ++txn.count;
  }
  return labelled;
}

struct Carried {
  bool names = true;      // of sessions
  bool key_names = true;  // else keys are numbered
  bool unseen = true;     // reads that were not seen
  bool times = true;
  bool nil_of_unfinished = true;  // what reads of transactions that did not commit saw, if nil
};

class Outline {
 public:
  Outline(const TransactionHistory& history, const Carried& carried)
      : history_(history), carried_(carried) {
    for (std::size_t i = 0; i < history.transactions.size(); ++i) by_label_[label(i)] = i;
  }

  std::string text() const {
    std::string out;
    std::map<std::uint32_t, std::string> sessions;
    for (std::size_t i = 0; i < history_.transactions.size(); ++i) {
      sessions[history_.transactions[i].session] += fmt::format(" {}", label(i));
    }
    for (const auto& [label, index] : by_label_) {
      const RecordedTransaction& txn = history_.transactions[index];
      out += fmt::format("{} {} session{}", label, to_string(txn.outcome), sessions[txn.session]);
      if (carried_.names) out += " named " + spell_session(history_, txn.session);
      for (const KeyOperation& operation : history_.operations_of(TransactionId(index))) {
        out += operation_text(txn, operation);
      }
      if (carried_.times && history_.has_times) out += " after" + predecessors(txn);
      out += '\n';
    }
    return out;
  }

 private:
  std::int64_t label(std::size_t index) const {
    for (const KeyOperation& operation : history_.operations_of(TransactionId(index))) {
      if (operation.value.is_number() && operation.value.code >= kLabels) {
        return operation.value.code;
      }
    }
    return -1;
  }

  std::string operation_text(const RecordedTransaction& txn, KeyOperation operation) const {
    const bool is_read = operation.action == KeyAction::read;
    if (is_read && history_.initial && operation.value == *history_.initial) {
      operation.value = kNil;
    }
    const bool hides_nil = !carried_.nil_of_unfinished && is_read && operation.value == kNil &&
                           txn.outcome != TransactionOutcome::committed;
    if (hides_nil) operation.value = kUnseen;
    if (!carried_.unseen && operation.value == kUnseen) return "";
    if (carried_.key_names) return spell_operation(history_, operation);
    return fmt::format(" {}({})={}", to_string(operation.action), key_number(operation.key),
                       spell_value(operation.value, history_.texts));
  }

  // Keys in the order in which labelled transactions use them.
  std::size_t key_number(KeyId key) const {
    std::vector<KeyId> order;
    for (const auto& [label, index] : by_label_) {
      for (const KeyOperation& operation : history_.operations_of(TransactionId(index))) {
        if (!carried_.unseen && operation.value == kUnseen) continue;
        if (std::ranges::find(order, operation.key) == order.end()) order.push_back(operation.key);
      }
    }
    return static_cast<std::size_t>(std::ranges::find(order, key) - order.begin());
  }

  std::string predecessors(const RecordedTransaction& txn) const {
    std::string out;
    for (const auto& [label, index] : by_label_) {
      const RecordedTransaction& other = history_.transactions[index];
      const bool has_ended = other.outcome != TransactionOutcome::unknown && other.ended != kNever;
      if (has_ended && other.ended < txn.began) out += fmt::format(" {}", label);
    }
    return out;
  }

  const TransactionHistory& history_;
  const Carried& carried_;
  std::map<std::int64_t, std::size_t> by_label_;
};

struct RoundTrip {
  HistoryFormat format;
  RandomHistoryShape shape;
  Carried carried;
};

std::string outline(const TransactionHistory& history, const Carried& carried) {
  return Outline(history, carried).text();
}

// How many of the histories could be written; all that could must survive.
unsigned check_round_trips(const RoundTrip& trip, unsigned count) {
  unsigned written = 0;
  for (unsigned seed = 0; seed < count; ++seed) {
    const TransactionHistory history = with_labels(RandomHistory(seed, trip.shape).transactions());
    const Result<std::string> text = write_history(history, trip.format);
    if (!text) continue;
    ++written;
    const auto again = read_history(*text, "again", {.format = trip.format});
    if (!again) {
      ADD_FAILURE() << "seed " << seed << ": " << to_string(again.error()) << "\n" << *text;
      return written;
    }
    const auto& read = std::get<TransactionHistory>(*again);
    EXPECT_EQ(find_flaw(read), std::nullopt);
    if (!history.transactions.empty() && trip.carried.times) {
      EXPECT_EQ(read.has_times, history.has_times) << "seed " << seed;
    }
    const std::string expected = outline(history, trip.carried);
    const std::string actual = outline(read, trip.carried);
    EXPECT_EQ(actual, expected) << "seed " << seed << "\n" << *text;
    if (actual != expected) return written;
  }
  return written;
}

TEST(WriteHistory, heddle) {
  EXPECT_EQ(check_round_trips({HistoryFormat::heddle_lines, {}, {}}, 500), 500U);
  EXPECT_EQ(check_round_trips({HistoryFormat::heddle_lines, {.initial = {}}, {}}, 500), 500U);
}

TEST(WriteHistory, textbook) {
  const Carried carried{.names = false};
  EXPECT_EQ(check_round_trips({HistoryFormat::textbook, {}, carried}, 3000), 3000U);
  EXPECT_EQ(check_round_trips({HistoryFormat::textbook, {.initial = {}}, carried}, 1000), 1000U);
  const RandomHistoryShape other{.initial = Value::number(3)};
  EXPECT_EQ(check_round_trips({HistoryFormat::textbook, other, carried}, 1000), 1000U);
}

TEST(WriteHistory, plume) {
  const RandomHistoryShape shape{.texts = false,
                                 .lists = false,
                                 .aborted = false,
                                 .unknown = false,
                                 .initial = Value::number(0)};
  const Carried carried{.names = false, .unseen = false, .times = false};
  EXPECT_EQ(check_round_trips({HistoryFormat::plume, shape, carried}, 2000), 2000U);
}

TEST(WriteHistory, awdit) {
  const RandomHistoryShape shape{
      .texts = false, .lists = false, .aborted = false, .unknown = false, .initial = {}};
  const Carried carried{.names = false, .unseen = false, .times = false};
  EXPECT_EQ(check_round_trips({HistoryFormat::awdit, shape, carried}, 2000), 2000U);
}

TEST(WriteHistory, dbcop) {
  const RandomHistoryShape shape{
      .texts = false, .lists = false, .unknown = false, .initial = Value::number(0)};
  Carried carried{.names = false, .times = false};
  EXPECT_EQ(check_round_trips({HistoryFormat::dbcop_bincode, shape, carried}, 2000), 2000U);
  carried.unseen = false;
  EXPECT_EQ(check_round_trips({HistoryFormat::dbcop_json, shape, carried}, 2000), 2000U);
}

TEST(WriteHistory, initial_values_and_names_of_keys_are_translated) {
  RandomHistoryShape shape{.texts = false, .lists = false, .unknown = false, .initial = kNil};
  const Carried carried{
      .names = false, .key_names = false, .times = false, .nil_of_unfinished = false};
  EXPECT_EQ(check_round_trips({HistoryFormat::dbcop_bincode, shape, carried}, 500), 500U);
  shape.initial = Value::number(0);
  shape.unseen = false;
  for (const HistoryFormat format : {HistoryFormat::jepsen_edn, HistoryFormat::jepsen_json}) {
    shape.overlap = false;
    EXPECT_GT(check_round_trips({format, shape, carried}, 500), 400U);
  }
}

TEST(WriteHistory, jepsen) {
  const RandomHistoryShape shape{.unseen = false, .overlap = false};
  const Carried carried{.names = false, .nil_of_unfinished = false};
  for (const HistoryFormat format : {HistoryFormat::jepsen_edn, HistoryFormat::jepsen_json}) {
    EXPECT_GT(check_round_trips({format, shape, carried}, 3000), 800U);
  }
}

// That these comparisons can fail.
TEST(WriteHistory, the_outline_notices_every_kind_of_loss) {
  RandomHistoryShape shape;
  unsigned noticed = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    const TransactionHistory history = with_labels(RandomHistory(seed, shape).transactions());
    TransactionHistory damaged = history;
    if (damaged.transactions.size() < 4 || !damaged.has_times) continue;
    switch (seed % 4) {
      case 0:
        damaged.transactions[1].outcome = TransactionOutcome::aborted;
        damaged.transactions[2].outcome = TransactionOutcome::unknown;
        break;
      case 1:
        damaged.operations[0].value = Value::number(kLabels - 1);
        break;
      case 2:
        damaged.transactions[0].session = 77;
        break;
      default:
        for (RecordedTransaction& txn : damaged.transactions) txn.began = -1;
    }
    noticed += outline(history, {}) == outline(damaged, {}) ? 0 : 1;
  }
  EXPECT_GT(noticed, 50U);
}

TransactionHistory textbook(const std::string& text) {
  auto history = read_history(text, "t", {.format = HistoryFormat::textbook});
  EXPECT_TRUE(history) << to_string(history.error());
  return std::get<TransactionHistory>(std::move(*history));
}

std::string write_as(const std::string& text, HistoryFormat format) {
  const Result<std::string> written = write_history(textbook(text), format);
  return written ? *written : to_string(written.error());
}

TEST(WriteHistory, what_files_look_like) {
  const std::string text = "session al: 1 3\nr1[x=0] w1[x=1] c1 w2[y=7] a2 r3[x=1] c3";
  EXPECT_EQ(write_as(text, HistoryFormat::textbook),
            "initial: 0\nsession al: 1 3\nsession T2: 2\n"
            "r1[x=0] w1[x=1] c1 w2[y=7] a2 r3[x=1] c3\n");
  EXPECT_EQ(write_as(text, HistoryFormat::plume),
            "r(0,0,0,0)\nw(0,1,0,0)\nw(1,7,1,-1)\nr(0,1,0,1)\n");
  EXPECT_EQ(write_as(text, HistoryFormat::jepsen_edn),
            R"({:index 0, :process 0, :type :invoke, :f :txn, :value [[:r "x" nil] [:w "x" 1]]}
{:index 1, :process 0, :type :ok, :f :txn, :value [[:r "x" nil] [:w "x" 1]]}
{:index 2, :process 1, :type :invoke, :f :txn, :value [[:w "y" 7]]}
{:index 3, :process 1, :type :fail, :f :txn, :value [[:w "y" 7]]}
{:index 4, :process 0, :type :invoke, :f :txn, :value [[:r "x" nil]]}
{:index 5, :process 0, :type :ok, :f :txn, :value [[:r "x" 1]]}
)");
  EXPECT_EQ(write_as("times: none\nw1[x=1] c1 r2[x=1]", HistoryFormat::jepsen_json),
            R"({"index": 0, "process": 0, "type": "ok", "f": "txn", "value": [["w", "x", 1]]}
{"index": 1, "process": 1, "type": "info", "f": "txn", "value": [["r", "x", 1]]}
)");
  EXPECT_EQ(write_as("w1[5=1] c1 r2[5=1] r2[7=?] w2[7=2] c2", HistoryFormat::awdit),
            "w 5 1\n=====\nr 5 1\nw 7 2\n");
  EXPECT_EQ(write_as("w1[5=1] c1", HistoryFormat::dbcop_json),
            R"({"params": {"id": 0, "n_node": 1, "n_variable": 1, "n_transaction": 1, "n_event": 1},
"info": "written by heddle", "start": "1970-01-01T00:00:00+00:00", "end": "1970-01-01T00:00:00+00:00",
"data": [
[{"events": [{"Write": {"variable": 5, "version": 1}}], "committed": true}]]}
)");
  EXPECT_EQ(write_as("append1[x=\"é\"] r1[x=[1 b]] c1", HistoryFormat::heddle_lines),
            R"({"heddle": "history/1", "shape": "transactions", "initial": 0, "times": true}
{"session": 0, "began": 1, "ended": 3, "ops": [["append", "x", "é"], ["r", "x", [1, "b"]]]}
)");
}

std::string refusal(const std::string& text, HistoryFormat format) {
  const Result<std::string> written = write_history(textbook(text), format);
  if (written) return "written: " + *written;
  EXPECT_EQ(written.error().what_to_do, "heddle's own format can express every history");
  const std::string& what = written.error().what;
  return what.substr(what.find(':') + 2);
}

TEST(WriteHistory, says_what_a_format_cannot_express) {
  using enum HistoryFormat;
  EXPECT_EQ(refusal("append1[x=1] c1", plume), "transaction 1 of session s1: it uses lists");
  EXPECT_EQ(refusal("c1 w2[x=1]", plume),
            "transaction 1 of session s2: nobody knows whether it committed");
  EXPECT_EQ(refusal("w1[x=-1] c1", dbcop_bincode),
            "transaction 1 of session s1: its value -1 is no number from 0 on");
  EXPECT_EQ(refusal("w1[x=red] c1", awdit),
            "transaction 1 of session s1: its value red is no number from 0 on");
  EXPECT_EQ(refusal("r1[x=0] c1", awdit),
            "transaction 1 of session s1: it reads the initial value of a key");
  EXPECT_EQ(refusal("w1[x=1] a1", awdit), "transaction 1 of session s1 did not commit");
  EXPECT_EQ(refusal("r1[x=nil] w1[x=0] c1", plume),
            "0 is the initial value there, but here also another one");
  EXPECT_EQ(refusal("initial: none\nr1[x=0] c1", plume),
            "0 is the initial value there, but here it is not");
  EXPECT_EQ(refusal("initial: none\nw1[x=0] c1 r2[x=0] c2", dbcop_json),
            "0 is the initial value there, but here it is not");
  EXPECT_EQ(refusal("r1[x] c1", jepsen_edn),
            "transaction 1 of session s1: it committed without being told what it read");
  EXPECT_EQ(refusal("w1[x=1] append1[x=2] c1", jepsen_json),
            "transaction 1 of session s1: lists cannot be told from registers");
  EXPECT_EQ(refusal("w1[x=0] r1[y=0] c1", jepsen_edn),
            "transaction 1 of session s1: nil is the initial value there, but here also another "
            "one");
  EXPECT_EQ(refusal("session a: 1 2\nb1 b2 c1 c2", jepsen_edn),
            "a session has two transactions at the same time");
  EXPECT_EQ(to_string(write_history(TransactionHistory(), cobra).error()),
            "heddle does not write the cobra format, choose another format, for instance heddle");
  EXPECT_EQ(to_string(write_history(ObjectHistory(), plume).error()),
            "the plume format cannot express this history: it has transactions only, and this is a "
            "history of calls, heddle's own format can express every history");
}

TEST(WriteHistory, what_can_be_written_at_all) {
  for (const HistoryFormatName& row : history_formats()) {
    const bool written = write_history(textbook("w1[x=1] c1"), row.format).has_value();
    EXPECT_EQ(can_write(row.format), written) << row.name;
  }
}

const std::vector<ObjectFunction>& functions_of(ObjectModel model) {
  using enum ObjectFunction;
  static const std::map<ObjectModel, std::vector<ObjectFunction>> kFunctions = {
      {ObjectModel::cas_register, {read, ObjectFunction::write, compare_and_set}},
      {ObjectModel::key_value, {get, put, append}},
      {ObjectModel::counter, {add, read}},
      {ObjectModel::set, {add, remove, contains, read}},
      {ObjectModel::queue, {enqueue, dequeue}},
      {ObjectModel::stack, {push, pop}},
      {ObjectModel::priority_queue, {insert, remove_minimum}},
      {ObjectModel::mutex, {acquire, release}},
      {ObjectModel::semaphore, {acquire, release}},
      {ObjectModel::bank, {transfer, read}},
  };
  return kFunctions.at(model);
}

// What a call of that function is given, and what it returns if it is ok.
void add_random_values(ObjectHistory& history, ObjectCall& call, RandomHistory& random) {
  const auto number = [&] { return Value::number(random.below(5)); };
  const bool is_ok = call.outcome == CallOutcome::ok;
  switch (call.function) {
    case ObjectFunction::acquire:
    case ObjectFunction::release:
      return;
    case ObjectFunction::transfer:
      call.result = number();
      [[fallthrough]];
    case ObjectFunction::compare_and_set:
      call.second = number();
      break;
    case ObjectFunction::contains:
      if (is_ok) call.result = Value::number(random.below(2));
      break;
    case ObjectFunction::read:
    case ObjectFunction::get:
    case ObjectFunction::dequeue:
    case ObjectFunction::pop:
    case ObjectFunction::remove_minimum: {
      if (!is_ok || random.one_in(8)) return;
      const bool may_be_nil = history.model != ObjectModel::counter;
      call.result = may_be_nil && random.one_in(5) ? kNil : number();
      if (history.model != ObjectModel::set && history.model != ObjectModel::bank) return;
      const std::vector<Value> elements = {Value::number(0), number(), Value::number(1), number()};
      call.result_is_list = true;
      call.result.code = static_cast<std::int64_t>(history.lists.add(elements).index());
      return;
    }
    default:
      break;
  }
  call.argument = number();
}

// Calls that a model has; a process makes one after the other, and no two moments are the same.
ObjectHistory random_calls(unsigned seed, ObjectModel model) {
  RandomHistory random(seed, {});
  ObjectHistory history;
  history.model = model;
  Moment now = 0;
  std::vector<Moment> free_since(3, 0);
  const bool many = random.one_in(2);
  const auto& functions = functions_of(model);
  for (unsigned count = 1 + random.below(12); count > 0; --count) {
    ObjectCall call;
    call.process = random.below(3);
    call.function = functions[random.below(static_cast<unsigned>(functions.size()))];
    call.outcome = static_cast<CallOutcome>(random.below(3));
    const Value name = history.texts.text(fmt::format("o{}", random.below(2)));
    call.object = history.objects.of(many ? name : kNil);
    now = (std::max(now, free_since[call.process]) / 40 + 1) * 40;
    call.called = now;
    const bool is_known = call.outcome != CallOutcome::unknown;
    if (is_known) call.returned = now + 1 + count + Moment{40} * random.below(5);
    free_since[call.process] = is_known ? call.returned : now;
    add_random_values(history, call, random);
    history.calls.push_back(call);
  }
  return history;
}

// Moments by their order; what has no meaning is put away.
std::string outline(ObjectHistory history) {
  std::vector<Moment> moments;
  for (const ObjectCall& call : history.calls) {
    moments.push_back(call.called);
    if (call.returned != kNever) moments.push_back(call.returned);
  }
  std::ranges::sort(moments);
  const auto rank = [&](Moment moment) {
    return std::ranges::lower_bound(moments, moment) - moments.begin();
  };
  for (ObjectCall& call : history.calls) {
    call.called = rank(call.called);
    if (call.returned != kNever) call.returned = rank(call.returned);
  }
  if (history.model != ObjectModel::cas_register && history.model != ObjectModel::key_value) {
    history.initial = kNil;
  }
  return spell_history(history);
}

TEST(WriteHistory, calls_survive_jepsen) {
  unsigned written = 0;
  for (unsigned seed = 0; seed < 2000; ++seed) {
    const auto model = static_cast<ObjectModel>(seed % 10);
    const ObjectHistory history = random_calls(seed, model);
    for (const HistoryFormat format : {HistoryFormat::jepsen_edn, HistoryFormat::jepsen_json}) {
      const Result<std::string> text = write_history(history, format);
      if (!text) continue;
      ++written;
      const auto again = read_history(*text, "again", {.format = format, .model = model});
      ASSERT_TRUE(again) << to_string(again.error()) << "\n" << *text;
      ASSERT_EQ(outline(std::get<ObjectHistory>(*again)), outline(history))
          << "seed " << seed << "\n"
          << *text;
    }
  }
  EXPECT_GT(written, 2500U);
}

TEST(WriteHistory, aborted_transactions_of_plume) {
  const std::string text = "w(1,1,0,-1)\nr(2,0,0,-1)\nw(1,2,0,0)\nw(1,3,1,-1)\n";
  const auto history = read_history(text, "h", {.format = HistoryFormat::plume});
  ASSERT_TRUE(history);
  EXPECT_EQ(*write_history(*history, HistoryFormat::plume), text);
}

TEST(WriteHistory, public_histories_survive_every_format_that_takes_them) {
  const std::map<std::string, HistoryFormat> folders = {{"awdit", HistoryFormat::awdit},
                                                        {"plume", HistoryFormat::plume}};
  for (const auto& [folder, format] : folders) {
    for (const auto& path : find_samples(folder, ".txt")) {
      const auto history = read_history(read_sample(path), path.filename(), {.format = format});
      ASSERT_TRUE(history) << to_string(history.error());
      const auto labelled = with_labels(std::get<TransactionHistory>(*history));
      const Carried carried{.names = false, .times = false};
      for (const HistoryFormatName& row : history_formats()) {
        if (!can_write(row.format)) continue;
        const Result<std::string> text = write_history(labelled, row.format);
        if (!text) continue;
        const auto again = read_history(*text, "again", {.format = row.format});
        ASSERT_TRUE(again) << path << " as " << row.name << ": " << to_string(again.error());
        EXPECT_EQ(outline(std::get<TransactionHistory>(*again), carried),
                  outline(labelled, carried))
            << path << " as " << row.name;
      }
    }
  }
}

}  // namespace
}  // namespace heddle
