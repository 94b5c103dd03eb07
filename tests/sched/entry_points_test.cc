// Each function that a compiler may call under -fsanitize=thread is one that the runtime has, and
// what it says of memory arrives: a thread that has written the first byte meanwhile races with it,
// and the report names the access. First the functions are called by their names, then a program
// does what makes compilers call them.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <unistd.h>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

// NOLINTBEGIN(cppcoreguidelines-macro-usage): tables of functions that differ in name and size.
#define HEDDLE_PLAIN(size)                           \
  void __tsan_read##size(void*);                     \
  void __tsan_write##size(void*);                    \
  void __tsan_unaligned_read##size(void*);           \
  void __tsan_unaligned_write##size(void*);          \
  void __tsan_volatile_read##size(void*);            \
  void __tsan_volatile_write##size(void*);           \
  void __tsan_unaligned_volatile_read##size(void*);  \
  void __tsan_unaligned_volatile_write##size(void*); \
  void __tsan_read##size##_pc(void*, void*);         \
  void __tsan_write##size##_pc(void*, void*);        \
  void __tsan_read_write##size(void*);               \
  void __tsan_unaligned_read_write##size(void*);     \
  void __tsan_read_write##size##_pc(void*, void*);
#define HEDDLE_ATOMIC(bits, type)                                                           \
  type __tsan_atomic##bits##_load(const volatile type*, int);                               \
  void __tsan_atomic##bits##_store(volatile type*, type, int);                              \
  type __tsan_atomic##bits##_exchange(volatile type*, type, int);                           \
  type __tsan_atomic##bits##_fetch_add(volatile type*, type, int);                          \
  type __tsan_atomic##bits##_fetch_sub(volatile type*, type, int);                          \
  type __tsan_atomic##bits##_fetch_and(volatile type*, type, int);                          \
  type __tsan_atomic##bits##_fetch_or(volatile type*, type, int);                           \
  type __tsan_atomic##bits##_fetch_xor(volatile type*, type, int);                          \
  type __tsan_atomic##bits##_fetch_nand(volatile type*, type, int);                         \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile type*, type*, type, int, int); \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile type*, type*, type, int, int);   \
  type __tsan_atomic##bits##_compare_exchange_val(volatile type*, type, type, int, int);

__extension__ typedef unsigned __int128 Wide;

extern "C" {
HEDDLE_PLAIN(1)
HEDDLE_PLAIN(2)
HEDDLE_PLAIN(4)
HEDDLE_PLAIN(8)
HEDDLE_PLAIN(16)
HEDDLE_ATOMIC(8, std::uint8_t)
HEDDLE_ATOMIC(16, std::uint16_t)
HEDDLE_ATOMIC(32, std::uint32_t)
HEDDLE_ATOMIC(64, std::uint64_t)
HEDDLE_ATOMIC(128, Wide)
void __tsan_read_range(void*, std::size_t);
void __tsan_write_range(void*, std::size_t);
void __tsan_read_range_pc(void*, std::size_t, void*);
void __tsan_write_range_pc(void*, std::size_t, void*);
void __tsan_vptr_update(void**, void*);
void __tsan_vptr_read(void**);
void* __tsan_memcpy(void*, const void*, std::size_t);
void* __tsan_memmove(void*, const void*, std::size_t);
void* __tsan_memset(void*, int, std::size_t);
void __tsan_atomic_thread_fence(int);
void __tsan_atomic_signal_fence(int);
void __tsan_ignore_thread_begin();
void __tsan_ignore_thread_end();
void __tsan_func_entry(void*);
void __tsan_func_exit();
void __tsan_init();
}

