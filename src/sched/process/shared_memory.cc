#include "sched/process/shared_memory.h"

#include <sys/mman.h>

#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

void* map_shared(std::size_t size) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) stop_program("heddle: there is no memory to share with processes");
  return memory;
}

}  // namespace heddle::sched::runtime
