#include "check/calls/model_objects.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>

#include "base/assert.h"

namespace heddle {

namespace {

// Arithmetic on what clients wrote: it wraps, as an overflow must not be undefined.
std::int64_t sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

bool may_be(Value result, Value actual) { return result == kUnseen || result == actual; }

// A state that is a sequence of numbers.
std::size_t count_of(const std::string& state) { return state.size() / sizeof(std::int64_t); }

std::int64_t at(const std::string& state, std::size_t index) {
  std::int64_t code = 0;
  std::memcpy(&code, state.data() + index * sizeof(code), sizeof(code));
  return code;
}

void put_at(std::string& state, std::size_t index, std::int64_t code) {
  std::memcpy(state.data() + index * sizeof(code), &code, sizeof(code));
}

void insert_at(std::string& state, std::size_t index, std::int64_t code) {
  std::array<char, sizeof(code)> bytes{};
  std::memcpy(bytes.data(), &code, sizeof(code));
  state.insert(index * sizeof(code), bytes.data(), bytes.size());
}

void erase_at(std::string& state, std::size_t index, std::size_t count = 1) {
  state.erase(index * sizeof(std::int64_t), count * sizeof(std::int64_t));
}

class CasRegister final : public PlainModel<Value> {
 public:
  explicit CasRegister(Value initial) : initial_(initial) {}
  Value first() const override { return initial_; }
  std::optional<Value> next(const Value& value, const ObjectCall& call) const override {
    if (call.function == ObjectFunction::write) return call.argument;
    if (call.function == ObjectFunction::compare_and_set) {
      return value == call.argument ? std::optional(call.second) : std::nullopt;
    }
    return may_be(result_of(call), value) ? std::optional(value) : std::nullopt;
  }
  bool only_reads(const ObjectCall& call) const override {
    return call.function == ObjectFunction::read;
  }

 private:
  Value initial_;
};

// Its state is the text itself. Nil is the empty text, so that a key that was never put reads "".
class KeyValue final : public CallModel {
 public:
  explicit KeyValue(const ObjectHistory& history) : history_(history) {}
  std::string initial() const override { return text(history_.initial); }
  bool step(std::string& state, const ObjectCall& call) const override {
    if (call.function == ObjectFunction::put) {
      state = text(call.argument);
    } else if (call.function == ObjectFunction::append) {
      state += text(call.argument);
    } else {
      return result_of(call) == kUnseen || state == text(call.result);
    }
    return true;
  }
  bool only_reads(const ObjectCall& call) const override {
    return call.function == ObjectFunction::get;
  }

 private:
  std::string text(Value value) const {
    return value == kNil ? std::string() : history_.texts.to_string(value);
  }

  const ObjectHistory& history_;
};

class Counter final : public PlainModel<std::int64_t> {
 public:
  explicit Counter(Value initial) : initial_(initial.is_number() ? initial.code : 0) {}
  std::int64_t first() const override { return initial_; }
  std::optional<std::int64_t> next(const std::int64_t& count,
                                   const ObjectCall& call) const override {
    if (call.function == ObjectFunction::add) return sum(count, call.argument.code);
    const Value result = result_of(call);
    return result == kUnseen || result.code == count ? std::optional(count) : std::nullopt;
  }
  bool only_reads(const ObjectCall& call) const override {
    return call.function == ObjectFunction::read;
  }

 private:
  std::int64_t initial_;
};

// Elements in ascending order. `add` and `remove` may tell whether they changed something.
class Set final : public CallModel {
 public:
  explicit Set(const ObjectHistory& history) : history_(history) {}
  std::string initial() const override { return {}; }
  bool step(std::string& state, const ObjectCall& call) const override {
    if (call.function == ObjectFunction::read) return is_read_right(state, call);
    const auto [index, is_in] = find(state, call.argument.code);
    const Value result = result_of(call);
    switch (call.function) {
      case ObjectFunction::add:
        if (!is_in) insert_at(state, index, call.argument.code);
        return may_be(result, Value::number(is_in ? 0 : 1));
      case ObjectFunction::remove:
        if (is_in) erase_at(state, index);
        return may_be(result, Value::number(is_in ? 1 : 0));
      default:
        return may_be(result, Value::number(is_in ? 1 : 0));
    }
  }
  bool only_reads(const ObjectCall& call) const override {
    return call.function == ObjectFunction::read || call.function == ObjectFunction::contains ||
           result_of(call) == Value::number(0);
  }

 private:
  struct Place {
    std::size_t index;
    bool is_in;
  };

  static Place find(const std::string& state, std::int64_t code) {
    std::size_t low = 0;
    std::size_t high = count_of(state);
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      (at(state, middle) < code ? low : high) = at(state, middle) < code ? middle + 1 : middle;
    }
    return {low, low < count_of(state) && at(state, low) == code};
  }

  bool is_read_right(const std::string& state, const ObjectCall& call) const {
    if (result_of(call) == kUnseen) return true;
    const std::span<const Value> elements = history_.lists[ListId(call.result.code)];
    std::vector<Value> sorted(elements.begin(), elements.end());
    std::ranges::sort(sorted);
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    if (sorted.size() != count_of(state)) return false;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (at(state, i) != sorted[i].code) return false;
    }
    return true;
  }

