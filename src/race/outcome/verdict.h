// What came of a race: whether an overlapped run of two requests could have been a serial one.
//
//   const auto baseline = learn_baseline(serial, settings);
//   RaceVerdict orders = judge_orders(*baseline);
//   RaceVerdict verdict = judge_run(*baseline, overlapped, RaceOrder::overlapped);
//   if (verdict.kind == RaceVerdictKind::confirmed) report(verdict.differences);
//
// An outcome is one tuple: both answers, the rows of all stores, the error lines of the logs. What
// differs between two equal serial runs is no part of it (normalise.h), and values that a sequence,
// the clock or chance made are equal up to one renaming of the whole outcome (compare/renaming.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "race/outcome/observed_run.h"

namespace heddle {

// One of the two requests.
struct RacedRequest {
  std::uint64_t unit = 0;
  std::string name = {};  // what differences call it: "A", "POST /payments"
  // What patterns of benign endpoints are held against.
  std::string method = {};
  std::string service = {};
  std::string target = {};
};

// A field of the JSON body of an answer, or its status, and what it may be.
struct ExpectedField {
  std::uint64_t request = 0;
  std::string path = {};  // "lines[0].state", or a JSON pointer: "/lines/0/state"
  bool is_status = false;
  std::vector<std::string> values = {};  // none: any
  std::optional<double> least = {};      // of a number
  std::optional<double> most = {};
};

struct JudgeSettings {
  // "GET /trains/*/departure", "GET trains/trains/*/departure" with the service in front.
  std::vector<std::string> benign = {};
  std::vector<ExpectedField> expected = {};
  std::vector<std::string> masked = {};  // fields and columns of these names are not compared
};

// All serial runs of a pair. Where the branches of one request race there is one request, the
// orders are those of the branches, and nothing runs alone.
struct SerialRaceRuns {
  std::vector<RacedRequest> requests = {};       // A and B
  std::vector<ObservedStore> before = {};        // the rows at which each run began
  std::vector<RacedRun> first_then_second = {};  // A then B, twice
  std::vector<RacedRun> second_then_first = {};
  std::optional<RacedRun> first_alone = {};
  std::optional<RacedRun> second_alone = {};
};

enum class RaceVerdictKind : std::uint8_t {
  nothing,              // some serial order has this outcome
  order_dependent,      // and the two serial orders differ in what they leave
  refused,              // a request ended with an error, and nothing of it remained
  error_under_overlap,  // a 5xx, or an error in a log, that no serial order has; nothing remained
  confirmed,            // no serial order has this outcome
  inconclusive,         // `why` says what is in the way
};

// "nothing", "order-dependent", "refused", "error-under-overlap", "confirmed", "inconclusive".
std::string_view to_string(RaceVerdictKind kind);

// How the second request was sent.
enum class RaceOrder : std::uint8_t {
  overlapped,
  after_answer,  // as soon as the first was answered, before the system was at rest
};

enum class DifferenceKind : std::uint8_t {
  status,  // of the answer to `subject`
  field,   // `field` of it: "$.refund", "header location", "line 3"
  rows,    // of the table `subject`
  log,     // of the service `subject`
  stated,  // an invariant or an expected field
};

// A place of the outcome at which the run is not what a serial order is.
struct RaceDifference {
  DifferenceKind kind = DifferenceKind::rows;
  std::string subject = {};
  std::string field = {};
  std::string where = {};  // "status of A", "rows of orders-db: orders", "A: $.refund"
  std::string observed = {};
  // Empty: as observed.
  std::string first_then_second = {};
  std::string second_then_first = {};
  // For a refusal that left something: what the other request alone gives.
  std::string other_alone = {};
};

struct RaceVerdict {
  RaceVerdictKind kind = RaceVerdictKind::nothing;
  // Confirmed, and the requests did not even overlap: a stale read after an answer.
  bool is_stale_read = false;
  std::string why = {};  // one clause in words
  std::vector<RaceDifference> differences = {};
  std::vector<std::uint64_t> refused = {};  // units of requests that ended with an error
  std::vector<std::string> broken = {};     // invariants and expected fields that both orders keep
};

// What equal outcomes of this pair are; made once from the serial runs. Not for several threads.
struct RaceBaseline;

// REQUIRES: at least one run of each order.
std::shared_ptr<const RaceBaseline> learn_baseline(SerialRaceRuns serial,
                                                   const JudgeSettings& settings);

// Whether the serial orders can be told from chance (inconclusive: they cannot, and no run can be
// judged), and whether they differ in what they leave, or in what they refuse (order_dependent).
RaceVerdict judge_orders(const RaceBaseline& baseline);

// Judges a run of both requests. Nothing of it is order_dependent: that is a matter of the orders.
RaceVerdict judge_run(const RaceBaseline& baseline, const RacedRun& run,
                      RaceOrder order = RaceOrder::overlapped);

// What differs between equal runs and was left out of the comparison, for people: "orders-db:
// orders.created_at".
std::vector<std::string> masked_places(const RaceBaseline& baseline);

}  // namespace heddle
