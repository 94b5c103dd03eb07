// What the next transaction is going to do, before any store has answered.
#pragma once

#include <cstdint>
#include <vector>

#include "check/generate/choices.h"
#include "check/generate/generate.h"

namespace heddle {

struct PlannedOperation {
  std::uint32_t key = 0;
  bool writes = false;
};

class TransactionPlanner {
 public:
  // REQUIRES: both outlive it.
  TransactionPlanner(const GenerateOptions& options, Choices& choices);

  // Replaces what is in `plan`.
  void plan(std::vector<PlannedOperation>& plan);

  // Keys are numbered from 0; so many have been handed out.
  std::uint32_t key_count() const { return keys_; }
  // A key that no planned transaction uses.
  std::uint32_t fresh_key() { return keys_++; }

 private:
  void plan_random(std::vector<PlannedOperation>& plan);
  void plan_workload(std::vector<PlannedOperation>& plan);
  std::uint32_t row_of(std::size_t table);
  std::uint32_t rotated(std::uint32_t place, bool writes);

  const GenerateOptions& options_;
  Choices& choices_;
  KeyChooser chooser_;
  std::uint32_t keys_;

  struct Place {
    std::uint32_t key = 0;
    std::uint32_t writes = 0;
  };
  std::vector<Place> places_;  // with writes_per_key only

  std::vector<std::uint32_t> first_rows_;           // per table of the workload
  std::vector<std::vector<std::uint32_t>> recent_;  // per table: rows inserted lately
  std::vector<std::uint32_t> inserted_;             // per table, how many
};

}  // namespace heddle
