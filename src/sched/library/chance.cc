// The C library's generators. Those with a state of their own (rand, random, drand48) begin each
// execution as they begin a process, and calls of them are steps: who comes first gets the first
// number. What comes from the kernel is drawn from the seed.
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include "sched/library/draws.h"
#include "sched/library/ranges.h"
#include "sched/runtime/instrumented.h"
#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

LibraryFunction<int()> real_rand("rand");
LibraryFunction<int(unsigned*)> real_rand_r("rand_r");
LibraryFunction<void(unsigned)> real_srand("srand");
LibraryFunction<long()> real_random("random");
LibraryFunction<void(unsigned)> real_srandom("srandom");
LibraryFunction<char*(unsigned, char*, std::size_t)> real_initstate("initstate");
LibraryFunction<char*(char*)> real_setstate("setstate");
LibraryFunction<double()> real_drand48("drand48");
LibraryFunction<long()> real_lrand48("lrand48");
LibraryFunction<long()> real_mrand48("mrand48");
LibraryFunction<void(long)> real_srand48("srand48");
LibraryFunction<ssize_t(void*, std::size_t, unsigned)> real_getrandom("getrandom");
LibraryFunction<int(void*, std::size_t)> real_getentropy("getentropy");
LibraryFunction<std::uint32_t()> real_arc4random("arc4random");
LibraryFunction<void(void*, std::size_t)> real_arc4random_buf("arc4random_buf");
LibraryFunction<std::uint32_t(std::uint32_t)> real_arc4random_uniform("arc4random_uniform");

// As the C library's own, which begin so: 31 words of state, seeded with 1, and zeros.
struct Generators {
  std::uint64_t execution = 0;
  random_data random{};
  char state[128] = {};
  drand48_data drand48{};
};
Generators generators;

// Waits for the turn to use it.
Generators& take_generators(const void* caller) {
  if (generators.execution != engine().number()) {
    generators = {.execution = engine().number()};
    initstate_r(1, generators.state, sizeof generators.state, &generators.random);
  }
  engine().step({.kind = OperationKind::draw,
                 .object = reinterpret_cast<std::uintptr_t>(&generators),
                 .caller = caller});
  return generators;
}

template <class Number>
Number drawn_number(Number number) {
  engine().note_result(static_cast<std::uint64_t>(number));
  engine().changed(reinterpret_cast<std::uintptr_t>(&generators));
  return number;
}

std::int32_t next_random(const void* caller) {
  const InRuntime inside;
  std::int32_t number = 0;
  random_r(&take_generators(caller).random, &number);
  return drawn_number(number);
}

void seed_random(unsigned seed, const void* caller) {
  const InRuntime inside;
  srandom_r(seed, &take_generators(caller).random);
  drawn_number(seed);
}

// Before the numbers of a state stands one that says how long it is (the C library's random_r.c).
char* change_state(const void* caller, const auto& change) {
  const InRuntime inside;
  random_data& random = take_generators(caller).random;
  char* before = reinterpret_cast<char*>(random.state - 1);
  return change(random) == 0 ? before : nullptr;
}

// One generator of the drand48 family: `next` is its form with a state.
template <class Number>
Number next_48(const void* caller, int (*next)(drand48_data*, Number*)) {
  const InRuntime inside;
  Number number{};
  next(&take_generators(caller).drand48, &number);
  return drawn_number(number);
}

// No number is more likely than another.
std::uint32_t draw_below(std::uint32_t count, const void* caller) {
  if (count < 2) return 0;
  const std::uint32_t unequal = (0 - count) % count;  // of 2^32, as many numbers are too many
  for (;;) {
    const auto number = static_cast<std::uint32_t>(draw(caller));
    if (number >= unequal) return number % count;
  }
}

}  // namespace

}  // namespace heddle::sched::runtime

namespace runtime = heddle::sched::runtime;

