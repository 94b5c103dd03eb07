// Containers with locks, as other people write them, each right and with one mistake: compiled with
// the flag and otherwise as they are.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <queue>
#include <shared_mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include <climits>

namespace containers {

// The least recently used entry goes. Broken: who looks moves the entry under a lock that it
// shares.
template <class Key, class Value, bool kBroken>
class LruCache {
 public:
  explicit LruCache(std::size_t capacity) : capacity_(capacity) {}
  std::optional<Value> get(const Key& key) {
    std::unique_lock<std::shared_mutex> alone(mutex_, std::defer_lock);
    std::shared_lock<std::shared_mutex> shared(mutex_, std::defer_lock);
    if (kBroken) {
      shared.lock();
    } else {
      alone.lock();
    }
    const auto found = places_.find(key);
    if (found == places_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->second;
  }
  void put(const Key& key, Value value) {
    const std::unique_lock lock(mutex_);
    const auto found = places_.find(key);
    if (found != places_.end()) {
      found->second->second = std::move(value);
      entries_.splice(entries_.begin(), entries_, found->second);
      return;
    }
    entries_.emplace_front(key, std::move(value));
    places_[key] = entries_.begin();
    if (entries_.size() <= capacity_) return;
    places_.erase(entries_.back().first);
    entries_.pop_back();
  }

 private:
  std::size_t capacity_;
  std::shared_mutex mutex_;
  std::list<std::pair<Key, Value>> entries_;
  std::unordered_map<Key, typename std::list<std::pair<Key, Value>>::iterator> places_;
};

// A lock for each stripe of the buckets. Broken: who makes more buckets locks its own stripe only.
template <bool kBroken>
class StripedMap {
 public:
  void add(int key, int value) {
    if (count_.load() >= 2) grow();
    const std::lock_guard lock(stripes_[static_cast<std::size_t>(key) % stripes_.size()]);
    bucket(key).emplace_back(key, value);
    ++count_;
  }
  std::optional<int> find(int key) {
    const std::lock_guard lock(stripes_[static_cast<std::size_t>(key) % stripes_.size()]);
    for (const auto& [known, value] : bucket(key)) {
      if (known == key) return value;
    }
    return std::nullopt;
  }

 private:
  using Bucket = std::vector<std::pair<int, int>>;
  Bucket& bucket(int key) { return buckets_[static_cast<std::size_t>(key) % buckets_.size()]; }
  void grow() {
    const std::unique_lock first(stripes_[0]);
    const auto second = kBroken ? std::unique_lock<std::mutex>() : std::unique_lock(stripes_[1]);
    if (buckets_.size() > 2) return;
    std::vector<Bucket> larger(4);
    for (const Bucket& old : buckets_) {
      for (const auto& [key, value] : old) {
        larger[static_cast<std::size_t>(key) % larger.size()].emplace_back(key, value);
      }
    }
    buckets_.swap(larger);
  }

  std::array<std::mutex, 2> stripes_;
  std::vector<Bucket> buckets_{2};
  std::atomic<std::size_t> count_ = 0;
};

// A sorted list with a lock in each node, taken hand over hand. Broken: a removal holds the lock of
// the node before it alone.
template <bool kBroken>
class CoupledList {
 public:
  CoupledList() : head_(new Node{INT_MIN, new Node{INT_MAX, nullptr, {}}, {}}) {}
  ~CoupledList() {
    for (Node* node = head_; node != nullptr;) delete std::exchange(node, node->next);
  }
  CoupledList(const CoupledList&) = delete;
  CoupledList& operator=(const CoupledList&) = delete;

  void insert(int value) {
    auto [before, lock, next] = find(value);
    before->next = new Node{value, before->next, {}};
  }
  bool erase(int value) {
    auto [before, lock, next] = find(value);
    Node* node = before->next;
    if (node->value != value) return false;
    if (!kBroken) node->mutex.lock();
    before->next = node->next;
    if (!kBroken) node->mutex.unlock();
    removed_[removed_count_++] = node;
    return true;
  }
  std::size_t size() {
    std::size_t count = 0;
    for (Node* node = head_->next; node->next != nullptr; node = node->next) ++count;
    return count;
  }
  // When nobody else uses the list.
  void free_removed() {
    for (std::size_t i = 0; i < removed_count_; ++i) delete removed_[i];
    removed_count_ = 0;
  }

 private:
  struct Node {
    int value;
    Node* next;
    std::mutex mutex;
  };
  struct Place {
    Node* before;
    std::unique_lock<std::mutex> lock;
    Node* next;
  };
  Place find(int value) {
    Node* before = head_;
    std::unique_lock lock(before->mutex);
    while (before->next->value < value) {
      Node* next = before->next;
      std::unique_lock next_lock(next->mutex);
      lock = std::move(next_lock);
      before = next;
    }
    return {before, std::move(lock), before->next};
  }

  Node* head_;
  std::array<Node*, 4> removed_{};
  std::atomic<std::size_t> removed_count_ = 0;
};

// What is read is replaced as a whole. Broken: who changes it does not look whether it still is
// what the change was made of.
template <bool kBroken>
class CopiedMap {
 public:
  void set(const std::string& key, int value) {
    std::shared_ptr<const Map> old = map_.load();
    for (;;) {
      auto fresh = std::make_shared<Map>(*old);
      (*fresh)[key] = value;
      if (kBroken) {
        map_.store(fresh);
        return;
      }
      if (map_.compare_exchange_strong(old, std::shared_ptr<const Map>(fresh))) return;
    }
  }
  std::size_t size() const { return map_.load()->size(); }

 private:
  using Map = std::map<std::string, int>;
  std::atomic<std::shared_ptr<const Map>> map_{std::make_shared<const Map>()};
};

// A pool that runs what it is given. Broken: whoever ends it does not wake up who sleeps.
template <bool kBroken>
class ThreadPool {
 public:
  explicit ThreadPool(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) threads_.emplace_back([this] { work(); });
  }
  ~ThreadPool() {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    if (kBroken) {
      condition_.notify_one();
    } else {
      condition_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
  }
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void submit(std::function<void()> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push(std::move(task));
    }
    condition_.notify_one();
  }

 private:
  void work() {
    for (;;) {
      std::unique_lock lock(mutex_);
      condition_.wait(lock, [this] { return ends_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      const auto task = std::move(tasks_.front());
      tasks_.pop();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable condition_;
  std::queue<std::function<void()>> tasks_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

// Writers first, spinning on one word. Broken: a reader that has to give way forgets that it
// counted itself.
template <bool kBroken>
class SpinSharedMutex {
 public:
  void lock() {
    std::uint32_t expected = 0;
    while (!state_.compare_exchange_weak(expected, kWriter, std::memory_order_acquire)) {
      expected = 0;
      std::this_thread::yield();
    }
  }
  void unlock() { state_.fetch_sub(kWriter, std::memory_order_release); }
  void lock_shared() {
    while ((state_.fetch_add(1, std::memory_order_acquire) & kWriter) != 0) {
      if (!kBroken) state_.fetch_sub(1, std::memory_order_relaxed);
      std::this_thread::yield();
    }
  }
  void unlock_shared() { state_.fetch_sub(1, std::memory_order_release); }

 private:
  static constexpr std::uint32_t kWriter = 1U << 31;
  std::atomic<std::uint32_t> state_ = 0;
};

}  // namespace containers
