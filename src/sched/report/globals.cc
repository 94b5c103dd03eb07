#include "sched/report/globals.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <link.h>
#include <string_view>
#include <unistd.h>

#include "sched/runtime/arena.h"

namespace heddle::sched::runtime {

namespace {

struct Symbol {
  std::uintptr_t address = 0;
  std::size_t size = 0;
  std::string name;
};

std::uintptr_t base_of_program() {
  std::uintptr_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* found) {
        *static_cast<std::uintptr_t*>(found) = info->dlpi_addr;
        return 1;  // The program is the first.
      },
      &base);
  return base;
}

// A line of nm: address, size, kind, name. Size 0: it is none of an object.
Symbol parse_symbol(const char* line) {
  char* rest = nullptr;
  Symbol symbol;
  symbol.address = strtoull(line, &rest, 16);
  symbol.size = strtoull(rest, &rest, 16);
  constexpr std::string_view kObjects = "bBdDgGsSuvV";
  if (rest[0] != ' ' || kObjects.find(rest[1]) == std::string_view::npos || rest[2] != ' ') {
    return {};
  }
  symbol.name = rest + 3;
  while (symbol.name.ends_with('\n')) symbol.name.pop_back();
  return symbol;
}

std::vector<Symbol> symbols_of_program() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) return {};
  std::string quoted;
  for (const char letter : std::string_view(path, static_cast<std::size_t>(length))) {
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  }
  FILE* answer = popen(("nm -C -S --defined-only '" + quoted + "' 2>/dev/null").c_str(), "r");
  if (answer == nullptr) return {};
  std::vector<Symbol> symbols;
  const std::uintptr_t base = base_of_program();
  char* line = nullptr;
  std::size_t room = 0;
  while (getline(&line, &room, answer) > 0) {
    Symbol symbol = parse_symbol(line);
    if (symbol.size == 0) continue;
    symbol.address += base;
    symbols.push_back(std::move(symbol));
  }
  free(line);
  pclose(answer);
  return symbols;
}

std::string name_at(const std::vector<Symbol>& symbols, std::uintptr_t address) {
  for (const Symbol& symbol : symbols) {
    if (address - symbol.address < symbol.size) return symbol.name;
  }
  char text[64];
  snprintf(text, sizeof text, "the program+0x%zx", address - base_of_program());
  return text;
}

bool is_of_library(std::string_view name) {
  constexpr std::string_view kGuard = "guard variable for ";
  if (name.starts_with(kGuard)) name.remove_prefix(kGuard.size());
  return name.starts_with("std::") || name.starts_with("__gnu_cxx::") ||
         name.starts_with("heddle::sched::");
}

}  // namespace

void watch_globals(LeftMemory& memory) {
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t /*size*/, void* watching) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr)& header = info->dlpi_phdr[i];
          if (header.p_type != PT_LOAD || (header.p_flags & PF_W) == 0) continue;
          const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
          static_cast<LeftMemory*>(watching)->watch(begin, begin + header.p_memsz);
        }
        return 1;  // The program is the first.
      },
      &memory);
}

std::vector<LeftGlobal> left_globals(const std::vector<LeftMemory::Found>& found) {
  if (found.empty()) return {};
  const std::vector<Symbol> symbols = symbols_of_program();
  std::vector<LeftGlobal> globals;
  for (const LeftMemory::Found& one : found) {
    std::string name = name_at(symbols, one.address);
    if (is_of_library(name)) continue;
    const auto known = std::find_if(globals.begin(), globals.end(),
                                    [&](const LeftGlobal& global) { return global.name == name; });
    LeftGlobal& global =
        known != globals.end() ? *known : globals.emplace_back(LeftGlobal{std::move(name)});
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it is one, if it looks like one.
    if (Arena::contains(reinterpret_cast<const void*>(one.value))) global.keeps_memory = true;
  }
  return globals;
}

std::string describe_left(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string text = "executions find what earlier ones left in ";
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text + ": build it in the test's body, or use .isolate = heddle::sched::Isolate::process";
}

}  // namespace heddle::sched::runtime
