// Containers without locks, as other people write them, each right and with one mistake: compiled
// with the flag and otherwise as they are.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace containers {

// One producer, one consumer, as in boost::lockfree::spsc_queue. Broken: what was written is not
// published by the index.
template <class T, std::size_t kCapacity, bool kBroken>
class SpscRing {
 public:
  bool push(T value) {
    const std::size_t write = write_.load(std::memory_order_relaxed);
    const std::size_t next = (write + 1) % slots_.size();
    if (next == read_.load(std::memory_order_acquire)) return false;
    slots_[write] = std::move(value);
    write_.store(next, kBroken ? std::memory_order_relaxed : std::memory_order_release);
    return true;
  }
  bool pop(T& value) {
    const std::size_t read = read_.load(std::memory_order_relaxed);
    if (read == write_.load(std::memory_order_acquire)) return false;
    value = std::move(slots_[read]);
    read_.store((read + 1) % slots_.size(), std::memory_order_release);
    return true;
  }

 private:
  alignas(64) std::atomic<std::size_t> write_ = 0;
  alignas(64) std::atomic<std::size_t> read_ = 0;
  std::array<T, kCapacity + 1> slots_{};
};

// Vyukov's bounded queue of many producers and consumers. Broken: a cell is published before it is
// written.
template <class T, bool kBroken>
class MpmcQueue {
 public:
  explicit MpmcQueue(std::size_t capacity) : cells_(capacity), mask_(capacity - 1) {
    for (std::size_t i = 0; i < capacity; ++i) cells_[i].sequence.store(i);
  }
  bool push(T value) {
    std::size_t position = tail_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[position & mask_];
      const auto sequence = cell.sequence.load(std::memory_order_acquire);
      if (sequence < position) return false;
      if (sequence > position) {
        position = tail_.load(std::memory_order_relaxed);
      } else if (tail_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
        if (kBroken) cell.sequence.store(position + 1, std::memory_order_release);
        cell.value = std::move(value);
        cell.sequence.store(position + 1, std::memory_order_release);
        return true;
      }
    }
  }
  bool pop(T& value) {
    std::size_t position = head_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[position & mask_];
      const auto sequence = cell.sequence.load(std::memory_order_acquire);
      if (sequence < position + 1) return false;
      if (sequence > position + 1) {
        position = head_.load(std::memory_order_relaxed);
      } else if (head_.compare_exchange_weak(position, position + 1, std::memory_order_relaxed)) {
        value = std::move(cell.value);
        cell.sequence.store(position + mask_ + 1, std::memory_order_release);
        return true;
      }
    }
  }

 private:
  struct Cell {
    std::atomic<std::size_t> sequence = 0;
    T value{};
  };
  std::vector<Cell> cells_;
  std::size_t mask_;
  std::atomic<std::size_t> head_ = 0;
  std::atomic<std::size_t> tail_ = 0;
};

