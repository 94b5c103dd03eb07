// Known bugs are found with default options, whatever the seed, and shrunk to as few departures
// from running each thread until it waits as they need. Their repaired versions pass, and so does
// what waits in other ways. A table says what came of it.
#include "tests/sched/known_bugs.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using Body = void (*)();

struct Bug {
  const char* name = nullptr;
  Body broken = nullptr;
  Body repaired = nullptr;
  const char* kind = nullptr;
  // From running each thread until it waits. Where many threads may begin, a schedule that was
  // shrunk may still let another one begin than the first, which is no preemption: a bound.
  int least_departures = 0;
  int most_departures = 0;
};

constexpr const char* kAssertion = "assertion failed";

const Bug kBugs[] = {
    {"dining philosophers", known::dining_philosophers<false>, known::dining_philosophers<true>,
     "deadlock", 2, 2},
    {"reorder_3", known::reorder<3, false>, known::reorder<3, true>, kAssertion, 1, 1},
    {"reorder_5", known::reorder<5, false>, known::reorder<5, true>, kAssertion, 1, 1},
    {"reorder_10", known::reorder<10, false>, known::reorder<10, true>, kAssertion, 1, 10},
    {"reorder_20", known::reorder<20, false>, known::reorder<20, true>, kAssertion, 1, 10},
    {"twostage_3", known::twostage<3, false>, known::twostage<3, true>, kAssertion, 1, 1},
    {"twostage_5", known::twostage<5, false>, known::twostage<5, true>, kAssertion, 1, 1},
    {"twostage_10", known::twostage<10, false>, known::twostage<10, true>, kAssertion, 1, 10},
    {"twostage_20", known::twostage<20, false>, known::twostage<20, true>, kAssertion, 1, 10},
    {"bluetooth driver", known::bluetooth_driver<false>, known::bluetooth_driver<true>, kAssertion,
     1, 1},
    {"work-stealing queue", known::work_stealing_queue<false>, known::work_stealing_queue<true>,
     kAssertion, 1, 1},
    {"string buffer", known::string_buffer<false>, known::string_buffer<true>, "exception escaped",
     1, 1},
    {"ABA stack", known::aba_stack<false>, known::aba_stack<true>, kAssertion, 1, 1},
    {"wake-up before wait", known::wake_up_before_wait<false>, known::wake_up_before_wait<true>,
     "deadlock", 1, 1},
    {"broken future", known::broken_future<false>, known::broken_future<true>, "exception escaped",
     1, 1},
    {"readers and writer", known::readers_and_writer<false>, known::readers_and_writer<true>,
     "starvation", 1, 30},
};

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What the report says of the shrunk schedule.
int departures_in(const std::string& report) {
  const std::size_t end = report.find(" departure");
  if (end == std::string::npos) return 0;
  const std::size_t begin = report.rfind(' ', end - 1) + 1;
  const std::string count = report.substr(begin, end - begin);
  return count == "one" ? 1 : std::atoi(count.c_str());
}

std::uint64_t scale() {
  const char* text = std::getenv("HEDDLE_TEST_SCALE");
  return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
}

void is_found(const Bug& bug) {
  const std::uint64_t seeds = scale() == 1 ? 5 : 20;
  std::vector<double> seconds;
  std::vector<std::uint64_t> executions;
  int most = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto begin = std::chrono::steady_clock::now();
    const heddle::sched::Answer answer = heddle::sched::check(bug.broken, {.seed = seed});
    seconds.push_back(seconds_since(begin));
    executions.push_back(answer.executions);
    const std::string what = std::string(bug.name) + ", seed " + std::to_string(seed) + ": " +
                             answer.failure.kind + ": " + answer.failure.what;
    expect(!answer.passed && answer.failure.kind == bug.kind, what);
    const int departures = departures_in(answer.failure.report);
    expect(departures >= bug.least_departures && departures <= bug.most_departures,
           what + ", departures " + std::to_string(departures));
    most = std::max(most, departures);
  }
  std::sort(seconds.begin(), seconds.end());
  std::sort(executions.begin(), executions.end());
  expect(seconds.back() < 60, std::string(bug.name) + " takes longer than a minute");
  expect(seconds[seeds / 2] < 5, std::string(bug.name) + " takes longer than five seconds");
  std::printf("%-22s %-18s %3d %10lu %10lu %8.3f %8.3f\n", bug.name, bug.kind, most,
              static_cast<unsigned long>(executions[seeds / 2]),
              static_cast<unsigned long>(executions.back()), seconds[seeds / 2], seconds.back());
}

