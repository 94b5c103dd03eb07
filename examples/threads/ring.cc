// A producer and a consumer share a ring in a temporary file. The file is made and mapped once; the
// ring in it is made anew for each execution.
#include "ring.h"

#include <cstdio>
#include <heddle/sched.h>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace {

/// A mapped temporary file of this size, which lives as long as the process.
void* map_temporary_file(std::size_t size) {
  std::FILE* file = std::tmpfile();
  if (file == nullptr || ftruncate(fileno(file), static_cast<off_t>(size)) != 0) return nullptr;
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

int main() {
  void* memory = map_temporary_file(sizeof(TESTED));
  if (memory == nullptr) {
    std::perror("a temporary file cannot be mapped");
    return 2;
  }
  return heddle::sched::test(
      [memory] {
        TESTED& ring = *new (memory) TESTED();
        std::thread producer([&ring] {
          for (std::int64_t value = 1; value <= 3; ++value) ring.publish(value);
        });
        for (std::int64_t value = 1; value <= 3; ++value) {
          if (ring.consume() != value) heddle::sched::fail("a value is lost or comes twice");
        }
        producer.join();
      },
      {.executions = 5000});
}
