// From an engine's cycle to what a person can follow: few transactions, a name, reasons.
#pragma once

#include <functional>
#include <vector>

#include "check/observation/engine.h"
#include "check/observation/observation.h"
#include "heddle/check.h"
#include "heddle/isolation.h"

namespace heddle {

// A part of a history: some of its transactions, with only what concerns them. What they read from
// others is left out as if nobody had been told; lists keep the elements that are theirs.
struct SubHistory {
  TransactionHistory history;
  std::vector<TransactionId> transactions;  // per transaction of `history`: which one it is
  std::vector<std::uint32_t> operations;    // per operation of `history`: which one it is
  std::vector<KeyId> keys;                  // per key of `history`: which one it is
};

// REQUIRES: `transactions` is sorted, without duplicates.
SubHistory part_of(const TransactionHistory& history,
                   const std::vector<TransactionId>& transactions);

// The transactions in a cycle and in its reasons, and the writers of what they read there, sorted.
std::vector<TransactionId> transactions_in(const Observation& observation,
                                           const std::vector<OrderEdge>& cycle);

// And all others that read or write a key of the cycle or of its reasons. Sorted.
std::vector<TransactionId> with_all_of_its_keys(const Observation& observation,
                                                const std::vector<OrderEdge>& cycle,
                                                std::vector<TransactionId> transactions);

// Leaves out transactions as long as what is left still fails: all together in halves first, then
// one by one (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", TSE
// 28(2), 2002). `fails` gets sorted transactions; `may_go_on` false ends the work early.
std::vector<TransactionId> shrink(
    std::vector<TransactionId> transactions,
    const std::function<bool(const std::vector<TransactionId>&)>& fails,
    const std::function<bool()>& may_go_on);

// The cycle without the orders of writes that reads force: each is told as the read that it would
// make stale. Only a lost update keeps its ww.
std::vector<OrderEdge> retold(const Observation& observation, std::vector<OrderEdge> cycle);

// The name of a cycle that breaks the level, as vocabulary/cycle_kind.h has it.
AnomalyKind kind_of(IsolationLevel level, const std::vector<OrderEdge>& cycle);

// The same with what the observation adds: who misses a write to what they write, too, must come
// before it as one writer before the other. That is told where the level allows write skew, and of
// two that read and overwrite one key: whichever wrote first, the other's write loses it.
AnomalyKind kind_at(IsolationLevel level, const Observation& observation,
                    const std::vector<OrderEdge>& cycle);

// Edges with the operations that make them, in the history that `part` was taken from.
std::vector<RecordedEdge> recorded(const Observation& observation, const SubHistory& part,
                                   const std::vector<OrderEdge>& edges);

}  // namespace heddle
