// Who waits for ever in a schedule that is fair is found, with the steps that repeat; who waits
// only as long as the scheduler passes it over is not.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <string>
#include <thread>

#include "heddle/sched.h"
#include "tests/sched/expect.h"
#include "tests/sched/known_bugs.h"

namespace {

using heddle::sched::Answer;
using heddle::sched::check;
using heddle::sched::Options;

// Two read until a third has written.
template <class Read, class Write>
void read_until_written(Read read, Write write) {
  std::atomic<bool> written = false;
  const auto read_on = [&] {
    while (!written) read();
  };
  std::thread one(read_on);
  std::thread other(read_on);
  std::thread writes([&] { write(written); });
  one.join();
  other.join();
  writes.join();
}

void shared_mutex() {
  std::shared_mutex mutex;
  long value = 0;
  read_until_written(
      [&] {
        const std::shared_lock lock(mutex);
        static_cast<void>(value);
      },
      [&](std::atomic<bool>& written) {
        const std::unique_lock lock(mutex);
        value = 1;
        written = true;
      });
}

// A read-write lock that lets nobody pass a writer who waits.
void lock_that_prefers_writers() {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_t lock;
  pthread_rwlock_init(&lock, &attributes);
  read_until_written(
      [&] {
        pthread_rwlock_rdlock(&lock);
        pthread_rwlock_unlock(&lock);
      },
      [&](std::atomic<bool>& written) {
        pthread_rwlock_wrlock(&lock);
        written = true;
        pthread_rwlock_unlock(&lock);
      });
  pthread_rwlock_destroy(&lock);
}

// The writer waits in a loop of its own.
void counter_of_readers() {
  std::atomic<int> readers = 0;
  read_until_written(
      [&] {
        int seen = readers;
        do {
          while (seen < 0) seen = readers;
        } while (!readers.compare_exchange_strong(seen, seen + 1));
        readers.fetch_sub(1);
      },
      [&](std::atomic<bool>& written) {
        int nobody = 0;
        while (!readers.compare_exchange_strong(nobody, -1)) nobody = 0;
        written = true;
        readers = 0;
      });
}

// The writer is woken up each time that a reader goes, and there is always another one.
void condition_of_readers() {
  std::mutex mutex;
  std::condition_variable changed;
  int readers = 0;
  read_until_written(
      [&] {
        {
          const std::lock_guard lock(mutex);
          ++readers;
        }
        const std::lock_guard lock(mutex);
        --readers;
        changed.notify_all();
      },
      [&](std::atomic<bool>& written) {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return readers == 0; });
        written = true;
      });
}

void plain_mutex() {
  std::mutex mutex;
  int value = 0;
  const auto change = [&] {
    const std::lock_guard lock(mutex);
    ++value;
  };
  read_until_written(change, [&](std::atomic<bool>& written) {
    const std::lock_guard lock(mutex);
    written = true;
  });
}

void test_and_set_lock() {
  std::atomic_flag taken;
  const auto lock = [&] {
    while (taken.test_and_set()) {
    }
  };
  read_until_written(
      [&] {
        lock();
        taken.clear();
      },
      [&](std::atomic<bool>& written) {
        lock();
        written = true;
        taken.clear();
      });
}

void ticket_lock() {
  std::atomic<unsigned> next = 0;
  std::atomic<unsigned> served = 0;
  const auto lock = [&] {
    const unsigned own = next++;
    while (served != own) std::this_thread::yield();
  };
  read_until_written(
      [&] {
        lock();
        ++served;
      },
      [&](std::atomic<bool>& written) {
        lock();
        written = true;
        ++served;
      });
}

// Both try again when they cannot have both: whether they ever do is a matter of chance.
void both_or_none() {
  std::mutex one;
  std::mutex other;
  std::mutex mutex;
  std::condition_variable done;
  int count = 0;
  const auto work = [&](std::mutex& first, std::mutex& second) {
    {
      const std::scoped_lock both(first, second);
    }
    const std::lock_guard lock(mutex);
    ++count;
    done.notify_one();
  };
  std::thread here([&] { work(one, other); });
  std::thread there([&] { work(other, one); });
  {
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return count == 2; });
  }
  here.join();
  there.join();
}

// It has an end, however long it takes.
void many_readers_of_a_number() {
  std::shared_mutex mutex;
  const auto read = [&] {
    for (int i = 0; i < 100; ++i) const std::shared_lock lock(mutex);
  };
  std::thread one(read);
  std::thread other(read);
  std::thread writes([&] { const std::unique_lock lock(mutex); });
  one.join();
  other.join();
  writes.join();
}

void with_time_limit() {
  std::shared_timed_mutex mutex;
  read_until_written([&] { const std::shared_lock lock(mutex); },
                     [&](std::atomic<bool>& written) {
                       const std::unique_lock lock(mutex, std::chrono::milliseconds(10));
                       written = true;
                     });
}

void made_and_taken() {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> stop = false;
  int count = 0;
  std::thread takes([&] {
    for (;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return count > 0 || stop; });
      if (count == 0) return;
      --count;
    }
  });
  std::thread makes([&] {
    while (!stop) {
      const std::lock_guard lock(mutex);
      ++count;
      changed.notify_one();
    }
  });
  std::thread stops([&] {
    const std::lock_guard lock(mutex);
    stop = true;
    changed.notify_all();
  });
  takes.join();
  makes.join();
  stops.join();
}

using Body = void (*)();

void starves(const char* name, Body body) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Answer answer = check(body, {.seed = seed, .quiet = true});
    expect(!answer.passed && answer.failure.kind == "starvation",
           std::string(name) + ": " + answer.failure.kind + ": " + answer.failure.what);
    const std::string& report = answer.failure.report;
    expect(report.find("round and round: steps ") != std::string::npos &&
               report.find("left out: ") != std::string::npos,
           std::string(name) + ": " + report);
  }
}

void passes(const char* name, Body body) {
  const Answer answer = check(body, {.executions = 2'000, .seconds = 60});
  expect(answer.passed,
         std::string(name) + ": " + answer.failure.kind + ": " + answer.failure.what);
}

}  // namespace

int main() {
  starves("readers and writer", known::readers_and_writer<false>);
  starves("shared_mutex", shared_mutex);
  starves("counter of readers", counter_of_readers);
  starves("condition of readers", condition_of_readers);
  passes("readers and writer, with a door", known::readers_and_writer<true>);
  passes("a lock that prefers writers", lock_that_prefers_writers);
  passes("mutex", plain_mutex);
  passes("test-and-set lock", test_and_set_lock);
  passes("ticket lock", ticket_lock);
  passes("both or none", both_or_none);
  passes("a number of readers", many_readers_of_a_number);
  passes("a limit of time", with_time_limit);
  passes("made and taken", made_and_taken);
  return expectations_met();
}
