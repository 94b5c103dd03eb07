#include "cli/suppressions/suppression_list.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "report/find/cause_text.h"
#include "report/race/replay_summary.h"
#include "report/schedule/summary.h"
#include "report/text/layout.h"

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
  for (LevelReport& level : report.levels) {
    for (Finding& finding : level.findings) {
      finding.suppressed = judge({finding.id});
      note({finding.id},
           fmt::format("{} {} in {}", finding_title(finding), at_level(finding.isolation, scenario),
                       printable(scenario.file)));
    }
  }
}

void SuppressionList::apply(FindReport& report, const Program& program) {
  const CauseText words(program);
  for (FoundCause& cause : report.causes) {
    Names names = {cause.id};
    names.insert(names.end(), cause.former_ids.begin(), cause.former_ids.end());
    cause.suppressed = judge(names);
    note(names, printable(words.title(cause)));
  }
}

void SuppressionList::apply(RaceReport& report) {
  for (RaceFinding& finding : report.findings) {
    const std::string title = race_title(finding);
    finding.suppressed = judge({finding.id});
    if (is_told_in_full(finding.result)) note({finding.id}, title);
  }
}

const Suppression* SuppressionList::entry_of(const Names& names) const {
  for (const std::string& name : names) {
    const auto entry = std::ranges::find(entries_, name, &Suppression::id);
    if (entry != entries_.end()) return &*entry;
  }
  return nullptr;
}

bool SuppressionList::is_over(const Suppression& entry) {
  return !entry.until.empty() && entry.until < today();
}

std::optional<std::string> SuppressionList::judge(const Names& names) {
  const Suppression* const entry = entry_of(names);
  if (entry == nullptr) return std::nullopt;
  const bool is_first = used_.insert(entry->id).second;
  if (!is_over(*entry)) return entry->reason;
  if (is_first) {
    print_warning(about(*entry, file_,
                        fmt::format("the suppression of {} ended with {}", entry->id, entry->until),
                        "repair what it names, or give it a later date"));
  }
  return std::nullopt;
}

// Everything once: with the entry that it has, by the id that it has today, or one to be edited.
void SuppressionList::note(const Names& names, const std::string& what) {
  if (!output_ || !noted_.insert(names.front()).second) return;
  const Suppression* const entry = entry_of(names);
  if (entry != nullptr && !is_over(*entry)) {
    written_.push_back(*entry);
    written_.back().id = names.front();
  } else {
    written_.push_back({.id = names.front(), .until = "", .reason = "not judged yet: " + what});
  }
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
