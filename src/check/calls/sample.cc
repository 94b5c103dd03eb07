#include "check/calls/sample.h"

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <set>
#include <vector>

namespace heddle {

namespace {

// One object that really does what is asked of it.
struct AtomicObject {
  std::int64_t number = 0;
  Value value = kNil;
  std::string text;
  std::set<Value> elements;
  std::deque<Value> sequence;
  std::map<std::int64_t, std::int64_t> balances = {{0, 10}, {1, 10}, {2, 10}};
};

class Sampler {
 public:
  Sampler(const SampleShape& shape, std::uint32_t seed)
      : shape_(shape), random_(seed), objects_(shape.objects), running_(shape.processes) {
    history_.model = shape.model;
    history_.permits = 2;
    for (std::uint32_t i = 0; i < shape.objects; ++i) history_.objects.of(Value::number(i));
  }

  ObjectHistory make() {
    std::uint32_t open = 0;
    while (history_.calls.size() < shape_.calls || open > 0) {
      const std::uint32_t process = below(shape_.processes);
      Running& running = running_[process];
      if (!running.is_called) {
        if (history_.calls.size() >= shape_.calls) continue;
        call(process);
        ++open;
      } else if (!running.has_happened) {
        if (below(shape_.patience) == 0 || history_.calls.size() >= shape_.calls) happen(running);
      } else if (below(shape_.patience) == 0) {
        running = {};
        history_.calls[last_of_[process]].returned = ++now_;
        --open;
      }
    }
    for (ObjectCall& call : history_.calls) forget(call);
    for (std::uint32_t i = 0; i < shape_.mistakes; ++i) make_mistake();
    return std::move(history_);
  }

 private:
  struct Running {
    bool is_called = false;
    bool has_happened = false;
    std::size_t call = 0;
  };

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  Value value() {
    return Value::number(shape_.unique_values ? ++last_value_ : 1 + below(shape_.values));
  }

  // A text that ends where it ends, whatever is appended to it.
  Value ended_text(Value number) {
    return history_.texts.text(history_.texts.to_string(number) + ";");
  }

  void call(std::uint32_t process) {
    ObjectCall call;
    call.process = process;
    call.object = KeyId(below(shape_.objects));
    call.called = ++now_;
    choose(call, objects_[call.object.index()]);
    last_of_[process] = history_.calls.size();
    running_[process] = {true, false, history_.calls.size()};
    history_.calls.push_back(call);
  }

  void choose(ObjectCall& call, const AtomicObject& object) {
    using enum ObjectFunction;
    const std::uint32_t dice = below(6);
    const auto pick = [&](ObjectFunction put, ObjectFunction take) {
      call.function = dice < 3 ? put : take;
      if (dice < 3) call.argument = value();
    };
    switch (shape_.model) {
      case ObjectModel::cas_register:
        pick(write, read);
        if (dice == 0 && shape_.compare_and_set) {
          call.function = compare_and_set;
          call.second = call.argument;
          call.argument = object.value;
        }
        return;
      case ObjectModel::key_value:
        pick(shape_.only_appends || (dice == 0 && !shape_.unique_values) ? append : put, get);
        if (shape_.only_appends && dice < 3) call.argument = ended_text(call.argument);
        return;
      case ObjectModel::counter:
        pick(add, read);
        return;
      case ObjectModel::set:
        pick(add, dice == 3 ? contains : dice == 4 || !shape_.whole_reads ? remove : read);
        if (dice == 3 || dice == 4 || (dice == 5 && !shape_.whole_reads)) {
          const auto bound = shape_.unique_values ? last_value_ + 1 : shape_.values;
          call.argument = Value::number(1 + below(static_cast<std::uint32_t>(bound)));
        }
        return;
      case ObjectModel::queue:
        pick(enqueue, dequeue);
        return;
      case ObjectModel::stack:
        pick(push, pop);
        return;
      case ObjectModel::priority_queue:
        pick(insert, remove_minimum);
        // Values that ascend would make it a queue.
        if (dice < 3 && shape_.unique_values) {
          call.argument = Value::number(call.argument.code * 7919 % 2147483647);
        }
        return;
      case ObjectModel::mutex:
      case ObjectModel::semaphore:
        call.function = dice < 3 ? acquire : release;
        return;
      case ObjectModel::bank:
        call.function = dice < 3 ? transfer : read;
        if (dice < 3) {
          call.argument = Value::number(below(3));
          call.second = Value::number(below(3));
          call.result = Value::number(1 + below(3));
        }
        return;
    }
  }

