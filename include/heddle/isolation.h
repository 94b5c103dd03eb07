/// Isolation levels: the rows of one table, used with the same meaning by every command.
///
///   const LevelDefinition& level = definition(IsolationLevel::snapshot);
///   level.name                                                  // "snapshot"
///   implies(IsolationLevel::serializable, IsolationLevel::snapshot)  // true
///
/// The definitions, worked out with citations, are in docs/levels.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "heddle/anomaly.h"

namespace heddle {

/// Abstract levels first, then what products really do ("profiles").
enum class IsolationLevel : std::uint8_t {
  eventual,
  causal_visibility,
  causal,
  read_uncommitted,
  read_committed,
  repeatable_read_axiom,  ///< CLOTHO's axiom: not Adya's PL-2.99, neither implies the other
  repeatable_read,        ///< Adya's PL-2.99
  snapshot,
  serializable,
  linearizable,
  strict_serializable,
  read_your_writes,
  monotonic_reads,
  monotonic_writes,
  writes_follow_reads,
  read_committed_biswas_enea,  ///< sees what it saw, and sessions; stronger than Adya's PL-2
  read_atomic,
  transactional_causal,  ///< causal, and transactions are seen whole
  prefix,
  parallel_snapshot,
  strong_session_snapshot,
  strong_session_serializable,
  quiescent,
  sequential,
  postgres_read_committed,
  postgres_repeatable_read,
  postgres_serializable,
  mariadb_read_uncommitted,
  mariadb_read_committed,
  mariadb_repeatable_read,
  mariadb_serializable,
  cassandra_one,
};

/// Conditions on visibility `vis` and arbitration `ar` (Burckhardt; CLOTHO, table 1), and on cycles
/// of the dependency graph (Adya). A level is a conjunction of these.
enum class Axiom : std::uint8_t {
  vis_in_ar,              ///< vis(a,b) implies ar(a,b)
  vis_transitive,         ///< vis(a,b) and vis(b,c) imply vis(a,c)
  session_order_in_vis,   ///< so(a,b) implies vis(a,b)
  committed_reads,        ///< ST(a,b) and vis(a,c) imply vis(b,c)
  atomic_arbitration,     ///< ar does not interleave the writes of two transactions
  no_intermediate_reads,  ///< no G1a, G1b: only final writes of committed transactions are read
  repeatable_visibility,  ///< ST(a,b) and vis(c,a) imply vis(c,b)
  no_item_cycles,         ///< no cycle whose anti-dependencies are all on items (G2-item)
  snapshot_prefix,        ///< reads from a prefix-closed snapshot taken at the start
  first_committer_wins,   ///< concurrent transactions do not write the same row
  no_cycles,              ///< no cycle of ww, wr, rw
  no_flow_cycles,         ///< no cycle of ww and wr (G1c)
  ar_in_vis,              ///< ar(a,b) implies vis(a,b)
  real_time_order,        ///< an operation that ended before another began precedes it
  statement_snapshot,     ///< each statement reads a fresh snapshot of committed rows
  row_write_locks,        ///< a written row stays locked until the transaction ends
  recheck_after_wait,     ///< after waiting the predicate is evaluated again on the newest row
  current_read_writes,    ///< locking reads and writes see the latest committed rows
  gap_locks,              ///< locking reads lock the gaps of their range
  shared_read_locks,      ///< plain reads take shared row locks
  plain_read_snapshot,    ///< plain reads of a transaction share one snapshot; other reads do not
  last_writer_wins,       ///< concurrent writes of a cell: the one later in ar stays
  commit_order,           ///< some total order co of transactions contains wr
  session_order_in_co,    ///< so(a,b) implies co(a,b)
  sees_own_session,       ///< so(T2,T3): T3 sees T2
  sees_reads_again,       ///< wr;so(T2,T3): T3 sees T2
  sees_session_writes,    ///< so;wr(T2,T3): T3 sees T2
  sees_sources,           ///< wr;so;wr(T2,T3): T3 sees T2
  sees_after_reading,     ///< T3 read from T2 earlier: T3 sees T2 from then on
  sees_directly,          ///< (wr + so)(T2,T3): T3 sees T2
  sees_causally,          ///< (wr + so)+(T2,T3): T3 sees T2
  sees_prefix,            ///< co*;(wr + so)(T2,T3): T3 sees T2
  sees_in_parallel,       ///< (wr + so + ww)+(T2,T3): T3 sees T2
  sees_conflicts,         ///< co*(T2,T4), T4 in conflict with T3: T3 sees T2
  sees_all,               ///< co(T2,T3): T3 sees T2
  quiescent_order,        ///< operations parted by a moment of rest keep their order
};

/// One row of the table of levels.
struct LevelDefinition {
  IsolationLevel level;
  std::string_view name;     ///< as on the command line: "postgres:read-committed"
  std::string_view meaning;  ///< one sentence
  std::span<const Axiom> axioms;
  std::span<const AnomalyKind> proscribes;  ///< the kinds that can never happen
  std::string_view source;                  ///< paper and section, or the product's manual
};

/// One row of the table of axioms.
struct AxiomDefinition {
  Axiom axiom;
  std::string_view name;
  std::string_view formula;
};

/// All levels in the order of the enumeration.
std::span<const LevelDefinition> isolation_levels();
const LevelDefinition& definition(IsolationLevel level);

/// All axioms in the order of the enumeration.
std::span<const AxiomDefinition> axioms();
const AxiomDefinition& definition(Axiom axiom);

/// The level of that name ("read-committed", "read committed", "postgres:read-committed";
/// upper or lower case), or none.
std::optional<IsolationLevel> find_isolation_level(std::string_view name);

/// Whether every execution legal at `stronger` is legal at `weaker`. A partial order, not a chain.
bool implies(IsolationLevel stronger, IsolationLevel weaker);

/// Whether `level` rules `kind` out.
bool proscribes(IsolationLevel level, AnomalyKind kind);

}  // namespace heddle
