#include "report/race/replay_summary.h"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "report/race/candidate_summary.h"
#include "report/race/step_lines.h"
#include "report/text/counted.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

constexpr std::array<std::string_view, 10> kResultMeanings = {
    "an overlap left what no serial order leaves",
    "one left what no serial order leaves, right after the other one's answer: no overlap is "
    "needed",
    "an error that no serial order gives, and nothing else",
    "a request ended with an error, and nothing of it remained",
    "the two serial orders differ; every overlap is like one of them",
    "each overlap that was tried came out as a serial order does",
    "one waits for the other, so that they cannot overlap there",
    "nobody knows yet",
    "the requests one after the other did not give what was recorded",
    "the time was over before"};

constexpr std::size_t kLongestSchedule = 200;

std::string_view meaning_of(RaceResult result) {
  return kResultMeanings[static_cast<std::size_t>(result)];
}

std::size_t count_of(const RaceReport& report, RaceResult result) {
  return static_cast<std::size_t>(std::ranges::count_if(
      report.findings, [&](const RaceFinding& finding) { return finding.result == result; }));
}

// Without the full stop at its end.
std::string clause(const std::string& text) {
  std::string clean = printable(text);
  while (!clean.empty() && (clean.back() == '.' || clean.back() == ' ')) clean.pop_back();
  return clean;
}

// As it goes on behind "However,".
std::string in_a_sentence(std::string text) {
  for (const std::string_view word : {"When ", "If ", "The ", "No "}) {
    if (text.starts_with(word)) text[0] = static_cast<char>(text[0] - 'A' + 'a');
  }
  return text;
}

std::string side_text(const std::string& text) {
  return text.empty() ? "the same" : printable(text);
}

// What each of the two does to an entity, in all conflicts on it.
struct EntityUse {
  std::string name;  // "wallet(owner=ann) of accounts-db"
  std::set<std::string> columns;
  std::array<bool, 2> reads = {};
  std::array<bool, 2> writes = {};
  bool is_coarse = false;
};

std::vector<EntityUse> entity_uses(const RaceFinding& finding) {
  std::vector<EntityUse> uses;
  for (const RaceConflict& conflict : finding.conflicts) {
    const std::string name = printable(conflict.entity) + " of " + printable(conflict.store);
    auto use = std::ranges::find(uses, name, &EntityUse::name);
    if (use == uses.end()) use = uses.insert(use, EntityUse{.name = name, .columns = {}});
    for (const std::string& column : conflict.columns) use->columns.insert(printable(column));
    (conflict.first_writes ? use->writes : use->reads)[0] = true;
    (conflict.second_writes ? use->writes : use->reads)[1] = true;
    use->is_coarse = use->is_coarse || conflict.is_coarse;
  }
  return uses;
}

// "wallet(owner=ann) of accounts-db (balance): A reads and writes, B writes".
std::string entity_text(const EntityUse& use) {
  std::string text = use.name;
  const bool is_whole_row = use.columns.contains("*");
  if (!is_whole_row && !use.columns.empty()) {
    text += " (" + join({use.columns.begin(), use.columns.end()}, ", ") + ")";
  }
  const auto verbs = [&](std::size_t party) {
    return use.reads[party] && use.writes[party] ? "reads and writes"
           : use.writes[party]                   ? "writes"
                                                 : "reads";
  };
  text += fmt::format(": A {}, B {}", verbs(0), verbs(1));
  return use.is_coarse ? text + "; the wire does not tell which rows" : text;
}

std::string entities_text(const RaceFinding& finding) {
  std::vector<std::string> texts;
  for (const EntityUse& use : entity_uses(finding)) texts.push_back(entity_text(use));
  return join(texts, "; ");
}

std::string overlaps_text(const RaceFinding& finding) {
  std::string text = counted(finding.runs, "overlap was tried", "overlaps were tried");
  return finding.left == 0 ? text : text + fmt::format(", {} were not", finding.left);
}

