/// RaceFinding: a candidate of heddle/race.h and what came of it when its requests were made to
/// overlap on the running system.
///
///   Result<RaceFinding> finding = parse_race_finding(text, "lost-update-1b53c43160e1.json");
///   finding->result;         // RaceResult::confirmed
///   finding->steps[2].text;  // "UPDATE seats SET owner = 1 WHERE id = 7"
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/explanation.h"
#include "heddle/race.h"
#include "heddle/replayed_runs.h"
#include "heddle/result.h"
#include "heddle/trace.h"

namespace heddle {

/// What came of a candidate, the worst first.
enum class RaceResult : std::uint8_t {
  confirmed,            ///< an overlap left what no serial order leaves
  stale_read,           ///< so did one right after the other's answer: no overlap is needed
  error_under_overlap,  ///< an error that no serial order gives, and nothing else
  refused,              ///< a request ended with an error, and nothing of it remained
  order_dependent,      ///< the two serial orders differ; overlaps are like one of them
  nothing,              ///< overlaps came out as a serial order does
  not_feasible,         ///< one waits for the other, so that they cannot overlap there
  inconclusive,
  not_replayable,  ///< the control run did not give what was recorded
  not_reached,     ///< the time was over before
};

/// "confirmed", "stale read", "error under overlap", "refused", "order-dependent", "nothing", "not
/// feasible", "inconclusive", "not replayable", "not reached".
std::string_view to_string(RaceResult result);
/// The same with hyphens: in files and options.
std::string_view slug(RaceResult result);

/// A unit of a run: a request, or a statement, as it was let go and answered.
struct RaceRunStep {
  std::optional<std::size_t> party = {};  ///< 0: the first request, 1: the second; none: background
  std::string caller = {};
  std::string callee = {};  ///< the service or store
  bool is_request = false;
  bool is_outer = false;  ///< one of the two requests themselves
  std::uint64_t connection = 0;
  std::string text = {};     ///< the statement with its values, "POST /payments"
  std::string outcome = {};  ///< "1 row: 40", "UPDATE 1", "201 {\"id\": 7}", an error
  bool is_error = false;
  std::size_t sent = 0;      ///< its place in the order of all that was sent and answered, from 1
  std::size_t answered = 0;  ///< 0: it never was
  bool was_held = false;     ///< the other party went on before it was let go
  bool has_waited = false;   ///< in the database, for the other party
  bool conflicts = false;    ///< it is one of the statements that race

  friend bool operator==(const RaceRunStep&, const RaceRunStep&) = default;
};

/// A party goes on until a unit of its own has arrived, which is then held; without a shape, until
/// it is answered and nothing of it is left.
struct RaceTurn {
  std::size_t party = 0;    ///< 0: the first request, 1: the second
  std::string caller = {};  ///< where the unit passes
  std::string callee = {};
  std::string shape = {};      ///< its text without values; empty: to the end
  std::size_t occurrence = 1;  ///< the n-th of this shape

  friend bool operator==(const RaceTurn&, const RaceTurn&) = default;
};

/// A place of the outcome at which a run is not what a serial order is. Empty texts: as observed.
struct RaceFindingDifference {
  std::string where = {};  ///< "status of A", "rows of orders-db: orders", "A: $.refund"
  std::string observed = {};
  std::string first_then_second = {};
  std::string second_then_first = {};

  friend bool operator==(const RaceFindingDifference&, const RaceFindingDifference&) = default;
};

/// A request, by its unit, that needs an earlier one.
struct RaceNeed {
  std::uint64_t unit = 0;
  std::uint64_t on = 0;
  std::string by = {};    ///< "value" of an answer, "row", "memory" of a service
  std::string what = {};  ///< "orders(id=7) of orders-db"

  friend bool operator==(const RaceNeed&, const RaceNeed&) = default;
};

/// A value of a request, or a part of one, that is taken from the answer to an earlier one.
struct RaceLink {
  std::uint64_t unit = 0;
  std::string place = {};      ///< of the value in the request: "/body/order"
  std::size_t occurrence = 1;  ///< the n-th value of that place
  std::size_t begin = 0;       ///< of the part in the value, in bytes
  std::size_t size = 0;
  std::uint64_t from = 0;
  std::string from_place = {};  ///< of the value in that answer
  std::size_t from_begin = 0;
  std::string by = {};  ///< "placeholder", "distinctive", "name", "row", "only"

