#include "report/schedule/summary.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "base/text.h"
#include "report/schedule/step_text.h"
#include "report/text/counted.h"
#include "report/text/layout.h"
#include "report/text/replayed_runs.h"

namespace heddle {

namespace {

constexpr std::size_t kMostAlso = 3;

std::vector<std::string> printable_all(const std::vector<std::string>& texts) {
  std::vector<std::string> result;
  for (const std::string& text : texts) result.push_back(printable(text));
  return result;
}

// Line ends are white space in explanations and differences.
std::string flat(std::string_view text) {
  std::string result(trim(text));
  std::replace(result.begin(), result.end(), '\n', ' ');
  return printable(result);
}

std::string schedule_text(const Finding& finding, const Schedule& schedule) {
  return printable(to_string(finding.scenario, schedule));
}

std::string kind_text(AnomalyKind kind) {
  const AnomalyDefinition& known = definition(kind);
  std::vector<std::string> names;
  if (!known.adya.empty()) names.push_back("Adya: " + std::string(known.adya));
  if (!known.berenson.empty()) names.push_back("Berenson: " + std::string(known.berenson));
  std::string text(known.name);
  if (!names.empty()) text += " (" + join(names, ", ") + ")";
  return text + ": " + std::string(known.meaning);
}

std::string effect_text(const Finding& finding) {
  if (finding.error_only) {
    return "error only: the final rows are those of a serial order, who ends in an error is not";
  }
  return finding.effect == Effect::internal
             ? "internal: the final rows are such as no serial order leaves"
             : "external: the final rows are those of a serial order, what was read is not";
}

std::string status_text(const Finding& finding) {
  switch (finding.status) {
    case FindingStatus::confirmed:
      return "confirmed: this schedule was executed on " + printable(finding.store);
    case FindingStatus::possible:
      return "possible: not executed";
    case FindingStatus::not_executable:
      return "not executable";
    case FindingStatus::not_shown:
      return "not shown: executing it did not show the anomaly; other rows or orders may";
    case FindingStatus::refuted:
      return "refuted: proved to be none";
  }
  return "";
}

std::string also_text(const Finding& finding) {
  std::vector<std::string> schedules;
  for (const Schedule& schedule : finding.also) {
    if (schedules.size() == kMostAlso) break;
    schedules.push_back(schedule_text(finding, schedule));
  }
  std::string text = counted(finding.also.size(), "other interleaving", "other interleavings") +
                     " with the same cause: " + join(schedules, "; ");
  if (finding.also.size() > kMostAlso) {
    text += fmt::format("; ... {} more", finding.also.size() - kMostAlso);
  }
  return text;
}

std::string unit_text(const Finding& finding) {
  return finding.unit == Unit::session
             ? "with the sessions one after the other"
             : "with the transactions one after the other, each session's in its order";
}

// The finding's own text may or may not begin with the word of its paragraph.
std::string paragraph_after(const std::string& word, const std::string& text) {
  const std::string clean = flat(text);
  if (clean.empty()) return "";
  const std::string start = to_lower(clean.substr(0, word.size()));
  const bool has_word =
      start == to_lower(word) && (clean.size() == word.size() || clean[word.size()] == ' ' ||
                                  clean[word.size()] == ',' || clean[word.size()] == ':');
  return has_word ? capitalized(clean) : word + " " + clean;
}

// What each serial order gives at a place. An order that is not said to differ there gives the
// same.
std::vector<Contrast::Side> sides(const Finding& finding, const std::string& where,
                                  const std::string& observed) {
  std::vector<Contrast::Side> found;
  bool skipped = false;
  for (const SerialComparison& comparison : finding.serial) {
    const auto place =
        std::find_if(comparison.differences.begin(), comparison.differences.end(),
                     [&](const Difference& difference) { return flat(difference.where) == where; });
    const bool differs = place != comparison.differences.end();
    if (differs && flat(place->observed) != observed) {
      skipped = true;
      continue;
    }
    const std::string text = differs ? flat(place->serial) : "the same";
    const std::string who = join(printable_all(comparison.order), ", then ");
    const auto side = std::find_if(found.begin(), found.end(),
                                   [&](const Contrast::Side& other) { return other.text == text; });
    if (side == found.end()) {
      found.push_back({who, text});
    } else {
      side->who += "; " + who;
    }
  }
  if (finding.serial.size() > 1 && found.size() == 1 && !skipped) {
    found[0].who = "every serial order";
  }
  return found;
}

std::string cause_count(const LevelReport& level) {
  const auto suppressed =
      std::count_if(level.findings.begin(), level.findings.end(),
                    [](const Finding& finding) { return finding.suppressed.has_value(); });
  return counted(level.findings.size(), "cause", "causes") +
         (suppressed == 0 ? "" : fmt::format(" ({} suppressed)", suppressed));
}

}  // namespace

std::string finding_title(const Finding& finding) {
  std::string title = capitalized(std::string(definition(finding.kind).name));
  if (!finding.rows.empty()) title += " on " + join(printable_all(finding.rows), ", ");
  if (finding.boundary_problem) title += ", a boundary problem";
  return title;
}

std::string finding_heading(const Finding& finding) {
  if (!finding.suppressed) return finding_title(finding);
  return finding_title(finding) + "; suppressed: " + flat(*finding.suppressed);
}

std::string level_text(std::optional<IsolationLevel> level, const Scenario& scenario) {
  if (level) return std::string(definition(*level).name);
  if (!scenario.isolation) return "as the sessions set it";
  return std::string(definition(*scenario.isolation).name) + " (as the file says)";
}

std::string at_level(std::optional<IsolationLevel> level, const Scenario& scenario) {
  const bool named = level || scenario.isolation;
  return (named ? "at " : "with isolation ") + level_text(level, scenario);
}

std::vector<Contrast> contrasts(const Finding& finding) {
  std::vector<Contrast> found;
  for (const SerialComparison& comparison : finding.serial) {
    for (const Difference& difference : comparison.differences) {
      const std::string where = flat(difference.where);
      const std::string observed = flat(difference.observed);
      const bool known = std::any_of(found.begin(), found.end(), [&](const Contrast& contrast) {
        return contrast.where == where && contrast.observed == observed;
      });
      if (!known) found.push_back({where, observed, sides(finding, where, observed)});
    }
  }
  std::vector<Contrast> ordered;
  for (const bool final_rows : {true, false}) {
    for (const Contrast& contrast : found) {
      if (contrast.where.starts_with("final rows") == final_rows) ordered.push_back(contrast);
    }
  }
  return ordered;
}

std::vector<Contrast> telling_contrasts(const Finding& finding) {
  const auto is_about = [](const Contrast& contrast, std::initializer_list<const char*> words) {
    return std::ranges::any_of(words,
                               [&](const char* word) { return contrast.where.starts_with(word); });
  };
  const std::vector<Contrast> all = contrasts(finding);
  std::vector<Contrast> telling;
  for (const Contrast& contrast : all) {
    const bool tells = finding.effect == Effect::internal
                           ? is_about(contrast, {"final rows", "invariant"})
                           : !is_about(contrast, {"rows affected", "reply"});
    if (tells) telling.push_back(contrast);
  }
  return telling.empty() ? all : telling;
}

std::vector<std::string> explanation_paragraphs(const Finding& finding) {
  return explanation_paragraphs(finding.explanation);
}

std::vector<std::string> explanation_paragraphs(const Explanation& explanation) {
  std::vector<std::string> paragraphs = {paragraph_after("Let", explanation.let),
                                         paragraph_after("Then", explanation.then),
                                         paragraph_after("However,", explanation.however)};
  std::erase_if(paragraphs, [](const std::string& text) { return text.empty(); });
  return paragraphs;
}

std::vector<Fact> finding_facts(const Finding& finding) {
  std::vector<Fact> facts = {{"kind", kind_text(finding.kind)}};
  if (!is_unconfirmed(finding)) facts.push_back({"effect", effect_text(finding)});
  if (finding.boundary_problem) {
    facts.push_back({"boundary",
                     "each transaction alone is in order; together they are not what one session "
                     "after the other gives: a transaction ends too early"});
  }
  if (!finding.rows.empty()) facts.push_back({"rows", join(printable_all(finding.rows), ", ")});
  if (!finding.cause_steps.empty()) {
    facts.push_back({"steps", join(printable_all(finding.cause_steps), " ")});
  }
  facts.push_back({"schedule", schedule_text(finding, finding.schedule)});
  if (!finding.also.empty()) facts.push_back({"also", also_text(finding)});
  facts.push_back({"compared", unit_text(finding)});
  facts.push_back({"isolation", level_text(finding.isolation, finding.scenario)});
  facts.push_back({"status", status_text(finding)});
  if (!finding.id.empty()) facts.push_back({"id", printable(finding.id)});
  return facts;
}

std::vector<std::string> broken_invariants(const Finding& finding) {
  std::vector<std::string> lines;
  for (const std::string& name : finding.broken_invariants) {
    std::string line = "invariant \"" + printable(name) + "\" does not hold";
    for (const InvariantOutcome& outcome : finding.run.invariants) {
      if (outcome.name != name || outcome.holds || outcome.counterexample.empty()) continue;
      line += ": (" + join(printable_all(outcome.columns), ", ") +
              ") = " + describe_values(outcome.counterexample[0]);
    }
    lines.push_back(line);
  }
  return lines;
}

std::string level_head(const LevelReport& level, const ExploreReport& report,
                       const Scenario& scenario) {
  return fmt::format("{}{} on {} {}: {} anomalous, {}",
                     counted(level.interleavings, "interleaving", "interleavings"),
                     level.reduced ? " (reduced)" : "", printable(report.store),
                     at_level(level.isolation, scenario), level.anomalous, cause_count(level));
}

std::string level_note(const LevelReport& level, const Scenario& scenario) {
  const std::string bound =
      level.bound.empty() ? "" : "Not everything was tried: " + printable(level.bound) + ".";
  const bool cut_short = level.verdict == Verdict::unknown || !level.bound.empty();
  if (!level.findings.empty()) {
    if (!cut_short) return "";
    return bound.empty() ? "Not everything was tried." : bound;
  }
  std::string which = level.interleavings == 1
                          ? "the only interleaving"
                          : fmt::format("any of the {} interleavings", level.interleavings);
  if (cut_short) which += level.interleavings == 1 ? " that was judged" : " that were judged";
  const bool nothing = cut_short && level.interleavings == 0;
  std::string text = (nothing ? "No interleaving was judged" : "No anomaly in " + which) + " " +
                     at_level(level.isolation, scenario);
  if (level.aborted_runs > 0) {
    text += level.interleavings == 1
                ? "; the store aborted a session in it"
                : fmt::format("; the store aborted a session in {} of them", level.aborted_runs);
  }
  text += ".";
  if (cut_short)
    text += " " + (bound.empty() ? "Not everything was tried: the answer is unknown." : bound);
  return text;
}

std::vector<const Finding*> order_findings(const LevelReport& level) {
  std::vector<const Finding*> ordered;
  for (const Finding& finding : level.findings) ordered.push_back(&finding);
  const auto rank = [](const Finding* finding) {
    return std::make_tuple(finding->status, finding->broken_invariants.empty(), finding->effect);
  };
  std::ranges::stable_sort(ordered, {}, rank);
  return ordered;
}

std::vector<const Finding*> findings_to_draw(const ExploreReport& report) {
  std::vector<const Finding*> drawn;
  std::set<std::string> causes;
  for (const LevelReport& level : report.levels) {
    for (const Finding* finding : order_findings(level)) {
      if (causes.insert(cause_text(*finding)).second) drawn.push_back(finding);
    }
  }
  return drawn;
}

std::vector<std::string> nothing_to_draw(const ExploredScenario& explored) {
  if (explored.trouble) return {"Not explored: " + printable(to_string(*explored.trouble))};
  std::vector<std::string> lines;
  for (const LevelReport& level : explored.report.levels) {
    const std::string note = level_note(level, explored.scenario);
    if (!note.empty()) lines.push_back(note);
  }
  return lines;
}

std::string elsewhere_text(const ScheduleAnswer& answer) {
  std::vector<std::string> yes;
  std::vector<std::string> no;
  for (const auto& [level, happens] : answer.elsewhere) {
    (happens ? yes : no).emplace_back(definition(level).name);
  }
  if (yes.empty() && no.empty()) return "";
  if (yes.empty()) {
    return fmt::format("{} at {}.",
                       answer.happens ? "It does not go wrong" : "Nor does it go wrong",
                       join(no, ", "));
  }
  return fmt::format("It {}goes wrong at {}{}.", answer.happens ? "also " : "", join(yes, ", "),
                     no.empty() ? "" : ", not at " + join(no, ", "));
}

std::string cause_text(const Finding& finding) {
  std::string text(definition(finding.kind).name);
  if (!finding.cause_steps.empty()) {
    text += " by " + join(printable_all(finding.cause_steps), " ");
  }
  if (!finding.rows.empty()) text += " on " + join(printable_all(finding.rows), ", ");
  return text;
}

LevelTable level_table(const ExploreReport& report, const Scenario& scenario) {
  LevelTable table;
  const std::size_t width = report.levels.size();
  LevelTable::Line aborted{"aborted runs", {}};
  LevelTable::Line all{"interleavings run", {}};
  for (std::size_t i = 0; i < width; ++i) {
    const LevelReport& level = report.levels[i];
    table.levels.push_back(level_text(level.isolation, scenario));
    aborted.cells.push_back(std::to_string(level.aborted_runs));
    all.cells.push_back(std::to_string(level.interleavings) + (level.bound.empty() ? "" : "+"));
    for (const Finding* finding : order_findings(level)) {
      const std::string cause = cause_text(*finding);
      auto line = std::find_if(table.lines.begin(), table.lines.end(),
                               [&](const LevelTable::Line& other) { return other.name == cause; });
      if (line == table.lines.end()) {
        line = table.lines.insert(table.lines.end(), {cause, std::vector<std::string>(width, "-")});
      }
      line->cells[i] = std::to_string(1 + finding->also.size());
    }
  }
  table.lines.push_back(std::move(aborted));
  table.lines.push_back(std::move(all));
  return table;
}

std::string as_elsewhere(const Finding& finding, const std::string& level) {
  return fmt::format("As {}, in {}{}.", level,
                     counted(1 + finding.also.size(), "interleaving", "interleavings"),
                     finding.id.empty() ? "" : "; id " + printable(finding.id));
}

std::string replay_head(const ReplayReport& report, const Finding& finding) {
  const std::string what = fmt::format("{} by {}{}", definition(finding.kind).name,
                                       schedule_text(finding, finding.schedule),
                                       is_unconfirmed(finding) ? ", not shown so far" : "");
  const std::string_view by = report.by_program ? " by the program itself" : "";
  return runs_head(replay_word(report), report, fmt::format("on {}{}", printable(report.store), by),
                   what);
}

std::vector<CountedText> counted_texts(const std::vector<std::string>& texts) {
  std::vector<CountedText> counted;
  for (const std::string& each : texts) {
    const std::string text = printable(each);
    const auto same = std::find_if(counted.begin(), counted.end(),
                                   [&](const CountedText& other) { return other.text == text; });
    if (same == counted.end()) {
      counted.push_back({text, 1});
    } else {
      ++same->count;
    }
  }
  return counted;
}

}  // namespace heddle
