// Calls on objects made up by the machine: linearizable because each takes effect at one moment
// between its call and its return.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "heddle/recorded_history.h"

namespace heddle {

struct GenerateCallsOptions {
  // cas_register, key_value (with appends and gets), set, queue, stack or priority_queue.
  ObjectModel model = ObjectModel::cas_register;
  // A cas_register's values: each written once, without compare-and-set; or a few, with it.
  bool unique_values = true;
  std::uint32_t processes = 4;
  std::uint32_t calls = 100;
  std::uint32_t objects = 1;
  double read_share = 0.5;     // registers and keys: of the calls; sets: contains
  double crashed_share = 0.0;  // of the calls; half of them happened
  bool violation = false;      // one call returns what it cannot
  std::uint64_t seed = 0;
};

std::optional<std::string> find_flaw(const GenerateCallsOptions& options);

// Every text is appended to a key once, and every value is put into a queue, a stack, a priority
// queue or a set once. The same options give the same history on every machine. Linear in the
// calls, but for logarithms. REQUIRES: !find_flaw(options).
ObjectHistory generate_calls(const GenerateCallsOptions& options);

}  // namespace heddle
