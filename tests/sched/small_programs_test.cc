// What depth first reaches of small programs is what they can do, as an interpreter says that knows
// nothing of the scheduler. A scheduler that is broken on purpose is caught.
#include "tests/sched/small_programs.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <thread>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

#define HEDDLE_UNSEEN __attribute__((no_sanitize("thread")))

namespace {

using small::Instruction;
using small::Kind;
using small::Program;

// ---------------------------------------------------------- the program on threads of its own

struct Cell {
  alignas(8) long value = 0;
};

struct World {
  Cell plain[small::kCells];
  std::atomic<long> atomics[small::kCells] = {};
  std::mutex mutexes[small::kCells];
  std::condition_variable conditions[small::kCells];
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};

// Where each execution builds it anew: threads that wait for ever outlive the test's body.
alignas(World) unsigned char world_place[sizeof(World)];
HEDDLE_UNSEEN World& world() { return *reinterpret_cast<World*>(world_place); }

// What an execution comes to, which nothing that is controlled reads or writes.
struct Seen {
  unsigned at = 0;
  unsigned count = 0;
  unsigned char values[small::kMostSeen];
};
Seen seen[small::kMostThreads];

HEDDLE_UNSEEN void come_to(unsigned thread, std::size_t at) {
  seen[thread].at = static_cast<unsigned>(at);
}
HEDDLE_UNSEEN void observe(unsigned thread, long value) {
  Seen& mine = seen[thread];
  if (mine.count < small::kMostSeen) mine.values[mine.count] = static_cast<unsigned char>(value);
  ++mine.count;
}

// The different outcomes of all executions so far.
constexpr std::size_t kMostOutcomes = 1 << 14;
constexpr std::size_t kLongest = 64;
char outcomes[kMostOutcomes][kLongest];
std::size_t outcomes_used = 0;
bool has_outcome = false;  // the execution before has one that was not kept yet

HEDDLE_UNSEEN bool is_equal(const char* one, const char* other) {
  for (std::size_t i = 0; i < kLongest; ++i) {
    if (one[i] != other[i]) return false;
    if (one[i] == 0) return true;
  }
  return true;
}

HEDDLE_UNSEEN void keep_outcome(unsigned threads) {
  if (!has_outcome) return;
  has_outcome = false;
  char text[kLongest] = {};
  std::size_t length = 0;
  for (unsigned i = 0; i < threads; ++i) {
    text[length++] = static_cast<char>('a' + seen[i].at);
    for (unsigned n = 0; n < seen[i].count && n < small::kMostSeen; ++n) {
      text[length++] = static_cast<char>('0' + seen[i].values[n]);
    }
    text[length++] = ' ';
  }
  const World& after = world();
  for (unsigned i = 0; i < small::kCells; ++i) {
    text[length++] = static_cast<char>('0' + after.plain[i].value);
  }
  for (unsigned i = 0; i < small::kCells; ++i) {
    const long* value = reinterpret_cast<const long*>(&after.atomics[i]);
    text[length++] = static_cast<char>('0' + *value);
  }
  for (std::size_t i = 0; i < outcomes_used; ++i) {
    if (is_equal(outcomes[i], text)) return;
  }
  if (outcomes_used == kMostOutcomes) return;
  for (std::size_t i = 0; i < kLongest; ++i) outcomes[outcomes_used][i] = text[i];
  ++outcomes_used;
}

HEDDLE_UNSEEN void begin_outcome() {
  for (Seen& one : seen) one.at = one.count = 0;
  has_outcome = true;
}

std::chrono::steady_clock::time_point deadline_of(const Instruction& now) {
  return world().begin + std::chrono::hours(now.deadline);
}

bool lock_until(std::mutex& mutex, std::chrono::steady_clock::time_point deadline) {
  const auto ns = std::chrono::nanoseconds(deadline.time_since_epoch()).count();
  const timespec until{.tv_sec = ns / 1'000'000'000, .tv_nsec = ns % 1'000'000'000};
  return pthread_mutex_clocklock(mutex.native_handle(), CLOCK_MONOTONIC, &until) == 0;
}

void wait(unsigned thread, const Instruction& now) {
  std::unique_lock<std::mutex> lock(world().mutexes[now.other], std::adopt_lock);
  std::condition_variable& condition = world().conditions[now.cell];
  if (now.kind == Kind::wait) {
    condition.wait(lock);
  } else {
    const std::cv_status status = condition.wait_until(lock, deadline_of(now));
    observe(thread, status == std::cv_status::timeout ? 1 : 0);
  }
  lock.release();
}

// False: a lock was not got.
bool lock(unsigned thread, const Instruction& now) {
  std::mutex& mutex = world().mutexes[now.cell];
  if (now.kind == Kind::lock) {
    mutex.lock();
    return true;
  }
  const bool got =
      now.kind == Kind::try_lock ? mutex.try_lock() : lock_until(mutex, deadline_of(now));
  observe(thread, got ? 1 : 0);
  return got;
}

void access(unsigned thread, const Instruction& now) {
  long& plain = world().plain[now.cell].value;
  std::atomic<long>& atomic = world().atomics[now.cell];
  long expected = now.other;
  switch (now.kind) {
    case Kind::load:
      return observe(thread, plain);
    case Kind::store:
      plain = now.value;
      return;
    case Kind::increment:
      plain = plain + 1;
      return;
    case Kind::atomic_load:
      return observe(thread, atomic.load());
    case Kind::atomic_store:
      atomic.store(now.value);
      return;
    case Kind::fetch_add:
      return observe(thread, atomic.fetch_add(now.value));
    case Kind::exchange_if:
      return observe(thread, atomic.compare_exchange_strong(expected, now.value) ? 1 : 0);
    case Kind::exchange_if_weak:
      return observe(thread, atomic.compare_exchange_weak(expected, now.value) ? 1 : 0);
    default:
      return;
  }
}

void execute(unsigned thread, const small::Thread& instructions) {
  for (std::size_t at = 0; at < instructions.size();) {
    const Instruction& now = instructions[at];
    std::size_t next = at + 1;
    switch (now.kind) {
      case Kind::lock:
      case Kind::try_lock:
      case Kind::lock_until:
        if (!lock(thread, now)) next = now.skip;
        break;
      case Kind::unlock:
        world().mutexes[now.cell].unlock();
        break;
      case Kind::wait:
      case Kind::wait_until:
        wait(thread, now);
        break;
      case Kind::notify_one:
        world().conditions[now.cell].notify_one();
        break;
      case Kind::notify_all:
        world().conditions[now.cell].notify_all();
        break;
      case Kind::choose:
        observe(thread, heddle::sched::choose(now.value));
        break;
      default:
        access(thread, now);
    }
    at = next;
    come_to(thread, at);
  }
}

// Threads that nobody joins may wait for ever: that is an outcome as any other.
heddle::sched::Answer explore(const Program& program) {
  const auto threads = static_cast<unsigned>(program.threads.size());
  outcomes_used = 0;
  has_outcome = false;
  const heddle::sched::Answer answer = heddle::sched::check(
      [&program, threads] {
        keep_outcome(threads);
        new (world_place) World;
        begin_outcome();
        for (unsigned i = 0; i < threads; ++i) {
          std::thread([&program, i] { execute(i, program.threads[i]); }).detach();
        }
      },
      {.strategy = heddle::sched::Strategy::depth_first,
       .executions = 10'000'000,
       .seconds = 600,
       .preemptions = UINT32_MAX,
       .faults = program.faults,
       .races = heddle::sched::Races::find});
  keep_outcome(threads);
  return answer;
}

// ----------------------------------------------------------------------------- comparing

std::string difference(const small::Outcomes& wanted, const small::Outcomes& reached) {
  std::string text;
  for (const small::Outcome& one : wanted) {
    if (!reached.contains(one)) text += "  not reached: " + one + "\n";
  }
  for (const small::Outcome& one : reached) {
    if (!wanted.contains(one)) text += "  cannot be: " + one + "\n";
  }
  return text;
}

constexpr double kMostSchedules = 20'000;

struct Comparison {
  bool small_enough = false;
  std::uint64_t executions = 0;
  std::string difference;  // empty: none
  std::string program;
};

Comparison compare(std::uint64_t seed) {
  const Program program = small::Generator(seed).draw();
  small::Interpreter interpreter(program);
  Comparison comparison;
  if (interpreter.run() > kMostSchedules) return comparison;
  comparison.small_enough = true;
  const heddle::sched::Answer answer = explore(program);
  comparison.executions = answer.executions;
  expect(answer.passed, answer.failure.kind + ": " + answer.failure.what);
  expect(answer.coverage == "all interleavings", answer.coverage);
  expect(outcomes_used < kMostOutcomes, "there is room for all outcomes");
  small::Outcomes reached;
  for (std::size_t i = 0; i < outcomes_used; ++i) reached.insert(outcomes[i]);
  comparison.difference = difference(interpreter.outcomes(), reached);
  comparison.program = print(program);
  return comparison;
}

// How many of the programs differ.
std::size_t count_differences(std::uint64_t programs, bool tells) {
  std::size_t differences = 0;
  std::size_t compared = 0;
  std::uint64_t executions = 0;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const Comparison comparison = compare(seed);
    if (!comparison.small_enough) continue;
    ++compared;
    executions += comparison.executions;
    if (comparison.difference.empty()) continue;
    ++differences;
    if (tells && differences <= 3) {
      std::fprintf(stderr, "program %lu\n%s%s", static_cast<unsigned long>(seed),
                   comparison.program.c_str(), comparison.difference.c_str());
    }
  }
  std::printf("%zu of %lu programs are small enough, %lu executions, %zu differ\n", compared,
              static_cast<unsigned long>(programs), static_cast<unsigned long>(executions),
              differences);
  expect(compared * 2 > programs, "most programs are small enough");
  return differences;
}

std::uint64_t scale() {
  const char* text = std::getenv("HEDDLE_TEST_SCALE");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

void a_broken_scheduler_is_caught(const char* what) {
  setenv("HEDDLE_SCHED_BROKEN", what, 1);
  std::printf("broken on purpose: %s\n", what);
  expect(count_differences(100, false) > 0, std::string("it is noticed: ") + what);
  unsetenv("HEDDLE_SCHED_BROKEN");
}

}  // namespace

int main() {
  expect(count_differences(400 * scale(), true) == 0, "no program differs");
  a_broken_scheduler_is_caught("plain_stores");
  a_broken_scheduler_is_caught("notifies");
  return expectations_met();
}
