// What threads wait for and tell each other with: each is used rightly, which passes, and wrongly,
// which is found.
#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <latch>
#include <mutex>
#include <optional>
#include <sanitizer/tsan_interface.h>
#include <semaphore>
#include <set>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "heddle/sched.h"
#include "tests/sched/expect.h"

namespace {

using heddle::sched::Answer;
using heddle::sched::check;
using heddle::sched::Options;

const Options kQuick{.executions = 2000, .seconds = 20};

void passes(const char* what, const std::function<void()>& body, const Options& options = kQuick) {
  const Answer answer = check([&body] { body(); }, options);
  expect(answer.passed,
         std::string(what) + ": " + answer.failure.kind + ": " + answer.failure.what);
}

void fails(const char* what, const char* kind, const std::function<void()>& body,
           const Options& options = kQuick) {
  const Answer answer = check([&body] { body(); }, options);
  expect(!answer.passed && answer.failure.kind == kind,
         std::string(what) + ": " + answer.failure.kind + ": " + answer.failure.what);
}

void require(bool condition, const char* what) {
  if (!condition) heddle::sched::fail(what);
}

void mutexes() {
  passes("a counter with a mutex", [] {
    std::mutex mutex;
    int counter = 0;
    const auto increase = [&] {
      const std::scoped_lock lock(mutex);
      ++counter;
    };
    std::thread one(increase);
    std::thread other(increase);
    one.join();
    other.join();
    require(counter == 2, "both are counted");
  });
  fails("two mutexes in two orders", "deadlock", [] {
    std::mutex first;
    std::mutex second;
    std::thread one([&] {
      const std::lock_guard a(first);
      const std::lock_guard b(second);
    });
    std::thread other([&] {
      const std::lock_guard b(second);
      const std::lock_guard a(first);
    });
    one.join();
    other.join();
  });
  passes("two mutexes with std::scoped_lock", [] {
    std::mutex first;
    std::mutex second;
    std::thread one([&] { const std::scoped_lock both(first, second); });
    std::thread other([&] { const std::scoped_lock both(second, first); });
    one.join();
    other.join();
  });
  fails("a mutex locked twice", "deadlock", [] {
    std::mutex mutex;
    mutex.lock();
    mutex.lock();
  });
}

void other_mutexes() {
  passes("a recursive mutex", [] {
    std::recursive_mutex mutex;
    int shared = 0;
    const auto twice = [&] {
      const std::lock_guard one(mutex);
      const std::lock_guard two(mutex);
      ++shared;
    };
    std::thread other(twice);
    twice();
    other.join();
    require(shared == 2, "both are counted");
  });
  fails("unlocking what another has", "misuse", [] {
    std::mutex mutex;
    mutex.lock();
    std::thread other([&] { mutex.unlock(); });
    other.join();
  });
  fails("a try that is not looked at", "data race", [] {
    std::mutex mutex;
    int shared = 0;
    const auto increase = [&] {
      const bool locked = mutex.try_lock();
      ++shared;
      if (locked) mutex.unlock();
    };
    std::thread other(increase);
    increase();
    other.join();
  });
  passes("a timed mutex", [] {
    std::timed_mutex mutex;
    std::atomic<int> missed = 0;
    std::thread other([&] {
      const std::unique_lock lock(mutex, std::chrono::seconds(1));
      if (!lock) ++missed;
    });
    {
      const std::lock_guard lock(mutex);
      std::this_thread::sleep_for(std::chrono::hours(1));
    }
    other.join();
    require(missed <= 1, "it is missed once at most");
  });
}

void shared_mutexes() {
  passes("readers and a writer", [] {
    std::shared_mutex mutex;
    int value = 0;
    std::thread writer([&] {
      const std::unique_lock lock(mutex);
      value = 1;
    });
    std::thread reader([&] {
      const std::shared_lock lock(mutex);
      require(value == 0 || value == 1, "a value that was written");
    });
    {
      const std::shared_lock lock(mutex);
      require(value == 0 || value == 1, "a value that was written");
    }
    writer.join();
    reader.join();
  });
  fails("a writer that only shares", "data race", [] {
    std::shared_mutex mutex;
    int value = 0;
    const auto write = [&] {
      const std::shared_lock lock(mutex);
      ++value;
    };
    std::thread other(write);
    write();
    other.join();
  });
}

void conditions() {
  passes("a condition with a predicate", [] {
    std::mutex mutex;
    std::condition_variable condition;
    bool ready = false;
    std::thread other([&] {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return ready; });
    });
    {
      const std::lock_guard lock(mutex);
      ready = true;
    }
    condition.notify_one();
    other.join();
  });
  fails("a wake-up before the wait", "deadlock", [] {
    std::mutex mutex;
    std::condition_variable condition;
    std::thread other([&] {
      std::unique_lock lock(mutex);
      condition.wait(lock);
    });
    condition.notify_one();
    other.join();
  });
  fails("a wake-up for no reason", "assertion failed", [] {
    std::mutex mutex;
    std::condition_variable condition;
    bool ready = false;
    std::thread other([&] {
      std::unique_lock lock(mutex);
      if (!ready) condition.wait(lock);
      require(ready, "it is ready");
    });
    {
      const std::lock_guard lock(mutex);
      ready = true;
      condition.notify_one();
    }
    other.join();
  });
}