// ------------------------------------------------------------------- what waits in other ways

void spin_locks() {
  std::atomic_flag test_and_set;
  std::atomic<unsigned> next = 0;
  std::atomic<unsigned> served = 0;
  int guarded = 0;
  int also_guarded = 0;
  const auto work = [&] {
    while (test_and_set.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    ++guarded;
    test_and_set.clear(std::memory_order_release);
    const unsigned ticket = next.fetch_add(1, std::memory_order_relaxed);
    while (served.load(std::memory_order_acquire) != ticket) {
    }
    ++also_guarded;
    served.store(ticket + 1, std::memory_order_release);
  };
  std::thread one(work);
  std::thread other(work);
  work();
  one.join();
  other.join();
  known::require(guarded == 3 && also_guarded == 3, "all are counted");
}

void seqlock() {
  std::atomic<unsigned> version = 0;
  std::atomic<int> first = 0;
  std::atomic<int> second = 0;
  std::thread writes([&] {
    for (int value = 1; value <= 2; ++value) {
      const unsigned before = version.load(std::memory_order_relaxed);
      version.store(before + 1, std::memory_order_relaxed);
      std::atomic_thread_fence(std::memory_order_release);
      first.store(value, std::memory_order_relaxed);
      second.store(value, std::memory_order_relaxed);
      version.store(before + 2, std::memory_order_release);
    }
  });
  for (;;) {
    const unsigned before = version.load(std::memory_order_acquire);
    const int one = first.load(std::memory_order_relaxed);
    const int other = second.load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (before % 2 != 0 || version.load(std::memory_order_relaxed) != before) continue;
    known::require(one == other, "both are of one version");
    break;
  }
  writes.join();
}

void hazard_pointers() {
  struct Node {
    int value = 1;
  };
  std::atomic<Node*> shared = new Node;
  std::atomic<Node*> hazard = nullptr;
  std::thread reads([&] {
    Node* seen = shared.load();
    for (;;) {
      hazard = seen;
      Node* again = shared.load();
      if (again == seen) break;
      seen = again;
    }
    known::require(seen->value >= 1, "it is still there");
    hazard = nullptr;
  });
  for (int value = 2; value <= 3; ++value) {
    Node* fresh = new Node{value};
    Node* old = shared.exchange(fresh);
    while (hazard.load() == old) std::this_thread::yield();
    old->value = 0;
    delete old;
  }
  reads.join();
  delete shared.load();
}

void timed_waits() {
  std::mutex mutex;
  std::condition_variable condition;
  bool ready = false;
  int missed = 0;
  std::thread waits([&] {
    std::unique_lock lock(mutex);
    const auto limit = std::chrono::milliseconds(10);
    while (!condition.wait_for(lock, limit, [&] { return ready; }) && missed < 3) ++missed;
  });
  {
    const std::lock_guard lock(mutex);
    ready = true;
  }
  condition.notify_one();
  waits.join();
  known::require(missed <= 3, "it gives up");
}

std::uint64_t repaired_executions() {
  return std::min<std::uint64_t>(1'000'000, 5'000 * scale() * scale());
}

void passes(const char* name, Body body) {
  const heddle::sched::Options options{.executions = repaired_executions(), .seconds = 3600};
  const auto begin = std::chrono::steady_clock::now();
  const heddle::sched::Answer answer = heddle::sched::check(body, options);
  expect(answer.passed,
         std::string(name) + ": " + answer.failure.kind + ": " + answer.failure.what);
  std::printf("%-22s passes %10lu executions in %.1f s: %s\n", name,
              static_cast<unsigned long>(answer.executions), seconds_since(begin),
              answer.coverage.c_str());
}

}  // namespace

// A name as an argument runs that one alone.
int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  const auto is_wanted = [&](const char* name) {
    return count < 2 || std::string(words[1]) == name;
  };
  std::printf("%-22s %-18s %3s %10s %10s %8s %8s\n", "bug", "found as", "dep", "median ex",
              "most ex", "median s", "most s");
  for (const Bug& bug : kBugs) {
    if (is_wanted(bug.name)) is_found(bug);
  }
  for (const Bug& bug : kBugs) {
    if (is_wanted(bug.name)) passes(bug.name, bug.repaired);
  }
  const std::pair<const char*, Body> correct[] = {{"spin locks", spin_locks},
                                                  {"seqlock", seqlock},
                                                  {"hazard pointers", hazard_pointers},
                                                  {"timed waits", timed_waits}};
  for (const auto& [name, body] : correct) {
    if (is_wanted(name)) passes(name, body);
  }
  return expectations_met();
}
