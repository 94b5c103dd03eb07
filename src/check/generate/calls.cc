// A random process takes its next step, over and over: call, take effect, return. A client that
// crashes does not return, and a new process takes its place.

#include "check/generate/calls.h"

#include <algorithm>
#include <deque>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "check/generate/choices.h"

namespace heddle {

namespace {

using enum ObjectFunction;

constexpr std::uint32_t kFewValues = 5;
constexpr std::int64_t kNeverPut = std::int64_t{1} << 40U;  // larger than any value put anywhere

// The state of one object of any of the models.
struct SimulatedObject {
  Value value = kNil;                        // register
  std::string text;                          // key that texts are appended to
  std::deque<std::int64_t> sequence;         // queue, stack
  std::set<std::int64_t> sorted;             // priority queue
  std::unordered_set<std::int64_t> members;  // set
};

// Takes one out, or tells that there was none.
template <class Container, class Place>
Value take(Container& container, Place place) {
  if (container.empty()) return kNil;
  const Value value = Value::number(*place());
  container.erase(place());
  return value;
}

// What the call returns. False: a compare-and-set that found another value.
bool take_effect(SimulatedObject& object, ValueTexts& texts, ObjectCall& call) {
  const std::int64_t argument = call.argument.code;
  switch (call.function) {
    case write:
      object.value = call.argument;
      return true;
    case compare_and_set:
      if (object.value != call.argument) return false;
      object.value = call.second;
      return true;
    case append:
      object.text += texts.to_string(call.argument);
      return true;
    case get:
      call.result = object.text.empty() ? kNil : texts.text(object.text);
      return true;
    case enqueue:
    case push:
      object.sequence.push_back(argument);
      return true;
    case dequeue:
      call.result = take(object.sequence, [&] { return object.sequence.begin(); });
      return true;
    case pop:
      call.result = take(object.sequence, [&] { return object.sequence.end() - 1; });
      return true;
    case insert:
      object.sorted.insert(argument);
      return true;
    case remove_minimum:
      call.result = take(object.sorted, [&] { return object.sorted.begin(); });
      return true;
    case add:
      call.result = Value::number(object.members.insert(argument).second ? 1 : 0);
      return true;
    case remove:
      call.result = Value::number(object.members.erase(argument) > 0 ? 1 : 0);
      return true;
    case contains:
      call.result = Value::number(object.members.contains(argument) ? 1 : 0);
      return true;
    default:
      call.result = object.value;
      return true;
  }
}

class CallSimulation {
 public:
  explicit CallSimulation(const GenerateCallsOptions& options)
      : options_(options), choices_(options.seed), objects_(options.objects) {
    history_.model = options.model;
    for (std::uint32_t object = 0; object < options.objects; ++object) {
      (void)history_.objects.of(Value::number(object));
    }
    for (std::uint32_t process = 0; process < options.processes; ++process) {
      clients_.push_back({process, 0, Step::call});
    }
    processes_ = options.processes;
    history_.calls.reserve(options.calls);
  }

  ObjectHistory run() {
    while (!clients_.empty()) {
      const std::uint32_t place = choices_.below(static_cast<std::uint32_t>(clients_.size()));
      ++now_;
      if (step(clients_[place])) continue;
      clients_[place] = clients_.back();
      clients_.pop_back();
    }
    return std::move(history_);
  }

 private:
  enum class Step : std::uint8_t { call, take_effect, come_back };

  struct Client {
    std::uint32_t process = 0;
    std::size_t call = 0;
    Step next = Step::call;
  };

  // False: there is nothing left to do for the client.
  bool step(Client& client) {
    if (client.next == Step::call) {
      if (history_.calls.size() == options_.calls) return false;
      client.call = history_.calls.size();
      history_.calls.push_back(new_call(client.process));
      client.next = Step::take_effect;
      return true;
    }
    ObjectCall& call = history_.calls[client.call];
    if (client.next == Step::take_effect) {
      if (options_.crashed_share > 0 && choices_.chance(options_.crashed_share)) {
        crash(call);
        client = {processes_++, 0, Step::call};
        return true;
      }
      if (!take_effect(objects_[call.object.index()], history_.texts, call)) {
        call.outcome = CallOutcome::failed;
      }
      client.next = Step::come_back;
      return true;
    }
    call.returned = now_;
    client.next = Step::call;
    return true;
  }

  void crash(ObjectCall& call) {
    if (choices_.chance(0.5)) {
      (void)take_effect(objects_[call.object.index()], history_.texts, call);
    }
    call.result = kUnseen;
    call.outcome = CallOutcome::unknown;
  }

