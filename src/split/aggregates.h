// Aggregates over a join, which the caller adds up row by row.
#pragma once

#include <string>
#include <vector>

#include "split/join_plan.h"

namespace heddle::chopping {

// Declares a variable for each, and lets it stand for the aggregate. Why it cannot; empty: it did.
std::string declare_aggregates(JoinQuery& query, const Schema& schema, FreshNames& names);

// Without places.
struct AggregateActions {
  std::vector<Assign> before;
  Block each;  // for each joined row
  std::vector<Assign> after;
};

// REQUIRES: declare_aggregates() did.
AggregateActions aggregate_actions(const JoinQuery& query, const JoinPlan& plan,
                                   const Schema& schema, FreshNames& names);

}  // namespace heddle::chopping
