/// A ring buffer in a file that is mapped into memory, in the style of the LMAX disruptor (Thompson
/// and others, 2011): one producer, one consumer, no lock, and two sequences that only grow.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>

constexpr std::uint64_t kSlots = 2;

/// What the file holds. Its place in memory is what `mmap` returned.
template <std::memory_order kPublish>
class Ring {
 public:
  /// REQUIRES: one thread calls it.
  void publish(std::int64_t value) {
    const std::uint64_t sequence = published_.load(std::memory_order_relaxed);
    while (sequence - consumed_.load(std::memory_order_acquire) == kSlots)
      std::this_thread::yield();
    slots_[sequence % kSlots] = value;
    published_.store(sequence + 1, kPublish);
  }

  /// REQUIRES: one thread calls it, not the one that publishes.
  std::int64_t consume() {
    const std::uint64_t sequence = consumed_.load(std::memory_order_relaxed);
    while (published_.load(std::memory_order_acquire) == sequence) std::this_thread::yield();
    const std::int64_t value = slots_[sequence % kSlots];
    // Only now may the producer write to the slot again.
    consumed_.store(sequence + 1, std::memory_order_release);
    return value;
  }

 private:
  // Each in a cache line of its own, so that the two threads do not slow each other down.
  alignas(64) std::atomic<std::uint64_t> published_ = 0;
  alignas(64) std::atomic<std::uint64_t> consumed_ = 0;
  alignas(64) std::array<std::int64_t, kSlots> slots_ = {};
};

/// A relaxed store is published too early: the consumer may see the sequence before the slot.
using EarlyRing = Ring<std::memory_order_relaxed>;

/// Right, because what is written before a store with `release`, the slot, is seen by whoever loads
/// the sequence with `acquire`.
using OrderedRing = Ring<std::memory_order_release>;