std::string restored_text(const std::string& way) {
  if (way == "rows") return "rows: changed rows and sequences were put back";
  if (way == "again") return "again: the system was reset, and what came before was sent again";
  if (way == "restart") return "restart: rows were put back, and the system was started again";
  return printable(way);
}

}  // namespace

bool is_told_in_full(RaceResult result) {
  return result == RaceResult::confirmed || result == RaceResult::stale_read ||
         result == RaceResult::error_under_overlap;
}

std::string replay_head(const RaceReport& report) {
  std::string text = fmt::format("{}: {} of {} confirmed", printable(report.trace),
                                 count_of(report, RaceResult::confirmed),
                                 counted(report.findings.size(), "candidate", "candidates"));
  const std::size_t stale = count_of(report, RaceResult::stale_read);
  const std::size_t errors = count_of(report, RaceResult::error_under_overlap);
  if (stale > 0) text += ", " + counted(stale, "stale read", "stale reads");
  if (errors > 0) text += ", " + counted(errors, "error under overlap", "errors under overlap");
  const auto suppressed = std::ranges::count_if(
      report.findings, [](const RaceFinding& each) { return each.suppressed.has_value(); });
  if (suppressed > 0) text += fmt::format(" ({} suppressed)", suppressed);
  return text;
}

std::vector<std::string> table_notes(const RaceReport& report) {
  std::vector<std::string> notes = {
      fmt::format("{:.1f} % of random pairs were left out", share_left_out(report.table))};
  std::size_t creations = 0;
  std::size_t confirmed = 0;
  for (const RaceFinding& finding : report.findings) {
    if (finding.pattern != RacePattern::creation) continue;
    ++creations;
    confirmed += finding.result == RaceResult::confirmed ? 1 : 0;
  }
  if (report.table.early_validated == 0 && creations == 0) return notes;
  notes.push_back(fmt::format(
      "{} early without a test; of {} of creations, {} confirmed by replay",
      counted(report.table.early_validated, "pair was validated", "pairs were validated"),
      counted(creations, "candidate", "candidates"), counted(confirmed, "was", "were")));
  return notes;
}

std::string racing_requests(const RaceFinding& finding) {
  const std::string first = printable(finding.first_endpoint);
  const std::string second = printable(finding.second_endpoint);
  if (finding.is_between_branches) return "Two branches of " + first;
  return first == second ? "Two " + first : first + " and " + second;
}

std::string race_title(const RaceFinding& finding) {
  return fmt::format("{}{}: {}, {}{}", racing_requests(finding),
                     is_told_in_full(finding.result) ? " step on each other" : "",
                     to_string(finding.pattern), to_string(finding.result),
                     finding.suppressed ? "; suppressed: " + printable(*finding.suppressed) : "");
}

std::vector<std::string> explanation_paragraphs(const RaceFinding& finding) {
  Explanation told = finding.explanation;
  told.however = in_a_sentence(told.however);
  return explanation_paragraphs(told);
}

std::vector<Contrast> contrasts(const RaceFinding& finding) {
  std::vector<Contrast> found;
  for (const RaceFindingDifference& difference : finding.differences) {
    found.push_back({printable(difference.where),
                     printable(difference.observed),
                     {{"A, then B", side_text(difference.first_then_second)},
                      {"B, then A", side_text(difference.second_then_first)}}});
  }
  std::ranges::stable_sort(found, {}, [](const Contrast& contrast) {
    return contrast.where.starts_with("rows of ")     ? 0
           : contrast.where.starts_with("status of ") ? 1
                                                      : 2;
  });
  return found;
}

std::vector<std::string> broken_invariants(const RaceFinding& finding) {
  std::vector<std::string> texts;
  for (const std::string& text : finding.broken) {
    texts.push_back("Broken, and kept by both serial orders: " + printable(text));
  }
  return texts;
}

