#include "report/sched/sched_diagram.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/printable.h"
#include "report/sched/sched_summary.h"

namespace heddle {

namespace {

constexpr std::size_t kFirst = 40;
constexpr std::size_t kLast = 60;

StyledCell cell_of(const SchedFinding& finding, std::size_t step) {
  const SchedStep& told = finding.steps[step];
  if (told.is_call) return {{TextStyle::heading, printable(told.text)}};
  const TextStyle style = told.waits      ? TextStyle::stalled
                          : told.is_write ? TextStyle::write
                                          : TextStyle::read;
  StyledCell cell{{style, printable(told.text)}};
  if (told.place.line != 0) cell.push_back({TextStyle::plain, printable(place_text(told.place))});
  if (is_deciding(finding, step)) {
    cell.push_back({TextStyle::wrong, finding.pair->is_race ? "races" : "decides"});
  }
  return cell;
}

// Steps between the first and the last are left out where there are very many.
bool is_folded(const SchedFinding& finding, std::size_t step) {
  const std::size_t count = finding.steps.size();
  return count > kFirst + kLast + 1 && step >= kFirst && step < count - kLast;
}

}  // namespace

SchedDiagram draw(const SchedFinding& finding) {
  SchedDiagram drawn;
  Diagram& diagram = drawn.diagram;
  diagram.column_word = "thread";
  diagram.stores = {""};
  for (std::size_t thread = 0; thread < finding.threads; ++thread) {
    diagram.columns.push_back("thread " + std::to_string(thread));
  }
  std::vector<std::optional<std::size_t>> rows(finding.steps.size());
  for (std::size_t step = 0; step < finding.steps.size(); ++step) {
    DiagramRow row;
    row.cells.resize(diagram.columns.size());
    if (is_folded(finding, step)) {
      if (step > kFirst) continue;
      row.label = "...";
      row.folded = true;
      const std::size_t before = finding.steps[kFirst - 1].number;
      const std::size_t behind = finding.steps[finding.steps.size() - kLast].number;
      row.cells.front() = {{TextStyle::plain, std::to_string(behind - before - 1) + " steps"}};
    } else {
      const SchedStep& told = finding.steps[step];
      row.label = std::to_string(told.number);
      row.cells[told.thread] = cell_of(finding, step);
      row.active = told.thread;
      row.wrong = is_deciding(finding, step);
      row.waits = told.waits;
      row.record = step;
      rows[step] = diagram.rows.size();
    }
    diagram.rows.push_back(std::move(row));
  }
  if (finding.pair && rows[finding.pair->first] && rows[finding.pair->second]) {
    drawn.arrows.push_back(
        {.label = finding.pair->is_race ? "race" : "decides",
         .sentence = pair_text(finding),
         .arrow = ShownDependency::Arrow{*rows[finding.pair->first], *rows[finding.pair->second]}});
  }
  return drawn;
}

}  // namespace heddle