  void happen(Running& running) {
    running.has_happened = true;
    ObjectCall& call = history_.calls[running.call];
    const bool is_unknown = below(100) < shape_.unknown_percent;
    if (is_unknown) call.outcome = CallOutcome::unknown;
    if (is_unknown && below(2) == 0) return;
    if (!take(call, objects_[call.object.index()])) call.outcome = CallOutcome::failed;
  }

  Value list(const std::vector<Value>& values) {
    return {static_cast<std::int64_t>(history_.lists.add(values).index())};
  }

  // False: it fails.
  bool take(ObjectCall& call, AtomicObject& object) {
    using enum ObjectFunction;
    switch (call.function) {
      case read:
        return read_all(call, object);
      case write:
        object.value = call.argument;
        return true;
      case compare_and_set:
        if (object.value != call.argument) return false;
        object.value = call.second;
        return true;
      case get:
        call.result = text_result(object.text);
        return true;
      case put:
        object.text = history_.texts.to_string(call.argument);
        return true;
      case append:
        object.text += history_.texts.to_string(call.argument);
        return true;
      case add:
        object.number += call.argument.code;
        object.elements.insert(call.argument);
        return true;
      case remove:
        call.result = Value::number(object.elements.erase(call.argument) > 0 ? 1 : 0);
        return true;
      case contains:
        call.result = Value::number(object.elements.contains(call.argument) ? 1 : 0);
        return true;
      case acquire:
        if (object.number == (shape_.model == ObjectModel::mutex ? 1 : 2)) return false;
        ++object.number;
        return true;
      case release:
        if (object.number == 0) return false;
        --object.number;
        return true;
      case transfer:
        object.balances[call.argument.code] -= call.result.code;
        object.balances[call.second.code] += call.result.code;
        return true;
      default:
        return take_element(call, object);
    }
  }

  // Where nothing is appended, what was put is read.
  Value text_result(const std::string& text) {
    if (text.empty()) return kNil;
    const bool is_number = shape_.unique_values && !shape_.only_appends;
    return is_number ? Value::number(std::stoll(text)) : history_.texts.text(text);
  }

  bool read_all(ObjectCall& call, const AtomicObject& object) {
    std::vector<Value> values;
    if (shape_.model == ObjectModel::cas_register) {
      call.result = object.value;
    } else if (shape_.model == ObjectModel::counter) {
      call.result = Value::number(object.number);
    } else {
      values.assign(object.elements.begin(), object.elements.end());
      if (shape_.model == ObjectModel::bank) values.clear();
      for (const auto& [account, balance] : object.balances) {
        if (shape_.model != ObjectModel::bank) break;
        values.push_back(Value::number(account));
        values.push_back(Value::number(balance));
      }
      call.result = list(values);
      call.result_is_list = true;
    }
    return true;
  }

  static bool take_element(ObjectCall& call, AtomicObject& object) {
    using enum ObjectFunction;
    auto& sequence = object.sequence;
    if (call.function == enqueue || call.function == push || call.function == insert) {
      sequence.push_back(call.argument);
      return true;
    }
    if (sequence.empty()) {
      call.result = kNil;
      return true;
    }
    const auto place = call.function == dequeue ? sequence.begin()
                       : call.function == pop   ? std::prev(sequence.end())
                                                : std::ranges::min_element(sequence);
    call.result = *place;
    sequence.erase(place);
    return true;
  }

  // Nobody was told the result of a call whose outcome is unknown.
  static void forget(ObjectCall& call) {
    if (call.outcome != CallOutcome::unknown) return;
    if (call.function != ObjectFunction::transfer) call.result = kUnseen;
    call.result_is_list = false;
  }

  // Another result of the same function stands where one was.
  void make_mistake() {
    for (std::uint32_t tries = 0; tries < 30; ++tries) {
      ObjectCall& call = history_.calls[below(static_cast<std::uint32_t>(history_.calls.size()))];
      const ObjectCall& other =
          history_.calls[below(static_cast<std::uint32_t>(history_.calls.size()))];
      if (call.outcome != CallOutcome::ok || other.outcome != CallOutcome::ok ||
          call.function != other.function || call.result == other.result ||
          call.function == ObjectFunction::transfer) {
        continue;
      }
      call.result = other.result;
      return;
    }
  }

  const SampleShape& shape_;
  std::mt19937 random_;
  ObjectHistory history_;
  std::vector<AtomicObject> objects_;
  std::vector<Running> running_;
  std::map<std::uint32_t, std::size_t> last_of_;
  Moment now_ = 0;
  std::int64_t last_value_ = 0;
};

}  // namespace

ObjectHistory sample_calls(const SampleShape& shape, std::uint32_t seed) {
  return Sampler(shape, seed).make();
}

}  // namespace heddle
