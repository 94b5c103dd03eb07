// What is told of races that were replayed, before it is laid out as text, Markdown or a page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/race_finding.h"
#include "report/schedule/summary.h"

namespace heddle {

// Whether a finding is told with its diagram; of others there is a line.
bool is_told_in_full(RaceResult result);

// "trace.jsonl: 2 of 12 candidates confirmed, 1 stale read".
std::string replay_head(const RaceReport& report);

// What stands below the paper's table: the share of pairs that were left out, and what came of the
// creations, which the paper counts without a test.
std::vector<std::string> table_notes(const RaceReport& report);

// "Two POST seats/reservations", "POST payments/payments and POST orders/orders".
std::string racing_requests(const RaceFinding& finding);

// "Two POST seats/reservations step on each other: lost update, confirmed"; of what nobody has seen
// to happen "Two POST seats/reservations: lost update, not feasible".
std::string race_title(const RaceFinding& finding);

std::vector<std::string> explanation_paragraphs(const RaceFinding& finding);

// Where the outcome differs from both serial orders.
std::vector<Contrast> contrasts(const RaceFinding& finding);

// "Broken: no wallet is overdrawn", one per invariant.
std::vector<std::string> broken_invariants(const RaceFinding& finding);

// The statements that race, each under its number in the diagram: "A, accounts -> accounts-db on
// connection 3: SELECT ...".
std::vector<Fact> racing_statements(const RaceFinding& finding);

// The requests as commands that may be copied: their line ends stay.
std::vector<Fact> request_commands(const RaceFinding& finding);

std::vector<Fact> race_facts(const RaceFinding& finding);

// Findings of one result of which there is a line each.
struct RaceGroup {
  RaceResult result = RaceResult::nothing;
  std::string title;  // "Refused (1): a request ended with an error, and nothing of it remained"
  std::vector<const RaceFinding*> findings;
};
std::vector<RaceGroup> race_groups(const RaceReport& report);

// Those that are told in full, in the order of the report.
std::vector<const RaceFinding*> full_findings(const RaceReport& report);

// The line of such a finding: its requests, why, and what would help.
std::string race_line(const RaceFinding& finding);

// How many candidates there are, and how many of each result.
struct RaceCount {
  std::string_view name;
  std::size_t count = 0;
};
std::vector<RaceCount> race_counts(const RaceReport& report);

// "What is in cache was not looked at", and all remarks.
std::vector<std::string> replay_remarks(const RaceReport& report);

}  // namespace heddle
