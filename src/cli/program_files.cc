#include "cli/program_files.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/printable.h"
#include "base/text.h"
#include "cli/output/output.h"
#include "report/explore/explore_reports.h"

namespace heddle {

namespace {

Result<void> save_finding(const Finding& finding, SaveDirectory& directory) {
  const std::string stem =
      directory.unused_stem(fmt::format("{}-{}", definition(finding.kind).slug, finding.id));
  for (const auto& [suffix, text] : {std::pair<std::string, std::string>{".json", to_json(finding)},
                                     {".spec", render_spec(finding)}}) {
    if (Result<void> written = directory.write(stem, suffix, text); !written) return written;
  }
  return {};
}

}  // namespace

Result<SavedRuns> SavedRuns::open(const Arguments& arguments) {
  SavedRuns runs;
  Result<SaveDirectory> confirmed = SaveDirectory::open(arguments.text("--save"));
  if (!confirmed) return confirmed.error();
  runs.confirmed_ = std::move(*confirmed);
  runs.path_ = arguments.text("--save-unconfirmed");
  Result<SaveDirectory> unconfirmed = SaveDirectory::open(runs.path_, "--save-unconfirmed");
  if (!unconfirmed) return unconfirmed.error();
  runs.unconfirmed_ = std::move(*unconfirmed);
  return runs;
}

Result<void> SavedRuns::add(const FoundExecution& execution) {
  if (execution.status == FindingStatus::refuted) return {};
  if (!execution.finding) {
    if (!unconfirmed_.is_open()) return {};
    if (execution.unconfirmed) return save_finding(*execution.unconfirmed, unconfirmed_);
    ++missing_[execution.status];
    return {};
  }
  if (!confirmed_.is_open()) return {};
  Result<void> saved = save_finding(*execution.finding, confirmed_);
  for (const FoundBreak& further : execution.further) {
    if (saved) saved = save_finding(further.finding, confirmed_);
  }
  return saved;
}

void SavedRuns::say_what_is_missing() const {
  std::vector<std::string> counts;
  for (const auto& [status, count] : missing_) {
    counts.push_back(fmt::format("{} {}", count, to_string(status)));
  }
  if (counts.empty()) return;
  print_message(fmt::format("heddle: not in {}, because no run of them was made: {}\n",
                            printable(path_), join(counts, ", ")));
}

OptionDefinition save_unconfirmed_option(std::string_view group) {
  return {.name = "--save-unconfirmed",
          .value = "DIR",
          .kind = ValueKind::directory,
          .group = group,
          .meaning =
              "Write of each cause that was executed, and neither confirmed nor refuted, a run "
              "to DIR/KIND-ID.json, and to a spec file beside it. heddle replay confirms it "
              "by any outcome that no serial order has."};
}

Result<Constraints> read_constraints(const std::string& path) {
  const Result<std::string> text = read_input(path);
  if (!text) return text.error();
  return parse_constraints(*text, input_name(path));
}

Result<SourceText> read_source(const std::string& path) {
  const Result<std::string> text = read_input(path);
  if (!text) return text.error();
  return SourceText{.file = input_name(path), .text = *text};
}

}  // namespace heddle
