/// Types for code that is tested without -fsanitize=thread: what is done with them is under
/// heddle's control, and nothing else is.
///
///   heddle::sched::atomic<int> counter = 0;  // each operation is a step
///   heddle::sched::Plain<int> value = 0;     // a variable without synchronisation: may race
///   heddle::sched::mutex mutex;              // std::mutex
///
/// `heddle_add_sched_test(NAME TYPES sources...)` links heddle's runtime and does not give the
/// flag. Where the runtime is not linked, all of them are what their like in std is, and `check`
/// runs a body once, on real threads, and says so. With the flag they are what their like in std
/// is, too, which then is controlled.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <type_traits>
#include <utility>

#include "heddle/sched.h"

namespace heddle::sched {

using std::adopt_lock;
using std::call_once;
using std::condition_variable;
using std::condition_variable_any;
using std::cv_status;
using std::defer_lock;
using std::jthread;
using std::lock_guard;
using std::mutex;
using std::once_flag;
using std::recursive_mutex;
using std::recursive_timed_mutex;
using std::scoped_lock;
using std::shared_lock;
using std::shared_mutex;
using std::shared_timed_mutex;
using std::thread;
using std::timed_mutex;
using std::try_to_lock;
using std::unique_lock;
namespace this_thread = std::this_thread;

#if defined(HEDDLE_SCHED_FLAG)

template <class Value>
using atomic = std::atomic<Value>;

/// A variable without synchronisation.
template <class Value>
class Plain {
 public:
  Plain() = default;
  Plain(Value value) : value_(std::move(value)) {}
  Plain(const Plain&) = default;
  Plain& operator=(const Plain&) = default;
  Plain& operator=(Value value) {
    value_ = std::move(value);
    return *this;
  }
  operator Value() const { return value_; }

