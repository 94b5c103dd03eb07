#include "sched/runtime/program_image.h"

#include <algorithm>
#include <cstring>
#include <link.h>

namespace heddle::sched::runtime {

constinit std::uintptr_t begin_of_objects = 0;
constinit std::uintptr_t end_of_objects = 0;

namespace {

std::uintptr_t begin_of_program = 0;
std::uintptr_t end_of_program = 0;

int find_segments(dl_phdr_info* info, std::size_t /*size*/, void* /*unused*/) {
  begin_of_program = begin_of_objects = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    const std::uintptr_t end = begin + header.p_memsz;
    begin_of_program = std::min(begin_of_program, begin);
    end_of_program = std::max(end_of_program, end);
    if ((header.p_flags & PF_W) == 0) continue;
    begin_of_objects = std::min(begin_of_objects, begin);
    end_of_objects = std::max(end_of_objects, end);
  }
  return 1;  // The program is the first; the others are libraries.
}

}  // namespace

void find_program_image() { dl_iterate_phdr(find_segments, nullptr); }

std::uint64_t program_offset(std::uintptr_t address) {
  return address >= begin_of_program && address < end_of_program ? address - begin_of_program + 1
                                                                 : 0;
}

std::uint64_t value_at(std::uintptr_t address, std::size_t size) {
  if (size != 1 && size != 2 && size != 4 && size != 8) return 0;
  std::uint64_t value = 0;
  memcpy(&value, reinterpret_cast<const void*>(address), size);
  return value;
}

}  // namespace heddle::sched::runtime
