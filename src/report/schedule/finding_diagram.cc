// A step that did not wait is one event: it is sent and answered in one row. A step that the store
// made wait is two: the row in which it was sent and the row in which it resumed; in each row
// between them its session is stalled.

#include "report/schedule/finding_diagram.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "base/text.h"
#include "report/schedule/step_text.h"

namespace heddle {

namespace {

struct DrawnMoment {
  std::size_t position;  // in the order of launches and completions
  std::size_t record;
  bool resumes;  // the step had been waiting and came back
};

// Steps that were not run have no place in that order: they follow the step before them and the
// end of their session.
std::vector<DrawnMoment> order_events(const Scenario& scenario, const Run& run) {
  std::vector<DrawnMoment> moments;
  std::map<SessionId, std::size_t> session_ends;
  std::size_t latest = 0;
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    const StepRecord& record = run.records[i];
    std::size_t& end = session_ends[scenario.steps[record.step.index()].session];
    latest = record.skipped ? std::max({latest, record.launched, end}) : record.launched;
    end = std::max({end, latest, record.completed});
    moments.push_back({latest, i, false});
    if (record.waited && record.completed != 0) moments.push_back({record.completed, i, true});
  }
  std::sort(moments.begin(), moments.end(), [](const DrawnMoment& a, const DrawnMoment& b) {
    return std::tie(a.position, a.record, a.resumes) < std::tie(b.position, b.record, b.resumes);
  });
  return moments;
}

// The columns of the sessions that take part.
std::map<std::size_t, std::size_t> find_columns(const Finding& finding) {
  std::map<std::size_t, std::size_t> columns;
  for (const StepRecord& record : finding.run.records) {
    columns[finding.scenario.steps[record.step.index()].session.index()] = 0;
  }
  std::size_t next = 0;
  for (auto& [session, column] : columns) column = next++;
  return columns;
}

class DiagramBuilder {
 public:
  explicit DiagramBuilder(const Finding& finding)
      : finding_(finding), columns_(find_columns(finding)), stalled_(columns_.size(), false) {
    for (const auto& [session, column] : columns_) {
      diagram_.columns.push_back(printable(finding.scenario.sessions[session].name));
    }
    const std::vector<StoreDeclaration>& stores = finding.scenario.stores;
    if (stores.size() < 2) diagram_.stores = {printable(finding.store)};
    for (std::size_t i = 0; stores.size() > 1 && i < stores.size(); ++i) {
      diagram_.stores.push_back(printable(stores[i].name));
    }
  }

  Diagram build() {
    add_calls();
    add_setup();
    for (const DrawnMoment& moment : order_events(finding_.scenario, finding_.run)) add(moment);
    return std::move(diagram_);
  }

 private:
  // What sessions call, with its arguments.
  void add_calls() {
    DiagramRow row{"call", std::vector<StyledCell>(columns_.size()), true};
    bool any = false;
    for (const auto& [session, column] : columns_) {
      const std::optional<Call>& call = finding_.scenario.sessions[session].call;
      if (!call) continue;
      row.cells[column] = {{TextStyle::heading, shorten(one_line(call->text.text), kLongestSetup)}};
      any = true;
    }
    if (any) diagram_.rows.push_back(std::move(row));
  }

  void add_setup() {
    DiagramRow row{"setup", std::vector<StyledCell>(columns_.size()), true};
    bool any = false;
    for (const auto& [session, column] : columns_) {
      const std::optional<SqlBlock>& setup = finding_.scenario.sessions[session].setup;
      if (!setup) continue;
      row.cells[column] = {
          {TextStyle::step,
           shorten(text_on_one_line(finding_, setup->store, setup->text), kLongestSetup)}};
      any = true;
    }
    if (any) diagram_.rows.push_back(std::move(row));
  }

  void add(const DrawnMoment& moment) {
    const StepRecord& record = finding_.run.records[moment.record];
    const Step& step = finding_.scenario.steps[record.step.index()];
    const std::size_t column = columns_.at(step.session.index());
    stalled_[column] = false;
    DiagramRow row{printable(step.name), std::vector<StyledCell>(columns_.size()), false, column};
    for (std::size_t i = 0; i < stalled_.size(); ++i) {
      if (stalled_[i]) row.cells[i] = {{TextStyle::stalled, "stalled"}};
    }
    row.cells[column] = moment.resumes ? resumed_cell(moment.record) : sent_cell(moment.record);
    const bool answered = moment.resumes || !record.waited || record.completed == 0;
    row.wrong = answered && finding_.wrong_step == moment.record;
    if (row.wrong) mark(row.cells[column]);
    row.record = moment.record;
    row.resumes = moment.resumes;
    row.waits = record.waited && !moment.resumes;
    row.skipped = record.skipped;
    if (diagram_.stores.size() > 1) row.store = store_of_step(finding_.scenario, record);
    stalled_[column] = row.waits;
    diagram_.rows.push_back(std::move(row));
  }

  // The first line that tells what came back, or the last where nothing did.
  static void mark(StyledCell& cell) {
    auto line = std::find_if(cell.begin(), cell.end(), [](const StyledLine& candidate) {
      return candidate.style != TextStyle::step && candidate.style != TextStyle::commit;
    });
    if (line == cell.end()) --line;
    line->style = TextStyle::wrong;
    line->text += kMark;
  }

  StyledCell sent_cell(std::size_t index) const {
    const StepRecord& record = finding_.run.records[index];
    StyledCell cell = {describe_sent(finding_, record)};
    if (record.skipped) {
      cell[0].style = TextStyle::stalled;
      cell.push_back({TextStyle::stalled, "not run: the store had ended this session's part"});
    } else if (record.waited) {
      cell.push_back({TextStyle::stalled, "stalled" + waits_for(record)});
    } else {
      for (StyledLine& line : describe_outcome(finding_, index)) cell.push_back(std::move(line));
    }
    return cell;
  }

  StyledCell resumed_cell(std::size_t index) const {
    StyledCell outcome = describe_outcome(finding_, index);
    const bool joins = !outcome.empty() && outcome[0].style == TextStyle::write;
    if (joins) {
      outcome[0].text = "... resumes: " + outcome[0].text;
    } else {
      outcome.insert(outcome.begin(), {TextStyle::step, "... resumes"});
    }
    return outcome;
  }

  std::string waits_for(const StepRecord& record) const {
    std::vector<std::string> names;
    for (const SessionId session : record.blocked_by) {
      names.push_back(printable(finding_.scenario.sessions[session.index()].name));
    }
    return names.empty() ? "" : ", waits for " + join(names, ", ");
  }

  static constexpr std::string_view kMark = "  ◀ here";
  static constexpr std::size_t kLongestSetup = 160;

  const Finding& finding_;
  std::map<std::size_t, std::size_t> columns_;  // session -> column
  std::vector<bool> stalled_;                   // per column
  Diagram diagram_;
};

}  // namespace

Diagram draw(const Finding& finding) { return DiagramBuilder(finding).build(); }

}  // namespace heddle
