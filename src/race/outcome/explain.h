// A verdict as an argument that one can follow: Let, Then, However.
//
//   const Explanation said = explain_verdict(verdict, {.first = "POST payments/payments",
//                                                          .second = "POST cancellations/..."});
//   said.however;  // "If A ran before B, $.refund in the answer to B would be 10; ..."
#pragma once

#include <string>
#include <vector>

#include "heddle/race_finding.h"
#include "race/outcome/verdict.h"

namespace heddle {

// What the verdict itself does not know of the run.
struct ExplainedRace {
  std::string first = {};  // the endpoints of A and B
  std::string second = {};
  bool is_between_branches = false;  // of one request, which is `first`
  std::string schedule = {};         // "A until update orders ...; B; A"; empty: not told
  bool second_begins = false;        // A was sent as soon as B was answered
  // What A and B did where they conflict, each with what came of it.
  std::vector<std::string> first_statements = {};
  std::vector<std::string> second_statements = {};
};

Explanation explain_verdict(const RaceVerdict& verdict, const ExplainedRace& race,
                            RaceOrder order = RaceOrder::overlapped);

}  // namespace heddle
