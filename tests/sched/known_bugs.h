// Bugs of the literature, written from their descriptions, and their repaired versions.
//
// Thomson, Donaldson and Betts: Concurrency testing using controlled schedulers (TOPC 2016), which
// has reorder, twostage, dining philosophers and the work-stealing queue; Qadeer and Wu: KISS (PLDI
// 2004), which has the Bluetooth driver; Flanagan and Freund: Atomizer (POPL 2004), which has the
// string buffer.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <future>
#include <mutex>
#include <semaphore.h>
#include <semaphore>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "heddle/sched.h"

namespace known {

using heddle::sched::fail;

inline void require(bool condition, const char* what) {
  if (!condition) fail(what);
}

// Philosophers who all take the left fork first.
template <bool repaired>
void dining_philosophers() {
  constexpr std::size_t kSeats = 3;
  std::array<std::mutex, kSeats> forks;
  std::vector<std::thread> philosophers;
  for (std::size_t i = 0; i < kSeats; ++i) {
    philosophers.emplace_back([&, i] {
      std::size_t first = i;
      std::size_t second = (i + 1) % kSeats;
      if (repaired && first > second) std::swap(first, second);
      const std::lock_guard one(forks[first]);
      const std::lock_guard other(forks[second]);
    });
  }
  for (std::thread& one : philosophers) one.join();
}

// One of `threads` sees what one of the others has done by half.
template <int threads, bool repaired>
void reorder() {
  std::mutex mutex;
  std::atomic<int> a = 0;
  std::atomic<int> b = 0;
  const auto lock = [&] {
    return repaired ? std::unique_lock(mutex) : std::unique_lock<std::mutex>();
  };
  std::vector<std::thread> all;
  for (int i = 1; i < threads; ++i) {
    all.emplace_back([&] {
      const auto held = lock();
      a = 1;
      b = -1;
    });
  }
  all.emplace_back([&] {
    const auto held = lock();
    const int seen_a = a;
    const int seen_b = b;
    require((seen_a == 0 && seen_b == 0) || (seen_a == 1 && seen_b == -1), "half of it is seen");
  });
  for (std::thread& one : all) one.join();
}

// Two stages, each in a critical section of its own.
template <int threads, bool repaired>
void twostage() {
  std::mutex first_stage;
  std::mutex second_stage;
  std::mutex both;
  int one = 0;
  int two = 0;
  const auto whole = [&] {
    return repaired ? std::unique_lock(both) : std::unique_lock<std::mutex>();
  };
  std::vector<std::thread> all;
  for (int i = 1; i < threads; ++i) {
    all.emplace_back([&] {
      const auto held = whole();
      int seen = 0;
      {
        const std::lock_guard lock(first_stage);
        seen = one = 1;
      }
      const std::lock_guard lock(second_stage);
      two = seen + 1;
    });
  }
  all.emplace_back([&] {
    const auto held = whole();
    int seen = 0;
    {
      const std::lock_guard lock(first_stage);
      seen = one;
    }
    if (seen == 0) return;
    const std::lock_guard lock(second_stage);
    require(two == seen + 1, "the second stage is behind");
  });
  for (std::thread& thread : all) thread.join();
}

// A request begins between the driver's look at the flag and its count of requests.
template <bool repaired>
void bluetooth_driver() {
  std::atomic<int> pending = 1;
  std::atomic<bool> stopping = false;
  std::atomic<bool> stopped = false;
  std::binary_semaphore nobody_left(0);
  const auto leave = [&] {
    if (--pending == 0) nobody_left.release();
  };
  std::thread request([&] {
    if (repaired) {
      ++pending;
      if (stopping) return leave();
    } else {
      if (stopping) return;
      ++pending;
    }
    require(!stopped, "a request runs on a stopped driver");
    leave();
  });
  std::thread stop([&] {
    stopping = true;
    leave();
    nobody_left.acquire();
    stopped = true;
  });
  request.join();
  stop.join();
}

// A queue of which the owner takes the last element without asking whether a thief has it.
template <bool repaired>
void work_stealing_queue() {
  constexpr int kEmpty = -1;
  std::atomic<int> head = 0;
  std::atomic<int> tail = 0;
  std::array<std::atomic<int>, 4> items{};
  std::array<std::atomic<int>, 3> taken{};
  const auto push = [&](int item) {
    const int at = tail;
    items[static_cast<std::size_t>(at)] = item;
    tail = at + 1;
  };
  const auto take = [&] {
    const int last = tail - 1;
    tail = last;
    int first = head;
    if (last < first) {
      tail = first;
      return kEmpty;
    }
    int item = items[static_cast<std::size_t>(last)];
    if (last > first) return item;
    if (repaired) {
      if (!head.compare_exchange_strong(first, first + 1)) item = kEmpty;
      tail = last + 1;
    }
    return item;
  };
  const auto steal = [&] {
    int first = head;
    if (first >= tail) return kEmpty;
    const int item = items[static_cast<std::size_t>(first)];
    return head.compare_exchange_strong(first, first + 1) ? item : kEmpty;
  };
  const auto count = [&](int item) {
    if (item != kEmpty) ++taken[static_cast<std::size_t>(item)];
  };
  push(0);
  push(1);
  std::thread thief([&] {
    count(steal());
    count(steal());
  });
  std::thread owner([&] {
    count(take());
    count(take());
  });
  thief.join();
  owner.join();
  for (const std::atomic<int>& times : taken) require(times <= 1, "an element is taken twice");
}

// append() asks the other buffer for its length, and later for so many letters.
template <bool repaired>
void string_buffer() {
  struct Buffer {
    std::mutex mutex;
    std::string text = "abc";

    std::size_t length() {
      const std::lock_guard lock(mutex);
      return text.size();
    }
    std::string first(std::size_t count) {
      const std::lock_guard lock(mutex);
      if (count > text.size()) throw std::out_of_range("StringBuffer");
      return text.substr(0, count);
    }
    std::string all() {
      const std::lock_guard lock(mutex);
      return text;
    }
    void erase() {
      const std::lock_guard lock(mutex);
      text.clear();
    }
  };
  Buffer other;
  std::thread appends([&] {
    std::string text = "x";
    if (repaired) {
      text += other.all();
    } else {
      const std::size_t length = other.length();
      text += other.first(length);
    }
  });
  std::thread erases([&] { other.erase(); });
  appends.join();
  erases.join();
}

// A node is popped, used, and pushed again between another's look at the top and its exchange.
template <bool repaired>
void aba_stack() {
  constexpr unsigned kNone = 7;
  // The upper half counts changes, if it is repaired.
  std::atomic<unsigned> top = 0;
  std::array<std::atomic<unsigned>, 3> next{1, 2, kNone};
  std::array<std::atomic<int>, 3> owners{};
  const auto changed = [](unsigned from, unsigned to) {
    return repaired ? ((from >> 8) + 1) << 8 | to : to;
  };
  const auto pop = [&] {
    for (;;) {
      unsigned before = top;
      const unsigned node = before & 0xFF;
      if (node == kNone) return kNone;
      const unsigned after = changed(before, next[node]);
      if (top.compare_exchange_strong(before, after)) return node;
    }
  };
  const auto own = [&](unsigned node) {
    if (node == kNone) return;
    require(owners[node].fetch_add(1) == 0, "two threads have a node");
  };
  const auto push = [&](unsigned node) {
    --owners[node];
    unsigned before = top;
    do {
      next[node] = before & 0xFF;
    } while (!top.compare_exchange_strong(before, changed(before, node)));
  };
  std::thread one([&] {
    own(pop());
    own(pop());
  });
  std::thread other([&] {
    const unsigned first = pop();
    own(first);
    const unsigned second = pop();
    own(second);
    if (first != kNone) push(first);
  });
  one.join();
  other.join();
}

// The flag is looked at without the mutex under which it is waited for.
template <bool repaired>
void wake_up_before_wait() {
  std::mutex mutex;
  std::condition_variable condition;
  std::atomic<bool> ready = false;
  std::thread waits([&] {
    if (repaired) {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return ready.load(); });
      return;
    }
    while (!ready) {
      std::unique_lock lock(mutex);
      condition.wait(lock);
    }
  });
  std::thread tells([&] {
    if (repaired) {
      const std::lock_guard lock(mutex);
      ready = true;
    } else {
      ready = true;
    }
    condition.notify_one();
  });
  waits.join();
  tells.join();
}

