// What reports say, before it is laid out as text or Markdown.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heddle/explore.h"
#include "heddle/finding.h"
#include "heddle/why_not.h"
#include "report/schedule/explored_scenario.h"

namespace heddle {

// "Lost update on account(id=1)"
std::string finding_title(const Finding& finding);

// The same, and "; suppressed: the nightly job never runs twice at a time".
std::string finding_heading(const Finding& finding);

// "read-committed", "read-committed (as the file says)", "as the sessions set it"
std::string level_text(std::optional<IsolationLevel> level, const Scenario& scenario);

// "at read-committed", "with isolation as the sessions set it"
std::string at_level(std::optional<IsolationLevel> level, const Scenario& scenario);

// One place where the run differs from serial orders, and what each of them gives there: "the same"
// for the orders that differ elsewhere only.
struct Contrast {
  struct Side {
    std::string who;  // "s1, then s2"; several orders that give the same stand together
    std::string text;
  };
  std::string where;
  std::string observed;
  std::vector<Side> serial;
};
// Final rows first.
std::vector<Contrast> contrasts(const Finding& finding);
// Those that say what went wrong: of the final rows where these are wrong, else of what was read
// and returned, without how many rows a step changed. Where there are no such, all.
std::vector<Contrast> telling_contrasts(const Finding& finding);

// Let ..., Then ..., However ...: those of the three that say something.
std::vector<std::string> explanation_paragraphs(const Finding& finding);
std::vector<std::string> explanation_paragraphs(const Explanation& explanation);

struct Fact {
  std::string name;
  std::string text;
};
std::vector<Fact> finding_facts(const Finding& finding);

// "invariant \"total\": (100, 90)", one per broken invariant, with the first row that shows it.
std::vector<std::string> broken_invariants(const Finding& finding);

// "6 interleavings on PostgreSQL 15.4 (throwaway) at read-committed: 4 anomalous, 1 cause"
std::string level_head(const LevelReport& level, const ExploreReport& report,
                       const Scenario& scenario);

// What to say of a level without findings, or whose exploration was cut short; may be empty.
std::string level_note(const LevelReport& level, const Scenario& scenario);

// The findings of a level, confirmed ones first.
std::vector<const Finding*> order_findings(const LevelReport& level);

// The findings to draw: each cause once, at the first level that has it.
std::vector<const Finding*> findings_to_draw(const ExploreReport& report);

// "bank.spec: no anomaly in any of the 20 interleavings at serializable.": one line per level
// without findings, or the trouble.
std::vector<std::string> nothing_to_draw(const ExploredScenario& explored);

// "It happens at postgres:read-committed, and not at postgres:serializable."; empty: nobody looked.
std::string elsewhere_text(const ScheduleAnswer& answer);

// Two findings with the same cause are one row of the table of levels.
std::string cause_text(const Finding& finding);

// Causes by levels: how many interleavings each cause makes anomalous at each level.
struct LevelTable {
  struct Line {
    std::string name;
    std::vector<std::string> cells;
  };
  std::vector<std::string> levels;
  std::vector<Line> lines;
};
LevelTable level_table(const ExploreReport& report, const Scenario& scenario);

// "As at read-committed, in 4 interleavings; id 225579a4bf1c.": for a cause that was drawn at
// another level.
std::string as_elsewhere(const Finding& finding, const std::string& level);

// "confirmed 10/10", what differed otherwise.
std::string replay_head(const ReplayReport& report, const Finding& finding);

struct CountedText {
  std::string text;
  std::size_t count = 0;
};
// Equal ones stand together, such as what differed in several runs.
std::vector<CountedText> counted_texts(const std::vector<std::string>& texts);

}  // namespace heddle
