// The shapes of well-known applications as tables: which rows their transactions read and write.
// TPC-C (Transaction Processing Performance Council, revision 5.11), RUBiS (Cecchet et al., 2002)
// and a small Twitter (as in Cobra, OSDI 2020), one key per row.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "check/generate/generate.h"

namespace heddle {

enum class RowAction : std::uint8_t { read, write, update, insert, read_recent };

struct WorkloadTable {
  std::uint32_t rows = 0;  // there from the start
  bool hot = false;        // most operations go to a fifth of the rows
};

struct WorkloadStep {
  std::uint8_t table = 0;
  RowAction action = RowAction::read;
  std::uint8_t fewest = 1;  // how often
  std::uint8_t most = 1;
};

struct WorkloadTransaction {
  std::uint32_t weight = 1;  // per cent
  std::span<const WorkloadStep> steps;
};

struct WorkloadDefinition {
  std::span<const WorkloadTable> tables;
  std::span<const WorkloadTransaction> transactions;
};

// REQUIRES: not Workload::random.
const WorkloadDefinition& workload_definition(Workload workload);

}  // namespace heddle
