// What heddle explore writes: a report per file, or one document of all files, to the output, and
// findings to a directory.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options.h"
#include "cli/output/output.h"
#include "cli/output/save_directory.h"
#include "heddle/explore.h"
#include "heddle/scenario.h"
#include "report/explore/explore_reports.h"

namespace heddle {

class ExploreReports {
 public:
  // Makes the directory of --save, so that an unwritable one is an error before the work.
  static Result<ExploreReports> open(const Arguments& arguments, std::size_t files, Output output);

  Result<void> add(const ExploreReport& report, const Scenario& scenario);
  // A file that could not be explored. The message for people is the caller's.
  void add_trouble(const Diagnostic& trouble, const Scenario& scenario);
  // REQUIRES of users: called once, after the last report.
  Result<void> finish();

 private:
  ExploreReports(const Arguments& arguments, std::size_t files, Output output);

  Result<void> write_report(const ExploreReport& report, const Scenario& scenario);
  Result<void> write_spec(const ExploreReport& report);
  Result<void> write_document();
  Result<void> save_findings(const ExploreReport& report, const Scenario& scenario);
  Result<void> save_repair(const LevelReport& level, const Scenario& scenario);

  std::string format_;
  TextOptions text_;
  bool several_files_;
  std::size_t reported_ = 0;
  std::size_t specs_ = 0;
  std::vector<ExploredScenario> explored_;  // for formats that are one document of all files
  SaveDirectory directory_;
  Output output_;
};

// "lost_update" of "examples/lost_update.spec": the scenario's part of a finding's file name, free
// of what shells and file systems treat specially.
std::string scenario_stem(std::string_view file);

}  // namespace heddle