  ObjectCall new_call(std::uint32_t process) {
    ObjectCall call;
    call.process = process;
    call.object = KeyId(choices_.below(options_.objects));
    call.called = now_;
    choose_function(call);
    return call;
  }

  void choose_function(ObjectCall& call) {
    switch (options_.model) {
      case ObjectModel::queue:
        return choose_put_or_take(call, enqueue, dequeue);
      case ObjectModel::stack:
        return choose_put_or_take(call, push, pop);
      case ObjectModel::priority_queue:
        return choose_put_or_take(call, insert, remove_minimum);
      case ObjectModel::set:
        return choose_set_function(call);
      case ObjectModel::key_value:
        return choose_append_or_get(call);
      default:
        return choose_register_function(call);
    }
  }

  void choose_put_or_take(ObjectCall& call, ObjectFunction put, ObjectFunction taken) {
    const bool puts = choices_.chance(0.5);
    call.function = puts ? put : taken;
    if (puts) call.argument = Value::number(next_value());
  }

  void choose_set_function(ObjectCall& call) {
    if (values_ == 0 || (!choices_.chance(options_.read_share) && choices_.chance(0.6))) {
      call.function = add;
      call.argument = Value::number(next_value());
      return;
    }
    call.function = choices_.chance(options_.read_share) ? contains : remove;
    call.argument = Value::number(value_of(1 + choices_.below(values_)));
  }

  // A text ends where it ends, whatever is appended to it.
  void choose_append_or_get(ObjectCall& call) {
    call.function = choices_.chance(options_.read_share) ? get : append;
    if (call.function == get) return;
    call.argument = history_.texts.text("x" + std::to_string(next_value()) + ";");
  }

  void choose_register_function(ObjectCall& call) {
    call.function = choices_.chance(options_.read_share) ? read : write;
    if (call.function == read) return;
    if (options_.unique_values) {
      call.argument = Value::number(next_value());
      return;
    }
    call.argument = Value::number(choices_.below(kFewValues));
    if (choices_.chance(0.5)) return;
    call.function = compare_and_set;
    call.second = Value::number(choices_.below(kFewValues));
  }

  std::int64_t next_value() { return value_of(++values_); }

  // An odd factor makes different numbers of different numbers, below 2^31, in no order.
  std::int64_t value_of(std::uint32_t number) const {
    if (options_.model != ObjectModel::priority_queue) return number;
    return static_cast<std::int64_t>((number * 2654435761U) & 0x7FFFFFFFU);
  }

