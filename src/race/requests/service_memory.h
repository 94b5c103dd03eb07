// Requests that a service answered from its memory: it asked no store while it did.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heddle/trace.h"

namespace heddle {

// A request from outside whose answer may depend on what an earlier one left in a service's memory.
struct MemoryDependency {
  std::uint64_t unit = 0;
  std::uint64_t on = 0;
  std::string what = {};  // "main-1742 at accounts"
};

// `outer_of`: the request from outside that each flow's unit belongs to. Only what is about the
// same thing counts: a value that nobody writes by chance, or the same part of a path.
std::vector<MemoryDependency> find_memory_dependencies(
    const Trace& trace, const std::map<std::uint64_t, std::uint64_t>& outer_of);

// The request from outside to which each statement and request belongs, where that is known. Where
// several have one flow it is the last one that had arrived.
std::map<std::uint64_t, std::uint64_t> outer_requests(const Trace& trace);

}  // namespace heddle
