// The order of a list's versions as reads of it show it: of [1], [1 2] and [1 2 3] each is the
// beginning of the next, and the longest one is the order in which the appends took effect
// (Kingsbury and Alvaro, "Elle", VLDB 2020, section 4.2.2).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "check/observation/write_index.h"
#include "heddle/recorded_history.h"

namespace heddle {

inline constexpr std::uint32_t kNoOperation = 0xFFFFFFFF;

// Of one key.
struct ListVersions {
  std::uint32_t longest = kNoOperation;  // the read that returned the longest list
  std::span<const Value> elements;       // of that list
  std::vector<std::uint32_t> appends;    // per element of it; kNoOperation: nobody appended it
  bool is_doubtful = false;              // several may have appended one of them
};

// Per key, from the list reads of the transactions that count. Lists that are no beginnings of the
// longest one are for the caller to find. `doubt` names the first value that was appended twice,
// not counting transactions that aborted, and read, where that happened.
std::vector<ListVersions> list_versions(const TransactionHistory& history, WriteIndex& index,
                                        const std::vector<bool>& counts, std::string& doubt);

}  // namespace heddle
