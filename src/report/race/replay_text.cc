// Races on a terminal. Commands stand on lines of their own, however wide they are: people copy
// them.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "format/race/race_finding_json.h"
#include "report/diagram/diagram.h"
#include "report/race/paper_table.h"
#include "report/race/replay_reports.h"
#include "report/race/replay_summary.h"
#include "report/schedule/run_text.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

std::string facts_text(const std::vector<Fact>& facts, const TextOptions& options) {
  std::size_t label = 0;
  for (const Fact& fact : facts) label = std::max(label, display_width(fact.name));
  std::string text;
  for (const Fact& fact : facts) text += text_beside(fact.name, label, fact.text, options);
  return text;
}

std::string commands_text(const RaceFinding& finding, const TextOptions& options) {
  const std::vector<Fact> commands = request_commands(finding);
  if (commands.empty()) return "";
  std::string text = "\n" + heading_text("The requests", options);
  for (const Fact& command : commands) text += command.name + "  " + command.text + "\n";
  return text;
}

std::string statements_text(const RaceFinding& finding, const TextOptions& options) {
  const std::vector<Fact> statements = racing_statements(finding);
  if (statements.empty()) return "";
  return "\n" + heading_text("The statements that race", options) + facts_text(statements, options);
}

std::string race_body(const RaceFinding& finding, const TextOptions& options, ShownSteps shown) {
  std::string text;
  const std::vector<std::string> paragraphs = explanation_paragraphs(finding);
  if (!paragraphs.empty()) text += "\n";
  for (const std::string& line : paragraphs) text += wrapped_text(line, options);
  if (!finding.steps.empty()) text += "\n" + render_diagram_text(draw(finding, shown), options);
  for (const Contrast& contrast : contrasts(finding)) {
    text += "\n" + contrast_text(contrast, options);
  }
  const std::vector<std::string> broken = broken_invariants(finding);
  if (!broken.empty()) text += "\n";
  for (const std::string& line : broken) text += wrapped_text(line, options);
  text += statements_text(finding, options) + commands_text(finding, options);
  return text + "\n" + facts_text(race_facts(finding), options);
}

std::string funnel_text(const RaceTable& table, const TextOptions& options) {
  constexpr std::size_t kNarrowestTable = 72;
  const ListTable list = paper_table(table);
  if (options.width >= kNarrowestTable) return render_list_table(list, options);
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < list.header.size(); ++i) {
    facts.push_back({list.header[i], list.rows[0].cells[i]});
  }
  return facts_text(facts, options);
}

std::string groups_text(const RaceReport& report, const TextOptions& options) {
  std::string text;
  for (const RaceGroup& group : race_groups(report)) {
    text += "\n" + heading_text(group.title, options);
    for (const RaceFinding* finding : group.findings) {
      text += indented_text(2, race_line(*finding), options);
    }
  }
  return text;
}

std::string counts_text(const RaceReport& report, const TextOptions& options) {
  std::vector<Fact> facts;
  for (const RaceCount& each : race_counts(report)) {
    facts.push_back({std::string(each.name), fmt::format("{:>5}", each.count)});
  }
  return "\n" + facts_text(facts, options);
}

}  // namespace

std::string render_text(const RaceReport& report, const TextOptions& options, ShownSteps shown) {
  std::string text =
      heading_text(replay_head(report), options) + "\n" + funnel_text(report.table, options);
  for (const std::string& note : table_notes(report)) text += wrapped_text(note, options);
  const std::vector<const RaceFinding*> full = full_findings(report);
  for (std::size_t i = 0; i < full.size(); ++i) {
    const std::string place = full.size() > 1 ? fmt::format("{} of {}: ", i + 1, full.size()) : "";
    text += "\n" + heading_text(place + race_title(*full[i]), options) +
            race_body(*full[i], options, shown);
  }
  text += groups_text(report, options) + counts_text(report, options);
  const std::vector<std::string> remarks = replay_remarks(report);
  if (!remarks.empty()) text += "\n";
  for (const std::string& remark : remarks) text += wrapped_text(remark, options);
  return text;
}

std::string render_text(const RaceFinding& finding, const TextOptions& options, ShownSteps shown) {
  return heading_text(race_title(finding), options) + race_body(finding, options, shown);
}

std::string render_json(const RaceReport& report) { return print_json(race_report_json(report)); }

}  // namespace heddle
