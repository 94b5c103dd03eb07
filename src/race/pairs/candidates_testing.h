// Candidates of traces that are written as texts, and as texts.
#pragma once

#include <string>
#include <string_view>

#include "base/text.h"
#include "heddle/race.h"
#include "race/flows/race_testing.h"

namespace heddle::race {

inline constexpr std::string_view kTables =
    "table orders-db orders(id, customer, status, price) key(id)\n"
    "table payments-db payments(id, order_id, amount, refunded) key(id)\n"
    "table seats-db seats(id, train, owner) key(id)\n"
    "table seats-db trains(id, capacity, name) key(id)\n"
    "table seats-db guests(train, name)\n";

inline RaceCandidates found_in(const std::string& text, const RaceSettings& settings = {}) {
  return find_race_candidates(trace_of(std::string(kTables) + text), settings);
}

// "lost update: POST a/x and POST b/y: orders(id=7) status rw", a line per conflict.
inline std::string shown(const RaceCandidates& found) {
  std::string text;
  for (const RaceCandidate& each : found.candidates) {
    text += std::string(to_string(each.pattern)) + ": " + each.first_endpoint +
            (each.is_between_branches ? ", branches" : " and " + each.second_endpoint) + "\n";
    for (const RaceConflict& conflict : each.pairs.front().conflicts) {
      text += "  " + conflict.entity + " " + join(conflict.columns, ",") + " " +
              (conflict.first_writes ? "w" : "r") + (conflict.second_writes ? "w" : "r") +
              (conflict.is_coarse ? " coarse" : "") + "\n";
    }
  }
  return text;
}

inline std::string shown(const std::string& text, const RaceSettings& settings = {}) {
  return shown(found_in(text, settings));
}

}  // namespace heddle::race