// NOLINTBEGIN: the names and parameters are the C library's.
#define HEDDLE_CALLER __builtin_return_address(0)

extern "C" {
#pragma GCC visibility push(default)

int rand() noexcept {
  if (!runtime::is_on_task()) return runtime::real_rand();
  return runtime::next_random(HEDDLE_CALLER);
}
void srand(unsigned seed) noexcept {
  if (!runtime::is_on_task()) return runtime::real_srand(seed);
  runtime::seed_random(seed, HEDDLE_CALLER);
}
int rand_r(unsigned* seed) noexcept {
  if (runtime::is_watched(HEDDLE_CALLER)) {
    const runtime::Ranges ranges(HEDDLE_CALLER);
    ranges.set(*seed, ranges.get(*seed));
  }
  return runtime::real_rand_r(seed);
}
long random() noexcept {
  if (!runtime::is_on_task()) return runtime::real_random();
  return runtime::next_random(HEDDLE_CALLER);
}
void srandom(unsigned seed) noexcept {
  if (!runtime::is_on_task()) return runtime::real_srandom(seed);
  runtime::seed_random(seed, HEDDLE_CALLER);
}
char* initstate(unsigned seed, char* state, std::size_t size) noexcept {
  if (!runtime::is_on_task()) return runtime::real_initstate(seed, state, size);
  return runtime::change_state(
      HEDDLE_CALLER, [&](random_data& random) { return initstate_r(seed, state, size, &random); });
}
char* setstate(char* state) noexcept {
  if (!runtime::is_on_task()) return runtime::real_setstate(state);
  return runtime::change_state(HEDDLE_CALLER,
                               [&](random_data& random) { return setstate_r(state, &random); });
}
double drand48() noexcept {
  if (!runtime::is_on_task()) return runtime::real_drand48();
  return runtime::next_48<double>(HEDDLE_CALLER, drand48_r);
}
long lrand48() noexcept {
  if (!runtime::is_on_task()) return runtime::real_lrand48();
  return runtime::next_48<long>(HEDDLE_CALLER, lrand48_r);
}
long mrand48() noexcept {
  if (!runtime::is_on_task()) return runtime::real_mrand48();
  return runtime::next_48<long>(HEDDLE_CALLER, mrand48_r);
}
void srand48(long seed) noexcept {
  if (!runtime::is_on_task()) return runtime::real_srand48(seed);
  const runtime::InRuntime inside;
  srand48_r(seed, &runtime::take_generators(HEDDLE_CALLER).drand48);
  runtime::drawn_number(seed);
}

ssize_t getrandom(void* to, std::size_t size, unsigned flags) {
  if (!runtime::is_on_task()) return runtime::real_getrandom(to, size, flags);
  runtime::draw_bytes(to, size, HEDDLE_CALLER);
  return static_cast<ssize_t>(size);
}
int getentropy(void* to, std::size_t size) {
  if (!runtime::is_on_task()) return runtime::real_getentropy(to, size);
  constexpr std::size_t kMost = 256;
  if (size > kMost) {
    errno = EIO;
    return -1;
  }
  runtime::draw_bytes(to, size, HEDDLE_CALLER);
  return 0;
}
std::uint32_t arc4random() noexcept {
  if (!runtime::is_on_task()) return runtime::real_arc4random();
  return static_cast<std::uint32_t>(runtime::draw(HEDDLE_CALLER));
}
void arc4random_buf(void* to, std::size_t size) noexcept {
  if (!runtime::is_on_task()) return runtime::real_arc4random_buf(to, size);
  runtime::draw_bytes(to, size, HEDDLE_CALLER);
}
std::uint32_t arc4random_uniform(std::uint32_t count) noexcept {
  if (!runtime::is_on_task()) return runtime::real_arc4random_uniform(count);
  return runtime::draw_below(count, HEDDLE_CALLER);
}

#pragma GCC visibility pop
}
// NOLINTEND
