// The memory that tests allocate: at a fixed place, handed out in the same order in each execution,
// and given back as a whole at the end. What was freed last is handed out first, so that an address
// comes back for something else as soon as it can (the ABA problem).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace heddle::sched::runtime {

class Arena {
 public:
  // Takes the address range; the system gives pages as they are touched.
  void open();
  // Forgets all blocks.
  void begin_execution();

  // null: there is no room left. `alignment` is a power of two.
  void* allocate(std::size_t size, std::size_t alignment);
  // False: it was given back before.
  bool free(void* block);
  // How much the block may hold.
  static std::size_t size_of(const void* block);

  static bool contains(std::uintptr_t address) { return address - kBase < kSize; }
  static bool contains(const void* address) {
    return contains(reinterpret_cast<std::uintptr_t>(address));
  }
  // How many bytes are in use, with what was freed and not handed out again.
  std::size_t used() const { return next_ - kBase; }

  static constexpr std::uintptr_t kBase =
      0x100000000000;  // above what programs are given, below shared libraries
  static constexpr std::size_t kSize = std::size_t{1} << 36;

 private:
  struct Free {
    Free* next;
  };
  // Classes of sizes: four to each power of two.
  static constexpr std::size_t kClasses = std::size_t{4} * 64;
  static std::size_t class_of(std::size_t size);
  static std::size_t class_size(std::size_t size_class);

  std::uintptr_t next_ = kBase;
  std::uintptr_t most_ = kBase;  // the furthest that any execution came
  std::array<Free*, kClasses> free_{};
};

}  // namespace heddle::sched::runtime
