// The order of isolation levels. The direct pairs are stated, each with its reason in
// docs/levels.md; their transitive and reflexive closure is computed. What is not stated and does
// not follow is not claimed: snapshot and repeatable-read (PL-2.99), for one, are incomparable.
#pragma once

#include <array>
#include <cstddef>

#include "heddle/isolation.h"

namespace heddle::isolation_order {

inline constexpr std::size_t kLevelCount =
    static_cast<std::size_t>(IsolationLevel::cassandra_one) + 1;

struct Implication {
  IsolationLevel stronger;
  IsolationLevel weaker;
};

inline constexpr std::array kDirect = {
    Implication{IsolationLevel::causal_visibility, IsolationLevel::eventual},
    Implication{IsolationLevel::causal, IsolationLevel::causal_visibility},
    Implication{IsolationLevel::read_uncommitted, IsolationLevel::eventual},
    Implication{IsolationLevel::read_committed, IsolationLevel::read_uncommitted},
    Implication{IsolationLevel::repeatable_read_axiom, IsolationLevel::eventual},
    Implication{IsolationLevel::repeatable_read, IsolationLevel::read_committed},
    Implication{IsolationLevel::snapshot, IsolationLevel::read_committed},
    Implication{IsolationLevel::snapshot, IsolationLevel::repeatable_read_axiom},
    Implication{IsolationLevel::snapshot, IsolationLevel::causal_visibility},
    Implication{IsolationLevel::serializable, IsolationLevel::repeatable_read},
    Implication{IsolationLevel::serializable, IsolationLevel::snapshot},
    Implication{IsolationLevel::read_your_writes, IsolationLevel::eventual},
    Implication{IsolationLevel::monotonic_reads, IsolationLevel::eventual},
    Implication{IsolationLevel::monotonic_writes, IsolationLevel::eventual},
    Implication{IsolationLevel::writes_follow_reads, IsolationLevel::eventual},
    Implication{IsolationLevel::read_committed_biswas_enea, IsolationLevel::read_committed},
    Implication{IsolationLevel::read_atomic, IsolationLevel::read_committed_biswas_enea},
    Implication{IsolationLevel::read_atomic, IsolationLevel::read_your_writes},
    Implication{IsolationLevel::transactional_causal, IsolationLevel::read_atomic},
    Implication{IsolationLevel::transactional_causal, IsolationLevel::causal},
    Implication{IsolationLevel::transactional_causal, IsolationLevel::monotonic_reads},
    Implication{IsolationLevel::transactional_causal, IsolationLevel::monotonic_writes},
    Implication{IsolationLevel::transactional_causal, IsolationLevel::writes_follow_reads},
    Implication{IsolationLevel::transactional_causal, IsolationLevel::repeatable_read_axiom},
    Implication{IsolationLevel::prefix, IsolationLevel::transactional_causal},
    Implication{IsolationLevel::parallel_snapshot, IsolationLevel::transactional_causal},
    Implication{IsolationLevel::strong_session_snapshot, IsolationLevel::prefix},
    Implication{IsolationLevel::strong_session_snapshot, IsolationLevel::parallel_snapshot},
    Implication{IsolationLevel::strong_session_snapshot, IsolationLevel::snapshot},
    Implication{IsolationLevel::strong_session_serializable,
                IsolationLevel::strong_session_snapshot},
    Implication{IsolationLevel::strong_session_serializable, IsolationLevel::serializable},
    Implication{IsolationLevel::strict_serializable, IsolationLevel::strong_session_serializable},
    Implication{IsolationLevel::quiescent, IsolationLevel::eventual},
    Implication{IsolationLevel::sequential, IsolationLevel::causal},
    Implication{IsolationLevel::linearizable, IsolationLevel::sequential},
    Implication{IsolationLevel::linearizable, IsolationLevel::quiescent},
    Implication{IsolationLevel::postgres_repeatable_read, IsolationLevel::strong_session_snapshot},
    Implication{IsolationLevel::postgres_read_committed, IsolationLevel::read_committed},
    Implication{IsolationLevel::postgres_serializable, IsolationLevel::postgres_repeatable_read},
    Implication{IsolationLevel::postgres_serializable, IsolationLevel::serializable},
    Implication{IsolationLevel::mariadb_read_uncommitted, IsolationLevel::read_uncommitted},
    Implication{IsolationLevel::mariadb_read_committed, IsolationLevel::read_committed},
    Implication{IsolationLevel::mariadb_repeatable_read, IsolationLevel::read_committed},
    Implication{IsolationLevel::mariadb_serializable, IsolationLevel::serializable},
    Implication{IsolationLevel::cassandra_one, IsolationLevel::eventual},
};

using Relation = std::array<std::array<bool, kLevelCount>, kLevelCount>;

// Warshall's algorithm.
constexpr Relation closure() {
  Relation holds{};
  for (std::size_t level = 0; level < kLevelCount; ++level) holds[level][level] = true;
  for (const Implication& pair : kDirect) {
    holds[static_cast<std::size_t>(pair.stronger)][static_cast<std::size_t>(pair.weaker)] = true;
  }
  for (std::size_t middle = 0; middle < kLevelCount; ++middle) {
    for (std::size_t from = 0; from < kLevelCount; ++from) {
      for (std::size_t to = 0; to < kLevelCount; ++to) {
        if (holds[from][middle] && holds[middle][to]) holds[from][to] = true;
      }
    }
  }
  return holds;
}

inline constexpr Relation kImplies = closure();

}  // namespace heddle::isolation_order
