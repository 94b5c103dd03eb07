// The essay's first experiment: a counter that two threads increase.
#include <cstdio>
#include <set>
#include <thread>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

int racy_count(std::uint64_t seed, std::string& token) {
  int count = 0;
  const heddle::sched::Outcome outcome = heddle::sched::run(seed, [&count] {
    int counter = 0;
    const auto increase = [&counter] {
      for (int i = 0; i < 3; ++i) ++counter;
    };
    std::thread one(increase);
    std::thread other(increase);
    one.join();
    other.join();
    count = counter;
  });
  token = outcome.token;
  return count;
}

void ten_seeds_differ_and_one_seed_does_not() {
  std::set<int> counts;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    std::string token;
    const int count = racy_count(seed, token);
    counts.insert(count);
    for (int i = 0; i < 10; ++i) {
      std::string again;
      expect(racy_count(seed, again) == count, "the same seed gives the same count");
      expect(again == token, "the same seed gives the same token");
    }
  }
  expect(counts.size() > 1, "ten seeds give more than one count");
}

void a_lost_increment_is_found() {
  const heddle::sched::Answer answer = heddle::sched::check(
      [] {
        int counter = 0;
        std::thread other([&counter] { ++counter; });
        ++counter;
        other.join();
        if (counter != 2) heddle::sched::fail("an increment is lost");
      },
      {.races = heddle::sched::Races::find});
  expect(!answer.passed, "the lost increment is found");
  expect(answer.failure.what == "an increment is lost", answer.failure.what);
}

void a_race_is_found() {
  const heddle::sched::Answer answer = heddle::sched::check([] {
    int counter = 0;
    std::thread other([&counter] { ++counter; });
    ++counter;
    other.join();
  });
  expect(!answer.passed && answer.failure.kind == "data race", answer.failure.kind);
}

}  // namespace

int main() {
  ten_seeds_differ_and_one_seed_does_not();
  a_lost_increment_is_found();
  a_race_is_found();
  return expectations_met();
}