  const ObjectHistory& history_;
};

// Queue, stack and priority queue: a sequence, and where in it calls put and take.
class Sequence final : public CallModel {
 public:
  explicit Sequence(const ObjectHistory& history) : history_(history) {}
  std::string initial() const override { return {}; }
  bool step(std::string& state, const ObjectCall& call) const override {
    if (is_put(call)) {
      insert_at(state, place_of(state, call.argument), call.argument.code);
      return true;
    }
    const Value result = result_of(call);
    const std::size_t count = count_of(state);
    if (count == 0) return may_be(result, kNil);
    const std::size_t index = history_.model == ObjectModel::queue ? 0 : count - 1;
    if (!may_be(result, Value{at(state, index)})) return false;
    erase_at(state, index);
    return true;
  }
  bool only_reads(const ObjectCall& call) const override {
    return !is_put(call) && result_of(call) == kNil;
  }

 private:
  static bool is_put(const ObjectCall& call) {
    return call.function == ObjectFunction::enqueue || call.function == ObjectFunction::push ||
           call.function == ObjectFunction::insert;
  }

  // The elements of a priority queue descend, so that its minimum is the last one.
  std::size_t place_of(const std::string& state, Value value) const {
    std::size_t index = count_of(state);
    if (history_.model != ObjectModel::priority_queue) return index;
    while (index > 0 && is_smaller(history_.texts, Value{at(state, index - 1)}, value)) --index;
    return index;
  }

  const ObjectHistory& history_;
};

// Mutex and semaphore: how many permits are taken.
class Permits final : public PlainModel<std::uint32_t> {
 public:
  explicit Permits(std::uint32_t permits) : permits_(permits) {}
  std::uint32_t first() const override { return 0; }
  std::optional<std::uint32_t> next(const std::uint32_t& taken,
                                    const ObjectCall& call) const override {
    if (call.function == ObjectFunction::acquire) {
      return taken < permits_ ? std::optional(taken + 1) : std::nullopt;
    }
    return taken > 0 ? std::optional(taken - 1) : std::nullopt;
  }

 private:
  std::uint32_t permits_;
};

// Pairs of an account and its balance, by account, behind a number that is 1 once some read told
// the balances. Before it, what transfers changed. Balances may be negative.
class Bank final : public CallModel {
 public:
  explicit Bank(const ObjectHistory& history) : history_(history) {}
  std::string initial() const override { return std::string(sizeof(std::int64_t), '\0'); }
  bool step(std::string& state, const ObjectCall& call) const override {
    if (call.function == ObjectFunction::read) return read(state, call);
    change(state, call.argument.code, sum(~call.result.code, 1));
    change(state, call.second.code, call.result.code);
    return true;
  }

 private:
  // The place of the balance of an account, made 0 where there was none.
  static std::size_t balance_place(std::string& state, std::int64_t account) {
    std::size_t index = 1;
    while (index < count_of(state) && at(state, index) < account) index += 2;
    if (index >= count_of(state) || at(state, index) != account) {
      insert_at(state, index, 0);
      insert_at(state, index, account);
    }
    return index + 1;
  }

  static void change(std::string& state, std::int64_t account, std::int64_t amount) {
    const std::size_t place = balance_place(state, account);
    put_at(state, place, sum(at(state, place), amount));
  }

  bool read(std::string& state, const ObjectCall& call) const {
    if (result_of(call) == kUnseen) return true;
    const std::span<const Value> told = history_.lists[ListId(call.result.code)];
    const bool is_known = at(state, 0) == 1;
    if (!is_known) state.resize(sizeof(std::int64_t));
    put_at(state, 0, 1);
    for (std::size_t i = 0; i + 1 < told.size(); i += 2) {
      const std::size_t place = balance_place(state, told[i].code);
      if (is_known && at(state, place) != told[i + 1].code) return false;
      put_at(state, place, told[i + 1].code);
    }
    return true;
  }

  const ObjectHistory& history_;
};

}  // namespace

bool is_smaller(const ValueTexts& texts, Value a, Value b) {
  if (a.is_number() || b.is_number()) {
    return a.is_number() && (!b.is_number() || a.code < b.code);
  }
  return texts.to_string(a) < texts.to_string(b);
}

std::unique_ptr<CallModel> make_model(const ObjectHistory& history) {
  switch (history.model) {
    case ObjectModel::cas_register:
      return std::make_unique<CasRegister>(history.initial);
    case ObjectModel::key_value:
      return std::make_unique<KeyValue>(history);
    case ObjectModel::counter:
      return std::make_unique<Counter>(history.initial);
    case ObjectModel::set:
      return std::make_unique<Set>(history);
    case ObjectModel::queue:
    case ObjectModel::stack:
    case ObjectModel::priority_queue:
      return std::make_unique<Sequence>(history);
    case ObjectModel::mutex:
      return std::make_unique<Permits>(1);
    case ObjectModel::semaphore:
      return std::make_unique<Permits>(history.permits);
    case ObjectModel::bank:
      return std::make_unique<Bank>(history);
  }
  HEDDLE_ASSERT(false);
}

}  // namespace heddle
