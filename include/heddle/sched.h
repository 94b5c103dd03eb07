/// Tests of concurrent C++ whose interleavings are chosen, replayed and told.
///
///   return heddle::sched::test([] {
///     int counter = 0;
///     std::thread other([&] { ++counter; });
///     ++counter;
///     other.join();
///     if (counter != 2) heddle::sched::fail("an increment is lost");
///   });
///
/// Compile with -fsanitize=thread and link heddle's runtime in place of ThreadSanitizer's: in CMake
/// `find_package(heddle)` and `heddle_add_sched_test(name sources...)` do both.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

// A file that is compiled without the flag may be linked without the runtime
// (heddle/sched_types.h).
#if defined(__SANITIZE_THREAD__)
#define HEDDLE_SCHED_FLAG
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HEDDLE_SCHED_FLAG
#endif
#endif
#if defined(HEDDLE_SCHED_FLAG)
#define HEDDLE_SCHED_WEAK
#else
#define HEDDLE_SCHED_WEAK __attribute__((weak))
#endif

namespace heddle::sched {

/// How the next thread is chosen.
enum class Strategy : std::uint8_t {
  automatic,    ///< a sequential execution, depth first if that is short, then the random ones in
                ///< turn
  random,       ///< each thread that can go on is as likely as each other
  pct,          ///< random priorities and few places where they change (Burckhardt and others 2010)
  pos,          ///< random priorities of operations (Yuan, Yang and Gu 2018)
  round_robin,  ///< each thread one step in turn
  depth_first,  ///< all interleavings, those with the fewest preemptions first
};

/// What is done about accesses to memory that nothing orders, one of them a write.
enum class Races : std::uint8_t {
  fail,    ///< an execution with one fails
  find,    ///< threads are preempted at them; an execution with one goes on
  ignore,  ///< faster: threads are preempted at all memory that several of them touch, unless one
           ///< had ended before the other, or begun it
};

/// What an execution leaves behind for the next one.
enum class Isolate : std::uint8_t {
  no,       ///< whatever the body does outside of its own objects and its thread_local ones
  process,  ///< nothing: each execution is made by a process of its own, which is a fork of this
            ///< one
};

/// What to try, and for how long. Environment variables overrule it: HEDDLE_EXECUTIONS,
/// HEDDLE_SECONDS, HEDDLE_STRATEGY, HEDDLE_SEED, HEDDLE_STEPS, HEDDLE_FAULTS, HEDDLE_RACES,
/// HEDDLE_JOBS, HEDDLE_OUTSIDE.
struct Options {
  Strategy strategy = Strategy::automatic;
  std::uint64_t executions = 100'000;
  double seconds = 10;
  std::uint64_t seed = 1;
  std::uint32_t preemptions = 2;  ///< the most that `depth_first` tries
  std::uint32_t depth = 3;        ///< of `pct`: how many places must come in the right order
  std::uint32_t faults = 2;       ///< spurious wake-ups and the like in one execution, at most
  std::uint64_t steps = 100'000;  ///< an execution with more fails
  Races races = Races::fail;
  Isolate isolate = Isolate::no;
  std::uint32_t jobs = 1;  ///< processes; with more than one the body changes nothing here. 0: all
                           ///< processors
  double outside = 0.2;    ///< seconds; so long is waited for what comes from outside when nobody
                           ///< can go on
  std::vector<std::string> reachable = {};  ///< labels that some execution must get to
  bool quiet = false;                       ///< a failure is returned and not printed
  std::string name = {};  ///< what reports call the test; empty: as the test that runs, or a number
};

/// An execution that failed.
struct Failure {
  std::string kind;    ///< "data race", "deadlock", "assertion failed", ...
  std::string what;    ///< in a sentence
  std::string token;   ///< HEDDLE_REPLAY=token runs exactly this execution again; one of more than
                       ///< 200 letters stands in a file below .heddle, and this is its path
  std::string report;  ///< everything, as it is printed
};

/// What came of a test.
struct Answer {
  bool passed = true;
  std::uint64_t executions = 0;
  std::string coverage;  ///< what was tried: "all interleavings with at most 2 preemptions"
  /// A property's: how often each command was called, and how often calls ran at once, in lines.
  std::string statistics = {};
  /// Globals, static objects of functions and guards of these in which executions found what
  /// earlier ones had left: executions depend on each other. Empty with `Isolate::process`.
  std::vector<std::string> left_behind = {};
  Failure failure;  ///< unless it passed