  friend bool operator==(const RaceLink&, const RaceLink&) = default;
};

/// A secret that a client chose, which the recording hides.
struct RaceSecret {
  std::string placeholder = {};
  std::uint64_t unit = 0;   ///< where it came first
  std::string field = {};   ///< there
  bool is_in_body = false;  ///< or in the query

  friend bool operator==(const RaceSecret&, const RaceSecret&) = default;
};

/// A name that a client chose for what a request creates.
struct RaceName {
  std::uint64_t unit = 0;
  std::string value = {};

  friend bool operator==(const RaceName&, const RaceName&) = default;
};

/// The part of a recording that running a finding again needs, so that the trace is not needed.
struct RaceRecording {
  std::uint64_t first = 0;   ///< the unit of A
  std::uint64_t second = 0;  ///< of B; equal to `first`: branches of one request
  /// The requests of outer edges that come before, A and B, and the statements of these two.
  Trace trace = {};
  std::vector<RaceNeed> needs = {};
  std::vector<RaceLink> links = {};
  std::vector<RaceSecret> secrets = {};
  std::vector<RaceName> created = {};
  std::vector<std::uint64_t> writers = {};  ///< the requests that wrote rows

  friend bool operator==(const RaceRecording&, const RaceRecording&) = default;
};

struct RaceFinding {
  std::string id = {};  ///< of the candidate
  RaceResult result = RaceResult::not_reached;
  std::string why = {};
  std::string what_helps = {};
  RacePattern pattern = RacePattern::read_and_write;
  std::string first_endpoint = {};
  std::string second_endpoint = {};
  bool is_between_branches = false;
  std::vector<RaceConflict> conflicts = {};
  std::vector<std::string> requests = {};  ///< the two, each as a curl command
  std::string restored = {};               ///< "rows": how the state before was brought back
  std::string schedule = {};               ///< "A until update orders ...; B; A"
  std::vector<RaceTurn> turns = {};        ///< the same, to be run again
  std::vector<RaceRunStep> steps = {};     ///< of the run that shows the result, as they were sent
  /// Where that run went another way than both serial orders, in `steps`; none: nobody knows.
  std::optional<std::size_t> wrong_step = {};
  std::vector<RaceFindingDifference> differences = {};
  std::vector<std::string> broken = {};  ///< invariants
  Explanation explanation = {};
  std::size_t runs = 0;                         ///< overlaps that were tried
  std::size_t left = 0;                         ///< overlaps that were not
  std::vector<std::string> masked = {};         ///< places that differ between equal runs anyway
  std::optional<RaceRecording> recording = {};  ///< none: it cannot be run again
  std::optional<std::string> suppressed = {};   ///< why it is known and left alone; none: it counts

  friend bool operator==(const RaceFinding& a, const RaceFinding& b) { return a.id == b.id; }
};

struct RaceReport {
  std::string trace = {};  ///< the file
  RaceTable table = {};
  std::vector<RaceFinding> findings = {};  ///< the worst first; all candidates
  std::vector<std::string> unseen = {};    ///< stores whose rows were not looked at
  std::vector<std::string> remarks = {};
};

/// What running a finding again gave.
/// An obstacle is that the requests one after the other do not give what was recorded, or that the
/// system does not send any more what the schedule waits for.
struct RaceReplayReport : ReplayedRuns {
  std::string restored = {};  ///< "rows": how the state before was brought back
  std::string system = {};    ///< the file that describes it
};

/// The finding as a JSON document, "heddle": "race-finding/1" (docs/formats/race.md).
std::string to_json(const RaceFinding& finding);

/// What running it again gave as a JSON document, "heddle": "race-replay/1".
std::string to_json(const RaceReplayReport& report, const RaceFinding& finding);

/// Whether a JSON document says that it is a finding of a race.
bool is_race_finding(std::string_view json);

/// Reads one; diagnostics name `file`, line and column.
Result<RaceFinding> parse_race_finding(std::string_view json, std::string_view file);

}  // namespace heddle
