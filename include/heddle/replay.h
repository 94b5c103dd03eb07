/// replay: run one schedule step by step on a store and record everything that happened.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/finding.h"
#include "heddle/outcome.h"
#include "heddle/replayed_runs.h"
#include "heddle/result.h"
#include "heddle/schedule.h"
#include "heddle/statement.h"

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
struct ReplayReport : ReplayedRuns {
  std::string store = {};   ///< "PostgreSQL 15.4 (throwaway)"
  bool by_program = false;  ///< its own methods ran, not what was read of them
};

/// A compiled program whose methods heddle calls, and whose statements it holds until their steps.
class ControlledProgram;
/// Opens it when it is needed, with a driver for stores of that dialect; whoever asks again may get
/// the same one. Any thread. Errors: environment where there is no such driver.
using ProgramOpener = std::function<Result<std::shared_ptr<ControlledProgram>>(Dialect)>;

/// How to replay.
struct ReplayOptions {
  StoreAddresses on;
  std::uint32_t runs = 10;
  std::uint32_t step_timeout_ms = 30'000;
  /// Then sessions that call a method of the program run the method itself, statement by statement.
  /// Empty: they run what was read of it.
  ProgramOpener program = {};
};

/// Runs the finding's schedule `runs` times, each from fresh rows, and compares with the serial
/// orders run on the same store. With a program the error is bad_input where no session can run it,
/// and the opener's where it cannot be opened.
Result<ReplayReport> replay_finding(const Finding& finding, const ReplayOptions& options);

}  // namespace heddle
