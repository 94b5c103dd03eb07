// What heddle race prints of candidates.
#pragma once

#include <string>

#include "heddle/race.h"
#include "heddle/trace.h"
#include "report/race/candidate_summary.h"
#include "report/text/text_options.h"

namespace heddle {

// The table, the candidates in their order, and the remarks.
std::string race_candidates_text(const RaceCandidates& found, const Trace& trace,
                                 const TextOptions& options);
std::string pair_answer_text(const PairAnswer& answer, const RaceCandidates& found,
                             const TextOptions& options);
// The document race-why-not/1 (docs/formats/race.md). `trace`: the file.
std::string pair_answer_json(const PairAnswer& answer, const RaceCandidates& found,
                             const std::string& trace);

}  // namespace heddle
