// What replaying the races of a trace gave, for people and for other programs.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/race_finding.h"
#include "report/race/race_diagram.h"
#include "report/text/text_options.h"

namespace heddle {

// A head line, the paper's table, the confirmed races and their like with their diagrams, a line
// for each of the others, and how many there are of each result.
std::string render_text(const RaceReport& report, const TextOptions& options,
                        ShownSteps shown = ShownSteps::that_matter);

// The document race/1 (docs/formats/race.md).
std::string render_json(const RaceReport& report);

// The same as Markdown, with the commands in fences.
std::string render_markdown(const RaceReport& report, ShownSteps shown = ShownSteps::that_matter);

// SVG: the diagrams one under the other. Nothing outside of the document is needed to show it.
std::string render_svg(const RaceReport& report);
std::string render_svg(const RaceFinding& finding);

// HTML: one page with everything, without scripts and without anything from elsewhere.
std::string render_html(const RaceReport& report);

// Mermaid: a sequence diagram per confirmed race and its like, or one that says that there is none.
// One diagram is a document by itself, several are fenced in a Markdown page.
std::string render_mermaid(const RaceReport& report);
std::string render_mermaid(const RaceFinding& finding);

// SARIF 2.1.0: what is confirmed and its like as results, order-dependent pairs as ones that a
// person should look at. What stays open is a notification.
std::string render_sarif(const RaceReport& report);

// JUnit's XML: a case per candidate, which fails where its result is one of `failing`.
std::string render_junit(const RaceReport& report, std::span<const RaceResult> failing);

// One finding, of whatever result.
std::string render_text(const RaceFinding& finding, const TextOptions& options,
                        ShownSteps shown = ShownSteps::that_matter);

// A file in which a finding is kept; the names of its files differ in the suffix.
struct KeptFile {
  std::string_view suffix;
  std::string text;
};

// What is kept of a finding: the document that is replayed, the text, the drawing where there is
// one, and the requests as a script.
std::vector<KeptFile> kept_files(const RaceFinding& finding);

}  // namespace heddle
