/// What `heddle record` writes down of a running system: the requests and statements that passed
/// between services and stores, each with the flow to which it belongs.
///
///   Trace trace;  // as format/trace/trace_lines.h reads it
///   for (const TraceStatement& each : trace.statements) {
///     const bool is_of_a_flow = each.flow.number != 0;
///   }
///
/// docs/formats/trace.md describes the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/schema.h"

namespace heddle {

/// Nanoseconds since the recording began.
using TraceTime = std::uint64_t;

/// How it is known to which flow something belongs.
enum class FlowEvidence : std::uint8_t {
  traceparent,  ///< it named the flow itself: a header, or a comment in the statement
  transaction,  ///< its transaction belongs to that flow
  only,         ///< no other flow had a request open at the service
  serial,       ///< requests were let in one at a time
  background,   ///< no flow: the service does it again and again on its own
  setup,        ///< no flow: a driver or pool prepares its connection, or looks whether it lives
  exempt,       ///< no flow: a stream, an upgraded connection, replication
  unsure,       ///< one of `candidates`, or none
};

/// The flow of a unit.
struct TraceFlow {
  std::uint64_t number = 0;  ///< 0: none
  FlowEvidence evidence = FlowEvidence::unsure;
  std::vector<std::uint64_t> candidates = {};  ///< where it is unsure; may be empty

  friend bool operator==(const TraceFlow&, const TraceFlow&) = default;
};

/// A service calls a service, or a store.
struct TraceEdge {
  std::string caller;
  std::string callee;
  bool is_store = false;  ///< the callee
  bool is_outer = false;  ///< requests come in here

  friend bool operator==(const TraceEdge&, const TraceEdge&) = default;
};

/// A value as a text; of a type that is not read from binary, its bytes.
struct TraceValue {
  std::optional<std::string> text = {};  ///< none: NULL
  bool is_binary = false;                ///< the text is the bytes of the binary form

  friend bool operator==(const TraceValue&, const TraceValue&) = default;
};

struct TraceParameter {
  TraceValue value = {};
  std::uint32_t type = 0;  ///< the store's number of it; 0: nobody said

  friend bool operator==(const TraceParameter&, const TraceParameter&) = default;
};

/// A column of a result. `table` and `column` are numbers of the store's catalogue; 0: it is
/// computed.
struct TraceColumn {
  std::string name;
  std::uint32_t table = 0;
  std::uint32_t column = 0;
  std::uint32_t type = 0;

  friend bool operator==(const TraceColumn&, const TraceColumn&) = default;
};

/// What one statement returned or did. `hash` is that of all rows, or of what was copied; 0 where
/// something in these is hidden.
struct TraceResult {
  std::vector<TraceColumn> columns = {};
  std::vector<std::vector<TraceValue>> rows = {};  ///< the first ones
  std::uint64_t row_count = 0;
  std::optional<std::uint64_t> rows_changed = {};
  std::uint64_t copied_bytes = 0;
  std::uint64_t hash = 0;
  std::string tag = {};       ///< "UPDATE 1"
  bool is_suspended = false;  ///< more rows are left, by the client's limit

  friend bool operator==(const TraceResult&, const TraceResult&) = default;
};

/// An error of a store, in its words.
struct TraceError {
  std::string code = {};  ///< SQLSTATE
  std::string message = {};
  std::string detail = {};

  friend bool operator==(const TraceError&, const TraceError&) = default;
};

/// A unit that a store answered. Source of the states: PostgreSQL's ReadyForQuery.
struct TraceStatement {
  std::uint64_t unit = 0;  ///< among all units of the trace, in the order of their arrival; from 1
  std::size_t edge = 0;    ///< in TraceHead::edges
  std::uint64_t connection = 0;
  std::uint64_t ordinal = 0;  ///< of the connection, from 1
  std::string kind = {};      ///< query, execution, more_rows, call, prepare
  TraceFlow flow = {};
  TraceTime arrived = 0;
  std::optional<TraceTime> permitted = {};
  std::optional<TraceTime> answered = {};
  std::string text = {};
  std::uint64_t text_size = 0;  ///< larger than the text where that is cut off
  std::vector<TraceParameter> parameters = {};
  bool has_all_parameters = true;
  std::vector<TraceResult> results = {};
  std::optional<TraceError> error = {};
  bool is_skipped = false;        ///< an earlier one of its group had failed
  std::uint64_t transaction = 0;  ///< of the connection, from 1; 0: not known
  char state_before = '?';        ///< I idle, T in a transaction, E in a failed one, ? not known
  char state_after = '?';
  std::string level = {};  ///< of its transaction; empty: the store's default

  friend bool operator==(const TraceStatement&, const TraceStatement&) = default;
};

/// Names and values, in their order.
using TraceHeaders = std::vector<std::pair<std::string, std::string>>;

/// A body as it was sent, without its secrets, or its beginning.
struct TraceBody {
  std::string bytes = {};
  std::uint64_t size = 0;   ///< of the whole, as it was sent
  bool is_whole = true;     ///< false: `bytes` is its beginning
  std::uint64_t hash = 0;   ///< of the whole, where only the beginning is there
  bool is_decoded = false;  ///< it was sent compressed, and `bytes` is not

