#include "report/find/find_summary.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "format/cause_groups.h"
#include "report/text/counted.h"
#include "report/text/coverage_text.h"

namespace heddle {

namespace {

// One line where all functionalities have the same level.
std::vector<std::string> level_lines(const FindReport& report, const Program& program) {
  std::map<std::string, std::vector<std::string>> by_level;
  for (std::size_t i = 0; i < report.levels.size(); ++i) {
    const FunctionalityLevel& level = report.levels[i];
    std::string text(definition(level.level).name);
    if (level.origin == LevelOrigin::stated) text += ", as the code says";
    if (level.origin == LevelOrigin::fallback) {
      text += ", because neither the code nor --isolation says otherwise";
    }
    by_level[text].push_back(program.functionalities[i].name);
  }
  std::vector<std::string> lines;
  for (const auto& [level, names] : by_level) {
    lines.push_back(
        fmt::format("at {}{}", level, by_level.size() == 1 ? "" : ": " + join(names, ", ")));
  }
  return lines;
}

// "within 4 operations, 3 transactions and 2 rounds of each loop".
std::vector<std::string> bounds_lines(const FindReport& report) {
  if (report.levels.empty()) return {};
  const FindBounds all =
      report.all_within.value_or(FindBounds{report.max_length, report.max_instances});
  std::string line = fmt::format("within {}, {} and {} of each loop",
                                 counted(all.length, "operation", "operations"),
                                 counted(all.instances, "transaction", "transactions"),
                                 counted(report.rounds, "round", "rounds"));
  if (report.max_prefix > 0) {
    line += fmt::format(", after at most {}", counted(report.max_prefix, "call", "calls"));
  }
  if (!report.all_within) return {line};
  return {line, fmt::format("and{} within {} and {} through statements without a smaller cycle",
                            report.widened ? ", because the program is small," : "",
                            report.max_length, report.max_instances)};
}

// "9 causes", and of how many groups, if some have more than one.
std::string cause_count(const std::vector<CauseRow>& rows) {
  std::size_t groups = 0;
  for (const CauseRow& row : rows) groups = std::max(groups, row.group);
  std::string text = counted(rows.size(), "cause", "causes");
  if (groups < rows.size()) {
    text += fmt::format(" (at {})", counted(groups, "set of places", "sets of places"));
  }
  return text;
}

std::string size_line(const FindReport& report, const Coverage& coverage,
                      const std::vector<CauseRow>& rows) {
  const std::string bounds =
      within_bounds(report.max_length, report.max_instances, report.max_prefix);
  if (report.causes.empty()) {
    return (report.external_left_out > 0 ? "nothing that leaves wrong rows was found"
                                         : nothing_found_text(coverage)) +
           " " + bounds;
  }
  std::size_t cores = 0;
  std::size_t extensions = 0;
  for (const FoundCause& cause : report.causes) {
    cores += cause.cores.size();
    extensions += cause.extensions.size();
  }
  return fmt::format("{} with {} and {}, {}", cause_count(rows),
                     counted(cores, "smallest cycle", "smallest cycles"),
                     counted(extensions, "longer one", "longer ones"), bounds);
}

// "54 lost update, 3 write skew", the gravest first.
std::string kind_line(const FindReport& report) {
  std::map<AnomalyKind, std::size_t> kinds;
  for (const FoundCause& cause : report.causes) ++kinds[cause.kind];
  std::vector<std::string> parts;
  for (const auto& [kind, count] : kinds) {
    parts.push_back(fmt::format("{} {}", count, definition(kind).name));
  }
  return join(parts, ", ");
}

// How many of the confirmed ones the program itself confirms; empty: nobody tried.
std::string program_line(const FindReport& report) {
  std::size_t tried = 0;
  std::size_t confirmed = 0;
  for (const FoundCause& cause : report.causes) {
    if (!cause.execution || !cause.execution->by_program) continue;
    ++tried;
    if (cause.execution->by_program->is_confirmed) ++confirmed;
  }
  if (tried == 0) return "";
  return fmt::format("of the {} confirmed, {} by the program itself", tried, confirmed);
}

// Of the confirmed ones, how many begin with rows that calls would have to make; empty: none.
std::string made_up_line(const FindReport& report) {
  const auto count = std::ranges::count_if(report.causes, [](const FoundCause& cause) {
    return cause.execution && !cause.execution->made_up_tables.empty();
  });
  if (count == 0) return "";
  return fmt::format(
      "{} of the confirmed {} with rows in tables that the program fills: "
      "--reachable keeps to rows that calls make",
      count, count == 1 ? "begins" : "begin");
}

std::vector<std::string> count_lines(const FindReport& report, const Coverage& coverage,
                                     const std::vector<CauseRow>& rows) {
  std::vector<std::string> lines = {size_line(report, coverage, rows)};
  if (!rows.empty()) {
    const bool was_executed =
        !report.bound.empty() || std::ranges::any_of(report.causes, [](const FoundCause& cause) {
          return cause.execution.has_value();
        });
    lines.push_back(count_statuses(rows) +
                    (was_executed ? "" : ": nothing was executed, --on=STORE does that"));
    lines.push_back(kind_line(report));
  }
  if (std::string line = program_line(report); !line.empty()) lines.push_back(std::move(line));
  if (std::string line = made_up_line(report); !line.empty()) lines.push_back(std::move(line));
  for (std::string& line : invariant_lines(rows)) lines.push_back(std::move(line));
  if (report.external_left_out > 0) {
    lines.push_back(
        fmt::format("{} reads alone {} left out: --internal",
                    counted(report.external_left_out, "cause that concerns", "causes that concern"),
                    report.external_left_out == 1 ? "is" : "are"));
  }
  if (!report.bound.empty()) lines.push_back("not complete: " + report.bound);
  return lines;
}

}  // namespace

FindSummary summarize(const FindReport& report, const Program& program, const CauseText& words) {
  FindSummary summary;
  for (const CoverageLine& line : coverage_lines(program.coverage)) {
    summary.coverage.push_back(std::string(line.indent, ' ') + line.text);
  }
  summary.head = level_lines(report, program);
  for (std::string& line : bounds_lines(report)) summary.head.push_back(std::move(line));
  if (!report.constraints.empty()) {
    summary.head.push_back("with the constraints of " + report.constraints);
  }
  if (!report.own_rows.empty()) {
    summary.head.push_back("all rows of " + join(report.own_rows, ", ") + " are made by calls");
  }
  CauseReasons reasons;
  const std::vector<std::size_t> groups = cause_groups(report, program);
  for (std::size_t i = 0; i < report.causes.size(); ++i) {
    const FoundCause& cause = report.causes[i];
    summary.rows.push_back(row_of(cause, i + 1, words));
    summary.rows.back().group = groups[i];
    const bool is_proved = cause.execution && cause.execution->status == FindingStatus::refuted;
    if (!is_proved) reasons.add(i + 1, cause.execution);
    if (cause.suppressed) reasons.add(i + 1, "suppressed", *cause.suppressed);
  }
  summary.reasons = reasons.all();
  summary.counts = count_lines(report, program.coverage, summary.rows);
  return summary;
}

}  // namespace heddle