// Michael and Scott's queue over a pool of nodes, whose links carry a counter against ABA. Broken:
// without it.
template <class T, bool kBroken>
class PooledQueue {
 public:
  explicit PooledQueue(std::uint32_t capacity) : nodes_(capacity + 1) {
    for (std::uint32_t i = 1; i <= capacity; ++i) give_back(i);
    head_.store(Link{0, 0}.bits());
    tail_.store(Link{0, 0}.bits());
    nodes_[0].next.store(Link{kNone, 0}.bits());
  }
  bool push(T value) {
    const std::uint32_t fresh = take();
    if (fresh == kNone) return false;
    nodes_[fresh].value.store(value, std::memory_order_relaxed);
    const Link old(nodes_[fresh].next.load());
    nodes_[fresh].next.store(old.to(kNone).bits());
    for (;;) {
      const Link tail(tail_.load());
      const Link next(nodes_[tail.index].next.load());
      if (tail.bits() != tail_.load()) continue;
      if (next.index != kNone) {
        exchange(tail_, tail, next.index);
      } else if (exchange(nodes_[tail.index].next, next, fresh)) {
        exchange(tail_, tail, fresh);
        return true;
      }
    }
  }
  bool pop(T& value) {
    for (;;) {
      const Link head(head_.load());
      const Link tail(tail_.load());
      const Link next(nodes_[head.index].next.load());
      if (head.bits() != head_.load()) continue;
      if (next.index == kNone) return false;
      if (head.index == tail.index) {
        exchange(tail_, tail, next.index);
        continue;
      }
      value = nodes_[next.index].value.load(std::memory_order_relaxed);
      if (!exchange(head_, head, next.index)) continue;
      give_back(head.index);
      return true;
    }
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Link {
    std::uint32_t index;
    std::uint32_t count;
    Link(std::uint32_t to, std::uint32_t times) : index(to), count(times) {}
    explicit Link(std::uint64_t bits)
        : index(static_cast<std::uint32_t>(bits)), count(static_cast<std::uint32_t>(bits >> 32)) {}
    std::uint64_t bits() const { return std::uint64_t{count} << 32 | index; }
    Link to(std::uint32_t other) const { return {other, kBroken ? 0 : count + 1}; }
  };
  struct Node {
    std::atomic<T> value{};
    std::atomic<std::uint64_t> next{};
    std::atomic<std::uint32_t> next_free{};
  };
  static bool exchange(std::atomic<std::uint64_t>& link, Link from, std::uint32_t to) {
    std::uint64_t expected = from.bits();
    return link.compare_exchange_strong(expected, from.to(to).bits());
  }
  void give_back(std::uint32_t index) {
    for (;;) {
      const Link top(free_.load());
      nodes_[index].next_free.store(top.index);
      if (exchange(free_, top, index)) return;
    }
  }
  std::uint32_t take() {
    for (;;) {
      const Link top(free_.load());
      if (top.index == kNone) return kNone;
      if (exchange(free_, top, nodes_[top.index].next_free.load())) return top.index;
    }
  }

  std::vector<Node> nodes_;
  std::atomic<std::uint64_t> head_{};
  std::atomic<std::uint64_t> tail_{};
  std::atomic<std::uint64_t> free_{Link{kNone, 0}.bits()};
};

// A Treiber stack with hazard pointers (Michael 2004). Broken: nobody looks whether the top is
// still the top once it is protected.
template <class T, bool kBroken>
class HazardStack {
 public:
  static constexpr std::size_t kThreads = 3;
  ~HazardStack() {
    for (Node* node = top_.load(); node != nullptr;) delete std::exchange(node, node->next);
    for (auto& retired : retired_) {
      for (Node* node : retired) delete node;
    }
  }
  void push(T value) {
    auto* node = new Node{std::move(value), top_.load(std::memory_order_relaxed)};
    while (!top_.compare_exchange_weak(node->next, node, std::memory_order_release,
                                       std::memory_order_relaxed)) {
    }
  }
  std::optional<T> pop(std::size_t thread) {
    Node* node = top_.load();
    for (;;) {
      if (node == nullptr) {
        hazards_[thread].store(nullptr);
        return std::nullopt;
      }
      hazards_[thread].store(node);
      if (!kBroken) {
        Node* again = top_.load();
        if (again != std::exchange(node, again)) continue;
      }
      if (top_.compare_exchange_strong(node, node->next)) break;
    }
    hazards_[thread].store(nullptr);
    std::optional<T> value(std::move(node->value));
    retired_[thread].push_back(node);
    free_what_nobody_reads(thread);
    return value;
  }

 private:
  struct Node {
    T value;
    Node* next;
  };
  void free_what_nobody_reads(std::size_t thread) {
    std::vector<Node*> kept;
    for (Node* node : retired_[thread]) {
      bool read = false;
      for (auto& hazard : hazards_) read = read || hazard.load() == node;
      if (read) {
        kept.push_back(node);
      } else {
        node->next = nullptr;
        delete node;
      }
    }
    retired_[thread].swap(kept);
  }

  std::atomic<Node*> top_ = nullptr;
  std::array<std::atomic<Node*>, kThreads> hazards_{};
  std::array<std::vector<Node*>, kThreads> retired_;
};

// Chase and Lev's deque, in the form of Lê and others (PPoPP 2013). Broken: the owner takes the
// last element without asking thieves.
template <bool kBroken>
class StealingDeque {
 public:
  void push(int value) {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed);
    slots_[static_cast<std::size_t>(bottom) % slots_.size()].store(value,
                                                                   std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    bottom_.store(bottom + 1, std::memory_order_relaxed);
  }
  std::optional<int> take() {
    const std::int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    bottom_.store(bottom, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::int64_t top = top_.load(std::memory_order_relaxed);
    std::optional<int> taken;
    if (top <= bottom) {
      taken =
          slots_[static_cast<std::size_t>(bottom) % slots_.size()].load(std::memory_order_relaxed);
      if (top < bottom || kBroken) return taken;
      if (!top_.compare_exchange_strong(top, top + 1)) taken.reset();
    }
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    return taken;
  }
  std::optional<int> steal() {
    std::int64_t top = top_.load(std::memory_order_acquire);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const std::int64_t bottom = bottom_.load(std::memory_order_acquire);
    if (top >= bottom) return std::nullopt;
    const int value =
        slots_[static_cast<std::size_t>(top) % slots_.size()].load(std::memory_order_relaxed);
    if (!top_.compare_exchange_strong(top, top + 1)) return std::nullopt;
    return value;
  }

 private:
  std::atomic<std::int64_t> top_ = 0;
  std::atomic<std::int64_t> bottom_ = 0;
  std::array<std::atomic<int>, 8> slots_{};
};

// Vyukov's intrusive queue of many producers and one consumer. Broken: a producer links first and
// takes its place then.
template <bool kBroken>
class MpscQueue {
 public:
  struct Node {
    std::atomic<Node*> next = nullptr;
    int value = 0;
  };
  void push(Node* node) {
    node->next.store(nullptr, std::memory_order_relaxed);
    if (kBroken) {
      Node* before = head_.load();
      before->next.store(node, std::memory_order_release);
      head_.store(node);
      return;
    }
    Node* before = head_.exchange(node, std::memory_order_acq_rel);
    before->next.store(node, std::memory_order_release);
  }
  Node* pop() {
    Node* tail = tail_;
    Node* next = tail->next.load(std::memory_order_acquire);
    if (tail == &stub_) {
      if (next == nullptr) return nullptr;
      tail_ = tail = next;
      next = next->next.load(std::memory_order_acquire);
    }
    if (next == nullptr) {
      if (tail != head_.load(std::memory_order_acquire)) return nullptr;
      push(&stub_);
      next = tail->next.load(std::memory_order_acquire);
      if (next == nullptr) return nullptr;
    }
    tail_ = next;
    return tail;
  }