  friend bool operator==(const TraceBody&, const TraceBody&) = default;
};

/// A request, and how it was answered.
struct TraceRequest {
  std::uint64_t unit = 0;
  std::size_t edge = 0;
  std::uint64_t connection = 0;
  std::uint64_t ordinal = 0;
  TraceFlow flow = {};
  std::string trace = {};  ///< the id of the trace that it names, or that it was given
  TraceTime arrived = 0;
  std::optional<TraceTime> permitted = {};
  std::optional<TraceTime> answered = {};
  std::string method = {};
  std::string target = {};
  TraceHeaders headers = {};
  TraceBody body = {};
  int status = 0;  ///< 0: there was no answer
  TraceHeaders response_headers = {};
  TraceBody response_body = {};

  friend bool operator==(const TraceRequest&, const TraceRequest&) = default;
};

/// A connection, as far as it has opened and closed.
struct TraceConnection {
  std::uint64_t number = 0;
  std::size_t edge = 0;
  TraceTime opened = 0;
  std::map<std::string, std::string> parameters = {};  ///< user, database, application_name
  std::uint32_t backend = 0;                           ///< the server's number of it

  friend bool operator==(const TraceConnection&, const TraceConnection&) = default;
};

/// Columns of a table that name a row of another one.
struct TraceForeignKey {
  std::vector<std::string> columns = {};
  std::uint32_t referenced_table = 0;  ///< its number; 0: not known, in traces of older versions
  std::vector<std::string> referenced_columns = {};
  ReferentialAction on_delete = ReferentialAction::no_action;
  ReferentialAction on_update = ReferentialAction::no_action;

  friend bool operator==(const TraceForeignKey&, const TraceForeignKey&) = default;
};

/// What a store does on its own when a table is written: a trigger, or a rule.
struct TraceTrigger {
  std::string name = {};
  bool on_insert = false;
  bool on_update = false;
  bool on_delete = false;
  bool on_truncate = false;
  std::vector<std::string> columns = {};  ///< of UPDATE OF; empty: each UPDATE
  std::string function = {};              ///< with its schema; empty: a rule

  friend bool operator==(const TraceTrigger&, const TraceTrigger&) = default;
};

/// A table of a store.
struct TraceTable {
  std::uint32_t number = 0;
  std::string name = {};  ///< with its schema
  std::map<std::uint32_t, std::string> columns = {};
  std::vector<std::vector<std::string>> keys = {};  ///< unique ones, the primary one first
  std::vector<TraceForeignKey> foreign_keys = {};
  std::vector<TraceTrigger> triggers = {};
  std::string view = {};  ///< of a view, its query

  friend bool operator==(const TraceTable&, const TraceTable&) = default;
};

/// A function that somebody has made in a store.
struct TraceFunction {
  std::string name = {};      ///< with its schema
  char volatility = 'v';      ///< i immutable, s stable, v volatile
  std::string language = {};  ///< sql, plpgsql
  std::string body = {};      ///< of one in SQL or PL/pgSQL; empty where it is not known

  friend bool operator==(const TraceFunction&, const TraceFunction&) = default;
};

struct TraceCatalogue {
  std::string store = {};
  std::string level = {};  ///< of transactions that name none
  std::vector<TraceTable> tables = {};
  std::vector<TraceFunction> functions = {};

  friend bool operator==(const TraceCatalogue&, const TraceCatalogue&) = default;
};

/// A statement or request that a service repeats on its own.
struct TraceBackground {
  std::size_t edge = 0;
  std::string text = {};  ///< with ? for values
  std::uint64_t period_us = 0;
  std::uint64_t seen = 0;

  friend bool operator==(const TraceBackground&, const TraceBackground&) = default;
};

/// With what a trace begins.
struct TraceHead {
  std::string version = {};  ///< of heddle
  std::string begun = {};    ///< 2026-01-31T12:00:00Z
  std::vector<std::string> command = {};
  std::vector<TraceEdge> edges = {};

  friend bool operator==(const TraceHead&, const TraceHead&) = default;
};

/// With what a trace ends, where the recording came to its end.
struct TraceEnd {
  std::string reason = {};  ///< "the command has ended", "interrupted", "the disk is full"
  std::optional<int> exit_code = {};
  std::uint64_t units = 0;
  std::uint64_t unsure = 0;

  friend bool operator==(const TraceEnd&, const TraceEnd&) = default;
};

/// A whole trace, in the order of the file.
struct Trace {
  TraceHead head;
  std::vector<TraceStatement> statements = {};
  std::vector<TraceRequest> requests = {};
  std::vector<TraceConnection> connections = {};
  std::vector<TraceCatalogue> catalogues = {};
  std::vector<TraceBackground> background = {};
  std::vector<std::string> remarks = {};
  std::optional<TraceEnd> end = {};

  friend bool operator==(const Trace&, const Trace&) = default;
};

}  // namespace heddle