 private:
  Value value_{};
};

inline void atomic_thread_fence(std::memory_order order) { std::atomic_thread_fence(order); }

#else

namespace entry {

// What a compiler would call under -fsanitize=thread.
extern "C" {
#define HEDDLE_ATOMIC_HOOKS(bits)                                                          \
  __attribute__((weak)) std::uint##bits##_t __tsan_atomic##bits##_load(                    \
      const volatile std::uint##bits##_t*, int);                                           \
  __attribute__((weak)) void __tsan_atomic##bits##_store(volatile std::uint##bits##_t*,    \
                                                         std::uint##bits##_t, int);        \
  __attribute__((weak)) std::uint##bits##_t __tsan_atomic##bits##_exchange(                \
      volatile std::uint##bits##_t*, std::uint##bits##_t, int);                            \
  __attribute__((weak)) std::uint##bits##_t __tsan_atomic##bits##_fetch_add(               \
      volatile std::uint##bits##_t*, std::uint##bits##_t, int);                            \
  __attribute__((weak)) std::uint##bits##_t __tsan_atomic##bits##_fetch_and(               \
      volatile std::uint##bits##_t*, std::uint##bits##_t, int);                            \
  __attribute__((weak)) std::uint##bits##_t __tsan_atomic##bits##_fetch_or(                \
      volatile std::uint##bits##_t*, std::uint##bits##_t, int);                            \
  __attribute__((weak)) std::uint##bits##_t __tsan_atomic##bits##_fetch_xor(               \
      volatile std::uint##bits##_t*, std::uint##bits##_t, int);                            \
  __attribute__((weak)) int __tsan_atomic##bits##_compare_exchange_strong(                 \
      volatile std::uint##bits##_t*, std::uint##bits##_t*, std::uint##bits##_t, int, int); \
  __attribute__((weak)) int __tsan_atomic##bits##_compare_exchange_weak(                   \
      volatile std::uint##bits##_t*, std::uint##bits##_t*, std::uint##bits##_t, int, int);
HEDDLE_ATOMIC_HOOKS(8)
HEDDLE_ATOMIC_HOOKS(16)
HEDDLE_ATOMIC_HOOKS(32)
HEDDLE_ATOMIC_HOOKS(64)
#undef HEDDLE_ATOMIC_HOOKS
__attribute__((weak)) void __tsan_atomic_thread_fence(int);
__attribute__((weak)) void __tsan_read_range(void*, std::size_t);
__attribute__((weak)) void __tsan_write_range(void*, std::size_t);
}

/// The hooks of one size.
template <std::size_t size>
struct Hooks;
#define HEDDLE_HOOKS_OF(bits)                                                     \
  template <>                                                                     \
  struct Hooks<(bits) / 8> {                                                      \
    using Bits = std::uint##bits##_t;                                             \
    static constexpr auto load = __tsan_atomic##bits##_load;                      \
    static constexpr auto store = __tsan_atomic##bits##_store;                    \
    static constexpr auto exchange = __tsan_atomic##bits##_exchange;              \
    static constexpr auto add = __tsan_atomic##bits##_fetch_add;                  \
    static constexpr auto bit_and = __tsan_atomic##bits##_fetch_and;              \
    static constexpr auto bit_or = __tsan_atomic##bits##_fetch_or;                \
    static constexpr auto bit_xor = __tsan_atomic##bits##_fetch_xor;              \
    static constexpr auto strong = __tsan_atomic##bits##_compare_exchange_strong; \
    static constexpr auto weak = __tsan_atomic##bits##_compare_exchange_weak;     \
  };
HEDDLE_HOOKS_OF(8)
HEDDLE_HOOKS_OF(16)
HEDDLE_HOOKS_OF(32)
HEDDLE_HOOKS_OF(64)
#undef HEDDLE_HOOKS_OF

/// Whoever includes this header means it: that plain accesses do not arrive is no mistake.
inline const bool uses_types_now = uses_types() = true;

}  // namespace entry

/// std::atomic of 1, 2, 4 or 8 bytes, whose operations are steps where the runtime is linked.
template <class Value>
class Atomic {
  using Hooks = entry::Hooks<sizeof(Value)>;
  using Bits = typename Hooks::Bits;
  using Order = std::memory_order;
  static_assert(std::is_trivially_copyable_v<Value>);

 public:
  using value_type = Value;

  Atomic() = default;
  Atomic(Value value) : value_(value) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  Value load(Order order = Order::seq_cst) const {
    if (!is_linked()) return value_.load(order);
    return value_of(Hooks::load(place(), static_cast<int>(order)));
  }
  void store(Value value, Order order = Order::seq_cst) {
    if (!is_linked()) return value_.store(value, order);
    Hooks::store(place(), bits_of(value), static_cast<int>(order));
  }
  Value exchange(Value value, Order order = Order::seq_cst) {
    if (!is_linked()) return value_.exchange(value, order);
    return value_of(Hooks::exchange(place(), bits_of(value), static_cast<int>(order)));
  }
  bool compare_exchange_strong(Value& expected, Value desired, Order success, Order failure) {
    if (!is_linked()) return value_.compare_exchange_strong(expected, desired, success, failure);
    return compare_exchange(Hooks::strong, expected, desired, {success, failure});
  }
  bool compare_exchange_weak(Value& expected, Value desired, Order success, Order failure) {
    if (!is_linked()) return value_.compare_exchange_weak(expected, desired, success, failure);
    return compare_exchange(Hooks::weak, expected, desired, {success, failure});
  }
  bool compare_exchange_strong(Value& expected, Value desired, Order order = Order::seq_cst) {
    return compare_exchange_strong(expected, desired, order, failure_of(order));
  }
  bool compare_exchange_weak(Value& expected, Value desired, Order order = Order::seq_cst) {
    return compare_exchange_weak(expected, desired, order, failure_of(order));
  }

