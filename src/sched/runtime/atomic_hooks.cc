// What compilers call for each atomic operation under -fsanitize=thread (LLVM:
// compiler-rt/include/sanitizer/tsan_interface_atomic.h). Executions are sequentially consistent.
// What an operation tells and learns is told in sched/races/atomic_orders.h.
#include <cstddef>
#include <cstdint>

#include "sched/races/atomic_orders.h"
#include "sched/runtime/engine.h"

namespace heddle::sched::runtime {

namespace {

// The orders that a compiler may give have further bits (x86's lock elision), which mean nothing
// here.
int plain_order(int order) { return order & 0x7FFF; }

struct Atomic {
  OperationKind kind;
  const volatile void* object;
  std::uint32_t size;
  const void* caller;

  std::uintptr_t address() const { return reinterpret_cast<std::uintptr_t>(object); }
  Announcement announcement() const {
    return {.kind = kind,
            .object = address(),
            .size = size,
            .changes = kind != OperationKind::atomic_load,
            .caller = caller};
  }
};

// Before the operation: waits for the turn.
[[gnu::always_inline]] inline void take_turn(const Atomic& atomic) {
  engine().step(atomic.announcement());
  engine().note_global(atomic.address(), atomic.size, atomic.kind != OperationKind::atomic_store,
                       atomic.kind != OperationKind::atomic_load);
}

[[gnu::always_inline]] inline void race(const Atomic& atomic, bool writes) {
  engine().atomic_access(atomic.address(), atomic.size, writes);
}

[[gnu::always_inline]] inline void learn(const Atomic& atomic, int order) {
  const AtomicClock* told = engine().atomic_clocks().find(atomic.address());
  if (told != nullptr) learn_by_loading(engine().running(), order, told->clock);
}

// After a load, or after a compare-exchange that failed.
[[gnu::always_inline]] inline void loaded(const Atomic& atomic, int order) {
  if (!engine().keeps_clocks()) return;
  learn(atomic, order);
  race(atomic, false);
}

[[gnu::always_inline]] inline void stored(const Atomic& atomic, int order) {
  if (!engine().keeps_clocks()) return;
  race(atomic, true);
  Task& task = engine().running();
  if (tells(task, order)) {
    VectorClock& told = engine().atomic_clocks().get(atomic.address()).clock;
    tell_by_storing(task, task.id, order, told);
  } else if (AtomicClock* told = engine().atomic_clocks().find(atomic.address())) {
    told->clock.clear();
  }
}

void changed(const Atomic& atomic, int order) {
  if (!engine().keeps_clocks()) return;
  learn(atomic, order);
  race(atomic, true);
  Task& task = engine().running();
  if (!tells(task, order)) return;
  tell_by_changing(task, task.id, order, engine().atomic_clocks().get(atomic.address()).clock);
}

// The operation itself. Sixteen bytes have builtins without a library only in their older form.
template <class Value>
Value raw_compare_exchange(volatile Value* object, Value expected, Value desired) {
  return __sync_val_compare_and_swap(object, expected, desired);
}

template <class Value>
Value raw_load(const volatile Value* object) {
  if constexpr (sizeof(Value) <= sizeof(long)) {
    return __atomic_load_n(object, __ATOMIC_SEQ_CST);
  } else {
    return raw_compare_exchange(const_cast<volatile Value*>(object), Value{0}, Value{0});
  }
}

template <class Value, class Change>
Value raw_change(volatile Value* object, Change change_value) {
  Value before = raw_load(object);
  for (;;) {
    const Value found = raw_compare_exchange(object, before, change_value(before));
    if (found == before) return before;
    before = found;
  }
}

template <class Value>
void raw_store(volatile Value* object, Value value) {
  if constexpr (sizeof(Value) <= sizeof(long)) {
    __atomic_store_n(object, value, __ATOMIC_RELEASE);
  } else {
    raw_change(object, [value](Value) { return value; });
  }
}

// Whoever writes what is there already has changed nothing.
template <class Value>
void note_change(const Atomic& atomic, Value before, Value after) {
  if (before != after) {
    engine().changed(atomic.address());
  } else {
    engine().saw(atomic.address(), static_cast<std::uint64_t>(before), atomic.caller);
  }
}

template <class Value>
Value load(const volatile Value* object, int order, const void* caller) {
  if (!is_on_task()) {
    note_stranger(reinterpret_cast<std::uintptr_t>(object));
    return raw_load(object);
  }
  const InRuntime inside;
  const Atomic atomic{OperationKind::atomic_load, object, sizeof(Value), caller};
  take_turn(atomic);
  const Value value = raw_load(object);
  loaded(atomic, plain_order(order));
  engine().saw(atomic.address(), static_cast<std::uint64_t>(value), caller);
  return value;
}

template <class Value>
void store(volatile Value* object, Value value, int order, const void* caller) {
  if (!is_on_task()) {
    note_stranger(reinterpret_cast<std::uintptr_t>(object));
    raw_change(object, [value](Value) { return value; });
    return;
  }
  const InRuntime inside;
  const Atomic atomic{OperationKind::atomic_store, object, sizeof(Value), caller};
  take_turn(atomic);
  const Value before = raw_load(object);
  raw_store(object, value);
  stored(atomic, plain_order(order));
  note_change(atomic, before, value);
}

// `change(value)` is what the object holds afterwards; returns what it held before.
template <class Value, class Change>
Value change(volatile Value* object, int order, const void* caller, Change change_value) {
  if (!is_on_task()) {
    note_stranger(reinterpret_cast<std::uintptr_t>(object));
    return raw_change(object, change_value);
  }
  const InRuntime inside;
  const Atomic atomic{OperationKind::atomic_change, object, sizeof(Value), caller};
  take_turn(atomic);
  const Value before = raw_change(object, change_value);
  changed(atomic, plain_order(order));
  const Value after = change_value(before);
  if (before == after) ++engine().running().vain;
  note_change(atomic, before, after);
  return before;
}

// What a compare-exchange is told beside its values.
struct ExchangeOrders {
  int success;
  int failure;
  bool weak;
};

template <class Value>
bool compare_exchange(volatile Value* object, Value* expected, Value desired,
                      const ExchangeOrders& orders, const void* caller) {
  const auto exchange = [&] {
    const Value found = raw_compare_exchange(object, *expected, desired);
    const bool done = found == *expected;
    if (!done) *expected = found;
    return done;
  };
  if (!is_on_task()) return exchange();
  const InRuntime inside;
  const Atomic atomic{OperationKind::compare_exchange, object, sizeof(Value), caller};
  take_turn(atomic);
  const Value wanted = *expected;
  const bool would = raw_load(object) == *expected;
  if (would && orders.weak && engine().choose(2, true) != 0) {
    loaded(atomic, plain_order(orders.failure));
    return false;
  }
  const bool done = exchange();
  engine().note_result(done ? 1 : 0);
  if (done) {
    changed(atomic, plain_order(orders.success));
    note_change(atomic, wanted, desired);
  } else {
    loaded(atomic, plain_order(orders.failure));
    engine().tried_in_vain(atomic.address(), static_cast<std::uint64_t>(*expected), caller);
  }
  return done;
}

void make_fence(int order) {
  if (!is_on_task() || !engine().keeps_clocks()) return;
  Task& task = engine().running();
  fence(task, task.id, order);
}

}  // namespace

}  // namespace heddle::sched::runtime

