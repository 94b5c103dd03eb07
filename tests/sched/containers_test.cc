// Other people's containers in many styles: those that are right pass, whatever is tried, and each
// mistake is found with default options.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <type_traits>

#include "heddle/sched.h"
#include "tests/sched/expect.h"
#include "tests/sched/lock_free.h"
#include "tests/sched/locking.h"

namespace {

void require(bool condition, const char* what) {
  if (!condition) heddle::sched::fail(what);
}

template <class... Functions>
void at_once(Functions... functions) {
  std::thread threads[] = {std::thread(functions)...};
  for (std::thread& thread : threads) thread.join();
}

template <bool kBroken>
void spsc_ring() {
  containers::SpscRing<std::string, 2, kBroken> ring;
  at_once(
      [&] {
        for (const char* text : {"a", "b", "c"}) {
          while (!ring.push(text)) std::this_thread::yield();
        }
      },
      [&] {
        std::string all;
        while (all.size() < 3) {
          std::string text;
          if (ring.pop(text)) all += text;
        }
        require(all == "abc", "in order");
      });
}

template <bool kBroken>
void mpmc_queue() {
  containers::MpmcQueue<std::unique_ptr<int>, kBroken> queue(2);
  std::atomic<int> sum = 0;
  const auto consume = [&] {
    std::unique_ptr<int> value;
    if (queue.pop(value)) sum += *value;
  };
  at_once([&] { queue.push(std::make_unique<int>(1)); },
          [&] { queue.push(std::make_unique<int>(2)); }, consume);
  consume();
  consume();
  consume();
  require(sum == 3, "each once");
}

template <bool kBroken>
void pooled_queue() {
  containers::PooledQueue<int, kBroken> queue(3);
  int sum = 0;
  at_once([&] { queue.push(1); },
          [&] {
            queue.push(2);
            queue.push(3);
            for (int got = 0, i = 0; i < 2 && queue.pop(got); ++i) sum += got;
          });
  queue.push(4);
  queue.push(5);
  int got = 0;
  for (int i = 0; i < 8 && queue.pop(got); ++i) sum += got;
  require(sum == 15, "each once");
}

template <bool kBroken>
void hazard_stack() {
  containers::HazardStack<std::string, kBroken> stack;
  stack.push("a");
  stack.push("b");
  at_once([&] { stack.pop(0); },
          [&] {
            stack.pop(1);
            stack.push("c");
          });
  int count = 0;
  while (stack.pop(2)) ++count;
  require(count == 1, "one is left");
}

template <bool kBroken>
void stealing_deque() {
  containers::StealingDeque<kBroken> deque;
  std::array<std::atomic<int>, 3> times{};
  const auto count = [&](std::optional<int> value) {
    if (value) ++times[static_cast<std::size_t>(*value)];
  };
  deque.push(0);
  at_once(
      [&] {
        deque.push(1);
        count(deque.take());
        count(deque.take());
      },
      [&] { count(deque.steal()); });
  for (const auto& time : times) require(time.load() <= 1, "taken twice");
}

template <bool kBroken>
void mpsc_queue() {
  using Queue = containers::MpscQueue<kBroken>;
  Queue queue;
  std::array<typename Queue::Node, 2> nodes;
  at_once([&] { queue.push(&nodes[0]); }, [&] { queue.push(&nodes[1]); });
  int count = 0;
  while (queue.pop() != nullptr) ++count;
  require(count == 2, "both are there");
}

template <bool kBroken>
void lock_free_table() {
  containers::LockFreeTable<kBroken> table;
  at_once([&] { table.insert(1, 10); }, [&] { table.insert(9, 90); });
  require(table.find(1) == 10 && table.find(9) == 90, "both are there");
}

template <bool kBroken>
void seq_locked() {
  containers::SeqLocked<kBroken> cell;
  at_once([&] { cell.write(1, 1); },
          [&] {
            const auto [first, second] = cell.read();
            require(first == second, "both of one time");
          });
}

template <bool kBroken>
void rcu_cell() {
  containers::RcuCell<std::string, kBroken> cell("old");
  const auto read = [&](std::size_t thread) {
    const std::size_t size = cell.read(thread, [](const std::string& text) { return text.size(); });
    require(size == 3, "old or new");
  };
  at_once([&] { read(0); }, [&] { read(1); }, [&] { cell.replace("new"); });
}

template <bool kBroken>
void lru_cache() {
  containers::LruCache<std::string, int, kBroken> cache(2);
  cache.put("a", 1);
  cache.put("b", 2);
  at_once([&] { require(cache.get("a").value_or(1) == 1, "a"); },
          [&] { require(cache.get("b").value_or(2) == 2, "b"); }, [&] { cache.put("c", 3); });
}

template <bool kBroken>
void striped_map() {
  containers::StripedMap<kBroken> map;
  map.add(0, 0);
  at_once(
      [&] {
        map.add(2, 2);
        map.add(4, 4);
      },
      [&] {
        map.add(1, 1);
        require(map.find(1) == 1, "it is there");
      });
  for (const int key : {0, 1, 2, 4}) require(map.find(key) == key, "all are there");
}

template <bool kBroken>
void coupled_list() {
  containers::CoupledList<kBroken> list;
  list.insert(2);
  at_once([&] { list.insert(3); }, [&] { require(list.erase(2), "it was there"); });
  require(list.size() == 1, "one is left");
  list.free_removed();
}

template <bool kBroken>
void copied_map() {
  containers::CopiedMap<kBroken> map;
  at_once([&] { map.set("a", 1); }, [&] { map.set("b", 2); }, [&] { map.size(); });
  require(map.size() == 2, "both are there");
}

template <bool kBroken>
void thread_pool() {
  std::atomic<int> done = 0;
  {
    containers::ThreadPool<kBroken> pool(2);
    pool.submit([&] { ++done; });
    pool.submit([&] { ++done; });
  }
  require(done == 2, "both are done");
}

template <bool kBroken>
void spin_shared_mutex() {
  containers::SpinSharedMutex<kBroken> mutex;
  int value = 0;
  const auto write = [&] {
    mutex.lock();
    ++value;
    mutex.unlock();
  };
  at_once(write, write, [&] {
    mutex.lock_shared();
    require(value <= 2, "counted");
    mutex.unlock_shared();
  });
  require(value == 2, "both are counted");
}

struct Container {
  const char* name;
  void (*broken)();
  void (*repaired)();
};

const Container kContainers[] = {
    {"spsc ring", spsc_ring<true>, spsc_ring<false>},
    {"mpmc queue", mpmc_queue<true>, mpmc_queue<false>},
    {"pooled queue", pooled_queue<true>, pooled_queue<false>},
    {"hazard stack", hazard_stack<true>, hazard_stack<false>},
    {"stealing deque", stealing_deque<true>, stealing_deque<false>},
    {"mpsc queue", mpsc_queue<true>, mpsc_queue<false>},
    {"lock-free table", lock_free_table<true>, lock_free_table<false>},
    {"sequence lock", seq_locked<true>, seq_locked<false>},
    {"rcu cell", rcu_cell<true>, rcu_cell<false>},
    {"lru cache", lru_cache<true>, lru_cache<false>},
    {"striped map", striped_map<true>, striped_map<false>},
    {"coupled list", coupled_list<true>, coupled_list<false>},
    {"copied map", copied_map<true>, copied_map<false>},
    {"thread pool", thread_pool<true>, thread_pool<false>},
    {"spinning rw lock", spin_shared_mutex<true>, spin_shared_mutex<false>},
};

void is_told_apart(const Container& container) {
  const std::string name = container.name;
  const auto begin = std::chrono::steady_clock::now();
  const heddle::sched::Answer found = heddle::sched::check(container.broken, {.quiet = true});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  expect(!found.passed, name + ": the mistake is not found: " + found.coverage);
  const heddle::sched::Answer passed =
      heddle::sched::check(container.repaired, {.executions = 3000, .seconds = 60});
  expect(passed.passed, name + ": " + passed.failure.kind + ": " + passed.failure.what);
  std::printf("%-18s %8lu executions %7.3f s  %s\n", container.name,
              static_cast<unsigned long>(found.executions), seconds.count(),
              found.failure.kind.c_str());
}

}  // namespace

// A name as an argument tries that one alone.
int main(int count, char** words) {
  std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  for (const Container& container : kContainers) {
    if (count < 2 || std::string(words[1]) == container.name) is_told_apart(container);
  }
  return expectations_met();
}
