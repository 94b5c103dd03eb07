// Histories made up by the machine, for tests and benchmarks: legal at a wanted level because an
// in-memory store that keeps that level made them, with anomalies planted on demand.
//
//   GenerateOptions options;
//   options.level = IsolationLevel::snapshot;
//   options.planted = {{AnomalyKind::lost_update, 2}};
//   TransactionHistory history = generate_history(options);
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/anomaly.h"
#include "heddle/isolation.h"
#include "heddle/recorded_history.h"

namespace heddle {

enum class GeneratedKind : std::uint8_t {
  unique_register,  // no value is written twice
  register_,        // values are drawn from few, so that reads may have several writers
  list,             // appends, and reads of whole lists
};

enum class KeyDistribution : std::uint8_t {
  uniform,
  zipf,     // the i-th key is chosen in proportion to 1 / i^exponent
  hotspot,  // a share of the operations goes to a share of the keys
};

// What transactions do: anything, or what those of well-known applications do (in their shape:
// rows are keys, columns are not told apart).
enum class Workload : std::uint8_t { random, tpcc, rubis, twitter };

struct PlantedAnomaly {
  AnomalyKind kind = AnomalyKind::lost_update;
  std::uint32_t count = 1;
};

struct GenerateOptions {
  GeneratedKind kind = GeneratedKind::unique_register;
  IsolationLevel level = IsolationLevel::serializable;
  std::uint32_t sessions = 4;
  std::uint32_t transactions = 100;  // in all sessions together
  std::uint64_t seed = 0;

  Workload workload = Workload::random;  // all others choose keys and operations themselves
  std::uint32_t fewest_operations = 1;   // of a transaction
  std::uint32_t most_operations = 8;
  double read_share = 0.5;    // of the operations
  double update_share = 0.0;  // of the writes: the same transaction reads the key right before

  std::uint32_t keys = 10;
  KeyDistribution distribution = KeyDistribution::uniform;
  double exponent = 1.0;              // zipf
  double hot_keys = 0.2;              // hotspot: share of the keys
  double hot_share = 0.8;             // hotspot: share of the operations
  std::uint32_t writes_per_key = 0;   // then a new key takes the place of the old one; 0: never
  std::uint32_t distinct_values = 5;  // GeneratedKind::register_

  double aborted_share = 0.0;  // of the transactions
  double unknown_share = 0.0;  // of the transactions; half of these happened
  bool times = false;
  Value initial = kNil;  // of registers
  // On keys of their own, by transactions that no others come between.
  std::vector<PlantedAnomaly> planted = {};
};

// Whether there is a way to make histories that are legal at this level.
bool can_generate(IsolationLevel level);

// Whether there is a way to plant it: dirty writes show in lists only, real-time cycles need times.
bool can_plant(AnomalyKind kind, const GenerateOptions& options);

// What is wrong with the options (shares that are none, more operations than a history holds), or
// none.
std::optional<std::string> find_flaw(const GenerateOptions& options);

// Transactions in the order in which they began; sessions run side by side. Without planted
// anomalies it is legal at `level`, with times also in real time where the level is strong-session
// snapshot, prefix or a stronger one. The same options give the same history on every machine.
// Linear in operations and list elements read. With `commit_order`, which transactions happened, in
// an order that explains what they read; planted ones are not in it.
// REQUIRES: !find_flaw(options).
TransactionHistory generate_history(const GenerateOptions& options,
                                    std::vector<TransactionId>* commit_order = nullptr);

}  // namespace heddle
