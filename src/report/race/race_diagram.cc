#include "report/race/race_diagram.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/race/race_moments.h"
#include "report/race/step_lines.h"
#include "report/text/counted.h"

namespace heddle {

namespace {

// Shorter stretches of steps that do not matter are drawn.
constexpr std::size_t kShortestFold = 3;

class RaceDiagramBuilder {
 public:
  explicit RaceDiagramBuilder(const RaceFinding& finding)
      : finding_(finding), moments_(race_moments(finding)), wrong_(parting_step(finding)) {
    diagram_.column_word = finding.is_between_branches ? "branch" : "request";
    diagram_.columns = {column_name(0), column_name(1)};
    const bool has_background = std::ranges::any_of(
        moments_, [&](const RaceMoment& moment) { return !step_of(moment).party; });
    if (has_background) diagram_.columns.emplace_back("background");
    waiting_.resize(diagram_.columns.size());
  }

  Diagram build(bool folds) {
    for (std::size_t i = 0; i < moments_.size(); ++i) {
      add_row(moments_[i]);
      matters_.push_back(!folds || does_matter(i));
    }
    fold_rows();
    return std::move(diagram_);
  }

 private:
  const RaceRunStep& step_of(const RaceMoment& moment) const { return finding_.steps[moment.step]; }

  std::string column_name(std::size_t party) const {
    const std::string endpoint =
        printable(party == 0 ? finding_.first_endpoint : finding_.second_endpoint);
    return fmt::format("{}: {}{}", party == 0 ? "A" : "B",
                       finding_.is_between_branches ? "a branch of " : "", endpoint);
  }

  std::size_t column_of(const RaceRunStep& step) const {
    return step.party ? *step.party : diagram_.columns.size() - 1;
  }

  std::size_t store_of(const RaceRunStep& step) {
    const std::string name = printable(step.callee);
    const auto known = std::ranges::find(diagram_.stores, name);
    const std::size_t place = static_cast<std::size_t>(known - diagram_.stores.begin());
    if (known == diagram_.stores.end()) diagram_.stores.push_back(name);
    return place;
  }

  void add_row(const RaceMoment& moment) {
    const RaceRunStep& step = step_of(moment);
    const std::size_t column = column_of(step);
    waiting_[column].erase(moment.step);
    DiagramRow row{std::to_string(moment.step + 1),
                   std::vector<StyledCell>(diagram_.columns.size()), false, column};
    for (std::size_t i = 0; i < waiting_.size(); ++i) {
      if (!waiting_[i].empty() && i != column) {
        row.cells[i] = {{TextStyle::stalled, waiting_[i].begin()->second}};
      }
    }
    row.record = moment.step;
    row.store = store_of(step);
    row.held = moment.kind == RaceMoment::Kind::held;
    row.let_go = moment.ends_hold;
    row.resumes = moment.kind == RaceMoment::Kind::answered || moment.ends_hold;
    row.open = moment.is_open;
    row.waits = row.held || (moment.is_open && step.has_waited);
    if (row.waits) waiting_[column][moment.step] = row.held ? "held" : "stalled";
    row.cells[column] = cell_of(moment);
    row.wrong = wrong_ == moment.step && !row.held && (!moment.is_open || step.answered == 0);
    if (row.wrong) mark(row.cells[column]);
    diagram_.rows.push_back(std::move(row));
  }

  StyledCell cell_of(const RaceMoment& moment) const {
    const RaceRunStep& step = step_of(moment);
    if (moment.kind == RaceMoment::Kind::answered) return answered_lines(step);
    StyledCell cell = {moment.ends_hold ? StyledLine{TextStyle::step, "... let go"}
                                        : asked_line(step)};
    if (moment.kind == RaceMoment::Kind::held) {
      cell.push_back({TextStyle::stalled, step.sent == 0 ? "held to the end" : "held"});
    } else if (!moment.is_open) {
      for (StyledLine& line : outcome_lines(step)) cell.push_back(std::move(line));
    } else if (step.answered == 0) {
      cell.push_back({TextStyle::stalled, "no answer"});
    } else if (step.has_waited) {
      cell.push_back({TextStyle::stalled, "stalled" + waits_for(step)});
    }
    return cell;
  }