void notifications() {
  fails("one notified of two that differ", "deadlock", [] {
    std::mutex mutex;
    std::condition_variable condition;
    int turn = 0;
    const auto wait_for = [&](int mine) {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return turn == mine; });
      ++turn;
      condition.notify_one();
    };
    std::thread one(wait_for, 1);
    std::thread two(wait_for, 2);
    wait_for(0);
    one.join();
    two.join();
  });
  passes("a wait with a limit", [] {
    std::mutex mutex;
    std::condition_variable condition;
    bool ready = false;
    std::thread other([&] {
      std::unique_lock lock(mutex);
      condition.wait_for(lock, std::chrono::milliseconds(5), [&] { return ready; });
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(4));
    {
      const std::lock_guard lock(mutex);
      ready = true;
    }
    condition.notify_all();
    other.join();
  });
}

void futexes() {
  passes("atomic wait and notify", [] {
    std::atomic<int> flag = 0;
    int value = 0;
    std::thread other([&] {
      flag.wait(0);
      require(value == 1, "what was written before");
    });
    value = 1;
    flag = 1;
    flag.notify_all();
    other.join();
  });
  fails("atomic wait without notify", "deadlock", [] {
    std::atomic<int> flag = 0;
    std::thread other([&] { flag.wait(0); });
    flag = 1;
    other.join();
  });
}

void libraries() {
  passes("a semaphore", [] {
    std::counting_semaphore<2> semaphore(0);
    int value = 0;
    std::thread other([&] {
      semaphore.acquire();
      require(value == 1, "what was written before");
    });
    value = 1;
    semaphore.release();
    other.join();
  });
  passes("a latch and a barrier", [] {
    std::latch latch(2);
    std::barrier barrier(2);
    std::atomic<int> arrived = 0;
    std::thread other([&] {
      latch.arrive_and_wait();
      ++arrived;
      barrier.arrive_and_wait();
      require(arrived == 2, "both have arrived");
    });
    latch.arrive_and_wait();
    ++arrived;
    barrier.arrive_and_wait();
    require(arrived == 2, "both have arrived");
    other.join();
  });
  passes("a promise and a future", [] {
    std::promise<int> promise;
    std::future<int> future = promise.get_future();
    std::thread other([&] { promise.set_value(7); });
    require(future.get() == 7, "the value");
    other.join();
  });
  passes("std::async", [] {
    std::future<int> future = std::async(std::launch::async, [] { return 3; });
    require(future.get() == 3, "the value");
  });
}

int made = 0;
struct Made {
  Made() { ++made; }
};

void once() {
  passes("call_once", [] {
    std::once_flag flag;
    int count = 0;
    const auto call = [&] { std::call_once(flag, [&] { ++count; }); };
    std::thread other(call);
    call();
    other.join();
    require(count == 1, "it is called once");
  });
  passes("a static object of a function", [] {
    const auto get = [] {
      static const Made object;
      return &object;
    };
    std::thread other([&] { get(); });
    get();
    other.join();
    require(made == 1, "it is made once");
  });
}

void atomics() {
  passes("publishing with release and acquire", [] {
    std::atomic<bool> ready = false;
    int value = 0;
    std::thread other([&] {
      if (ready.load(std::memory_order_acquire)) require(value == 1, "what was published");
    });
    value = 1;
    ready.store(true, std::memory_order_release);
    other.join();
  });
  fails("publishing through a relaxed store", "data race", [] {
    std::atomic<bool> ready = false;
    int value = 0;
    std::thread other([&] {
      if (ready.load(std::memory_order_acquire)) require(value == 1, "what was published");
    });
    value = 1;
    ready.store(true, std::memory_order_relaxed);
    other.join();
  });
  passes("fences around relaxed accesses", [] {
    std::atomic<bool> ready = false;
    int value = 0;
    std::thread other([&] {
      if (!ready.load(std::memory_order_relaxed)) return;
      std::atomic_thread_fence(std::memory_order_acquire);
      require(value == 1, "what was published");
    });
    value = 1;
    std::atomic_thread_fence(std::memory_order_release);
    ready.store(true, std::memory_order_relaxed);
    other.join();
  });
  const auto exchanges_once = [] {
    std::atomic<int> value = 0;
    int expected = 0;
    require(value.compare_exchange_weak(expected, 1), "it is exchanged");
  };
  fails("compare_exchange_weak without a loop", "assertion failed", exchanges_once);
}

