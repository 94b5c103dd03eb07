// A library that was compiled with the flag asks for a function of ThreadSanitizer's; the names
// that it asks for and offers stand in its table of strings.
#include "sched/report/unseen_libraries.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <link.h>
#include <string_view>

namespace heddle::sched::runtime {

namespace {

// What is known, or has neither threads nor locks that a test could wait for.
constexpr std::array<std::string_view, 12> kKnown{
    "libc.so",      "libm.so",     "libstdc++.so",       "libc++.so",
    "libc++abi.so", "libgcc_s.so", "ld-linux-x86-64.so", "libpthread.so",
    "libdl.so",     "librt.so",    "libatomic.so",       "linux-vdso.so"};

// Ways to make threads, or to wait for others without the C library's locks.
constexpr std::array<std::string_view, 4> kSigns{"pthread_create", "thrd_create", "syscall",
                                                 "sched_yield"};

struct Strings {
  const char* begin = nullptr;
  std::size_t size = 0;

  bool have(std::string_view name) const {
    return std::string_view(begin, size).find(name) != std::string_view::npos;
  }
};

Strings strings_of(const dl_phdr_info& library) {
  Strings strings;
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    if (library.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const std::uintptr_t place = library.dlpi_addr + library.dlpi_phdr[i].p_vaddr;
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(place);
    for (; entry->d_tag != DT_NULL; ++entry) {
      // The loader has made an address of it.
      if (entry->d_tag == DT_STRTAB) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr)
        strings.begin = reinterpret_cast<const char*>(entry->d_un.d_ptr);
      }
      if (entry->d_tag == DT_STRSZ) strings.size = entry->d_un.d_val;
    }
  }
  if (strings.begin == nullptr) strings.size = 0;
  return strings;
}

int look_at(dl_phdr_info* library, std::size_t /*size*/, void* found) {
  const std::string_view path = library->dlpi_name == nullptr ? "" : library->dlpi_name;
  const std::string_view file = path.substr(path.rfind('/') + 1);
  const auto begins = [&](std::string_view name) { return file.starts_with(name); };
  // The program itself has no name.
  if (file.empty() || std::any_of(kKnown.begin(), kKnown.end(), begins)) return 0;
  const Strings strings = strings_of(*library);
  const auto is_asked_for = [&](std::string_view name) { return strings.have(name); };
  if (strings.have("__tsan_init") || !std::any_of(kSigns.begin(), kSigns.end(), is_asked_for)) {
    return 0;
  }
  static_cast<std::vector<std::string>*>(found)->emplace_back(file);
  return 0;
}

}  // namespace

std::vector<std::string> unseen_libraries() {
  std::vector<std::string> found;
  dl_iterate_phdr(look_at, &found);
  std::sort(found.begin(), found.end());
  return found;
}

std::string describe_unseen(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text + (names.size() == 1 ? " was" : " were") +
         " not compiled with -fsanitize=thread: what such a library keeps apart by locks of its "
         "own, heddle takes for a race, and where its threads wait by themselves it cannot go on";
}

}  // namespace heddle::sched::runtime
