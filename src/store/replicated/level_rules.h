// What each level that the replicated store offers keeps, as rules for delivery, reading and
// commit.
#pragma once

#include <span>
#include <string>

#include "heddle/isolation.h"

namespace heddle::replicated {

// One row of the table. A level is kept among the transactions that have it.
struct LevelRule {
  IsolationLevel level;
  // An effect comes to a replica only after the effects that its statement saw (vis-transitive).
  bool causal_delivery = false;
  // A session goes on seeing what it did and saw (session-order-in-vis).
  bool keeps_session = false;
  // Effects appear at the commit, all or none (committed-reads, atomic-arbitration).
  bool at_commit = false;
  // All statements of a transaction see the same effects of others (repeatable-visibility).
  bool keeps_view = false;
  // What is seen is a prefix of the order of arbitration (snapshot-prefix).
  bool sees_prefix = false;
  // No commit over an effect on the same row that was not seen (first-committer-wins).
  bool first_committer_wins = false;
  // A transaction sees all that is committed when it begins (ar-in-vis), and what it read stays as
  // it was until it commits (no-cycles).
  bool is_serial = false;
  // A statement sees all that was done before it, wherever that was (ar-in-vis, real-time-order).
  bool sees_all = false;
};

std::span<const LevelRule> level_rules();

// Null: the store does not offer the level.
const LevelRule* find_rule(IsolationLevel level);

// "eventual, causal-visibility, ..."
std::string offered_levels();

}  // namespace heddle::replicated
