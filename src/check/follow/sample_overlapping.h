// Made-up histories with times, of any length, whose sessions overlap all the time: for tests of
// followers. Each transaction takes effect at one moment of its own, and then mistakes are made.
#pragma once

#include <cstdint>

#include "heddle/recorded_history.h"

namespace heddle {

struct OverlappingShape {
  std::uint32_t sessions = 4;
  std::uint32_t transactions = 12;
  std::uint32_t keys = 3;
  std::uint32_t operations = 3;  // of a transaction, at most
  bool lists = false;
  std::uint32_t values = 0;           // different ones; 0: each is written once
  std::uint32_t update_percent = 50;  // of writes: read the key first
  std::uint32_t unknown_percent = 0;  // some of them happen, some much later
  bool sessions_go_on = true;         // also after an unknown outcome
  std::uint32_t aborted_percent = 0;
  std::uint32_t mistake_percent = 0;  // of reads: an older value, or one that nobody wrote
};

TransactionHistory sample_overlapping(const OverlappingShape& shape, std::uint64_t seed);

}  // namespace heddle
