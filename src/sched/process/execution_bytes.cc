// Each list begins with how many elements it has. What is written and what is read is said once, in
// `pass`, for both ways.
#include "sched/process/execution_bytes.h"

#include <cstring>
#include <string>
#include <type_traits>

namespace heddle::sched::runtime {

namespace {

class BytesOut {
 public:
  explicit BytesOut(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  template <class Value>
  void pass(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    put(&value, sizeof value);
  }
  template <class Value>
  void pass_all(const std::vector<Value>& values) {
    pass(values.size());
    put(values.data(), values.size() * sizeof(Value));
  }
  void pass_text(const std::string& text) {
    pass(text.size());
    put(text.data(), text.size());
  }
  template <class Value>
  std::size_t pass_count(const std::vector<Value>& values) {
    pass(values.size());
    return values.size();
  }

 private:
  void put(const void* from, std::size_t size) {
    const auto* first = static_cast<const std::uint8_t*>(from);
    bytes_.insert(bytes_.end(), first, first + size);
  }

  std::vector<std::uint8_t>& bytes_;
};

class BytesIn {
 public:
  BytesIn(const std::uint8_t* bytes, std::size_t count) : bytes_(bytes), left_(count) {}

  bool fits() const { return fits_; }

  template <class Value>
  void pass(Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    take(&value, sizeof value);
  }
  template <class Value>
  void pass_all(std::vector<Value>& values) {
    values.resize(count_of(sizeof(Value)));
    take(values.data(), values.size() * sizeof(Value));
  }
  void pass_text(std::string& text) {
    text.resize(count_of(1));
    take(text.data(), text.size());
  }
  template <class Value>
  std::size_t pass_count(std::vector<Value>& values) {
    values.resize(count_of(1));
    return values.size();
  }

 private:
  // Each element takes at least so many bytes.
  std::size_t count_of(std::size_t size) {
    std::size_t count = 0;
    pass(count);
    if (count > left_ / size) fits_ = false;
    return fits_ ? count : 0;
  }
  void take(void* to, std::size_t size) {
    if (size > left_) fits_ = false;
    if (!fits_ || size == 0) return;
    memcpy(to, bytes_, size);
    bytes_ += size;
    left_ -= size;
  }

  const std::uint8_t* bytes_;
  std::size_t left_;
  bool fits_ = true;
};

template <class Bytes, class SomeEvent>
void pass_event(Bytes& bytes, SomeEvent& event) {
  bytes.pass(event.place);
  bytes.pass(event.kind);
  bytes.pass(event.object);
  bytes.pass(event.size);
  bytes.pass(event.before);
  bytes.pass(event.after);
  bytes.pass(event.step);
  bytes.pass(event.timed_out);
  bytes.pass(event.result);
  bytes.pass(event.decisions);
  bytes.pass(event.decided);
  bytes.pass_all(event.stack);
}

template <class Bytes, class SomeFailure>
void pass_failure(Bytes& bytes, SomeFailure& failure) {
  bytes.pass(failure.kind);
  bytes.pass(failure.task);
  bytes.pass_text(failure.what);
  bytes.pass(failure.object);
  bytes.pass(failure.other);
  bytes.pass_all(failure.stack);
  bytes.pass_all(failure.waiting);
}

template <class Bytes, class SomeExecution>
void pass_execution(Bytes& bytes, SomeExecution& execution) {
  pass_failure(bytes, execution.failure);
  bytes.pass_all(execution.schedule.choices);
  bytes.pass(execution.schedule.round.choices);
  bytes.pass(execution.schedule.round.starving);
  bytes.pass_all(execution.schedule.round.operations);
  bytes.pass(execution.events);
  bytes.pass(execution.steps);
  bytes.pass(execution.operations);
  bytes.pass(execution.tasks);
  bytes.pass(execution.has_come_by);
  bytes.pass_all(execution.written);
  const std::size_t names = bytes.pass_count(execution.names);
  for (std::size_t i = 0; i < names; ++i) {
    bytes.pass(execution.names[i].address);
    bytes.pass(execution.names[i].size);
    bytes.pass_text(execution.names[i].name);
  }
  const std::size_t events = bytes.pass_count(execution.recorded);
  for (std::size_t i = 0; i < events; ++i) pass_event(bytes, execution.recorded[i]);
}

}  // namespace

std::vector<std::uint8_t> print_execution(const Execution& execution) {
  std::vector<std::uint8_t> bytes;
  BytesOut out(bytes);
  pass_execution(out, execution);
  return bytes;
}

bool parse_execution(const std::uint8_t* bytes, std::size_t count, Execution& execution) {
  BytesIn in(bytes, count);
  pass_execution(in, execution);
  return in.fits();
}

}  // namespace heddle::sched::runtime
