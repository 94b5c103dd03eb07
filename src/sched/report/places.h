// Where in the source an address of the program's code is.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::sched::runtime {

struct SourcePlace {
  std::string function;
  std::string file;
  unsigned line = 0;

  // "counter.cc:12", or what is known.
  std::string text() const;
  // What stands there, without blanks around it; empty: the file is not there.
  std::string source() const;
};

// Each return address with the places that stand for it, the innermost first: several where
// functions were inlined. From `addr2line`; without it, and without debug information, only the
// function's name is known.
std::map<std::uintptr_t, std::vector<SourcePlace>> find_places(
    const std::vector<std::uintptr_t>& return_addresses);

// The first place of the stack that is the program's own: not in a header of the system.
SourcePlace own_place(const std::vector<std::uintptr_t>& stack,
                      const std::map<std::uintptr_t, std::vector<SourcePlace>>& places);

// Where that place is: in which frame of the stack, and how many of the functions that were inlined
// there are further out.
struct OwnFrame {
  std::size_t above = 0;
  std::size_t below = 0;
};
OwnFrame own_frame(const std::vector<std::uintptr_t>& stack,
                   const std::map<std::uintptr_t, std::vector<SourcePlace>>& places);

}  // namespace heddle::sched::runtime