// A promise is destroyed without a value when its thread is told to stop early.
template <bool repaired>
void broken_future() {
  std::atomic<bool> stop = false;
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread works([&stop, promise = std::move(promise)]() mutable {
    if (repaired) {
      promise.set_value(stop ? 0 : 1);
    } else if (!stop) {
      promise.set_value(1);
    }
  });
  std::thread stops([&] { stop = true; });
  works.join();
  stops.join();
  future.get();
}

// Readers of whom always one is inside, so that the writer never gets in (Courtois, Heymans and
// Parnas: Concurrent control with "readers" and "writers", CACM 1971, the first problem). Repaired:
// whoever comes passes a door that a waiting writer has closed.
template <bool repaired>
void readers_and_writer() {
  std::mutex door;
  std::mutex mutex;
  int readers = 0;
  sem_t room;
  sem_init(&room, 0, 1);
  std::atomic<bool> written = false;
  const auto read = [&] {
    while (!written) {
      if (repaired) {
        door.lock();
        door.unlock();
      }
      mutex.lock();
      if (++readers == 1) sem_wait(&room);
      mutex.unlock();
      mutex.lock();
      if (--readers == 0) sem_post(&room);
      mutex.unlock();
    }
  };
  std::thread one(read);
  std::thread other(read);
  std::thread writes([&] {
    if (repaired) door.lock();
    sem_wait(&room);
    written = true;
    sem_post(&room);
    if (repaired) door.unlock();
  });
  one.join();
  other.join();
  writes.join();
  sem_destroy(&room);
}

}  // namespace known
