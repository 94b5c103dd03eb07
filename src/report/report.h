// Reports as text for a terminal, Markdown, JSON, spec files, diagrams, pages and what other
// programs take in: SARIF and JUnit's XML.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "heddle/cut_search.h"
#include "heddle/explore.h"
#include "heddle/find.h"
#include "heddle/finding.h"
#include "heddle/program.h"
#include "heddle/program_repair.h"
#include "heddle/replay.h"
#include "heddle/split.h"
#include "heddle/why_not.h"

namespace heddle {

struct TextOptions {
  bool color = false;
  std::size_t width = 100;  // columns of the terminal
};

// What exploring a scenario gave: a head line, the findings with their diagrams, the summary. With
// several levels a table of causes by levels comes first.
std::string render_text(const ExploreReport& report, const Scenario& scenario,
                        const TextOptions& options);
std::string render_markdown(const ExploreReport& report, const Scenario& scenario);
std::string render_json(const ExploreReport& report, const Scenario& scenario);

// What became of schedules that somebody fears: the diagram of each run, what the store did to its
// steps, and whether it happens at other levels.
std::string render_text(const WhyNotReport& report, const Scenario& scenario,
                        const TextOptions& options);
std::string render_markdown(const WhyNotReport& report, const Scenario& scenario);
std::string render_json(const WhyNotReport& report, const Scenario& scenario);

// Every statement of a program: what it reads and writes, under which conditions, and what of it
// was not read exactly.
std::string render_text(const Program& program, const TextOptions& options);
std::string render_json(const Program& program);

// The anomalies that a program allows: causes, each with its shortest cycle, and which
// functionalities have which kinds.
std::string render_text(const FindReport& report, const Program& program,
                        const TextOptions& options);
// `repairs`: null where nobody looked for some.
std::string render_json(const FindReport& report, const Program& program,
                        const ProgramRepairReport* repairs = nullptr);
// What to change so that none of them is left.
std::string render_text(const ProgramRepairReport& report, const TextOptions& options);
// The causes that the levels remove, each with the axioms that do it.
std::string render_text(const RemovedReport& report, const Program& program,
                        const TextOptions& options);
std::string render_json(const RemovedReport& report, const Program& program);
// SARIF 2.1.0, a result for each cause that execution did not refute, on the lines of the code.
std::string render_sarif(const FindReport& report, const Program& program);

// What a cut into services adds.
std::string render_text(const SplitReport& report, const TextOptions& options);
// SVG: its tables, coloured by service, and how many causes join two of them. HTML: the same, what
// is counted, and each core with its statements.
std::string render_svg(const SplitReport& report);
std::string render_html(const SplitReport& report);
// What several cuts cost, side by side, and the best of those that were looked for.
std::string render_text(const CutComparison& comparison, const TextOptions& options);
std::string render_text(const CutSearchReport& report, const TextOptions& options);

// One finding: diagram, difference from the serial orders, explanation, facts.
std::string render_text(const Finding& finding, const TextOptions& options);
std::string render_markdown(const Finding& finding);

// A spec file of the scenario with exactly the finding's schedule as its permutation.
std::string render_spec(const Finding& finding);

// A scenario and what exploring it gave, or the trouble that kept it from being explored.
struct ExploredScenario {
  Scenario scenario;
  ExploreReport report;
  std::optional<Diagnostic> trouble;
};

// Everything that was explored as one document. Each cause is drawn once, at the first level that
// has it.
//
// Mermaid: one sequence diagram per cause, or one that says that there is none. One diagram is a
// document by itself, several are fenced in a Markdown page.
std::string render_mermaid(std::span<const ExploredScenario> explored);

// SVG: the schedule diagrams one under the other, with the arrows of the cycle. Nothing outside of
// the document is needed to show it.
std::string render_svg(std::span<const ExploredScenario> explored);

// HTML: one page with everything, without scripts and without anything from elsewhere.
std::string render_html(std::span<const ExploredScenario> explored);

// SARIF 2.1.0: one log with one run, and in it one result per finding. What cut an exploration
// short, or kept a scenario from being explored, is a notification.
std::string render_sarif(std::span<const ExploredScenario> explored);

// JUnit's XML: a suite per scenario and level, in it a case for the exploration and one per
// finding, which fails unless the finding is suppressed.
std::string render_junit(std::span<const ExploredScenario> explored);

// One finding as a document of its own.
std::string render_mermaid(const Finding& finding);
std::string render_svg(const Finding& finding);

std::string render_text(const ReplayReport& report, const Finding& finding,
                        const TextOptions& options);
std::string render_json(const ReplayReport& report, const Finding& finding);
// One case, which fails when every run showed the anomaly, and is an error when only some did.
std::string render_junit(const ReplayReport& report, const Finding& finding);

}  // namespace heddle