void spinning() {
  passes("a lock of test_and_set", [] {
    std::atomic_flag lock;
    int shared = 0;
    const auto increase = [&] {
      while (lock.test_and_set(std::memory_order_acquire)) {
      }
      ++shared;
      lock.clear(std::memory_order_release);
    };
    std::thread other(increase);
    increase();
    other.join();
    require(shared == 2, "both are counted");
  });
  passes("a ticket lock", [] {
    std::atomic<int> next = 0;
    std::atomic<int> serving = 0;
    int shared = 0;
    const auto increase = [&] {
      const int ticket = next.fetch_add(1);
      while (serving.load() != ticket) std::this_thread::yield();
      ++shared;
      serving.store(ticket + 1);
    };
    std::thread one(increase);
    std::thread two(increase);
    increase();
    one.join();
    two.join();
    require(shared == 3, "all are counted");
  });
  fails("a flag that nobody sets", "livelock", [] {
    std::atomic<bool> flag = false;
    std::thread other([&] {
      while (!flag) {
      }
    });
    other.join();
  });
}

void waiting() {
  passes("tries that are bounded", [] {
    std::atomic<bool> flag = false;
    std::thread other([&] {
      for (int tries = 0; tries < 100 && !flag; ++tries) std::this_thread::yield();
    });
    other.join();
  });
  passes("spinning on the clock", [] {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    std::thread other([&] {
      while (std::chrono::steady_clock::now() < until) {
      }
    });
    other.join();
  });
  fails("a plain flag", "data race", [] {
    bool flag = false;
    std::thread other([&] {
      while (!const_cast<volatile bool&>(flag)) {
      }
    });
    flag = true;
    other.join();
  });
  passes("sixteen bytes", [] {
    struct alignas(16) Pair {
      std::uint64_t one;
      std::uint64_t two;
    };
    unsigned __int128 pair = 0;
    std::thread other([&] { __sync_fetch_and_add(&pair, 1); });
    __sync_fetch_and_add(&pair, 1);
    other.join();
    require(__sync_fetch_and_add(&pair, 0) == 2, "both are counted");
  });
}

// What is needed after the call keeps compilers from making a loop of it.
int depth(int n) {
  volatile char frame[256];
  frame[0] = static_cast<char>(n);
  const int deeper = n < 0 ? 0 : depth(n + 1);
  return deeper + frame[0];
}

struct Farewell {
  std::atomic<int>* count = nullptr;
  ~Farewell() {
    if (count != nullptr) ++*count;
  }
};

void threads() {
  passes("thread_local destructors", [] {
    std::atomic<int> count = 0;
    std::thread other([&] {
      thread_local Farewell farewell;
      farewell.count = &count;
    });
    other.join();
    require(count == 1, "it was destroyed");
  });
  passes("thread_local values are a thread's own", [] {
    thread_local int value = 0;
    std::thread other([&] {
      require(value == 0, "it begins with 0");
      value = 5;
    });
    value = 3;
    other.join();
    require(value == 3, "it is this thread's");
  });
  passes("a stop token", [] {
    std::atomic<int> rounds = 0;
    std::jthread other([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        ++rounds;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(25));
  });
}

void ends_of_threads() {
  fails("a thread that is not joined", "abort", [] { std::thread other([] {}); });
  fails("an exception that escapes", "exception escaped", [] {
    std::thread other([] { throw std::runtime_error("too late"); });
    other.join();
  });
  fails("a null pointer", "crash", [] {
    std::atomic<int*> pointer = nullptr;
    int value = 1;
    std::thread other([&] { pointer = &value; });
    require(*pointer.load() == 1, "the value");
    other.join();
  });
  fails("a recursion without end", "stack overflow", [] {
    std::thread other([] { require(depth(1) == 0, "it ends"); });
    other.join();
  });
  fails("exit in a thread", "exit", [] {
    std::thread other([] { std::exit(3); });
    other.join();
  });
  passes("exceptions in several threads at once", [] {
    std::atomic<int> turn = 0;
    const auto body = [&] {
      for (int i = 0; i < 2; ++i) {
        try {
          ++turn;
          throw i;
        } catch (int caught) {
          ++turn;
          try {
            throw;
          } catch (int again) {
            require(caught == i && again == i, "what was thrown here");
          }
        }
      }
    };
    std::thread other(body);
    body();
    other.join();
  });
  passes("pthread_exit", [] {
    std::atomic<int> count = 0;
    struct Counted {
      std::atomic<int>& count;
      ~Counted() { ++count; }
    };
    std::thread other([&] {
      const Counted counted{count};
      pthread_exit(nullptr);
    });
    other.join();
    require(count == 1, "its frames were left");
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string only = argc > 1 ? argv[1] : "";
  const std::pair<const char*, void (*)()> all[] = {
      {"mutexes", mutexes},          {"mutexes", other_mutexes},
      {"shared", shared_mutexes},    {"conditions", conditions},
      {"conditions", notifications}, {"futexes", futexes},
      {"futexes", libraries},        {"once", once},
      {"atomics", atomics},          {"spinning", spinning},
      {"spinning", waiting},         {"threads", threads},
      {"threads", ends_of_threads},
  };
  for (const auto& [name, test] : all) {
    if (only.empty() || only == name) test();
  }
  return expectations_met();
}
