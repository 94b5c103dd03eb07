// Random histories of objects, for tests and measurements.
#pragma once

#include <cstdint>

#include "heddle/recorded_history.h"

namespace heddle {

struct SampleShape {
  ObjectModel model = ObjectModel::cas_register;
  std::uint32_t calls = 6;
  std::uint32_t processes = 3;
  std::uint32_t objects = 1;
  bool unique_values = false;         // whether each value is written once
  bool compare_and_set = true;        // for registers
  bool whole_reads = true;            // for sets
  bool only_appends = false;          // for keys: nothing is put, and values are texts
  std::uint32_t values = 3;           // where they are not unique
  std::uint32_t unknown_percent = 0;  // of calls
  std::uint32_t mistakes = 0;         // results that are replaced by others
  std::uint32_t patience = 4;         // the larger, the more calls overlap
};

// A history that an atomic object gave (so it is linearizable), but for its mistakes. The same
// shape and seed give the same history.
ObjectHistory sample_calls(const SampleShape& shape, std::uint32_t seed);

}  // namespace heddle
