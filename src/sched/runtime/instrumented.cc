// A function that is compiled with -fsanitize=thread and calls others says first of all that it
// begins. In the program itself, where uninstrumented libraries may be linked in, its code is
// looked at for the call that says so; it begins where the unwinding tables say. Another shared
// library counts as a whole, by the names that it needs.
#include "sched/runtime/instrumented.h"

#include <array>
#include <cstring>
#include <link.h>
#include <string_view>

#include "sched/runtime/looked_up.h"

// NOLINTBEGIN(readability-identifier-naming): libgcc's names (unwind-dw2-fde.h), and compilers'.
extern "C" {
struct dwarf_eh_bases {
  void* tbase;
  void* dbase;
  void* func;
};
const void* _Unwind_Find_FDE(void* pc, struct dwarf_eh_bases* bases);
void __tsan_func_entry(void* caller);
}
// NOLINTEND(readability-identifier-naming)

namespace heddle::sched::runtime {

namespace {

constexpr std::uint8_t kCall = 0xE8;  // with the distance to the function
constexpr std::size_t kCallBytes = 5;

bool calls_func_entry(const std::uint8_t* begin, const std::uint8_t* end) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(&__tsan_func_entry);
  for (const std::uint8_t* at = begin; at + kCallBytes <= end; ++at) {
    if (*at != kCall) continue;
    std::int32_t distance = 0;
    memcpy(&distance, at + 1, sizeof distance);
    const std::uintptr_t after = reinterpret_cast<std::uintptr_t>(at) + kCallBytes;
    if (after + static_cast<std::uintptr_t>(static_cast<std::intptr_t>(distance)) == wanted) {
      return true;
    }
  }
  return false;
}

bool needs_func_entry(const dl_phdr_info& info, const ElfW(Phdr) & dynamic) {
  constexpr std::string_view kName{"\0__tsan_func_entry\0", 19};
  const char* names = nullptr;
  std::size_t size = 0;
  const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + dynamic.p_vaddr);
  for (; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) names = reinterpret_cast<const char*>(entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRSZ) size = entry->d_un.d_val;
  }
  return names != nullptr && memmem(names, size, kName.data(), kName.size()) != nullptr;
}

// The part of the process that holds an address, and what is known of it.
struct Holder {
  std::uintptr_t address = 0;
  std::size_t looked_at = 0;
  bool exists = false;
  bool is_program = false;
  bool is_instrumented = false;
};

int find_holder(dl_phdr_info* info, std::size_t /*size*/, void* found) {
  auto& holder = *static_cast<Holder*>(found);
  const bool first = holder.looked_at++ == 0;
  const ElfW(Phdr)* dynamic = nullptr;
  bool holds = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type == PT_DYNAMIC) dynamic = &header;
    if (header.p_type != PT_LOAD) continue;
    holds = holds || holder.address - info->dlpi_addr - header.p_vaddr < header.p_memsz;
  }
  if (!holds) return 0;
  holder.is_program = first;
  holder.is_instrumented = !first && dynamic != nullptr && needs_func_entry(*info, *dynamic);
  return 1;
}

Holder holder_of(const void* caller) {
  Holder holder{.address = reinterpret_cast<std::uintptr_t>(caller)};
  holder.exists = dl_iterate_phdr(find_holder, &holder) == 1;
  return holder;
}

bool look_at_code(const void* caller) {
  const Holder holder = holder_of(caller);
  if (!holder.is_program) return holder.is_instrumented;
  const auto* end = static_cast<const std::uint8_t*>(caller);
  dwarf_eh_bases bases{};
  if (_Unwind_Find_FDE(const_cast<std::uint8_t*>(end - 1), &bases) == nullptr) return false;
  return calls_func_entry(static_cast<const std::uint8_t*>(bases.func), end);
}

struct KnownCaller {
  const void* caller = nullptr;
  bool instrumented = false;
};
// One OS thread at a time is on a task.
std::array<KnownCaller, 4096> known_callers;

}  // namespace

bool is_instrumented(const void* caller) {
  KnownCaller& known =
      known_callers[reinterpret_cast<std::uintptr_t>(caller) % known_callers.size()];
  if (known.caller != caller) {
    const InRuntime inside;
    known = {caller, look_at_code(caller)};
    looked_up.callers.add(caller);
  }
  return known.instrumented;
}

// Another process may have loaded more libraries than this one.
void learn_caller(const void* caller) {
  if (holder_of(caller).exists) is_instrumented(caller);
}

}  // namespace heddle::sched::runtime
