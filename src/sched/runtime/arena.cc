#include "sched/runtime/arena.h"

#include <bit>
#include <cstring>
#include <sys/mman.h>

#include "sched/runtime/libc.h"

namespace heddle::sched::runtime {

namespace {

// What stands before each block.
struct Header {
  std::size_t size = 0;          // what the block may hold
  std::uint32_t size_class = 0;  // kClasses: no class, as its alignment is unusual
  bool is_free = false;
};

constexpr std::size_t kUsualAlignment = 16;
static_assert(sizeof(Header) == kUsualAlignment);

// Memory that was never written looks the same in each execution.
constexpr int kFresh = 0xCE;

Header* header_of(const void* block) {
  return reinterpret_cast<Header*>(reinterpret_cast<std::uintptr_t>(block) - sizeof(Header));
}

}  // namespace

void Arena::open() {
  void* place = mmap(reinterpret_cast<void*>(kBase), kSize, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (place != reinterpret_cast<void*>(kBase)) {
    stop_program("heddle: the address range for the memory of tests is taken");
  }
}

void Arena::begin_execution() {
  if (next_ > most_) most_ = next_;
  // An execution that took much more than usual gives it back to the system.
  constexpr std::size_t kKept = std::size_t{64} << 20;
  if (most_ - kBase > kKept) {
    madvise(reinterpret_cast<void*>(kBase + kKept), most_ - kBase - kKept, MADV_DONTNEED);
    most_ = kBase + kKept;
  }
  next_ = kBase;
  free_.fill(nullptr);
}

std::size_t Arena::class_of(std::size_t size) {
  const std::size_t units = (size + kUsualAlignment - 1) / kUsualAlignment;
  if (units <= 4) return units == 0 ? 0 : units - 1;
  const auto power =
      static_cast<std::size_t>(std::bit_width(units - 1)) - 1;  // 2^power < units <= 2^(power+1)
  const std::size_t quarter = (units - 1) >> (power - 2) & 3;
  return 4 * (power - 1) + quarter;
}

std::size_t Arena::class_size(std::size_t size_class) {
  if (size_class < 4) return (size_class + 1) * kUsualAlignment;
  const std::size_t power = size_class / 4 + 1;
  return ((std::size_t{4} + size_class % 4 + 1) << (power - 2)) * kUsualAlignment;
}

void* Arena::allocate(std::size_t size, std::size_t alignment) {
  if (size > kSize / 2) return nullptr;
  const std::size_t size_class = class_of(size);
  const std::size_t rounded = class_size(size_class);
  const bool usual = alignment <= kUsualAlignment;
  if (usual && free_[size_class] != nullptr) {
    Free* block = free_[size_class];
    free_[size_class] = block->next;
    header_of(block)->is_free = false;
    memset(static_cast<void*>(block), kFresh, rounded);
    return block;
  }
  std::uintptr_t block = next_ + sizeof(Header);
  if (!usual) block = (block + alignment - 1) & ~(alignment - 1);
  if (block + rounded > kBase + kSize) return nullptr;
  next_ = block + rounded;
  *header_of(reinterpret_cast<void*>(block)) = {
      rounded, static_cast<std::uint32_t>(usual ? size_class : kClasses), false};
  memset(reinterpret_cast<void*>(block), kFresh, rounded);
  return reinterpret_cast<void*>(block);
}

bool Arena::free(void* block) {
  Header& header = *header_of(block);
  if (header.is_free) return false;
  header.is_free = true;
  if (header.size_class >= kClasses) return true;
  auto* free = static_cast<Free*>(block);
  free->next = free_[header.size_class];
  free_[header.size_class] = free;
  return true;
}

std::size_t Arena::size_of(const void* block) { return header_of(block)->size; }

}  // namespace heddle::sched::runtime