  const GenerateCallsOptions& options_;
  Choices choices_;
  std::vector<SimulatedObject> objects_;
  ObjectHistory history_;
  std::vector<Client> clients_;
  std::uint32_t processes_ = 0;
  std::uint32_t values_ = 0;
  Moment now_ = 0;
};

bool is_take(const ObjectCall& call) {
  const bool takes =
      call.function == dequeue || call.function == pop || call.function == remove_minimum;
  return takes && call.outcome == CallOutcome::ok && call.result != kNil;
}

bool is_ok(const ObjectCall& call, ObjectFunction function) {
  return call.function == function && call.outcome == CallOutcome::ok;
}

// The first call from `from` on that is what is asked for and begins after `after`.
template <class Test>
std::optional<std::size_t> find_call(const ObjectHistory& history, std::size_t from, KeyId object,
                                     Moment after, const Test& test) {
  for (std::size_t i = from; i < history.calls.size(); ++i) {
    const ObjectCall& call = history.calls[i];
    if (call.object == object && call.called > after && test(call)) return i;
  }
  return std::nullopt;
}

// A read returns what was overwritten before it began.
bool plant_stale_read(ObjectHistory& history, std::size_t from, KeyId object) {
  const auto is_write = [](const ObjectCall& call) { return is_ok(call, write); };
  const auto is_read = [](const ObjectCall& call) { return is_ok(call, read); };
  const auto old = find_call(history, from, object, -1, is_write);
  if (!old) return false;
  const Moment written = history.calls[*old].returned;
  const auto overwriting = find_call(history, *old, object, written, is_write);
  if (!overwriting) return false;
  const Moment overwritten = history.calls[*overwriting].returned;
  const auto reading = find_call(history, *overwriting, object, overwritten, is_read);
  if (!reading) return false;
  history.calls[*reading].result = history.calls[*old].argument;
  return true;
}

// A get lacks the last append that it has got, and that was over before it began.
bool plant_missed_append(ObjectHistory& history, std::size_t from, KeyId object) {
  const auto appending = find_call(history, from, object, -1,
                                   [](const ObjectCall& call) { return is_ok(call, append); });
  if (!appending) return false;
  const std::string text = history.texts.to_string(history.calls[*appending].argument);
  const auto getting = find_call(history, *appending, object, history.calls[*appending].returned,
                                 [](const ObjectCall& call) { return is_ok(call, get); });
  if (!getting) return false;
  Value& result = history.calls[*getting].result;
  const std::string got = history.texts.to_string(result);
  const std::size_t end = got.find(text);
  HEDDLE_ASSERT(end != std::string::npos);
  result = end == 0 ? kNil : history.texts.text(got.substr(0, end));
  return true;
}

// What was taken is taken again.
bool plant_second_take(ObjectHistory& history, std::size_t from, KeyId object) {
  const auto first = find_call(history, from, object, -1, is_take);
  if (!first) return false;
  const Value value = history.calls[*first].result;
  const auto second = find_call(history, *first + 1, object, -1, is_take);
  if (!second) return false;
  history.calls[*second].result = value;
  return true;
}

// Two results of a queue change places, although neither the puts nor the takes overlap.
bool plant_swapped_takes(ObjectHistory& history, std::size_t from, KeyId object) {
  const auto put_of = [&](Value value) {
    return find_call(history, 0, object, -1, [&](const ObjectCall& call) {
      return call.function == enqueue && call.argument == value;
    });
  };
  const auto first = find_call(history, from, object, -1, is_take);
  if (!first) return false;
  ObjectCall& early = history.calls[*first];
  const Moment put = history.calls[*put_of(early.result)].returned;
  const auto second =
      find_call(history, *first, object, early.returned, [&](const ObjectCall& call) {
        return is_take(call) && history.calls[*put_of(call.result)].called > put;
      });
  if (!second) return false;
  std::swap(early.result, history.calls[*second].result);
  return true;
}

bool plant_by_model(ObjectHistory& history, std::size_t from, KeyId object, bool unique_values) {
  switch (history.model) {
    case ObjectModel::queue:
      return plant_swapped_takes(history, from, object) || plant_second_take(history, from, object);
    case ObjectModel::stack:
    case ObjectModel::priority_queue:
      return plant_second_take(history, from, object);
    case ObjectModel::cas_register:
      return unique_values && plant_stale_read(history, from, object);
    case ObjectModel::key_value:
      return plant_missed_append(history, from, object);
    default:
      return false;
  }
}

ObjectFunction telling_function(ObjectModel model) {
  switch (model) {
    case ObjectModel::queue:
      return dequeue;
    case ObjectModel::stack:
      return pop;
    case ObjectModel::priority_queue:
      return remove_minimum;
    case ObjectModel::set:
      return contains;
    case ObjectModel::key_value:
      return get;
    default:
      return read;
  }
}

// At the end of the history somebody finds what nobody put there.
void plant_last_call(ObjectHistory& history, KeyId object) {
  ObjectCall call;
  call.object = object;
  call.function = telling_function(history.model);
  call.argument = history.model == ObjectModel::set ? Value::number(kNeverPut) : kNil;
  call.result = Value::number(history.model == ObjectModel::set ? 1 : kNeverPut);
  for (const ObjectCall& earlier : history.calls) {
    call.process = std::max(call.process, earlier.process + 1);
    call.called = std::max(call.called, earlier.called + 1);
    if (earlier.returned != kNever) call.called = std::max(call.called, earlier.returned + 1);
  }
  call.returned = call.called + 1;
  history.calls.push_back(call);
}

}  // namespace

std::optional<std::string> find_flaw(const GenerateCallsOptions& options) {
  constexpr std::uint32_t kMostCalls = 100'000'000;
  switch (options.model) {
    case ObjectModel::cas_register:
    case ObjectModel::key_value:
    case ObjectModel::set:
    case ObjectModel::queue:
    case ObjectModel::stack:
    case ObjectModel::priority_queue:
      break;
    default:
      return "no calls can be generated for a " + std::string(to_string(options.model));
  }
  if (options.processes == 0 || options.objects == 0) return "no processes or no objects";
  if (options.calls > kMostCalls || options.processes > kMostCalls ||
      options.objects > kMostCalls) {
    return "more than a hundred million calls, processes or objects";
  }
  for (const double share : {options.read_share, options.crashed_share}) {
    if (!(share >= 0 && share <= 1)) return "shares are from 0 to 1";
  }
  return std::nullopt;
}

ObjectHistory generate_calls(const GenerateCallsOptions& options) {
  HEDDLE_ASSERT(!find_flaw(options));
  ObjectHistory history = CallSimulation(options).run();
  if (!options.violation) return history;
  Choices choices(options.seed + 1);
  const KeyId object(choices.below(options.objects));
  const std::size_t from = choices.below(options.calls / 2 + 1);
  if (!plant_by_model(history, from, object, options.unique_values)) {
    plant_last_call(history, object);
  }
  return history;
}

}  // namespace heddle
