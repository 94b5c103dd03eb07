// What one execution under heddle::sched costs, beside two ways without it.
//
//   sched_times SECONDS [LINE]
//
// The program under test: threads of eight loads and stores of two atomic objects, in a random
// order. "handed over": real threads, pinned to one core, that give each other the turn at each
// access, as schedulers without lent threads do. "inside": the threads are functions with a state
// each in one loop, and objects know that they are tested, as in Relacy: what is left when nothing
// is intercepted.
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <sched.h>
#include <string_view>
#include <thread>
#include <vector>

#include "heddle/sched.h"
#include "heddle/sched_property.h"

namespace {

using heddle::sched::Races;
using heddle::sched::Strategy;

constexpr int kAccesses = 8;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::uint32_t next_random(std::uint64_t& state) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<std::uint32_t>(state >> 33);
}

// How many accesses is no variable, and threads look up once where the objects are: the program
// would look at these again and again, which are accesses, too.
template <int made = kAccesses>
double under_heddle(int threads, Races races, double seconds, std::uint32_t jobs = 1) {
  const auto body = [threads] {
    std::atomic<int> x = 0;
    std::atomic<int> y = 0;
    const auto run = [&] {
      std::atomic<int>& first = x;
      std::atomic<int>& second = y;
      for (int i = 0; i < made / 4; ++i) {
        first.store(i);
        (void)second.load();
        second.store(i);
        (void)first.load();
      }
    };
    std::array<std::thread, 8> started;
    for (int i = 0; i < threads; ++i) started[static_cast<std::size_t>(i)] = std::thread(run);
    for (int i = 0; i < threads; ++i) started[static_cast<std::size_t>(i)].join();
  };
  const double begin = now();
  const auto answer = heddle::sched::check(body, {.strategy = Strategy::random,
                                                  .executions = UINT64_MAX,
                                                  .seconds = seconds,
                                                  .races = races,
                                                  .jobs = jobs});
  return static_cast<double>(answer.executions) / (now() - begin);
}

// What one more step costs in an execution, in ns: executions of two threads with few and with many
// accesses differ by these alone. Each is a decision about who goes on, which every other time is
// the other thread.
double ns_per_step(Races races, double seconds) {
  constexpr int kMany = 64 * kAccesses;
  constexpr int kThreads = 2;
  const double few = 1 / under_heddle(kThreads, races, seconds / 2);
  const double many = 1 / under_heddle<kMany>(kThreads, races, seconds / 2);
  return (many - few) * 1e9 / (kThreads * (kMany - kAccesses));
}

// Whose turn it is, among real threads.
class Turns {
 public:
  Turns(int threads, std::uint64_t& random)
      : left_(static_cast<std::size_t>(threads), kAccesses + 1), random_(random) {
    choose();
  }

  void take(std::size_t thread) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == thread; });
    --left_[thread];
    choose();
    lock.unlock();
    changed_.notify_all();
  }

 private:
  void choose() {
    std::vector<std::size_t> able;
    for (std::size_t i = 0; i < left_.size(); ++i) {
      if (left_[i] > 0) able.push_back(i);
    }
    turn_ = able.empty() ? left_.size() : able[next_random(random_) % able.size()];
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<int> left_;
  std::size_t turn_ = 0;
  std::uint64_t& random_;
};

double handed_over(int threads, double seconds) {
  cpu_set_t before;
  sched_getaffinity(0, sizeof before, &before);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(sched_getcpu(), &one);
  sched_setaffinity(0, sizeof one, &one);
  std::uint64_t random = 1;
  std::uint64_t executions = 0;
  const double begin = now();
  for (; now() - begin < seconds; ++executions) {
    Turns turns(threads, random);
    std::atomic<int> shared = 0;
    std::vector<std::thread> started;
    for (int i = 0; i < threads; ++i) {
      started.emplace_back([&, i] {
        for (int k = 0; k < kAccesses; ++k) {
          turns.take(static_cast<std::size_t>(i));
          shared.store(k, std::memory_order_relaxed);
        }
        turns.take(static_cast<std::size_t>(i));
      });
    }
    for (std::thread& thread : started) thread.join();
  }
  const double rate = static_cast<double>(executions) / (now() - begin);
  sched_setaffinity(0, sizeof before, &before);
  return rate;
}

double inside(int threads, double seconds) {
  std::uint64_t random = 1;
  std::uint64_t executions = 0;
  volatile int shared = 0;
  const double begin = now();
  for (; executions % 1024 != 0 || now() - begin < seconds; ++executions) {
    std::array<int, 8> done{};
    int left = threads;
    while (left > 0) {
      auto thread = static_cast<std::size_t>(next_random(random) % static_cast<unsigned>(threads));
      while (done[thread] == kAccesses) thread = (thread + 1) % static_cast<std::size_t>(threads);
      shared = done[thread];
      if (++done[thread] == kAccesses) --left;
    }
  }
  return static_cast<double>(executions) / (now() - begin);
}

double property_rate(double seconds) {
  struct Counter {
    std::atomic<int> value = 0;
  };
  heddle::sched::Property<Counter, int> property;
  property.command(
      "increment", [](Counter& counter) { return counter.value.fetch_add(1); },
      [](int& model) { return model++; });
  property.command(
      "get", [](Counter& counter) { return counter.value.load(); },
      [](int& model) { return model; });
  const double begin = now();
  const auto answer =
      heddle::sched::check(property, {.prefix = 0, .branches = 3, .branch = 3, .suffix = 0},
                           {.executions = UINT64_MAX, .seconds = seconds});
  return static_cast<double>(answer.executions) / (now() - begin);
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 2;
  const std::string_view only = argc > 2 ? argv[2] : "";
  double baseline = 0;
  const auto print = [&](const char* what, const auto& rate_of) {
    if (!only.empty() && only != what) return;
    const double rate = rate_of();
    std::printf("%-44s %10.0f executions a second", what, rate);
    if (only.empty()) std::printf(" %8.1f times handed over", rate / baseline);
    std::printf("\n");
    std::fflush(stdout);
  };
  print("two threads, handed over, one core", [&] { return baseline = handed_over(2, seconds); });
  print("two threads, inside", [&] { return inside(2, seconds); });
  print("two threads", [&] { return under_heddle(2, Races::fail, seconds); });
  print("two threads, two workers", [&] { return under_heddle(2, Races::fail, seconds, 2); });
  print("two threads, no race detection", [&] { return under_heddle(2, Races::ignore, seconds); });
  print("four threads", [&] { return under_heddle(4, Races::fail, seconds); });
  print("a property, three branches of three, judged", [&] { return property_rate(seconds); });
  const auto print_step = [&](const char* what, Races races) {
    if (!only.empty() && only != what) return;
    std::printf("%-44s %10.1f ns\n", what, ns_per_step(races, seconds));
    std::fflush(stdout);
  };
  print_step("a step", Races::fail);
  print_step("a step, no race detection", Races::ignore);
  return 0;
}
