#include "sched/runtime/thread_locals.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <link.h>

namespace heddle::sched::runtime {

namespace {

// The program's own block ends at the thread pointer (Drepper: ELF Handling For Thread-Local
// Storage, variant II).
struct Block {
  const void* image = nullptr;
  std::size_t image_size = 0;
  std::size_t size = 0;
  std::size_t offset = 0;  // how far below the thread pointer it begins
};
Block program_block;

int find_block(dl_phdr_info* info, std::size_t /*size*/, void* /*unused*/) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_TLS) continue;
    const std::size_t align = header.p_align == 0 ? 1 : header.p_align;
    // The block begins at an address that leaves the remainder p_vaddr % align.
    const std::size_t offset =
        (header.p_memsz + align - 1 + header.p_vaddr % align) / align * align -
        header.p_vaddr % align;
    program_block = {.image = reinterpret_cast<const void*>(info->dlpi_addr + header.p_vaddr),
                     .image_size = header.p_filesz,
                     .size = header.p_memsz,
                     .offset = offset};
  }
  return 1;  // The program is the first; the others are libraries.
}

}  // namespace

void find_thread_locals() { dl_iterate_phdr(find_block, nullptr); }

void reset_thread_locals(void* thread_pointer) {
  if (program_block.size == 0) return;
  auto* block = static_cast<char*>(thread_pointer) - program_block.offset;
  memcpy(block, program_block.image, program_block.image_size);
  memset(block + program_block.image_size, 0, program_block.size - program_block.image_size);
}

}  // namespace heddle::sched::runtime