 private:
  Node stub_;
  std::atomic<Node*> head_ = &stub_;
  Node* tail_ = &stub_;
};

// Open addressing with keys that are taken once (Preshing 2013). Broken: two may take one slot.
template <bool kBroken>
class LockFreeTable {
 public:
  bool insert(std::uint32_t key, std::uint32_t value) {
    for (std::size_t at = key;; ++at) {
      Slot& slot = slots_[at % slots_.size()];
      std::uint32_t found = slot.key.load(std::memory_order_relaxed);
      if (found == 0 && kBroken) {
        slot.key.store(key, std::memory_order_relaxed);
        found = key;
      }
      if (found == 0 && slot.key.compare_exchange_strong(found, key, std::memory_order_relaxed)) {
        found = key;
      }
      if (found != key) continue;
      slot.value.store(value, std::memory_order_release);
      return true;
    }
  }
  std::uint32_t find(std::uint32_t key) const {
    for (std::size_t at = key; at < key + slots_.size(); ++at) {
      const Slot& slot = slots_[at % slots_.size()];
      const std::uint32_t found = slot.key.load(std::memory_order_relaxed);
      if (found == key) return slot.value.load(std::memory_order_acquire);
      if (found == 0) return 0;
    }
    return 0;
  }

 private:
  struct Slot {
    std::atomic<std::uint32_t> key = 0;
    std::atomic<std::uint32_t> value = 0;
  };
  std::array<Slot, 8> slots_;
};

// Two words behind a version (Boehm 2012). Broken: the writer does not say that it begins.
template <bool kBroken>
class SeqLocked {
 public:
  void write(int first, int second) {
    const unsigned version = version_.load(std::memory_order_relaxed);
    if (!kBroken) version_.store(version + 1, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    first_.store(first, std::memory_order_relaxed);
    second_.store(second, std::memory_order_relaxed);
    version_.store(version + 2, std::memory_order_release);
  }
  std::pair<int, int> read() const {
    for (;;) {
      const unsigned before = version_.load(std::memory_order_acquire);
      const std::pair<int, int> seen(first_.load(std::memory_order_relaxed),
                                     second_.load(std::memory_order_relaxed));
      std::atomic_thread_fence(std::memory_order_acquire);
      if (before % 2 == 0 && before == version_.load(std::memory_order_relaxed)) return seen;
    }
  }

 private:
  std::atomic<unsigned> version_ = 0;
  std::atomic<int> first_ = 0;
  std::atomic<int> second_ = 0;
};

// Read, copy, update: who replaces waits until nobody reads what was there. Broken: it does not
// wait.
template <class T, bool kBroken>
class RcuCell {
 public:
  explicit RcuCell(T value) : current_(new T(std::move(value))) {}
  ~RcuCell() { delete current_.load(); }
  template <class Read>
  auto read(std::size_t thread, Read function) const {
    readers_[thread].store(1);
    const auto result = function(*current_.load());
    readers_[thread].store(0, std::memory_order_release);
    return result;
  }
  void replace(T value) {
    T* old = current_.exchange(new T(std::move(value)));
    for (auto& reader : readers_) {
      while (!kBroken && reader.load() != 0) std::this_thread::yield();
    }
    *old = T{};
    delete old;
  }

 private:
  std::atomic<T*> current_;
  mutable std::array<std::atomic<int>, 2> readers_{};
};

}  // namespace containers
