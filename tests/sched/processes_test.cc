// An execution is the same in each process: whether threads are lent or hand over, and wherever the
// system puts program and stack. The program starts itself: `traces` prints what 1,000 seeds come
// to, `find N` finds a failure of test N and prints it, and with HEDDLE_REPLAY finds that one.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <unordered_map>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::fail;

thread_local int visits = 0;

// Locks, conditions, atomic and plain accesses, exceptions, thread_local objects, limits of time.
void a_bit_of_everything() {
  std::mutex mutex;
  std::condition_variable condition;
  std::atomic<int> tickets = 0;
  bool ready = false;
  int racy = 0;
  const auto work = [&](int times) {
    for (int i = 0; i < times; ++i) {
      ++visits;
      racy += visits;
      try {
        if (tickets.fetch_add(1) % 2 == 0) throw i;
      } catch (int) {
        ++racy;
      }
    }
    const std::lock_guard lock(mutex);
    ready = true;
    condition.notify_all();
  };
  std::thread one(work, 2);
  std::thread other(work, 3);
  {
    std::unique_lock lock(mutex);
    condition.wait_for(lock, std::chrono::milliseconds(5), [&] { return ready; });
  }
  one.join();
  other.join();
}

void a_lost_update() {
  int counter = 0;
  std::thread other([&] { ++counter; });
  ++counter;
  other.join();
  if (counter != 2) fail("an increment is lost");
}

// The order of a table by pointers decides what happens.
void a_table_by_pointers() {
  struct Account {
    int balance = 10;
  };
  std::vector<std::unique_ptr<Account>> accounts;
  std::unordered_map<Account*, std::size_t> numbers;
  for (std::size_t i = 0; i < 5; ++i) {
    accounts.push_back(std::make_unique<Account>());
    numbers[accounts.back().get()] = i;
  }
  std::atomic<Account*> first = nullptr;
  std::thread other([&] { first = numbers.begin()->first; });
  std::size_t steps = 0;
  while (steps < numbers.begin()->second + 3 && first.load() == nullptr) ++steps;
  other.join();
  if (steps > 1 + numbers.begin()->second) fail("it took long");
}

void locks_by_address() {
  struct Account {
    std::mutex mutex;
    int balance = 10;
  };
  auto one = std::make_unique<Account>();
  auto other = std::make_unique<Account>();
  // The amount is looked at before the locks are taken.
  const auto transfer = [](Account& from, Account& to) {
    from.mutex.lock();
    const int before = from.balance;
    from.mutex.unlock();
    std::mutex* first = &from < &to ? &from.mutex : &to.mutex;
    std::mutex* second = &from < &to ? &to.mutex : &from.mutex;
    const std::lock_guard a(*first);
    const std::lock_guard b(*second);
    from.balance = before - 1;
    ++to.balance;
  };
  std::thread there([&] { transfer(*one, *other); });
  std::thread back([&] { transfer(*other, *one); });
  there.join();
  back.join();
  if (one->balance + other->balance != 20) fail("money is made");
}

using Body = void (*)();
constexpr Body kFailing[] = {a_lost_update, a_table_by_pointers, locks_by_address};

int print_traces() {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const heddle::sched::Outcome outcome = heddle::sched::run(seed, a_bit_of_everything);
    std::printf("%lu %d %lx %s\n", static_cast<unsigned long>(seed), outcome.passed ? 1 : 0,
                static_cast<unsigned long>(outcome.events), outcome.token.c_str());
  }
  return 0;
}

int find(std::size_t test) {
  const heddle::sched::Answer answer =
      heddle::sched::check(kFailing[test], {.races = heddle::sched::Races::find});
  std::printf("%s: %s\n%s\n", answer.failure.kind.c_str(), answer.failure.what.c_str(),
              answer.failure.token.c_str());
  return answer.passed ? 1 : 0;
}

// What the program prints when it is started anew.
std::string output_of(const std::string& environment, const std::string& arguments) {
  char path[4096] = {};
  if (readlink("/proc/self/exe", path, sizeof path - 1) < 0) return "";
  const std::string command =
      "env " + environment + " '" + std::string(path) + "' " + arguments + " 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::string text;
  char some[4096];
  while (const std::size_t count = std::fread(some, 1, sizeof some, pipe)) {
    text.append(some, count);
  }
  pclose(pipe);
  return text;
}

void lending_and_handing_over_are_the_same() {
  const std::string lending = output_of("HEDDLE_SCHED_SWITCH=lending", "traces");
  expect(lending.size() > 10'000, "there are traces");
  expect(lending == output_of("HEDDLE_SCHED_SWITCH=lending", "traces"), "twice the same");
  expect(lending == output_of("HEDDLE_SCHED_SWITCH=handover", "traces"),
         "the same whether threads are lent or hand over");
}

void tokens_replay_in_other_processes() {
  constexpr int kProcesses = 100;
  for (std::size_t test = 0; test < std::size(kFailing); ++test) {
    const std::string arguments = "find " + std::to_string(test);
    const std::string found = output_of("-u HEDDLE_REPLAY", arguments);
    const std::size_t line = found.find('\n');
    expect(line != std::string::npos, "test " + std::to_string(test) + " fails: " + found);
    if (line == std::string::npos) continue;
    const std::string token = found.substr(line + 1, found.size() - line - 2);
    int same = 0;
    for (int i = 0; i < kProcesses; ++i) {
      // Each second one with other lengths of environment, which moves the first stack.
      const std::string more = i % 2 == 0 ? "" : " LONG=" + std::string(i * 7U, 'x');
      if (output_of("HEDDLE_REPLAY=" + token + more, arguments) == found) ++same;
    }
    expect(same == kProcesses, "test " + std::to_string(test) + ", " + token + " replays " +
                                   std::to_string(same) + " times: " + found);
  }
}

}  // namespace

int main(int count, char** words) {
  if (count == 2 && std::strcmp(words[1], "traces") == 0) return print_traces();
  if (count == 3 && std::strcmp(words[1], "find") == 0) {
    return find(std::strtoull(words[2], nullptr, 10) % std::size(kFailing));
  }
  lending_and_handing_over_are_the_same();
  tokens_replay_in_other_processes();
  return expectations_met();
}
