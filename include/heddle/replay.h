/// replay: run one schedule step by step on a store and record everything that happened.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/finding.h"
#include "heddle/outcome.h"
#include "heddle/schedule.h"

namespace heddle {

/// Where to run: "postgres" starts a private throwaway server, "postgres://..." uses a given one,
/// and likewise for the other kinds of stores.
struct StoreAddresses {
  /// "NAME=ADDRESS" is for the scenario's store of that name, any other for its first one; the last
  /// of equals counts. A store without an address is a throwaway server of the kind that the
  /// scenario declares, else of PostgreSQL.
  std::vector<std::string> texts;
};

/// What running a finding again gave.
struct ReplayReport {
  std::uint32_t runs = 0;
  std::uint32_t confirmed = 0;           ///< runs that showed the same anomaly
  std::string store;                     ///< "PostgreSQL 15.4 (throwaway)"
  std::vector<std::string> differences;  ///< per run that did not: what differed
  Verdict verdict = Verdict::unknown;    ///< violated: confirmed every time
};

/// How to replay.
struct ReplayOptions {
  StoreAddresses on;
  std::uint32_t runs = 10;
  std::uint32_t step_timeout_ms = 30'000;
};

/// Runs the finding's schedule `runs` times, each from fresh rows, and compares with the serial
/// orders run on the same store.
Result<ReplayReport> replay_finding(const Finding& finding, const ReplayOptions& options);

}  // namespace heddle
