/// Blocks of memory that are taken and given back without a lock: a Treiber stack of the blocks
/// that are free (R. K. Treiber, "Systems programming: coping with parallelism", 1986).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

constexpr std::uint32_t kBlocks = 3;
constexpr std::uint32_t kNoBlock = kBlocks;

/// The top of the stack is the number of a block, and nothing else.
class PlainTop {
 public:
  explicit PlainTop(std::uint32_t block) : block(block) {}
  PlainTop followed_by(std::uint32_t next) const { return PlainTop(next); }

  std::uint32_t block;
};

/// The top of the stack is the number of a block, and how often the top has changed.
class CountedTop {
 public:
  explicit CountedTop(std::uint32_t block, std::uint32_t changes = 0)
      : block(block), changes(changes) {}
  CountedTop followed_by(std::uint32_t next) const { return CountedTop(next, changes + 1); }

  std::uint32_t block;
  std::uint32_t changes;
};

template <class Top>
class FreeList {
 public:
  FreeList() : top_(Top(0)) {
    for (std::uint32_t block = 0; block < kBlocks; ++block) next_[block] = block + 1;
  }

  /// The number of a block that is now the caller's, or kNoBlock.
  std::uint32_t take() {
    Top seen = top_.load();
    while (seen.block != kNoBlock) {
      const std::uint32_t next = next_[seen.block].load();
      // With a plain top, others may meanwhile have taken the block and the next one, and have
      // given the first one back: the exchange succeeds, and the next one, which is in use, becomes
      // the top (A, B, A again). A counted top has changed by then, so that the exchange fails.
      if (top_.compare_exchange_weak(seen, seen.followed_by(next))) return seen.block;
    }
    return kNoBlock;
  }

  void give_back(std::uint32_t block) {
    Top seen = top_.load();
    do {
      next_[block].store(seen.block);
    } while (!top_.compare_exchange_weak(seen, seen.followed_by(block)));
  }

 private:
  std::atomic<Top> top_;
  std::array<std::atomic<std::uint32_t>, kBlocks> next_;
};

using AbaFreeList = FreeList<PlainTop>;
using CountedFreeList = FreeList<CountedTop>;
