// The findings that --suppress names, and the file that --write-suppressions asks for.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cli/options/options.h"
#include "cli/output/output.h"
#include "format/suppressions.h"
#include "heddle/explore.h"
#include "heddle/find.h"
#include "heddle/race_finding.h"

namespace heddle {

class SuppressionList {
 public:
  // Reads the file of --suppress, and makes sure that the one of --write-suppressions can be
  // written.
  static Result<SuppressionList> open(const Arguments& arguments);

  // Marks the findings, or causes, that are suppressed today. Warns of entries whose last day is
  // over.
  void apply(ExploreReport& report, const Scenario& scenario);
  void apply(FindReport& report, const Program& program);
  // Results that keep heddle from knowing are suppressed, too, but are not worth an entry.
  void apply(RaceReport& report);

  // Writes the new file, and warns of entries that named no finding, if `complete`: where not
  // everything was tried, nobody knows. REQUIRES of users: called once, after the last report.
  Result<void> finish(bool complete);

 private:
  SuppressionList() = default;

  // The id of a finding, then those that earlier versions gave it.
  using Names = std::vector<std::string>;

  const Suppression* entry_of(const Names& names) const;
  static bool is_over(const Suppression& entry);
  // The reason why it is suppressed today.
  std::optional<std::string> judge(const Names& names);
  // For the new file. `what`: what is found, on one line.
  void note(const Names& names, const std::string& what);

  std::string file_;
  std::vector<Suppression> entries_;
  std::set<std::string> used_;
  std::optional<Output> output_;
  std::vector<Suppression> written_;
  std::set<std::string> noted_;
};

// Whether the report has findings, and all of them are suppressed at this level.
bool all_suppressed(const LevelReport& level);

}  // namespace heddle