  /// Of numbers, and of pointers, which move by objects.
  template <class Number>
  Value fetch_add(Number number, Order order = Order::seq_cst) {
    if (!is_linked()) return value_.fetch_add(number, order);
    return value_of(Hooks::add(place(), distance(number), static_cast<int>(order)));
  }
  template <class Number>
  Value fetch_sub(Number number, Order order = Order::seq_cst) {
    if (!is_linked()) return value_.fetch_sub(number, order);
    return value_of(
        Hooks::add(place(), static_cast<Bits>(0 - distance(number)), static_cast<int>(order)));
  }
  Value fetch_and(Value value, Order order = Order::seq_cst) {
    if (!is_linked()) return value_.fetch_and(value, order);
    return value_of(Hooks::bit_and(place(), bits_of(value), static_cast<int>(order)));
  }
  Value fetch_or(Value value, Order order = Order::seq_cst) {
    if (!is_linked()) return value_.fetch_or(value, order);
    return value_of(Hooks::bit_or(place(), bits_of(value), static_cast<int>(order)));
  }
  Value fetch_xor(Value value, Order order = Order::seq_cst) {
    if (!is_linked()) return value_.fetch_xor(value, order);
    return value_of(Hooks::bit_xor(place(), bits_of(value), static_cast<int>(order)));
  }

  operator Value() const { return load(); }
  Value operator=(Value value) {
    store(value);
    return value;
  }
  Value operator++() { return fetch_add(1) + 1; }
  Value operator++(int) { return fetch_add(1); }
  Value operator--() { return fetch_sub(1) - 1; }
  Value operator--(int) { return fetch_sub(1); }
  template <class Number>
  Value operator+=(Number number) {
    return fetch_add(number) + number;
  }
  template <class Number>
  Value operator-=(Number number) {
    return fetch_sub(number) - number;
  }

 private:
  struct Orders {
    Order success;
    Order failure;
  };

  static Order failure_of(Order order) {
    if (order == Order::acq_rel) return Order::acquire;
    return order == Order::release ? Order::relaxed : order;
  }
  static Bits bits_of(const Value& value) {
    Bits bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
  }
  static Value value_of(Bits bits) {
    Value value;
    std::memcpy(&value, &bits, sizeof bits);
    return value;
  }
  template <class Number>
  static Bits distance(Number number) {
    if constexpr (std::is_pointer_v<Value>) {
      return static_cast<Bits>(number) * sizeof(std::remove_pointer_t<Value>);
    } else {
      return static_cast<Bits>(number);
    }
  }
  template <class Hook>
  bool compare_exchange(Hook hook, Value& expected, const Value& desired, const Orders& orders) {
    Bits found = bits_of(expected);
    const bool done = hook(place(), &found, bits_of(desired), static_cast<int>(orders.success),
                           static_cast<int>(orders.failure)) != 0;
    if (!done) expected = value_of(found);
    return done;
  }
  volatile Bits* place() const {
    return reinterpret_cast<volatile Bits*>(const_cast<std::atomic<Value>*>(&value_));
  }

  std::atomic<Value> value_{};
};

template <class Value>
using atomic = Atomic<Value>;

/// A variable without synchronisation: each use is an access that may race.
template <class Value>
class Plain {
 public:
  Plain() = default;
  Plain(Value value) : value_(std::move(value)) {}
  Plain(const Plain& other) : value_(other) {}
  Plain& operator=(const Plain& other) { return *this = static_cast<Value>(other); }
  Plain& operator=(Value value) {
    if (is_linked()) entry::__tsan_write_range(&value_, sizeof value_);
    value_ = std::move(value);
    return *this;
  }
  operator Value() const {
    if (is_linked()) entry::__tsan_read_range(const_cast<Value*>(&value_), sizeof value_);
    return value_;
  }

 private:
  Value value_{};
};

inline void atomic_thread_fence(std::memory_order order) {
  if (!is_linked()) return std::atomic_thread_fence(order);
  entry::__tsan_atomic_thread_fence(static_cast<int>(order));
}

#endif

}  // namespace heddle::sched
