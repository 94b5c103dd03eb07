#include "cli/suppression_list.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "report/layout.h"
#include "report/summary.h"

namespace heddle {

namespace {

// "2026-12-31", in UTC, so that a file means the same everywhere.
std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 32> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
  return {text.data(), length};
}

Diagnostic about(const Suppression& entry, const std::string& file, std::string what,
                 std::string what_to_do) {
  return {.what = std::move(what),
          .what_to_do = std::move(what_to_do),
          .file = file,
          .position = entry.position};
}

}  // namespace

bool all_suppressed(const LevelReport& level) {
  return !level.findings.empty() &&
         std::all_of(level.findings.begin(), level.findings.end(),
                     [](const Finding& finding) { return finding.suppressed.has_value(); });
}

Result<SuppressionList> SuppressionList::open(const Arguments& arguments) {
  SuppressionList list;
  if (const std::string path = arguments.text("--suppress"); !path.empty()) {
    list.file_ = input_name(path);
    const Result<std::string> text = read_input(path);
    if (!text) return text.error();
    Result<std::vector<Suppression>> entries = parse_suppressions(*text, list.file_);
    if (!entries) return entries.error();
    list.entries_ = std::move(*entries);
  }
  if (const std::string path = arguments.text("--write-suppressions"); !path.empty()) {
    Result<Output> output = Output::open(path);
    if (!output) return output.error();
    list.output_ = std::move(*output);
  }
  return list;
}

void SuppressionList::apply(ExploreReport& report, const Scenario& scenario) {
  const std::string now = today();
  for (LevelReport& level : report.levels) {
    for (Finding& finding : level.findings) {
      const auto entry =
          std::find_if(entries_.begin(), entries_.end(),
                       [&](const Suppression& known) { return known.id == finding.id; });
      const bool over = entry != entries_.end() && !entry->until.empty() && entry->until < now;
      if (entry != entries_.end() && used_.insert(entry->id).second && over) {
        print_warning(
            about(*entry, file_,
                  fmt::format("the suppression of {} ended with {}", entry->id, entry->until),
                  "repair what it names, or give it a later date"));
      }
      if (entry != entries_.end() && !over) finding.suppressed = entry->reason;
      note(finding, scenario);
    }
  }
}

// Every finding once: with the entry that it has, or one to be edited.
void SuppressionList::note(const Finding& finding, const Scenario& scenario) {
  if (!output_ || !noted_.insert(finding.id).second) return;
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Suppression& known) {
    return finding.suppressed && known.id == finding.id;
  });
  if (entry != entries_.end()) {
    written_.push_back(*entry);
    return;
  }
  written_.push_back(
      {.id = finding.id,
       .until = "",
       .reason = fmt::format("not judged yet: {} {} in {}", finding_title(finding),
                             at_level(finding.isolation, scenario), printable(scenario.file))});
}

Result<void> SuppressionList::finish(bool complete) {
  for (const Suppression& entry : entries_) {
    if (!complete || used_.contains(entry.id)) continue;
    print_warning(about(entry, file_, fmt::format("no finding has the id {}", entry.id),
                        "take the entry out, unless it is for another scenario or level"));
  }
  if (!output_) return {};
  if (Result<void> written = output_->write(write_suppressions(written_)); !written) return written;
  return output_->finish();
}

}  // namespace heddle
