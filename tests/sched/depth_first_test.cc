// Depth first executes each interleaving once: as many as an enumeration that knows nothing of it
// counts, and as the formulas say, and each of them another one.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

constexpr std::uint32_t kUnlimited = UINT32_MAX;

std::uint64_t choose(std::uint64_t n, std::uint64_t k) {
  std::uint64_t ways = 1;
  for (std::uint64_t i = 1; i <= k; ++i) ways = ways * (n - k + i) / i;
  return k > n ? 0 : ways;
}

// Two threads of n operations with exactly p preemptions are p + 2 blocks that alternate, since the
// one switch from a thread that has ended is none. The thread that begins has the larger half of
// them, and n operations fall into b blocks in C(n - 1, b - 1) ways.
std::uint64_t with_exactly(std::uint64_t n, std::uint64_t preemptions) {
  const std::uint64_t blocks = preemptions + 2;
  return 2 * choose(n - 1, (blocks + 1) / 2 - 1) * choose(n - 1, blocks / 2 - 1);
}

// Every order of the operations of several threads, by going through all of them.
struct Enumeration {
  std::vector<unsigned> left;
  std::uint64_t most_preemptions = 0;
  std::uint64_t count = 0;

  void go(std::size_t last, std::uint64_t preemptions) {
    bool ended = true;
    for (std::size_t next = 0; next < left.size(); ++next) {
      if (left[next] == 0) continue;
      ended = false;
      const bool preempts = last < left.size() && last != next && left[last] > 0;
      if (preemptions + (preempts ? 1 : 0) > most_preemptions) continue;
      --left[next];
      go(next, preemptions + (preempts ? 1 : 0));
      ++left[next];
    }
    if (ended) ++count;
  }
};

std::uint64_t enumerate(const std::vector<unsigned>& operations, std::uint64_t most_preemptions) {
  Enumeration all{.left = operations, .most_preemptions = most_preemptions};
  all.go(operations.size(), 0);
  return all.count;
}

// The orders of all executions, two bits for each operation, which threads note while nobody else
// can run. What stands on the heap ends with an execution.
constexpr std::size_t kMostOrders = 20'000;
std::uint64_t orders[kMostOrders];
std::size_t orders_used = 0;
std::uint64_t order = 1;

#define HEDDLE_UNSEEN __attribute__((no_sanitize("thread")))
HEDDLE_UNSEEN void begin_order() { order = 1; }
HEDDLE_UNSEEN void note_order(std::size_t thread) { order = order << 2 | thread; }
HEDDLE_UNSEEN void end_order() {
  if (orders_used < kMostOrders) orders[orders_used] = order;
  ++orders_used;
}

struct Explored {
  std::uint64_t executions = 0;
  std::uint64_t different = 0;
  std::string coverage;
};

Explored explore(const std::vector<unsigned>& operations, std::uint32_t preemptions,
                 heddle::sched::Races races) {
  orders_used = 0;
  const heddle::sched::Answer answer = heddle::sched::check(
      [&] {
        std::atomic<int> shared = 0;
        std::vector<std::thread> threads;
        begin_order();
        for (std::size_t i = 0; i < operations.size(); ++i) {
          threads.emplace_back([&, i] {
            for (unsigned n = 0; n < operations[i]; ++n) {
              shared.fetch_add(1);
              note_order(i);
            }
          });
        }
        for (std::thread& thread : threads) thread.join();
        end_order();
      },
      {.strategy = heddle::sched::Strategy::depth_first,
       .executions = 10'000'000,
       .seconds = 600,
       .preemptions = preemptions,
       .races = races});
  expect(answer.passed, answer.failure.what);
  expect(orders_used <= kMostOrders, "there is room for the orders");
  const std::set<std::uint64_t> different(orders, orders + std::min(orders_used, kMostOrders));
  return {answer.executions, different.size(), answer.coverage};
}

void expect_exactly(const std::vector<unsigned>& operations, std::uint32_t preemptions,
                    std::uint64_t wanted) {
  for (const auto races : {heddle::sched::Races::fail, heddle::sched::Races::find}) {
    const Explored explored = explore(operations, preemptions, races);
    const std::string what = std::to_string(explored.executions) + " executions, " +
                             std::to_string(explored.different) + " of them different, where " +
                             std::to_string(wanted) + " are wanted: " + explored.coverage;
    expect(explored.executions == wanted, what);
    expect(explored.different == wanted, what);
  }
}

void two_threads() {
  for (unsigned n = 1; n <= 8; ++n) {
    const std::uint64_t all = choose(std::uint64_t{2} * n, n);
    expect(enumerate({n, n}, kUnlimited) == all, "the enumeration counts C(2n, n)");
    expect_exactly({n, n}, kUnlimited, all);
    std::uint64_t wanted = 0;
    for (std::uint32_t preemptions = 0; preemptions <= 2; ++preemptions) {
      wanted += with_exactly(n, preemptions);
      expect(enumerate({n, n}, preemptions) == wanted, "the enumeration counts as the formula");
      expect_exactly({n, n}, preemptions, wanted);
    }
  }
}

void threads_of_different_length() {
  const std::vector<std::vector<unsigned>> programs{{1, 5}, {4, 2},    {1, 1, 1}, {2, 2, 2},
                                                    {3, 3}, {3, 1, 2}, {3, 3, 3}, {1, 2, 1, 2}};
  for (const std::vector<unsigned>& operations : programs) {
    for (const std::uint32_t preemptions : {0U, 1U, 2U, 3U, kUnlimited}) {
      expect_exactly(operations, preemptions, enumerate(operations, preemptions));
    }
  }
}

}  // namespace

int main() {
  two_threads();
  threads_of_different_length();
  return expectations_met();
}