  static std::string waits_for(const RaceRunStep& step) {
    if (!step.party) return "";
    return *step.party == 0 ? ", waits for B" : ", waits for A";
  }

  // The last line tells what came back.
  static void mark(StyledCell& cell) {
    cell.back().style = TextStyle::wrong;
    cell.back().text += "  ◀ here";
  }

  bool does_matter(std::size_t index) const {
    const RaceMoment& moment = moments_[index];
    const RaceRunStep& step = step_of(moment);
    if (step.is_outer || step.conflicts || step.is_error || step.has_waited) return true;
    if (moment.kind == RaceMoment::Kind::held || moment.ends_hold) return true;
    if (wrong_ == moment.step) return true;
    if (moment.kind == RaceMoment::Kind::sent && leads_to_conflict(step)) return true;
    return ends_wait(index);
  }

  // A request in which a statement that races is asked.
  bool leads_to_conflict(const RaceRunStep& step) const {
    if (!step.is_request) return false;
    return std::ranges::any_of(finding_.steps, [&](const RaceRunStep& other) {
      return other.conflicts && other.party == step.party && other.sent > step.sent &&
             (step.answered == 0 || other.sent < step.answered);
    });
  }

  // What happened right before the other party came back from waiting.
  bool ends_wait(std::size_t index) const {
    if (index + 1 == moments_.size()) return false;
    const RaceMoment& next = moments_[index + 1];
    return next.kind == RaceMoment::Kind::answered && step_of(next).has_waited &&
           step_of(next).party != step_of(moments_[index]).party;
  }

  void fold_rows() {
    std::vector<DiagramRow> rows;
    for (std::size_t at = 0; at < diagram_.rows.size();) {
      std::size_t end = at;
      while (end < diagram_.rows.size() && !matters_[end] &&
             diagram_.rows[end].active == diagram_.rows[at].active) {
        ++end;
      }
      if (end - at >= kShortestFold) {
        rows.push_back(folded_row(at, end));
      } else {
        end = std::max(end, at + 1);
        for (std::size_t i = at; i < end; ++i) rows.push_back(std::move(diagram_.rows[i]));
      }
      at = end;
    }
    diagram_.rows = std::move(rows);
  }

  DiagramRow folded_row(std::size_t begin, std::size_t end) const {
    std::vector<std::size_t> statements;
    std::vector<std::size_t> requests;
    for (std::size_t i = begin; i < end; ++i) {
      if (moments_[i].kind != RaceMoment::Kind::sent) continue;
      (step_of(moments_[i]).is_request ? requests : statements).push_back(moments_[i].step);
    }
    DiagramRow row = diagram_.rows[begin];
    std::vector<std::size_t> steps = statements;
    steps.insert(steps.end(), requests.begin(), requests.end());
    if (!steps.empty()) {
      const auto [first, last] = std::ranges::minmax(steps);
      row.label =
          first == last ? std::to_string(first + 1) : fmt::format("{}-{}", first + 1, last + 1);
    }
    const std::string text = steps.empty() ? counted(end - begin, "more answer", "more answers")
                                           : folded_text(statements.size(), requests.size());
    row.cells[row.active] = {{TextStyle::stalled, text}};
    row.folded = true;
    row.resumes = false;
    row.open = false;
    return row;
  }

  static std::string folded_text(std::size_t statements, std::size_t requests) {
    if (statements == 0) return counted(requests, "more request", "more requests");
    std::string text = counted(statements, "more statement", "more statements");
    if (requests > 0) text += " and " + counted(requests, "request", "requests");
    return text;
  }

  const RaceFinding& finding_;
  std::vector<RaceMoment> moments_;  // one per row, before rows are folded
  std::optional<std::size_t> wrong_;
  std::vector<bool> matters_;  // per row
  // Per column the steps that are held or wait, each with the word for it.
  std::vector<std::map<std::size_t, std::string>> waiting_;
  Diagram diagram_;
};

}  // namespace

Diagram draw(const RaceFinding& finding, ShownSteps shown) {
  return RaceDiagramBuilder(finding).build(shown == ShownSteps::that_matter);
}

}  // namespace heddle