namespace {

// Reports of races that are meant to be there are not printed.
class Quiet {
 public:
  Quiet() : kept_(dup(STDERR_FILENO)) {
    const int null = open("/dev/null", O_WRONLY);
    dup2(null, STDERR_FILENO);
    close(null);
  }
  ~Quiet() {
    dup2(kept_, STDERR_FILENO);
    close(kept_);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  int kept_;
};

alignas(16) unsigned char memory[64];
alignas(16) unsigned char source[64];
std::size_t checked = 0;

__attribute__((noinline)) void write_byte(unsigned char* byte) { *byte = 1; }

heddle::sched::Answer answer_of(const std::function<void()>& access, std::size_t offset) {
  const Quiet quiet;
  return heddle::sched::check(
      [&] {
        std::memset(memory, 0, sizeof memory);
        std::thread other([&] { access(); });
        write_byte(memory + offset);
        other.join();
      },
      {.executions = 10});
}

// `what`: "a read of 4 bytes".
void arrives(const std::string& name, const std::string& what, const std::function<void()>& access,
             std::size_t offset = 0) {
  ++checked;
  const heddle::sched::Answer answer = answer_of(access, offset);
  const std::string seen = answer.failure.what;
  expect(seen == what + " and a write by thread 0 are not ordered",
         name + ": " + what + ": seen is: " + seen);
}

std::string reads(std::size_t size) { return "a read of " + std::to_string(size) + " bytes"; }
std::string writes(std::size_t size) { return "a write of " + std::to_string(size) + " bytes"; }

void* here() { return __builtin_return_address(0); }

#define HEDDLE_CALLED(function, what, ...) \
  arrives(#function, what, [] { function(memory __VA_OPT__(, ) __VA_ARGS__); })
#define HEDDLE_PLAIN_CALLED(size)                                     \
  HEDDLE_CALLED(__tsan_read##size, reads(size));                      \
  HEDDLE_CALLED(__tsan_write##size, writes(size));                    \
  HEDDLE_CALLED(__tsan_unaligned_read##size, reads(size));            \
  HEDDLE_CALLED(__tsan_unaligned_write##size, writes(size));          \
  HEDDLE_CALLED(__tsan_volatile_read##size, reads(size));             \
  HEDDLE_CALLED(__tsan_volatile_write##size, writes(size));           \
  HEDDLE_CALLED(__tsan_unaligned_volatile_read##size, reads(size));   \
  HEDDLE_CALLED(__tsan_unaligned_volatile_write##size, writes(size)); \
  HEDDLE_CALLED(__tsan_read##size##_pc, reads(size), here());         \
  HEDDLE_CALLED(__tsan_write##size##_pc, writes(size), here());       \
  HEDDLE_CALLED(__tsan_read_write##size, reads(size));                \
  HEDDLE_CALLED(__tsan_unaligned_read_write##size, reads(size));      \
  HEDDLE_CALLED(__tsan_read_write##size##_pc, reads(size), here())

void plain_functions() {
  HEDDLE_PLAIN_CALLED(1);
  HEDDLE_PLAIN_CALLED(2);
  HEDDLE_PLAIN_CALLED(4);
  HEDDLE_PLAIN_CALLED(8);
  HEDDLE_PLAIN_CALLED(16);
  HEDDLE_CALLED(__tsan_read_range, reads(24), 24);
  HEDDLE_CALLED(__tsan_write_range, writes(24), 24);
  HEDDLE_CALLED(__tsan_read_range_pc, reads(24), 24, here());
  HEDDLE_CALLED(__tsan_write_range_pc, writes(24), 24, here());
  HEDDLE_CALLED(__tsan_memset, writes(24), 0, 24);
  HEDDLE_CALLED(__tsan_memcpy, writes(24), source, 24);
  HEDDLE_CALLED(__tsan_memmove, writes(24), source, 24);
  arrives("__tsan_memcpy from", reads(24), [] { __tsan_memcpy(source, memory, 24); });
  arrives("__tsan_memmove from", reads(24), [] { __tsan_memmove(source, memory, 24); });
  auto** const place = reinterpret_cast<void**>(memory);
  arrives("__tsan_vptr_read", reads(8), [place] { __tsan_vptr_read(place); });
  arrives("__tsan_vptr_update", writes(8), [place] { __tsan_vptr_update(place, memory); });
}

#define HEDDLE_CHANGED(bits, type, name)                       \
  arrives("__tsan_atomic" #bits "_" #name, writes((bits) / 8), \
          [order] { __tsan_atomic##bits##_##name(reinterpret_cast<type*>(memory), 1, order); })
#define HEDDLE_ATOMIC_CALLED(bits, type)                                                        \
  HEDDLE_CHANGED(bits, type, store);                                                            \
  HEDDLE_CHANGED(bits, type, exchange);                                                         \
  HEDDLE_CHANGED(bits, type, fetch_add);                                                        \
  HEDDLE_CHANGED(bits, type, fetch_sub);                                                        \
  HEDDLE_CHANGED(bits, type, fetch_and);                                                        \
  HEDDLE_CHANGED(bits, type, fetch_or);                                                         \
  HEDDLE_CHANGED(bits, type, fetch_xor);                                                        \
  HEDDLE_CHANGED(bits, type, fetch_nand);                                                       \
  arrives("__tsan_atomic" #bits "_load", reads((bits) / 8),                                     \
          [order] { __tsan_atomic##bits##_load(reinterpret_cast<type*>(memory), order); });     \
  /* One byte is written by the other thread: from 1 it is done, from 2 it fails. */            \
  for (const type expected : {type{1}, type{2}}) {                                              \
    const std::string what = expected == 1 ? writes((bits) / 8) : reads((bits) / 8);            \
    arrives("__tsan_atomic" #bits "_compare_exchange_strong", what, [order, expected] {         \
      type found = expected;                                                                    \
      __tsan_atomic##bits##_compare_exchange_strong(reinterpret_cast<type*>(memory), &found, 3, \
                                                    order, 0);                                  \
    });                                                                                         \
    arrives("__tsan_atomic" #bits "_compare_exchange_weak", what, [order, expected] {           \
      type found = expected;                                                                    \
      __tsan_atomic##bits##_compare_exchange_weak(reinterpret_cast<type*>(memory), &found, 3,   \
                                                  order, 0);                                    \
    });                                                                                         \
    arrives("__tsan_atomic" #bits "_compare_exchange_val", what, [order, expected] {            \
      __tsan_atomic##bits##_compare_exchange_val(reinterpret_cast<type*>(memory), expected, 3,  \
                                                 order, 0);                                     \
    });                                                                                         \
  }

void atomic_functions(int order) {
  HEDDLE_ATOMIC_CALLED(8, std::uint8_t)
  HEDDLE_ATOMIC_CALLED(16, std::uint16_t)
  HEDDLE_ATOMIC_CALLED(32, std::uint32_t)
  HEDDLE_ATOMIC_CALLED(64, std::uint64_t)
  HEDDLE_ATOMIC_CALLED(128, Wide)
}
// NOLINTEND(cppcoreguidelines-macro-usage)

// A value is handed over through relaxed operations. Whether they race depends on fences.
void hands_over(const char* name, bool ordered, const std::function<void()>& before_store,
                const std::function<void()>& after_load) {
  ++checked;
  const Quiet quiet;
  const heddle::sched::Answer answer = heddle::sched::check(
      [&] {
        std::atomic<bool> ready = false;
        int value = 0;
        std::thread other([&] {
          if (!ready.load(std::memory_order_relaxed)) return;
          after_load();
          if (value != 1) heddle::sched::fail("it is not there");
        });
        value = 1;
        before_store();
        ready.store(true, std::memory_order_relaxed);
        other.join();
      },
      {.executions = 1000});
  expect(answer.passed == ordered, std::string(name) + ": " + answer.failure.what);
}

void fences() {
  hands_over("no fences", false, [] {}, [] {});
  hands_over(
      "both fences", true, [] { __tsan_atomic_thread_fence(3); },
      [] { __tsan_atomic_thread_fence(2); });
  hands_over(
      "the strongest fences", true, [] { __tsan_atomic_thread_fence(5); },
      [] { __tsan_atomic_thread_fence(5); });
  hands_over("one fence", false, [] { __tsan_atomic_thread_fence(3); }, [] {});
  hands_over(
      "fences the wrong way", false, [] { __tsan_atomic_thread_fence(2); },
      [] { __tsan_atomic_thread_fence(3); });
  hands_over(
      "fences for signals", false, [] { __tsan_atomic_signal_fence(5); },
      [] { __tsan_atomic_signal_fence(5); });
  hands_over(
      "the language's fences", true, [] { std::atomic_thread_fence(std::memory_order_release); },
      [] { std::atomic_thread_fence(std::memory_order_acquire); });
}

void what_is_left_alone() {
  ++checked;
  const heddle::sched::Answer answer = answer_of(
      [] {
        __tsan_init();
        __tsan_func_entry(here());
        __tsan_ignore_thread_begin();
        __tsan_write4(memory);
        __tsan_ignore_thread_end();
        __tsan_func_exit();
      },
      0);
  expect(answer.passed, "what is to be ignored is: " + answer.failure.what);
}

// ------------------------------------------------------------- what makes compilers call them

// The value is needed.
template <class Value>
void keep(Value value) {
  asm volatile("" : : "r"(value));
}

template <class Value>
void plain_and_volatile(const std::string& size_name) {
  auto* const value = reinterpret_cast<Value*>(memory);
  auto* const changing = reinterpret_cast<volatile Value*>(memory);
  arrives("read " + size_name, reads(sizeof(Value)), [value] { keep(*value); });
  arrives("write " + size_name, writes(sizeof(Value)), [value] { *value = 2; });
  arrives("volatile read " + size_name, reads(sizeof(Value)), [changing] { keep(*changing); });
  arrives("volatile write " + size_name, writes(sizeof(Value)), [changing] { *changing = 2; });
}

template <class Value>
struct __attribute__((packed)) Unaligned {
  char first;
  Value value;
};

template <class Value>
void unaligned(const std::string& size_name) {
  auto* const value = reinterpret_cast<Unaligned<Value>*>(memory);
  arrives("unaligned read " + size_name, reads(sizeof(Value)), [value] { keep(value->value); }, 1);
  arrives("unaligned write " + size_name, writes(sizeof(Value)), [value] { value->value = 2; }, 1);
}

template <class Value>
void atomics(const std::string& size_name) {
  auto* const object = reinterpret_cast<std::atomic<Value>*>(memory);
  arrives("load " + size_name, reads(sizeof(Value)), [object] { keep(object->load()); });
  arrives("store " + size_name, writes(sizeof(Value)), [object] { object->store(1); });
  arrives("exchange " + size_name, writes(sizeof(Value)), [object] { object->exchange(1); });
  arrives("fetch_add " + size_name, writes(sizeof(Value)), [object] { object->fetch_add(1); });
  arrives("fetch_xor " + size_name, writes(sizeof(Value)), [object] { object->fetch_xor(1); });
  arrives("compare_exchange_strong " + size_name, writes(sizeof(Value)), [object] {
    Value expected = 1;
    object->compare_exchange_strong(expected, 2);
  });
}

struct Base {
  Base() = default;
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;
  virtual ~Base() = default;
  virtual int number() const { return 1; }
};
struct Derived : Base {
  int number() const override { return 2; }
};

void language() {
  plain_and_volatile<std::uint8_t>("1");
  plain_and_volatile<std::uint16_t>("2");
  plain_and_volatile<std::uint32_t>("4");
  plain_and_volatile<std::uint64_t>("8");
  unaligned<std::uint16_t>("2");
  unaligned<std::uint32_t>("4");
  unaligned<std::uint64_t>("8");
  atomics<std::uint8_t>("1");
  atomics<std::uint16_t>("2");
  atomics<std::uint32_t>("4");
  atomics<std::uint64_t>("8");
  arrives("a virtual table", writes(8), [] { new (memory) Derived; });
}

}  // namespace

int main() {
  plain_functions();
  for (const int order : {0, 5}) atomic_functions(order);
  fences();
  what_is_left_alone();
  language();
  std::printf("%zu kinds of access\n", checked);
  return expectations_met();
}
