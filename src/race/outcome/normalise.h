// The rules by which outcomes of one pair are compared: what the store says of its columns, what a
// look at the values tells, what differs between equal serial runs, and where names turn up again.
//
//   const LearnedRules learned = learn_rules(reader, serial, settings);
//   if (learned.trouble.empty()) compare(one, other, learned.rules);
#pragma once

#include <set>
#include <string>
#include <vector>

#include "race/outcome/outcome_rules.h"
#include "race/outcome/outcome_tuple.h"
#include "race/outcome/verdict.h"

namespace heddle {

// The serial runs of a pair; those in one list must be equal.
struct SerialTuples {
  std::vector<OutcomeTuple> first_then_second = {};
  std::vector<OutcomeTuple> second_then_first = {};
  std::vector<OutcomeTuple> alone = {};
};

struct LearnedRules {
  OutcomeRules rules = {};
  // Lists whose elements come in any order; the serial tuples have them in one row for each.
  std::set<std::string> unordered = {};
  // In what equal runs differ that no rule may hide; empty: they are equal.
  std::vector<std::string> trouble = {};
};

LearnedRules learn_rules(const TupleReader& reader, SerialTuples& serial,
                         const JudgeSettings& settings);

}  // namespace heddle
