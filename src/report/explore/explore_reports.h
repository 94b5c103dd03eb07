// What exploring and replaying gave, as text for a terminal, Markdown, JSON, spec files, diagrams,
// pages and what other programs take in: SARIF and JUnit's XML.
#pragma once

#include <span>
#include <string>

#include "heddle/explore.h"
#include "heddle/finding.h"
#include "heddle/replay.h"
#include "heddle/scenario.h"
#include "heddle/why_not.h"
#include "report/schedule/explored_scenario.h"
#include "report/text/text_options.h"

namespace heddle {

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

// One finding: diagram, difference from the serial orders, explanation, facts.
std::string render_text(const Finding& finding, const TextOptions& options);
std::string render_markdown(const Finding& finding);

// A spec file of the scenario with exactly the finding's schedule as its permutation.
std::string render_spec(const Finding& finding);

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
