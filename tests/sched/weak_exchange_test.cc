// A weak exchange may fail although it could succeed, whatever it exchanges and whichever compiler
// made the program; a strong one does not. Both leave what they expected as it was.
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

struct Pair {
  std::int16_t first;
  std::int16_t second;
  friend bool operator==(const Pair&, const Pair&) = default;
};

enum class Colour : std::uint8_t { red, green };

// Outside of what executions share: how often an exchange was done, and how often not.
struct Count {
  unsigned done = 0;
  unsigned failed = 0;
};

Count counted;
__attribute__((no_sanitize("thread"))) void note(bool done) {
  ++(done ? counted.done : counted.failed);
}

template <class Exchange>
Count count(Exchange exchange) {
  counted = {};
  const auto answer = heddle::sched::check([&exchange] { note(exchange()); },
                                           {.strategy = heddle::sched::Strategy::depth_first,
                                            .executions = 100,
                                            .preemptions = UINT32_MAX,
                                            .faults = 1});
  expect(answer.passed, answer.failure.kind + ": " + answer.failure.what);
  return counted;
}

template <class Value>
void exchanges(const std::string& what, Value before, Value after) {
  const Count weak = count([=] {
    auto object = std::make_unique<std::atomic<Value>>(before);
    Value expected = before;
    const bool done = object->compare_exchange_weak(expected, after);
    expect(expected == before, what + ": what was expected is as before");
    expect(object->load() == (done ? after : before), what + ": exchanged if it says so");
    return done;
  });
  expect(weak.done > 0 && weak.failed > 0, what + ": a weak exchange is done, and fails");
  const Count strong = count([=] {
    auto object = std::make_unique<std::atomic<Value>>(before);
    Value expected = before;
    return object->compare_exchange_strong(expected, after);
  });
  expect(strong.done > 0 && strong.failed == 0, what + ": a strong exchange is done");
  const Count other = count([=] {
    auto object = std::make_unique<std::atomic<Value>>(before);
    Value expected = after;
    const bool done = object->compare_exchange_weak(expected, after, std::memory_order_acq_rel,
                                                    std::memory_order_relaxed);
    expect(expected == before, what + ": what was found instead is told");
    return done;
  });
  expect(other.done == 0 && other.failed > 0, what + ": nothing is exchanged for another value");
}

}  // namespace

int main() {
  static int first = 0;
  static int second = 0;
  exchanges<bool>("bool", false, true);
  exchanges<char>("char", 'a', 'b');
  exchanges<std::int16_t>("short", 1, 2);
  exchanges<int>("int", 1, 2);
  exchanges<std::int64_t>("long", 1, 2);
  exchanges<int*>("pointer", &first, &second);
  exchanges<Colour>("enumeration", Colour::red, Colour::green);
  exchanges<Pair>("struct", Pair{1, 2}, Pair{3, 4});
  exchanges<float>("float", 1, 2);
  exchanges<double>("double", 1, 2);
  const Count flag = count([] {
    auto object = std::make_unique<std::int64_t>(1);
    std::int64_t expected = 1;
    return std::atomic_ref<std::int64_t>(*object).compare_exchange_weak(expected, 2);
  });
  expect(flag.done > 0 && flag.failed > 0, "atomic_ref: a weak exchange is done, and fails");
  return expectations_met();
}
