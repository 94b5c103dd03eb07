// Small groups of transactions that show one anomaly each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "heddle/anomaly.h"
#include "heddle/recorded_history.h"

namespace heddle {

// An operation of a pattern. Values are digits: a write's is the last one; a read that returns 12
// reads 2 from a register, and [1 2] from a list; 0 is what was there before.
struct PatternOperation {
  bool writes = false;
  char key = 'x';
  std::uint32_t digits = 0;
};

struct PatternTransaction {
  std::uint32_t session = 0;  // of the pattern's own
  bool aborted = false;
  std::vector<PatternOperation> operations = {};
};

struct AnomalyPattern {
  AnomalyKind kind = AnomalyKind::lost_update;
  bool lists_only = false;
  bool in_turn = false;  // each transaction ends before the next one begins: needs times
  std::uint32_t sessions = 0;
  std::vector<PatternTransaction> transactions = {};
};

// The pattern of the anomaly, or none where there is none.
std::optional<AnomalyPattern> anomaly_pattern(AnomalyKind kind);

}  // namespace heddle
