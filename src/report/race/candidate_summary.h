// What is told of candidates, for all formats: each with the pair that stands for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/race.h"
#include "heddle/result.h"
#include "heddle/trace.h"

namespace heddle {

struct RequestSummary {
  std::uint64_t unit = 0;
  std::string edge;  // "client>payments"
  std::string method;
  std::string target;
  int status = 0;  // 0: there was no answer
};

struct StatementSummary {
  std::uint64_t unit = 0;
  std::string text;    // on one line, with $1
  std::string values;  // of its parameters: "7, 'ann'"; empty: none
  bool writes = false;
};

struct ConflictSummary {
  const RaceConflict* conflict = nullptr;
  StatementSummary first;
  StatementSummary second;
};

struct CandidateSummary {
  const RaceCandidate* candidate = nullptr;
  RequestSummary first;
  RequestSummary second;
  std::vector<ConflictSummary> conflicts;  // of the first pair
};

// Keeps pointers to `found`.
std::vector<CandidateSummary> summarize_candidates(const RaceCandidates& found, const Trace& trace);

// What `--why-not` answers for two units of requests.
struct PairAnswer {
  RequestSummary first;
  RequestSummary second;
  // Candidates of which the pair is one, by their numbers from 1.
  std::vector<std::size_t> candidates;
  std::vector<const LeftOutPair*> left_out;  // all spans of the two
};

// Requests from outside, or spans within them. Error: bad_input where a unit is no request.
Result<PairAnswer> answer_pair(const RaceCandidates& found, const Trace& trace, std::uint64_t first,
                               std::uint64_t second);

// The share of random pairs that are left out, in percent.
double share_left_out(const RaceTable& table);

}  // namespace heddle
