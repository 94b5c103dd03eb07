// Where the program stands in memory, so that addresses in it can be told without where it was
// loaded.
#pragma once

#include <cstddef>
#include <cstdint>

namespace heddle::sched::runtime {

// Where the program's objects stand that can be written.
extern constinit std::uintptr_t begin_of_objects;
extern constinit std::uintptr_t end_of_objects;
inline bool is_global(std::uintptr_t address) {
  return address - begin_of_objects < end_of_objects - begin_of_objects;
}

// Called once, by the driver.
void find_program_image();

// How far behind its beginning the address is, plus 1; 0: it is not in the program.
std::uint64_t program_offset(std::uintptr_t address);

// The value of 1, 2, 4 or 8 bytes of memory; 0 for other sizes.
std::uint64_t value_at(std::uintptr_t address, std::size_t size);

}  // namespace heddle::sched::runtime
