#include "cli/program_files.h"

#include <string>
#include <utility>

#include <fmt/format.h>

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

Result<void> save_findings(const FoundExecution& execution, SaveDirectory& directory) {
  if (!directory.is_open() || !execution.finding) return {};
  Result<void> saved = save_finding(*execution.finding, directory);
  for (const FoundBreak& further : execution.further) {
    if (saved) saved = save_finding(further.finding, directory);
  }
  return saved;
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
