// The tables of axioms and of isolation levels. docs/levels.md works the definitions out and says
// where other tools differ; a test demands that it names every row of both tables. What a level
// rules out follows from the order of the levels (isolation_order.h); the rows say what it adds.
#include "heddle/isolation.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/assert.h"
#include "vocabulary/isolation_order.h"
#include "vocabulary/spelling.h"

namespace heddle {

namespace {

constexpr std::array kAxioms = {
    AxiomDefinition{Axiom::vis_in_ar, "vis-in-ar", "vis(a,b) implies ar(a,b)"},
    AxiomDefinition{Axiom::vis_transitive, "vis-transitive",
                    "vis(a,b) and vis(b,c) imply vis(a,c)"},
    AxiomDefinition{Axiom::session_order_in_vis, "session-order-in-vis",
                    "so(a,b) implies vis(a,b)"},
    AxiomDefinition{Axiom::committed_reads, "committed-reads",
                    "ST(a,b) and vis(a,c) imply vis(b,c)"},
    AxiomDefinition{Axiom::atomic_arbitration, "atomic-arbitration",
                    "ST(a,a') and ST(b,b') and ar(a,b) imply ar(a',b'), for writes of two "
                    "transactions"},
    AxiomDefinition{Axiom::no_intermediate_reads, "no-intermediate-reads",
                    "vis(a,b) implies that a's transaction commits and that a is its last write "
                    "of the row"},
    AxiomDefinition{Axiom::repeatable_visibility, "repeatable-visibility",
                    "ST(a,b) and vis(c,a) imply vis(c,b)"},
    AxiomDefinition{Axiom::no_item_cycles, "no-item-cycles", "ww + wr + item rw is acyclic"},
    AxiomDefinition{Axiom::snapshot_prefix, "snapshot-prefix",
                    "vis(b,c) and ar(a,b) imply vis(a,c), for writes a and b of other transactions "
                    "than c's"},
    AxiomDefinition{Axiom::first_committer_wins, "first-committer-wins",
                    "write(a,x) and write(b,x) imply vis(a,b) or vis(b,a)"},
    AxiomDefinition{Axiom::no_cycles, "no-cycles", "ww + wr + rw is acyclic"},
    AxiomDefinition{Axiom::no_flow_cycles, "no-flow-cycles", "ww + wr is acyclic"},
    AxiomDefinition{Axiom::ar_in_vis, "ar-in-vis", "ar(a,b) implies vis(a,b)"},
    AxiomDefinition{Axiom::real_time_order, "real-time-order", "rt(a,b) implies ar(a,b)"},
    AxiomDefinition{Axiom::statement_snapshot, "statement-snapshot",
                    "committed(T) before begin(s) iff vis(T,s), for every statement s"},
    AxiomDefinition{Axiom::row_write_locks, "row-write-locks",
                    "write(a,x) before write(b,x) implies end(transaction of a) before write(b,x)"},
    AxiomDefinition{Axiom::recheck_after_wait, "recheck-after-wait",
                    "a write that waited for x sees the newest committed version of x and tests "
                    "its predicate on it again"},
    AxiomDefinition{Axiom::current_read_writes, "current-read-writes",
                    "committed(T) before r implies vis(T,r), for the reads r of writes and locking "
                    "reads"},
    AxiomDefinition{Axiom::gap_locks, "gap-locks",
                    "range(r) read by a locking read or write r gets no new row before "
                    "end(transaction of r)"},
    AxiomDefinition{Axiom::shared_read_locks, "shared-read-locks",
                    "read(a,x) before write(b,x) implies end(transaction of a) before write(b,x)"},
    AxiomDefinition{Axiom::plain_read_snapshot, "plain-read-snapshot",
                    "ST(a,b) and vis(c,a) imply vis(c,b), for plain reads a and b"},
    AxiomDefinition{Axiom::last_writer_wins, "last-writer-wins",
                    "write(a,x) and write(b,x) and ar(a,b) imply that b's cell stays"},
    AxiomDefinition{Axiom::commit_order, "commit-order",
                    "wr(a,b) implies co(a,b), for some total order co of transactions"},
    AxiomDefinition{Axiom::session_order_in_co, "session-order-in-co", "so(a,b) implies co(a,b)"},
    AxiomDefinition{Axiom::sees_own_session, "sees-own-session", "so(T2,T3) implies co(T2,T1)"},
    AxiomDefinition{Axiom::sees_reads_again, "sees-reads-again",
                    "(wr;so)(T2,T3) implies co(T2,T1)"},
    AxiomDefinition{Axiom::sees_session_writes, "sees-session-writes",
                    "(so;wr)(T2,T3) implies co(T2,T1)"},
    AxiomDefinition{Axiom::sees_sources, "sees-sources", "(wr;so;wr)(T2,T3) implies co(T2,T1)"},
    AxiomDefinition{Axiom::sees_after_reading, "sees-after-reading",
                    "T3 reading from T2 before it reads from T1 implies co(T2,T1)"},
    AxiomDefinition{Axiom::sees_directly, "sees-directly", "(wr + so)(T2,T3) implies co(T2,T1)"},
    AxiomDefinition{Axiom::sees_causally, "sees-causally", "(wr + so)+(T2,T3) implies co(T2,T1)"},
    AxiomDefinition{Axiom::sees_prefix, "sees-prefix", "(co*;(wr + so))(T2,T3) implies co(T2,T1)"},
    AxiomDefinition{
        Axiom::sees_in_parallel, "sees-in-parallel",
        "(wr + so + ww)+(T2,T3) implies co(T2,T1), where ww is co between writers of one key"},
    AxiomDefinition{Axiom::sees_conflicts, "sees-conflicts",
                    "co*(T2,T4) and co(T4,T3) imply co(T2,T1), if T3 and T4 write one key"},
    AxiomDefinition{Axiom::sees_all, "sees-all", "co(T2,T3) implies co(T2,T1)"},
    AxiomDefinition{Axiom::quiescent_order, "quiescent-order",
                    "ar(a,b) if at some moment after a and before b no operation runs"},
};

using enum Axiom;
constexpr std::array kEventual = {vis_in_ar};
constexpr std::array kCausalVisibility = {vis_in_ar, vis_transitive};
constexpr std::array kCausal = {vis_in_ar, vis_transitive, session_order_in_vis};
constexpr std::array kReadUncommitted = {vis_in_ar, atomic_arbitration};
constexpr std::array kReadCommitted = {vis_in_ar, atomic_arbitration, committed_reads,
                                       no_intermediate_reads, no_flow_cycles};
constexpr std::array kRepeatableReadAxiom = {vis_in_ar, repeatable_visibility};
constexpr std::array kRepeatableRead = {vis_in_ar,       atomic_arbitration,
                                        committed_reads, no_intermediate_reads,
                                        no_flow_cycles,  no_item_cycles};
constexpr std::array kSnapshot = {
    vis_in_ar,      atomic_arbitration,    committed_reads, no_intermediate_reads,
    no_flow_cycles, repeatable_visibility, snapshot_prefix, first_committer_wins};
constexpr std::array kSerializable = {vis_in_ar,
                                      ar_in_vis,
                                      atomic_arbitration,
                                      committed_reads,
                                      no_intermediate_reads,
                                      repeatable_visibility,
                                      no_cycles};
constexpr std::array kLinearizable = {vis_in_ar, ar_in_vis, real_time_order};
constexpr std::array kStrictSerializable = {vis_in_ar,
                                            ar_in_vis,
                                            atomic_arbitration,
                                            committed_reads,
                                            no_intermediate_reads,
                                            repeatable_visibility,
                                            no_cycles,
                                            real_time_order};
constexpr std::array kReadYourWrites = {no_intermediate_reads, commit_order, sees_own_session};
constexpr std::array kMonotonicReads = {no_intermediate_reads, commit_order, sees_reads_again};
constexpr std::array kMonotonicWrites = {no_intermediate_reads, commit_order, sees_session_writes};
constexpr std::array kWritesFollowReads = {no_intermediate_reads, commit_order, sees_sources};
constexpr std::array kReadCommittedBiswasEnea = {no_intermediate_reads, commit_order,
                                                 session_order_in_co, sees_after_reading};
constexpr std::array kReadAtomic = {no_intermediate_reads, commit_order, session_order_in_co,
                                    sees_directly};
constexpr std::array kTransactionalCausal = {no_intermediate_reads, commit_order,
                                             session_order_in_co, sees_directly, sees_causally};
constexpr std::array kPrefixAxioms = {no_intermediate_reads, commit_order,  session_order_in_co,
                                      sees_directly,         sees_causally, sees_prefix};
constexpr std::array kParallelSnapshot = {no_intermediate_reads, commit_order,  session_order_in_co,
                                          sees_directly,         sees_causally, sees_in_parallel};
constexpr std::array kStrongSessionSnapshot = {
    no_intermediate_reads, commit_order, session_order_in_co, sees_directly,
    sees_causally,         sees_prefix,  sees_conflicts};
constexpr std::array kStrongSessionSerializable = {
    no_intermediate_reads, commit_order, session_order_in_co, sees_directly,
    sees_causally,         sees_prefix,  sees_conflicts,      sees_all};
constexpr std::array kQuiescent = {vis_in_ar, ar_in_vis, quiescent_order};
constexpr std::array kSequential = {vis_in_ar, ar_in_vis, session_order_in_vis};
constexpr std::array kPostgresReadCommitted = {statement_snapshot, row_write_locks,
                                               recheck_after_wait};
constexpr std::array kPostgresRepeatableRead = {session_order_in_vis, snapshot_prefix,
                                                repeatable_visibility, row_write_locks,
                                                first_committer_wins};
constexpr std::array kPostgresSerializable = {session_order_in_vis,  snapshot_prefix,
                                              repeatable_visibility, row_write_locks,
                                              first_committer_wins,  no_cycles};
constexpr std::array kMariadbReadUncommitted = {row_write_locks, current_read_writes};
constexpr std::array kMariadbReadCommitted = {statement_snapshot, row_write_locks,
                                              current_read_writes};
constexpr std::array kMariadbRepeatableRead = {plain_read_snapshot, no_intermediate_reads,
                                               row_write_locks, current_read_writes, gap_locks};
constexpr std::array kMariadbSerializable = {row_write_locks, shared_read_locks,
                                             current_read_writes, gap_locks, no_cycles};
constexpr std::array kCassandraOne = {vis_in_ar, last_writer_wins};

// What a level rules out beyond what the levels that it implies rule out.
constexpr std::array kNoDirtyWrites = {AnomalyKind::dirty_write};
constexpr std::array kNoDirtyReads = {
    AnomalyKind::aborted_read,           AnomalyKind::intermediate_read,
    AnomalyKind::unwritten_read,         AnomalyKind::future_read,
    AnomalyKind::internal_inconsistency, AnomalyKind::inconsistent_order};
constexpr std::array kNoDirtyFlow = {
    AnomalyKind::aborted_read, AnomalyKind::intermediate_read,      AnomalyKind::unwritten_read,
    AnomalyKind::future_read,  AnomalyKind::internal_inconsistency, AnomalyKind::inconsistent_order,
    AnomalyKind::circular_flow};
constexpr std::array kNoChangedReads = {AnomalyKind::non_repeatable_read};
constexpr std::array kNoItemCycles = {
    AnomalyKind::lost_update, AnomalyKind::non_repeatable_read, AnomalyKind::fractured_read,
    AnomalyKind::read_skew,   AnomalyKind::long_fork,           AnomalyKind::nonadjacent_cycle,
    AnomalyKind::write_skew,  AnomalyKind::serialization_cycle};
constexpr std::array kOneSnapshot = {AnomalyKind::lost_update, AnomalyKind::fractured_read,
                                     AnomalyKind::read_skew, AnomalyKind::long_fork,
                                     AnomalyKind::nonadjacent_cycle};
constexpr std::array kNoPhantoms = {AnomalyKind::phantom};
constexpr std::array kNoFracturedReads = {AnomalyKind::non_repeatable_read,
                                          AnomalyKind::fractured_read};
constexpr std::array kNoCausalityViolations = {AnomalyKind::causality_violation};
constexpr std::array kNoForks = {AnomalyKind::long_fork};
constexpr std::array kNoParallelConflicts = {AnomalyKind::lost_update, AnomalyKind::read_skew};
constexpr std::array kNoSessionCycles = {AnomalyKind::session_cycle};
constexpr std::array kNoRealTimeCycles = {AnomalyKind::real_time_cycle};
constexpr std::array kOneOrder = {AnomalyKind::non_linearizable};
constexpr std::span<const AnomalyKind> kNothingMore;

// `proscribes` is here what the level adds.
constexpr std::array kRows = {
    LevelDefinition{IsolationLevel::eventual, "eventual",
                    "A read sees some set of earlier writes and returns the last of them.",
                    kEventual, kNothingMore, "Burckhardt 2014"},
    LevelDefinition{IsolationLevel::causal_visibility, "causal-visibility",
                    "Who sees a write sees what its writer had seen.", kCausalVisibility,
                    kNothingMore, "CLOTHO 2019, table 1"},
    LevelDefinition{IsolationLevel::causal, "causal",
                    "Causal visibility, and a session sees what it did before.", kCausal,
                    kNothingMore, "Burckhardt 2014; CLOTHO 2019, table 1"},
    LevelDefinition{IsolationLevel::read_uncommitted, "read-uncommitted",
                    "Transactions do not overwrite each other's uncommitted rows.",
                    kReadUncommitted, kNoDirtyWrites, "Adya 1999, PL-1"},
    LevelDefinition{IsolationLevel::read_committed, "read-committed",
                    "Only final writes of committed transactions are read, and information flows "
                    "one way between two transactions.",
                    kReadCommitted, kNoDirtyFlow, "Adya 1999, PL-2; CLOTHO 2019, table 1"},
    LevelDefinition{IsolationLevel::repeatable_read_axiom, "repeatable-read-axiom",
                    "All reads of one transaction see the same writes of others.",
                    kRepeatableReadAxiom, kNoChangedReads, "CLOTHO 2019, table 1"},
    LevelDefinition{IsolationLevel::repeatable_read, "repeatable-read",
                    "Rows that were read stay as they were; rows may appear and vanish.",
                    kRepeatableRead, kNoItemCycles, "Adya 1999, PL-2.99"},
    LevelDefinition{IsolationLevel::snapshot, "snapshot",
                    "Each transaction reads one snapshot, and of two concurrent ones that write "
                    "the same row only one commits.",
                    kSnapshot, kOneSnapshot,
                    "Berenson et al. 1995, section 4.2; Adya 1999, PL-SI; Cerone et al. 2015"},
    LevelDefinition{IsolationLevel::serializable, "serializable",
                    "The outcome is that of some serial order of the transactions.", kSerializable,
                    kNoPhantoms, "Adya 1999, PL-3; CLOTHO 2019, table 1"},
    LevelDefinition{IsolationLevel::linearizable, "linearizable",
                    "Each single operation takes effect at one moment between its call and its "
                    "return.",
                    kLinearizable, kOneOrder, "Herlihy and Wing 1990; CLOTHO 2019, table 1"},
    LevelDefinition{IsolationLevel::strict_serializable, "strict-serializable",
                    "Serializable, in an order in which a transaction that ended before another "
                    "began comes first.",
                    kStrictSerializable, kNoRealTimeCycles,
                    "Papadimitriou 1979; Herlihy and Wing 1990"},
    LevelDefinition{IsolationLevel::read_your_writes, "read-your-writes",
                    "A session sees what it wrote.", kReadYourWrites, kNoDirtyReads,
                    "Terry et al. 1994"},
    LevelDefinition{IsolationLevel::monotonic_reads, "monotonic-reads",
                    "A session that saw a write goes on seeing it.", kMonotonicReads, kNoDirtyReads,
                    "Terry et al. 1994"},
    LevelDefinition{IsolationLevel::monotonic_writes, "monotonic-writes",
                    "Who sees a write sees what its session wrote before.", kMonotonicWrites,
                    kNoDirtyReads, "Terry et al. 1994"},
    LevelDefinition{IsolationLevel::writes_follow_reads, "writes-follow-reads",
                    "Who sees a write sees what its session had read before.", kWritesFollowReads,
                    kNoDirtyReads, "Terry et al. 1994"},
    LevelDefinition{IsolationLevel::read_committed_biswas_enea, "read-committed-biswas-enea",
                    "A transaction that has seen another one sees all of it from then on.",
                    kReadCommittedBiswasEnea, kNothingMore, "Biswas and Enea 2019, section 2.2"},
    LevelDefinition{IsolationLevel::read_atomic, "read-atomic",
                    "A transaction sees all or nothing of another one, and all of its own session.",
                    kReadAtomic, kNoFracturedReads,
                    "Bailis et al. 2014; Biswas and Enea 2019, section 2.2"},
    LevelDefinition{IsolationLevel::transactional_causal, "transactional-causal",
                    "Causal, and transactions are seen whole.", kTransactionalCausal,
                    kNoCausalityViolations, "Lloyd et al. 2011; Biswas and Enea 2019, section 2.2"},
    LevelDefinition{IsolationLevel::prefix, "prefix",
                    "Each transaction reads a prefix of the order of commits.", kPrefixAxioms,
                    kNoForks, "Burckhardt et al. 2015; Biswas and Enea 2019, section 2.2"},
    LevelDefinition{
        IsolationLevel::parallel_snapshot, "parallel-snapshot",
        "Causal, and of two concurrent transactions that write the same key only one commits.",
        kParallelSnapshot, kNoParallelConflicts, "Sovran et al. 2011; Cerone et al. 2015"},
    LevelDefinition{
        IsolationLevel::strong_session_snapshot, "strong-session-snapshot",
        "Snapshot isolation in which a session sees what it committed.", kStrongSessionSnapshot,
        kNothingMore,
        "Daudjee and Salem 2006; Cerone et al. 2015; Biswas and Enea 2019, section 2.2"},
    LevelDefinition{IsolationLevel::strong_session_serializable, "strong-session-serializable",
                    "Serializable, in an order that keeps the order within sessions.",
                    kStrongSessionSerializable, kNoSessionCycles,
                    "Daudjee and Salem 2004; Biswas and Enea 2019, section 2.2"},
    LevelDefinition{IsolationLevel::quiescent, "quiescent",
                    "Single operations take effect in one order, which keeps those apart that a "
                    "moment of rest parts.",
                    kQuiescent, kNothingMore, "Aspnes, Herlihy and Shavit 1994"},
    LevelDefinition{IsolationLevel::sequential, "sequential",
                    "Single operations take effect in one order, which keeps that of each process.",
                    kSequential, kNothingMore, "Lamport 1979"},
    LevelDefinition{IsolationLevel::postgres_read_committed, "postgres:read-committed",
                    "Each statement reads a fresh snapshot; a write that waited goes on with the "
                    "newest row.",
                    kPostgresReadCommitted, kNothingMore, "PostgreSQL manual, section 13.2.1"},
    LevelDefinition{IsolationLevel::postgres_repeatable_read, "postgres:repeatable-read",
                    "Snapshot isolation; the first transaction to update a row wins.",
                    kPostgresRepeatableRead, kNothingMore, "PostgreSQL manual, section 13.2.2"},
    LevelDefinition{
        IsolationLevel::postgres_serializable, "postgres:serializable",
        "Serializable snapshot isolation: a transaction on a dangerous structure fails.",
        kPostgresSerializable, kNothingMore,
        "PostgreSQL manual, section 13.2.3; Ports and Grittner 2012"},
    LevelDefinition{IsolationLevel::mariadb_read_uncommitted, "mariadb:read-uncommitted",
                    "Reads see uncommitted rows; written rows stay locked.",
                    kMariadbReadUncommitted, kNothingMore,
                    "MariaDB manual, SET TRANSACTION (InnoDB)"},
    LevelDefinition{IsolationLevel::mariadb_read_committed, "mariadb:read-committed",
                    "Each statement reads a fresh snapshot; writes and locking reads see the "
                    "newest rows.",
                    kMariadbReadCommitted, kNothingMore,
                    "MariaDB manual, SET TRANSACTION (InnoDB)"},
    LevelDefinition{IsolationLevel::mariadb_repeatable_read, "mariadb:repeatable-read",
                    "Plain reads share one snapshot; writes and locking reads see the newest rows "
                    "and lock the gaps of their range.",
                    kMariadbRepeatableRead, kNothingMore,
                    "MariaDB manual, SET TRANSACTION (InnoDB)"},
    LevelDefinition{IsolationLevel::mariadb_serializable, "mariadb:serializable",
                    "Repeatable read in which plain reads lock what they read.",
                    kMariadbSerializable, kNothingMore, "MariaDB manual, SET TRANSACTION (InnoDB)"},
    LevelDefinition{IsolationLevel::cassandra_one, "cassandra:one",
                    "One replica answers; the latest timestamp wins, cell by cell.", kCassandraOne,
                    kNothingMore, "Cassandra manual, Dynamo (tunable consistency)"},
};

constexpr std::size_t kKindCount =
    static_cast<std::size_t>(AnomalyKind::unserializable_outcome) + 1;
static_assert(kRows.size() == isolation_order::kLevelCount);

// Whatever a level that this one implies rules out, this one rules out.
constexpr bool rules_out(std::size_t level, AnomalyKind kind) {
  for (std::size_t weaker = 0; weaker < kRows.size(); ++weaker) {
    if (!isolation_order::kImplies[level][weaker]) continue;
    const std::span<const AnomalyKind> added = kRows[weaker].proscribes;
    if (std::ranges::find(added, kind) != added.end()) return true;
  }
  return false;
}

// All that levels rule out, level by level, each in the order of the enumeration.
struct Ruled {
  std::array<AnomalyKind, kRows.size() * kKindCount> kinds{};
  std::array<std::size_t, kRows.size() + 1> begins{};
};

constexpr Ruled closure() {
  Ruled ruled;
  std::size_t count = 0;
  for (std::size_t level = 0; level < kRows.size(); ++level) {
    ruled.begins[level] = count;
    for (std::size_t kind = 0; kind < kKindCount; ++kind) {
      if (rules_out(level, static_cast<AnomalyKind>(kind))) {
        ruled.kinds[count++] = static_cast<AnomalyKind>(kind);
      }
    }
  }
  ruled.begins[kRows.size()] = count;
  return ruled;
}

constexpr Ruled kRuled = closure();

constexpr auto all_levels() {
  auto levels = kRows;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const std::size_t begin = kRuled.begins[level];
    levels[level].proscribes = {kRuled.kinds.data() + begin, kRuled.begins[level + 1] - begin};
  }
  return levels;
}

constexpr auto kLevels = all_levels();

// Spelled-out names that people use for the properties.
struct Alias {
  std::string_view name;
  IsolationLevel level;
};
constexpr std::array kAliases = {
    Alias{"eventual-consistency", IsolationLevel::eventual},
    Alias{"causal-consistency", IsolationLevel::causal},
    Alias{"prefix-consistency", IsolationLevel::prefix},
    Alias{"parallel-snapshot-isolation", IsolationLevel::parallel_snapshot},
    Alias{"strong-session-snapshot-isolation", IsolationLevel::strong_session_snapshot},
    Alias{"sequential-consistency", IsolationLevel::sequential},
    Alias{"quiescent-consistency", IsolationLevel::quiescent},
    Alias{"snapshot-isolation", IsolationLevel::snapshot},
    Alias{"serializability", IsolationLevel::serializable},
    Alias{"linearizability", IsolationLevel::linearizable},
    Alias{"strict-serializability", IsolationLevel::strict_serializable},
};

}  // namespace

std::span<const LevelDefinition> isolation_levels() { return kLevels; }
std::span<const AxiomDefinition> axioms() { return kAxioms; }

const LevelDefinition& definition(IsolationLevel level) {
  const auto index = static_cast<std::size_t>(level);
  HEDDLE_ASSERT(index < kLevels.size());
  return kLevels[index];
}

const AxiomDefinition& definition(Axiom axiom) {
  const auto index = static_cast<std::size_t>(axiom);
  HEDDLE_ASSERT(index < kAxioms.size());
  return kAxioms[index];
}

std::optional<IsolationLevel> find_isolation_level(std::string_view name) {
  const std::string wanted = same_spelling(name);
  for (const LevelDefinition& level : kLevels) {
    if (wanted == level.name) return level.level;
  }
  for (const Alias& alias : kAliases) {
    if (wanted == alias.name) return alias.level;
  }
  return std::nullopt;
}

bool proscribes(IsolationLevel level, AnomalyKind kind) {
  return std::ranges::find(definition(level).proscribes, kind) !=
         definition(level).proscribes.end();
}

}  // namespace heddle