  explicit operator bool() const { return passed; }
};

/// What came of one execution.
struct Outcome {
  bool passed = true;
  std::uint64_t events = 0;  ///< equal: the same operations happened in the same order
  std::string token;
  Failure failure;  ///< unless it passed; without report
};

/// How a framework of tests works together with executions: heddle/sched_gtest.h and
/// heddle/sched_catch2.h tell of theirs.
struct Framework {
  void (*begin)();  ///< before executions: its failed assertions are to call `fail` from now on
  void (*end)();    ///< after them
  bool (*report)(const Failure& failure);  ///< makes the test that runs fail; false: none runs
  std::string (*name)();                   ///< what the test that runs is called; empty: none runs
};

/// The runtime's own entries; what stands above calls them.
namespace entry {
extern "C" {
HEDDLE_SCHED_WEAK void heddle_sched_verify_build(void (*sample)(void*));
HEDDLE_SCHED_WEAK void heddle_sched_check(void (*body)(void*), void* state, const Options* options,
                                          Answer* answer);
HEDDLE_SCHED_WEAK void heddle_sched_run(std::uint64_t seed, void (*body)(void*), void* state,
                                        const Options* options, Outcome* outcome);
HEDDLE_SCHED_WEAK void heddle_sched_point(const char* label, const void* object);
HEDDLE_SCHED_WEAK std::uint32_t heddle_sched_choose(std::uint32_t count);
HEDDLE_SCHED_WEAK void heddle_sched_name(const void* object, std::size_t size, const char* name);
HEDDLE_SCHED_WEAK void heddle_sched_reached(const char* label);
HEDDLE_SCHED_WEAK void heddle_sched_begin_invariant(bool (*holds)(void*), void* state,
                                                    const char* text);
HEDDLE_SCHED_WEAK void heddle_sched_end_invariant(void* state);
HEDDLE_SCHED_WEAK void heddle_sched_begin_ignore();
HEDDLE_SCHED_WEAK bool heddle_sched_is_executing();
HEDDLE_SCHED_WEAK void heddle_sched_set_framework(const Framework* framework);
HEDDLE_SCHED_WEAK void heddle_sched_end_ignore();
[[noreturn]] HEDDLE_SCHED_WEAK void heddle_sched_fail(const char* what);
}

/// Whether a file without the flag uses heddle/sched_types.h.
inline bool& uses_types() {
  static bool uses = false;
  return uses;
}

/// One of each that the runtime must be called for: whether this file was compiled as it has to be.
template <class Place>
void sample(void* place) {
  auto& plain = *static_cast<volatile Place*>(place);
  plain = 1;
  std::atomic<Place> atomic = 0;
  atomic.fetch_add(1);
  std::mutex mutex;
  const std::lock_guard lock(mutex);
  std::condition_variable condition;
  condition.notify_one();
}

/// Calls the body, of whatever type it is: an object or a function.
template <class Body>
void call(void* state) {
  if constexpr (std::is_function_v<Body>) {
    reinterpret_cast<Body*>(state)();
  } else {
    (*static_cast<Body*>(state))();
  }
}

/// What `call` is given for it.
template <class Body>
void* state_of(Body& body) {
  if constexpr (std::is_function_v<Body>) {
    return reinterpret_cast<void*>(&body);
  } else {
    return const_cast<std::remove_const_t<Body>*>(&body);
  }
}
}  // namespace entry

/// Whether the program is linked with heddle's runtime.
inline bool is_linked() {
#if defined(HEDDLE_SCHED_FLAG)
  return true;
#else
  return entry::heddle_sched_check != nullptr;
#endif
}

namespace entry {
/// Says once that no interleaving is chosen.
inline void say_for_real() {
  static const bool said = [] {
    std::fputs("heddle: not linked with heddle's runtime: each test runs once, on real threads\n",
               stderr);
    return true;
  }();
  static_cast<void>(said);
}

/// Without the runtime: the body runs once, as it would without heddle.
template <class Body>
void run_for_real(Body& body) {
  say_for_real();
  body();
}

/// Tells in a line what was tried where nothing failed; what `main` returns.
inline int tell(const Answer& answer) {
  if (answer.passed && is_linked() && answer.executions > 0) {
    std::fprintf(stderr, "heddle: %llu execution%s, none failed: %s\n",
                 static_cast<unsigned long long>(answer.executions),
                 answer.executions == 1 ? "" : "s", answer.coverage.c_str());
    std::fputs(answer.statistics.c_str(), stderr);
  }
  return answer.passed ? 0 : 1;
}

/// That the build is as it has to be, unless the file has chosen not to give the flag.
inline void verify_build() {
  if (!uses_types()) heddle_sched_verify_build(sample<int>);
}
}  // namespace entry

/// Executes `body` under many interleavings of the threads that it starts, until one fails or the
/// options' limits are reached. The body builds what it tests anew each time, and ends its threads.
/// Prints the failure to standard error.
template <class Body>
// NOLINTNEXTLINE(cppcoreguidelines-missing-std-forward): it is called many times.
Answer check(Body&& body, const Options& options = {}) {
  Answer answer;
  if (!is_linked()) {
    entry::run_for_real(body);
    return {.executions = 1, .coverage = "one execution on real threads", .failure = {}};
  }
  entry::verify_build();
  using Plain = std::remove_reference_t<Body>;
  entry::heddle_sched_check(entry::call<Plain>, entry::state_of<Plain>(body), &options, &answer);
  return answer;
}

/// `check`, with a line on standard error of what was tried, and what `main` returns: 0 if it
/// passed, else 1.
template <class Body>
int test(Body&& body, const Options& options = {}) {
  return entry::tell(check(std::forward<Body>(body), options));
}

/// One execution of `body`: the same for each equal seed. Data races do not end it unless the
/// options say so.
template <class Body>
// NOLINTNEXTLINE(cppcoreguidelines-missing-std-forward): it is called many times.
Outcome run(std::uint64_t seed, Body&& body, const Options& options = {.races = Races::find}) {
  Outcome outcome;
  if (!is_linked()) {
    entry::run_for_real(body);
    return outcome;
  }
  entry::verify_build();
  using Plain = std::remove_reference_t<Body>;
  entry::heddle_sched_run(seed, entry::call<Plain>, entry::state_of<Plain>(body), &options,
                          &outcome);
  return outcome;
}

/// One execution of the functions, a thread each.
template <class... Functions>
Outcome run_parallel(std::uint64_t seed, Functions... functions) {
  return run(seed, [&] {
    std::thread threads[] = {std::thread(functions)...};
    for (std::thread& thread : threads) thread.join();
  });
}

/// `check` of what must fail: passes if some execution does. Prints only if none did.
template <class Body>
Answer expect_failure(Body&& body, Options options = {}) {
  options.quiet = true;
  Answer answer = check(std::forward<Body>(body), options);
  answer.passed = !answer.passed;
  if (!answer.passed) answer.failure.what = "no execution failed: " + answer.coverage;
  return answer;
}

/// A place at which another thread may go on, for what else is shared: a file, a device. Two with
/// equal objects depend on each other.
inline void point(const char* label, const void* object = nullptr) {
  if (is_linked()) entry::heddle_sched_point(label, object);
}

/// One of 0 ... count - 1, which the strategy chooses; 0 outside of tests.
inline std::uint32_t choose(std::uint32_t count) {
  return is_linked() ? entry::heddle_sched_choose(count) : 0;
}

/// What an object is called in reports.
template <class Object>
void name(const Object& object, const char* text) {
  if (is_linked()) entry::heddle_sched_name(&object, sizeof(Object), text);
}

/// Some execution gets here. The test fails if its options name a label that none got to.
inline void reachable(const char* label) {
  if (is_linked()) entry::heddle_sched_reached(label);
}

/// What must hold after every step, as long as this object lives. `holds` looks at shared memory as
/// it is, without being a step itself.
class Invariant {
 public:
  Invariant(std::function<bool()> holds, const char* text) : holds_(std::move(holds)) {
    if (!is_linked()) return;
    entry::heddle_sched_begin_invariant(
        [](void* self) { return static_cast<Invariant*>(self)->holds_(); }, this, text);
  }
  ~Invariant() {
    if (is_linked()) entry::heddle_sched_end_invariant(this);
  }
  Invariant(const Invariant&) = delete;
  Invariant& operator=(const Invariant&) = delete;

 private:
  std::function<bool()> holds_;
};

/// Plain accesses to memory by this thread are left alone as long as this object lives: counters of
/// statistics, logs.
class Ignore {
 public:
  Ignore() {
    if (is_linked()) entry::heddle_sched_begin_ignore();
  }
  ~Ignore() {
    if (is_linked()) entry::heddle_sched_end_ignore();
  }
  Ignore(const Ignore&) = delete;
  Ignore& operator=(const Ignore&) = delete;
};

/// Whether the caller is a thread of an execution.
inline bool is_executing() { return is_linked() && entry::heddle_sched_is_executing(); }

/// Ends the execution: it failed.
[[noreturn]] inline void fail(const char* what) {
  if (is_linked()) entry::heddle_sched_fail(what);
  std::fprintf(stderr, "heddle: assertion failed: %s\n", what);
  std::abort();
}

}  // namespace heddle::sched
