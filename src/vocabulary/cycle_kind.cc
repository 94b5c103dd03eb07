// Cycles are told apart by which edges they have (Adya 1999) and, among those with a single
// anti-dependency, by whether all happens on one row (Berenson et al. 1995): a transaction that
// overwrites what it did not see has lost an update, one that comes to see it has read
// non-repeatably, and with several rows involved the read is skewed. The special cases are those of
// Elle (G-nonadjacent), of Bailis et al. 2014 (fractured reads) and of causal consistency.
#include "vocabulary/cycle_kind.h"

#include <algorithm>

#include "base/assert.h"

namespace heddle {

namespace {

// What the rules below ask about.
struct Features {
  std::size_t length = 0;
  std::size_t overwrites = 0;  // ww
  std::size_t reads = 0;       // wr
  std::size_t missed = 0;      // rw
  std::size_t sessions = 0;    // so
  bool real_time = false;
  bool predicate = false;
  bool is_derived = false;
  bool one_row = false;
  bool missed_in_a_row = false;  // two rw, one after the other
  // Where one rw is: the edge that leads to its reader, and what its flags say.
  DependencyKind back = DependencyKind::wr;
  bool reads_late = false;
  bool misses_the_rest = false;
};

Features features_of(std::span<const CycleEdge> cycle) {
  HEDDLE_ASSERT(!cycle.empty());
  Features features;
  features.length = cycle.size();
  features.one_row = std::ranges::all_of(
      cycle, [&](const CycleEdge& edge) { return edge.row == cycle.front().row; });
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const CycleEdge& edge = cycle[i];
    const CycleEdge& before = cycle[(i + cycle.size() - 1) % cycle.size()];
    features.overwrites += edge.kind == DependencyKind::ww ? 1 : 0;
    features.reads += edge.kind == DependencyKind::wr ? 1 : 0;
    features.sessions += edge.kind == DependencyKind::so ? 1 : 0;
    features.real_time |= edge.kind == DependencyKind::rt;
    features.is_derived |= edge.is_derived;
    if (edge.kind != DependencyKind::rw) continue;
    ++features.missed;
    features.predicate |= edge.predicate;
    features.missed_in_a_row |= before.kind == DependencyKind::rw;
    features.back = before.kind;
    features.reads_late = edge.reads_late;
    features.misses_the_rest = edge.misses_the_rest;
  }
  return features;
}

struct Rule {
  AnomalyKind kind;
  bool (*fits)(const Features&);
};

// The first that fits names the cycle.
constexpr Rule kRules[] = {
    {AnomalyKind::real_time_cycle, [](const Features& cycle) { return cycle.real_time; }},
    {AnomalyKind::session_cycle, [](const Features& cycle) { return cycle.sessions > 0; }},
    {AnomalyKind::phantom, [](const Features& cycle) { return cycle.predicate; }},
    // What demands the order of two writes is a read that misses one of them.
    {AnomalyKind::serialization_cycle,
     [](const Features& cycle) { return cycle.missed == 0 && cycle.is_derived; }},
    {AnomalyKind::dirty_write,
     [](const Features& cycle) { return cycle.missed == 0 && cycle.reads == 0; }},
    {AnomalyKind::circular_flow, [](const Features& cycle) { return cycle.missed == 0; }},
    {AnomalyKind::serialization_cycle,
     [](const Features& cycle) { return cycle.missed > 1 && cycle.one_row; }},
    {AnomalyKind::write_skew, [](const Features& cycle) { return cycle.missed > 1; }},
    {AnomalyKind::read_skew, [](const Features& cycle) { return !cycle.one_row; }},
    {AnomalyKind::serialization_cycle,
     [](const Features& cycle) { return cycle.back == DependencyKind::ww && cycle.reads_late; }},
    {AnomalyKind::lost_update,
     [](const Features& cycle) { return cycle.back == DependencyKind::ww; }},
    {AnomalyKind::intermediate_read, [](const Features& cycle) { return cycle.misses_the_rest; }},
    {AnomalyKind::non_repeatable_read, [](const Features&) { return true; }},
};

bool is_nonadjacent(const Features& cycle) { return cycle.missed > 1 && !cycle.missed_in_a_row; }

// Special cases that weaker levels rule out already. REQUIRES of cycles: no rt, no predicates.
constexpr Rule kSpecialCases[] = {
    // Readers r and r' of two writers: w wr r rw w' wr r' rw w, or the like where a session reads
    // after its own write.
    {AnomalyKind::long_fork,
     [](const Features& cycle) {
       return is_nonadjacent(cycle) && cycle.missed * 2 == cycle.length && cycle.overwrites == 0;
     }},
    {AnomalyKind::nonadjacent_cycle, is_nonadjacent},
    {AnomalyKind::causality_violation,
     [](const Features& cycle) {
       return cycle.missed == 1 && cycle.sessions > 0 && cycle.overwrites == 0;
     }},
    {AnomalyKind::fractured_read,
     [](const Features& cycle) {
       return cycle.missed == 1 && cycle.reads == 1 && cycle.length == 2 && !cycle.one_row;
     }},
};

AnomalyKind kind_by_rules(const Features& cycle) {
  const Rule* const rule =
      std::ranges::find_if(kRules, [&](const Rule& each) { return each.fits(cycle); });
  return rule->kind;
}

}  // namespace

AnomalyKind kind_of_cycle(std::span<const CycleEdge> cycle) {
  return kind_by_rules(features_of(cycle));
}

AnomalyKind kind_of_cycle(std::span<const CycleEdge> cycle, IsolationLevel level) {
  const Features features = features_of(cycle);
  const AnomalyKind kind = kind_by_rules(features);
  if (features.real_time || features.predicate || proscribes(level, kind)) return kind;
  for (const Rule& special : kSpecialCases) {
    if (special.fits(features)) return special.kind;
  }
  return kind;
}

}  // namespace heddle
