// What is said of why an execution fails: which two accesses decide, from where on nothing helps,
// and what the pattern is called. Each pattern has a program that has it and one that nearly has
// it.
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;
using heddle::sched::check;
using heddle::sched::fail;
using heddle::sched::Options;
using heddle::sched::Races;
using Body = std::function<void()>;

void require(bool holds, const char* what) {
  if (!holds) fail(what);
}

void in_parallel(const Body& one, const Body& other) {
  std::thread first(one);
  std::thread second(other);
  first.join();
  second.join();
}

std::string line_of(const std::string& report, const std::string& beginning) {
  const std::size_t begin = report.find("\n" + beginning);
  if (begin == std::string::npos) return "";
  return report.substr(begin + 1, report.find('\n', begin + 1) - begin - 1);
}

std::string report_of(const Body& body, Races races = Races::fail) {
  const Answer answer = check(body, {.executions = 20'000, .races = races, .quiet = true});
  expect(!answer.passed, "it fails");
  return answer.failure.report;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// ------------------------------------------------------------------------------ the deciding pair

void the_pair_is_told_with_values() {
  const std::string report = report_of(
      [] {
        int counter = 0;
        heddle::sched::name(counter, "counter");
        std::thread other([&] { ++counter; });
        ++counter;
        other.join();
        require(counter == 2, "an increment is lost");
      },
      Races::find);
  const std::string decides = line_of(report, "what decides:");
  expect(contains(decides, "thread 0 reads 0 (counter) at explanation_test.cc:") &&
             contains(decides, "before thread 1 writes 1 (counter) at explanation_test.cc:") &&
             contains(decides, "; the other way round it passes"),
         report);
  expect(contains(line_of(report, "no way back:"), "continuations fail"), report);
}

void accesses_under_a_mutex_are_told() {
  const std::string report = report_of([] {
    std::mutex mutex;
    int balance = 10;
    heddle::sched::name(balance, "balance");
    heddle::sched::name(mutex, "mutex");
    const auto withdraw = [&] {
      mutex.lock();
      const int seen = balance;
      mutex.unlock();
      mutex.lock();
      balance = seen - 5;
      mutex.unlock();
    };
    in_parallel(withdraw, withdraw);
    require(balance == 0, "a withdrawal is lost");
  });
  const std::string decides = line_of(report, "what decides:");
  expect(contains(decides, "(balance)") && contains(decides, ", both under mutex"), report);
  expect(line_of(report, "pattern:") == "pattern: lost update", report);
}

void what_fails_always_has_no_pair() {
  const std::string report = report_of([] {
    std::atomic<int> value = 0;
    in_parallel([&] { value = 1; }, [&] { value = 2; });
    fail("always");
  });
  expect(line_of(report, "what decides:").empty(), report);
  expect(contains(line_of(report, "no way back:"), "interleavings fail"), report);
}

void continuations_that_are_too_many_are_said_to_be() {
  const std::string report = report_of([] {
    std::atomic<int> value = 0;
    const auto work = [&] {
      for (int i = 0; i < 20; ++i) ++value;
    };
    in_parallel(work, work);
    fail("always");
  });
  expect(contains(line_of(report, "no way back:"), "interleavings tried fail"), report);
}

void several_pairs_may_have_to_be_turned() {
  // It passes only if one thread comes before the other as a whole.
  const std::string report = report_of([] {
    std::atomic<int> turns = 0;
    std::atomic<int> last = 0;
    const auto work = [&](int self) {
      for (int i = 0; i < 2; ++i) {
        if (last.exchange(self) != self) ++turns;
      }
    };
    in_parallel([&] { work(1); }, [&] { work(2); });
    require(turns == 2, "they take turns");
  });
  expect(!line_of(report, "what decides:").empty(), report);
}

// ---------------------------------------------------------------------------------- the patterns

struct Named {
  const char* pattern;
  Body broken;
  Body near_miss;
  Races races = Races::fail;
};

void deadlock_by_order() {
  std::mutex a;
  std::mutex b;
  in_parallel(
      [&] {
        const std::lock_guard one(a);
        const std::lock_guard other(b);
      },
      [&] {
        const std::lock_guard one(b);
        const std::lock_guard other(a);
      });
}

// Who has the mutex waits for the other's end.
void deadlock_by_join() {
  std::mutex mutex;
  std::thread other([&] { const std::lock_guard lock(mutex); });
  const std::lock_guard lock(mutex);
  other.join();
}

void lost_wake_up() {
  std::mutex mutex;
  std::condition_variable condition;
  std::atomic<bool> ready = false;
  in_parallel(
      [&] {
        if (ready) return;
        std::unique_lock lock(mutex);
        condition.wait(lock);
      },
      [&] {
        ready = true;
        condition.notify_one();
      });
}

// Nobody is told, neither before nor later.
void forgotten_wake_up() {
  std::mutex mutex;
  std::condition_variable condition;
  std::atomic<bool> ready = false;
  in_parallel(
      [&] {
        if (ready) return;
        std::unique_lock lock(mutex);
        condition.wait(lock);
      },
      [&] { ready = true; });
}

struct Settings {
  int limit = 0;
};

void double_check() {
  std::mutex mutex;
  Settings settings;
  std::atomic<Settings*> made = nullptr;
  const auto use = [&] {
    if (made.load(std::memory_order_relaxed) == nullptr) {
      const std::lock_guard lock(mutex);
      if (made.load(std::memory_order_relaxed) == nullptr) {
        settings.limit = 5;
        made.store(&settings, std::memory_order_relaxed);
      }
    }
    require(made.load(std::memory_order_relaxed)->limit == 5, "it is half made");
  };
  in_parallel(use, use);
}

// Looks once, under the mutex, and is used without it.
void single_check() {
  std::mutex mutex;
  Settings settings;
  const auto use = [&] {
    {
      const std::lock_guard lock(mutex);
      if (settings.limit == 0) settings.limit = 5;
    }
    ++settings.limit;
  };
  in_parallel(use, use);
}

void publication() {
  int message = 0;
  std::atomic<bool> sent = false;
  in_parallel(
      [&] {
        message = 42;
        sent.store(true, std::memory_order_relaxed);
      },
      [&] {
        if (sent.load(std::memory_order_relaxed)) require(message == 42, "it is there");
      });
}

// Reads whether or not it was sent.
void plain_race() {
  int message = 0;
  std::atomic<bool> sent = false;
  in_parallel(
      [&] {
        message = 42;
        sent.store(true, std::memory_order_release);
      },
      [&] {
        require(message == 0 || message == 42, "it is one or the other");
        sent.load(std::memory_order_acquire);
      });
}

void use_after_free() {
  std::mutex mutex;
  auto* shared = new std::atomic<int>(1);
  std::atomic<bool> gone = false;
  in_parallel(
      [&] {
        if (gone) return;
        const int seen = shared->load();
        require(!gone || seen == 2, "it is used when it is gone");
      },
      [&] {
        gone = true;
        delete shared;
      });
}

// Freed when both are through.
void free_in_the_end() {
  auto* shared = new std::atomic<int>(1);
  in_parallel([&] { shared->store(2); }, [&] { require(shared->load() == 1, "it is early"); });
  delete shared;
}

void aba() {
  std::atomic<int> top = 1;
  std::atomic<int> below = 2;
  in_parallel(
      [&] {
        int seen = top;
        const int next = below;
        if (top.compare_exchange_strong(seen, next)) require(below == next, "what is below moved");
      },
      [&] {
        top = 3;
        below = 7;
        top = 1;
      });
}

// What was seen is not there again: it was never away.
void no_aba() {
  std::atomic<int> top = 1;
  std::atomic<int> below = 2;
  in_parallel(
      [&] {
        int seen = top;
        const int next = below;
        if (top.compare_exchange_strong(seen, next)) require(below == next, "what is below moved");
      },
      [&] { below = 7; });
}

void lost_update() {
  std::atomic<int> balance = 0;
  const auto pay = [&] { balance = balance + 1; };
  in_parallel(pay, pay);
  require(balance == 2, "a payment is lost");
}

// Who writes last has not looked before.
void last_one_wins() {
  std::atomic<int> winner = 0;
  in_parallel([&] { winner = 1; }, [&] { winner = 2; });
  require(winner == 2, "the first comes last");
}

void write_skew() {
  std::atomic<bool> on_call_a = true;
  std::atomic<bool> on_call_b = true;
  in_parallel(
      [&] {
        if (on_call_b) on_call_a = false;
      },
      [&] {
        if (on_call_a) on_call_b = false;
      });
  require(on_call_a || on_call_b, "nobody is on call");
}

// One of them alone looks.
void no_skew() {
  std::atomic<bool> on_call_a = true;
  std::atomic<bool> on_call_b = true;
  in_parallel([&] { on_call_a = false; },
              [&] {
                if (!on_call_a) on_call_b = false;
              });
  require(on_call_a || on_call_b, "nobody is on call");
}

void check_then_act() {
  std::atomic<bool> open = true;
  std::atomic<int> requests = 0;
  in_parallel(
      [&] {
        if (open) ++requests;
      },
      [&] {
        open = false;
        require(requests == 0 || requests == 1, "they are counted");
        const int left = requests;
        require(left == requests, "a request comes after the end");
      });
}

// Looks too early, and does nothing with it.
void too_early() {
  std::atomic<bool> ready = false;
  bool seen = false;
  in_parallel([&] { seen = ready; }, [&] { ready = true; });
  require(seen, "it was too early");
}

void torn_read() {
  std::atomic<int> low = 0;
  std::atomic<int> high = 0;
  in_parallel(
      [&] {
        low = 1;
        high = 1;
      },
      [&] {
        const int seen_low = low;
        const int seen_high = high;
        require(seen_low == seen_high, "half of it is seen");
      });
}

// Two fields, of which both are read when both are old.
void both_old() {
  std::atomic<int> low = 0;
  std::atomic<int> high = 0;
  int sum = 0;
  in_parallel(
      [&] {
        low = 1;
        high = 1;
      },
      [&] { sum = low; });
  require(sum == 1, "it is old");
}

void unrepeatable_read() {
  std::atomic<int> size = 3;
  in_parallel(
      [&] {
        const int seen = size;
        require(seen == size, "it has another size");
      },
      [&] { size = 0; });
}

const std::vector<Named>& all_named() {
  static const std::vector<Named> named = {
      {"deadlock by order of locks", deadlock_by_order, deadlock_by_join},
      {"lost wake-up", lost_wake_up, forgotten_wake_up},
      {"double-checked initialisation", double_check, single_check},
      {"publication without order", publication, plain_race},
      {"use after free", use_after_free, free_in_the_end},
      {"ABA", aba, no_aba},
      {"lost update", lost_update, last_one_wins},
      {"write skew", write_skew, no_skew},
      {"check-then-act", check_then_act, too_early},
      {"torn read", torn_read, both_old},
      {"unrepeatable read", unrepeatable_read, too_early},
  };
  return named;
}

void patterns_are_named() {
  for (const Named& one : all_named()) {
    const std::string wanted = std::string("pattern: ") + one.pattern;
    const std::string broken = report_of(one.broken, one.races);
    expect(line_of(broken, "pattern:") == wanted, wanted + "\n" + broken);
    const std::string nearly = report_of(one.near_miss, one.races);
    expect(line_of(nearly, "pattern:") != wanted, "not " + wanted + "\n" + nearly);
  }
}

}  // namespace

int main() {
  the_pair_is_told_with_values();
  accesses_under_a_mutex_are_told();
  what_fails_always_has_no_pair();
  continuations_that_are_too_many_are_said_to_be();
  several_pairs_may_have_to_be_turned();
  patterns_are_named();
  return expectations_met();
}
