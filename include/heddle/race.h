/// Races of requests: pairs of requests of a trace that touch the same data with one of them
/// writing, and what came of each when it was made to happen.
///
///   const Trace trace;  // as format/trace/trace_lines.h reads it
///   const RaceCandidates found = find_race_candidates(trace, RaceSettings{});
///   for (const RaceCandidate& each : found.candidates) {
///     const RacePair& pair = each.pairs.front();  // the one that stands for the others
///   }
///
/// Source: MicroRacer, whose words these are: request flows of spans, data spans (here accesses),
/// the pruning of pairs by store and flow, the validation by swapped orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/trace.h"

namespace heddle {

/// What a team says of its races, from the sections `system` and `race` of heddle.yaml.
struct RaceSettings {
  /// Names of stores that are one: the alias, and the name that counts.
  std::map<std::string, std::string> aliases = {};
  /// Patterns of names of columns that are identities, besides the usual ones (`*_no`).
  std::vector<std::string> identities = {};
  /// Statements by which a lock of the team's own is taken and given back, as patterns.
  struct Lock {
    std::string acquire;
    std::string release;  ///< empty: with the transaction
  };
  std::vector<Lock> locks = {};
  /// Endpoints, or shapes of statements, whose branches may overlap although they never did.
  std::vector<std::string> async = {};
  /// Endpoints whose responses may differ: `GET /trains/*/departure`.
  std::vector<std::string> benign = {};
};

/// Two statements that touch one entity, of different requests or branches.
struct RaceConflict {
  std::uint64_t first = 0;   ///< the unit of the earlier request's statement
  std::uint64_t second = 0;  ///< that of the later one's
  std::string store = {};
  std::string table = {};
  std::string entity = {};  ///< "seats(id=7)", "seats(train=7)", "seats" where it is coarse
  std::vector<std::string> columns = {};
  bool first_writes = false;
  bool second_writes = false;
  bool is_coarse = false;  ///< the wire does not tell which rows
  /// What does it that the statement's text does not name: "trigger total", "function settle",
  /// "ON DELETE CASCADE of items(order_id)". Empty: the statement itself.
  std::string first_through = {};
  std::string second_through = {};

  friend bool operator==(const RaceConflict&, const RaceConflict&) = default;
};

/// Two requests of a trace from outside, or one whose branches race.
struct RacePair {
  std::uint64_t first = 0;   ///< the unit of the request that came earlier
  std::uint64_t second = 0;  ///< of the later one; equal to `first`: branches of one request
  std::vector<RaceConflict> conflicts = {};

  friend bool operator==(const RacePair&, const RacePair&) = default;
};

/// In what way the statements of a pair may step on each other; the worse, the earlier.
enum class RacePattern : std::uint8_t {
  creation,        ///< both look for a row and create it, or both create it
  lost_update,     ///< both read what both then write
  check_then_act,  ///< one decides by what the other writes, and writes
  write_write,     ///< both write without having read
  read_and_write,  ///< one only reads
};

/// "creation", "lost update", "check-then-act", "two writes", "read and write".
std::string_view to_string(RacePattern pattern);
/// The same with hyphens: in files and options.
std::string_view slug(RacePattern pattern);

/// Pairs of one shape: equal endpoints, statements and kinds of entities.
struct RaceCandidate {
  std::string id = {};  ///< stable over recordings: a hash of the shape
  RacePattern pattern = RacePattern::read_and_write;
  std::string first_endpoint = {};  ///< "POST payments/payments"
  std::string second_endpoint = {};
  bool is_between_branches = false;      ///< of one request
  std::vector<std::string> shapes = {};  ///< of the statements that conflict
  std::vector<RacePair> pairs = {};      ///< the first one stands for the others

  friend bool operator==(const RaceCandidate&, const RaceCandidate&) = default;
};

/// The step at which a pair was left out; the order is that of the paper's table.
enum class RaceStep : std::uint8_t { instance, flow, locks, kept };

/// "instance", "flow": the step in a word.
std::string_view to_string(RaceStep step);

/// A pair of request spans that was left out, and why.
struct LeftOutPair {
  std::uint64_t first = 0;       ///< the unit of the request from outside, and
  std::uint64_t second = 0;      ///< that of the other one
  std::uint64_t first_span = 0;  ///< the units of the spans themselves
  std::uint64_t second_span = 0;
  RaceStep step = RaceStep::kept;
  std::string why = {};
};

/// The paper's table. `random_pairs` = the three that were left out + early validated + to test.
struct RaceTable {
  std::uint64_t request_spans = 0;
  std::uint64_t data_spans = 0;  ///< accesses of tables
  std::uint64_t flows = 0;
  std::uint64_t random_pairs = 0;
  std::uint64_t by_instance = 0;
  std::uint64_t by_flow = 0;
  std::uint64_t by_locks = 0;
  std::uint64_t early_validated = 0;
  std::uint64_t to_test = 0;

  friend bool operator==(const RaceTable&, const RaceTable&) = default;
};

struct RaceCandidates {
  RaceTable table;
  std::vector<RaceCandidate> candidates = {};  ///< the most promising first
  std::vector<LeftOutPair> left_out = {};
  std::vector<std::string> remarks = {};  ///< what was not read exactly, what is bypassed
};

/// All pairs that can step on each other as far as the trace tells; the same for each `jobs`.
/// `others`: further recordings of the same system, which only tell in which orders a service makes
/// its calls.
RaceCandidates find_race_candidates(const Trace& trace, const RaceSettings& settings,
                                    std::size_t jobs = 1, const std::vector<Trace>& others = {});

}  // namespace heddle
