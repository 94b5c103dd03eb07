// What executions leave behind in memory that outlives them, as globals, and whether a later one
// finds it: reads a byte that an earlier execution changed and that it has not written itself.
// Bytes that are written before they are read, and those that are put back, make no difference.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace heddle::sched::runtime {

class LeftMemory {
 public:
  // Forgets everything.
  void clear() { *this = LeftMemory(); }

  // What changes in this memory counts as written, whoever did it: the first executions are looked
  // at. REQUIRES: it can be read until `clear`.
  void watch(std::uintptr_t begin, std::uintptr_t end);

  // Before an access. REQUIRES: the bytes can be read.
  void read(std::uintptr_t address, std::size_t size);
  void write(std::uintptr_t address, std::size_t size);
  // After an execution: looks at what it has written.
  void end_execution();

  // The bytes that were found as they were left behind, in order; and what stood in the eight bytes
  // around when the execution ended that left it.
  struct Found {
    std::uintptr_t address = 0;
    std::uint64_t value = 0;
  };
  std::vector<Found> found() const;

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 16;
  static constexpr std::size_t kBytes = 8;
  static constexpr std::size_t kMostWatched = std::size_t{64} << 20;

  struct Granule {
    std::array<std::uint8_t, kBytes> before{};  // any execution
    std::uint64_t left = 0;                     // after the last that wrote it
    std::uint32_t execution = 0;                // that wrote it last
    std::uint8_t written = 0;                   // bytes, a bit each, in that execution
    std::uint8_t changed = 0;  // bytes that differ from `before` since an earlier one
    std::uint8_t found = 0;    // bytes that were read as they were left
  };

  // Memory as it was before any execution.
  struct Watched {
    std::uintptr_t begin = 0;
    std::vector<std::uint8_t> before;
  };
  void look_for_changes(const Watched& watched);
  static void compare(Granule& granule, std::uintptr_t at);

  std::vector<Watched> watched_;
  int looks_left_ = 3;  // executions behind which it is looked at
  std::unordered_map<std::uintptr_t, Granule> granules_;
  std::vector<std::uintptr_t> written_;  // in this execution
  std::uint32_t execution_ = 1;
};

}  // namespace heddle::sched::runtime