std::vector<Fact> racing_statements(const RaceFinding& finding) {
  std::vector<Fact> facts;
  for (std::size_t i = 0; i < finding.steps.size(); ++i) {
    const RaceRunStep& step = finding.steps[i];
    if (!step.conflicts) continue;
    const std::string who = !step.party ? "background" : *step.party == 0 ? "A" : "B";
    const std::string text = step.is_request ? printable(step.text) : one_line(step.text);
    facts.push_back({std::to_string(i + 1), fmt::format("{}, {} on connection {}: {}", who,
                                                        edge_text(step), step.connection, text)});
  }
  return facts;
}

std::vector<Fact> request_commands(const RaceFinding& finding) {
  std::vector<Fact> facts;
  for (const std::string& command : finding.requests) {
    const bool is_only = finding.requests.size() == 1;
    facts.push_back({is_only ? "A, B" : facts.empty() ? "A" : "B", printable_lines(command)});
  }
  return facts;
}

std::string schedule_text(const RaceFinding& finding) {
  return without_middle(printable(finding.schedule), kLongestSchedule);
}

std::vector<Fact> race_facts(const RaceFinding& finding) {
  std::string result(to_string(finding.result));
  if (!finding.why.empty()) result += ": " + clause(finding.why);
  std::vector<Fact> facts = {{"result", result}};
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) facts.push_back({name, text});
  };
  add("helps", clause(finding.what_helps));
  add("entities", entities_text(finding));
  add("schedule", schedule_text(finding));
  facts.push_back({"overlaps", overlaps_text(finding)});
  add("restored", restored_text(finding.restored));
  std::vector<std::string> masked;
  for (const std::string& place : finding.masked) masked.push_back(printable(place));
  if (!masked.empty()) add("masked", join(masked, ", ") + ": differ between equal runs anyway");
  add("id", printable(finding.id));
  return facts;
}

std::vector<RaceGroup> race_groups(const RaceReport& report) {
  std::vector<RaceGroup> groups;
  for (std::size_t i = 0; i < kResultMeanings.size(); ++i) {
    const auto result = static_cast<RaceResult>(i);
    if (is_told_in_full(result)) continue;
    RaceGroup group{result, "", {}};
    for (const RaceFinding& finding : report.findings) {
      if (finding.result == result) group.findings.push_back(&finding);
    }
    if (group.findings.empty()) continue;
    group.title = fmt::format("{} ({}): {}", capitalized(std::string(to_string(result))),
                              group.findings.size(), meaning_of(result));
    groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<const RaceFinding*> full_findings(const RaceReport& report) {
  std::vector<const RaceFinding*> full;
  for (const RaceFinding& finding : report.findings) {
    if (is_told_in_full(finding.result)) full.push_back(&finding);
  }
  return full;
}

std::string race_line(const RaceFinding& finding) {
  std::string text = fmt::format("{}, {} [{}]", racing_requests(finding),
                                 to_string(finding.pattern), printable(finding.id));
  const std::string why = clause(finding.why);
  if (!why.empty() && why != meaning_of(finding.result)) text += ": " + why;
  const std::string helps = clause(finding.what_helps);
  if (!helps.empty()) text += "; " + helps;
  return text;
}

std::vector<RaceCount> race_counts(const RaceReport& report) {
  std::vector<RaceCount> counts = {{"candidates", report.findings.size()}};
  for (std::size_t i = 0; i < kResultMeanings.size(); ++i) {
    const auto result = static_cast<RaceResult>(i);
    counts.push_back({to_string(result), count_of(report, result)});
  }
  return counts;
}

std::vector<std::string> replay_remarks(const RaceReport& report) {
  std::vector<std::string> texts;
  for (const std::string& store : report.unseen) {
    texts.push_back("The rows of " + printable(store) + " were not looked at.");
  }
  for (const std::string& remark : report.remarks) {
    texts.push_back(capitalized(clause(remark)) + ".");
  }
  return texts;
}

}  // namespace heddle
