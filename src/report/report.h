// Reports as text for a terminal, Markdown, JSON and spec files.
#pragma once

#include <cstddef>
#include <string>

#include "heddle/explore.h"
#include "heddle/finding.h"
#include "heddle/replay.h"

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

// One finding: diagram, difference from the serial orders, explanation, facts.
std::string render_text(const Finding& finding, const TextOptions& options);
std::string render_markdown(const Finding& finding);

// A spec file of the scenario with exactly the finding's schedule as its permutation.
std::string render_spec(const Finding& finding);

std::string render_text(const ReplayReport& report, const Finding& finding,
                        const TextOptions& options);
std::string render_json(const ReplayReport& report, const Finding& finding);

}  // namespace heddle
