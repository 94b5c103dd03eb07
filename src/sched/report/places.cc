#include "sched/report/places.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <link.h>
#include <set>
#include <string_view>
#include <unistd.h>

namespace heddle::sched::runtime {

namespace {

// A program or library that was loaded, and addresses in it.
struct Module {
  std::string file;
  std::uintptr_t base = 0;
  std::set<std::uintptr_t> addresses;
};

struct Wanted {
  std::set<std::uintptr_t> addresses;
  std::vector<Module> modules;
};

int collect_modules(dl_phdr_info* info, std::size_t /*size*/, void* data) {
  Wanted& wanted = *static_cast<Wanted*>(data);
  Module module{.file = info->dlpi_name, .base = info->dlpi_addr, .addresses = {}};
  if (module.file.empty()) module.file = "/proc/self/exe";
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    const auto first = wanted.addresses.lower_bound(begin);
    const auto last = wanted.addresses.lower_bound(begin + header.p_memsz);
    module.addresses.insert(first, last);
  }
  if (!module.addresses.empty()) wanted.modules.push_back(std::move(module));
  return 0;
}

std::string read_line(FILE* file) {
  std::string line;
  for (int letter = fgetc(file); letter != EOF && letter != '\n'; letter = fgetc(file)) {
    line += static_cast<char>(letter);
  }
  return line;
}

// "function" and "file:line (discriminator 2)".
SourcePlace parse_place(std::string function, const std::string& where) {
  SourcePlace place;
  if (function != "??") place.function = std::move(function);
  const std::size_t colon = where.rfind(':');
  if (colon == std::string::npos || where.starts_with("??")) return place;
  place.file = where.substr(0, colon);
  place.line = static_cast<unsigned>(strtoul(where.c_str() + colon + 1, nullptr, 10));
  return place;
}

// A symbol line tool in a process of its own: it answers each address with the address, and two
// lines for each function that was inlined there.
void ask(const Module& module, std::map<std::uintptr_t, std::vector<SourcePlace>>& places) {
  char link[4096];
  std::string file = module.file;
  if (file == "/proc/self/exe") {
    const ssize_t length = readlink("/proc/self/exe", link, sizeof link);
    if (length <= 0) return;
    file.assign(link, static_cast<std::size_t>(length));
  }
  std::string quoted;
  for (const char letter : file)
    quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  std::string command = "addr2line -a -f -i -C -e '" + quoted + "'";
  for (const std::uintptr_t address : module.addresses) {
    // A return address is behind the call.
    char number[2 + 16 + 2];
    snprintf(number, sizeof number, " 0x%zx", address - module.base - 1);
    command += number;
  }
  FILE* answer = popen((command + " 2>/dev/null").c_str(), "r");
  if (answer == nullptr) return;
  std::string line = read_line(answer);
  while (line.starts_with("0x")) {
    const std::uintptr_t address = strtoull(line.c_str(), nullptr, 16) + module.base + 1;
    for (line = read_line(answer); !line.empty() && !line.starts_with("0x");
         line = read_line(answer)) {
      places[address].push_back(parse_place(line, read_line(answer)));
    }
  }
  pclose(answer);
}

bool is_own_header(const std::string& file) {
  constexpr std::string_view kHeaders[] = {"heddle/sched.h",        "heddle/sched_property.h",
                                           "heddle/sched_types.h",  "heddle/sched_gtest.h",
                                           "heddle/sched_catch2.h", "catch2/catch.hpp"};
  return std::any_of(std::begin(kHeaders), std::end(kHeaders),
                     [&](std::string_view header) { return file.ends_with(header); });
}

bool is_of_system(const SourcePlace& place) {
  return place.file.empty() || place.file.starts_with("/usr/") || place.file.starts_with("/lib") ||
         is_own_header(place.file);
}

}  // namespace

std::string SourcePlace::text() const {
  if (file.empty()) return function.empty() ? "unknown" : function;
  const std::size_t slash = file.rfind('/');
  return (slash == std::string::npos ? file : file.substr(slash + 1)) + ":" + std::to_string(line);
}

std::string SourcePlace::source() const {
  std::ifstream stream(file);
  std::string text;
  for (unsigned i = 0; i < line; ++i) {
    if (!std::getline(stream, text)) return "";
  }
  const std::size_t first = text.find_first_not_of(" \t");
  const std::size_t last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::map<std::uintptr_t, std::vector<SourcePlace>> find_places(
    const std::vector<std::uintptr_t>& return_addresses) {
  Wanted wanted{.addresses = {return_addresses.begin(), return_addresses.end()}, .modules = {}};
  dl_iterate_phdr(collect_modules, &wanted);
  std::map<std::uintptr_t, std::vector<SourcePlace>> places;
  for (const Module& module : wanted.modules) ask(module, places);
  return places;
}

OwnFrame own_frame(const std::vector<std::uintptr_t>& stack,
                   const std::map<std::uintptr_t, std::vector<SourcePlace>>& places) {
  for (std::size_t above = 0; above < stack.size(); ++above) {
    const auto found = places.find(stack[above]);
    if (found == places.end()) continue;
    const std::vector<SourcePlace>& inlined = found->second;
    for (std::size_t i = 0; i < inlined.size(); ++i) {
      if (!is_of_system(inlined[i])) return {above, inlined.size() - 1 - i};
    }
  }
  return {};
}

SourcePlace own_place(const std::vector<std::uintptr_t>& stack,
                      const std::map<std::uintptr_t, std::vector<SourcePlace>>& places) {
  for (const std::uintptr_t address : stack) {
    const auto found = places.find(address);
    if (found == places.end()) continue;
    for (const SourcePlace& place : found->second) {
      if (!is_of_system(place)) return place;
    }
  }
  return {};
}

}  // namespace heddle::sched::runtime
