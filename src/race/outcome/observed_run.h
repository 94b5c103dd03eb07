// What one run of two requests showed: their answers, the rows that they left, what the services
// logged. Whoever makes a run fills this; normalise.h and verdict.h read it.
//
//   RacedRun run;
//   run.responses.push_back({.request = 17, .status = 201, .headers = {}, .body = R"({"id": 4})"});
//   run.stores.push_back({.name = "orders-db", .tables = contents.tables});
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "heddle/outcome.h"
#include "heddle/trace.h"

namespace heddle {

// How a request was answered. The body is decoded.
struct ObservedResponse {
  std::uint64_t request = 0;  // the unit of the recorded request that was sent again
  int status = 0;             // 0: there was no answer
  TraceHeaders headers = {};
  std::string body = {};
};

// The rows of a store at rest. Column::generated and Column::domain say which columns the store
// fills by itself ("clock": with the time), as far as the store tells.
struct ObservedStore {
  std::string name = {};
  std::vector<TableState> tables = {};
};

// What a service wrote to its log from the beginning of the run until it was at rest.
struct ObservedLog {
  std::string service = {};
  std::string text = {};
};

// An invariant of the team that does not hold, with the rows that show it.
struct BrokenInvariant {
  std::string name = {};
  std::vector<std::string> columns = {};
  std::vector<Row> rows = {};
};

struct RacedRun {
  std::vector<ObservedResponse> responses = {};
  std::vector<ObservedStore> stores = {};
  std::vector<ObservedLog> logs = {};
  std::vector<BrokenInvariant> broken = {};
  // The rows at which this run began, where nothing was put back and each begins at other ones;
  // none: those of SerialRaceRuns::before.
  std::optional<std::vector<ObservedStore>> before = {};
  // New values that its requests were sent with, and the recorded values for which they stand.
  std::vector<std::pair<std::string, std::string>> renamed = {};
  // When it began and ended, in microseconds since 1970: values that are such times are the
  // clock's. 0: not known.
  std::uint64_t begun_us = 0;
  std::uint64_t ended_us = 0;
  // Why it does not count, in words that follow a colon; empty: it counts.
  std::string trouble = {};
};

}  // namespace heddle
