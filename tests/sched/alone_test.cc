// What a thread does before it begins others, or when they have ended, may be a lot.
#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

// As large hash tables are: many locks, and a size that is looked at in each round.
struct Table {
  std::atomic<std::size_t> size = 40'000;
  std::vector<std::atomic<int>> locks = std::vector<std::atomic<int>>(40'000);
  std::atomic<int> used = 0;

  Table() {
    for (std::size_t i = 0; i < size.load(); ++i) locks[i].store(1);
  }
  ~Table() {
    for (std::size_t i = 0; i < size.load(); ++i) used.load();
  }
};

}  // namespace

int main() {
  const auto made = heddle::sched::check(
      [] {
        Table table;
        std::thread other([&] { ++table.used; });
        ++table.used;
        other.join();
      },
      {.executions = 4, .seconds = 60});
  expect(made.passed, made.failure.report);
  const auto never = heddle::sched::check(
      [] {
        std::atomic<bool> flag = false;
        while (!flag) {
        }
      },
      {.executions = 20, .seconds = 60, .quiet = true});
  expect(!never.passed && never.failure.kind == "livelock", never.failure.report);
  return expectations_met();
}
