#include "report/explore/repair_summary.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "heddle/schedule.h"
#include "report/text/counted.h"

namespace heddle {

namespace {

constexpr std::size_t kMostShown = 3;

std::string cost_of(const Repair& repair) {
  const auto part = [](std::size_t count, std::string_view one, std::string_view many) {
    return count == 0 ? fmt::format("none {}", one)
                      : fmt::format("{} {}", count, count == 1 ? one : many);
  };
  return fmt::format("{}; of {} {}, {}",
                     counted(repair.statements, "statement changes", "statements change"),
                     counted(repair.interleavings, "interleaving", "interleavings"),
                     part(repair.aborted_runs, "ends a session", "end a session"),
                     part(repair.waiting_runs, "makes one wait", "make one wait"));
}

std::string head_of(const RepairReport& report) {
  if (report.repairs.empty()) {
    return report.tried == 0
               ? "No repair is known: nothing here can be changed as heddle knows to"
               : fmt::format("No repair is known: {} tried, none of them suffices",
                             counted(report.tried, "set of changes was", "sets of changes were"));
  }
  if (report.repairs.front().keeps_apart) {
    return "No repair is known under which the sessions can still run at the same time; nothing "
           "goes "
           "wrong when they are kept apart";
  }
  return report.repairs.size() == 1
             ? "A change under which nothing goes wrong"
             : fmt::format("{} changes under which nothing goes wrong, the cheapest first",
                           report.repairs.size());
}

std::string retry_text(const RetryReport& retry, const Scenario& scenario) {
  if (retry.repaired == retry.runs) {
    return fmt::format(
        "Trying again helps: when the sessions that the store ended run once more, {} what a "
        "serial "
        "order leaves.",
        retry.runs == 1 ? "the final rows are" : "the final rows are each time");
  }
  return fmt::format(
      "Trying again repeats the effect: after {} and then {} once more, the final rows are not "
      "those "
      "of any serial order ({} of {} outcomes with ended sessions).",
      to_string(scenario, *retry.repeats), join(retry.retried, ", "), retry.runs - retry.repaired,
      retry.runs);
}

}  // namespace

RepairSummary summarize_repair(const LevelReport& level, const Scenario& scenario) {
  RepairSummary summary;
  if (level.repair) {
    const RepairReport& report = *level.repair;
    summary.head = head_of(report);
    for (std::size_t i = 0; i < std::min(kMostShown, report.repairs.size()); ++i) {
      RepairSummary::Item& item = summary.items.emplace_back();
      for (const RepairChange& change : report.repairs[i].changes) {
        item.changes.push_back(change.sentence);
      }
      item.cost = cost_of(report.repairs[i]);
    }
    if (report.repairs.size() > kMostShown) {
      summary.notes.push_back(
          counted(report.repairs.size() - kMostShown, "more costs", "more cost") +
          " as many statements.");
    }
    if (!report.bound.empty()) {
      summary.notes.push_back(fmt::format("Not all changes were tried: {}.", report.bound));
    }
  }
  if (level.retry) summary.notes.push_back(retry_text(*level.retry, scenario));
  return summary;
}

}  // namespace heddle
