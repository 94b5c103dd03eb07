// The order of isolation levels. The direct pairs are stated, each with its reason in
// docs/levels.md; their transitive and reflexive closure is computed. What is not stated and does
// not follow is not claimed: snapshot and repeatable-read (PL-2.99), for one, are incomparable.
#include <array>

#include "base/assert.h"
#include "heddle/isolation.h"

namespace heddle {

namespace {

constexpr std::size_t kLevelCount = static_cast<std::size_t>(IsolationLevel::cassandra_one) + 1;

struct Implication {
  IsolationLevel stronger;
  IsolationLevel weaker;
};

using enum IsolationLevel;
constexpr std::array kDirect = {
    Implication{causal_visibility, eventual},
    Implication{causal, causal_visibility},
    Implication{read_uncommitted, eventual},
    Implication{read_committed, read_uncommitted},
    Implication{repeatable_read_axiom, eventual},
    Implication{repeatable_read, read_committed},
    Implication{snapshot, read_committed},
    Implication{snapshot, repeatable_read_axiom},
    Implication{snapshot, causal_visibility},
    Implication{serializable, repeatable_read},
    Implication{serializable, snapshot},
    Implication{read_your_writes, eventual},
    Implication{monotonic_reads, eventual},
    Implication{monotonic_writes, eventual},
    Implication{writes_follow_reads, eventual},
    Implication{read_committed_biswas_enea, read_committed},
    Implication{read_atomic, read_committed_biswas_enea},
    Implication{read_atomic, read_your_writes},
    Implication{transactional_causal, read_atomic},
    Implication{transactional_causal, causal},
    Implication{transactional_causal, monotonic_reads},
    Implication{transactional_causal, monotonic_writes},
    Implication{transactional_causal, writes_follow_reads},
    Implication{transactional_causal, repeatable_read_axiom},
    Implication{prefix, transactional_causal},
    Implication{parallel_snapshot, transactional_causal},
    Implication{strong_session_snapshot, prefix},
    Implication{strong_session_snapshot, parallel_snapshot},
    Implication{strong_session_snapshot, snapshot},
    Implication{strong_session_serializable, strong_session_snapshot},
    Implication{strong_session_serializable, serializable},
    Implication{strict_serializable, strong_session_serializable},
    Implication{quiescent, eventual},
    Implication{sequential, causal},
    Implication{linearizable, sequential},
    Implication{linearizable, quiescent},
    Implication{postgres_repeatable_read, strong_session_snapshot},
    Implication{postgres_read_committed, read_committed},
    Implication{postgres_serializable, postgres_repeatable_read},
    Implication{postgres_serializable, serializable},
    Implication{mariadb_read_uncommitted, read_uncommitted},
    Implication{mariadb_read_committed, read_committed},
    Implication{mariadb_repeatable_read, read_committed},
    Implication{mariadb_serializable, serializable},
    Implication{cassandra_one, eventual},
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

constexpr Relation kImplies = closure();

}  // namespace

bool implies(IsolationLevel stronger, IsolationLevel weaker) {
  const auto from = static_cast<std::size_t>(stronger);
  const auto to = static_cast<std::size_t>(weaker);
  HEDDLE_ASSERT(from < kLevelCount && to < kLevelCount);
  return kImplies[from][to];
}

}  // namespace heddle