// The names are compilers', not ours. NOLINTBEGIN: a table of entry points that differ in name and
// type.
#define HEDDLE_CALLER __builtin_return_address(0)
#define HEDDLE_CHANGE(bits, type, name, expression)                                               \
  type __tsan_atomic##bits##_##name(volatile type* a, type v, int order) {                        \
    return heddle::sched::runtime::change(a, order, HEDDLE_CALLER,                                \
                                          [v](type x) { return static_cast<type>(expression); }); \
  }
#define HEDDLE_ATOMICS(bits, type)                                                                \
  type __tsan_atomic##bits##_load(const volatile type* a, int order) {                            \
    return heddle::sched::runtime::load(a, order, HEDDLE_CALLER);                                 \
  }                                                                                               \
  void __tsan_atomic##bits##_store(volatile type* a, type v, int order) {                         \
    heddle::sched::runtime::store(a, v, order, HEDDLE_CALLER);                                    \
  }                                                                                               \
  HEDDLE_CHANGE(bits, type, exchange, ((void)x, v))                                               \
  HEDDLE_CHANGE(bits, type, fetch_add, x + v)                                                     \
  HEDDLE_CHANGE(bits, type, fetch_sub, x - v)                                                     \
  HEDDLE_CHANGE(bits, type, fetch_and, x& v)                                                      \
  HEDDLE_CHANGE(bits, type, fetch_or, x | v)                                                      \
  HEDDLE_CHANGE(bits, type, fetch_xor, x ^ v)                                                     \
  HEDDLE_CHANGE(bits, type, fetch_nand, ~(x & v))                                                 \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type* a, type* c, type v,            \
                                                    int success, int failure) {                   \
    return heddle::sched::runtime::compare_exchange(a, c, v, {success, failure, false},           \
                                                    HEDDLE_CALLER)                                \
               ? 1                                                                                \
               : 0;                                                                               \
  }                                                                                               \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type* a, type* c, type v, int success, \
                                                  int failure) {                                  \
    return heddle::sched::runtime::compare_exchange(a, c, v, {success, failure, true},            \
                                                    HEDDLE_CALLER)                                \
               ? 1                                                                                \
               : 0;                                                                               \
  }                                                                                               \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type* a, type c, type v, int success,  \
                                                  int failure) {                                  \
    heddle::sched::runtime::compare_exchange(a, &c, v, {success, failure, false}, HEDDLE_CALLER); \
    return c;                                                                                     \
  }

extern "C" {
#pragma GCC visibility push(default)

HEDDLE_ATOMICS(8, std::uint8_t)
HEDDLE_ATOMICS(16, std::uint16_t)
HEDDLE_ATOMICS(32, std::uint32_t)
HEDDLE_ATOMICS(64, std::uint64_t)
__extension__ typedef unsigned __int128 heddle_uint128;
HEDDLE_ATOMICS(128, heddle_uint128)

void __tsan_atomic_thread_fence(int order) { heddle::sched::runtime::make_fence(order); }
void __tsan_atomic_signal_fence(int /*order*/) {}

#pragma GCC visibility pop
}
// NOLINTEND
