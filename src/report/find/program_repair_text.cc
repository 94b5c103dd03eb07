// Repairs of a program for people.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/find/find_reports.h"
#include "report/text/counted.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

bool changes_levels(const ProgramRepair& repair) {
  for (const ProgramChange& change : repair.changes) {
    if (!change.statement) return true;
  }
  return false;
}

bool changes_statements(const ProgramRepair& repair) {
  for (const ProgramChange& change : repair.changes) {
    if (change.statement) return true;
  }
  return false;
}

// Whether a level of what it changes makes the database refuse what it would else let go wrong.
bool ends_transactions(const ProgramRepair& repair) {
  return std::ranges::any_of(repair.changes, [&](const ProgramChange& change) {
    const IsolationLevel level = repair.levels[change.functionality].level;
    return implies(level, IsolationLevel::snapshot);
  });
}

class RepairPrinter {
 public:
  RepairPrinter(const ProgramRepairReport& report, const TextOptions& options)
      : report_(report), options_(options) {}

  std::string print() {
    for (std::size_t i = 0; i < report_.repairs.size(); ++i) {
      line(0, TextStyle::heading, head_of(i));
      say_changes(report_.repairs[i]);
      if (report_.repairs[i].execution) say_execution(*report_.repairs[i].execution);
    }
    for (const ProgramRepair& refused : report_.refused) {
      if (has_another_refused(refused)) continue;
      line(0, TextStyle::heading,
           fmt::format("Not enough, though no cycle is left in the search: running it still shows "
                       "{}",
                       refused.execution->goes_wrong));
      say_changes(refused);
    }
    if (std::ranges::any_of(report_.repairs, ends_transactions)) {
      line(0, TextStyle::plain,
           "At the higher levels the database ends transactions that would go wrong (serialization "
           "failures, deadlocks): the application has to run these again, from their beginning.");
    }
    if (report_.repairs.empty()) {
      line(0, TextStyle::heading,
           report_.candidates == 0 ? "No repair is known: nothing here can be changed as heddle "
                                     "knows to"
                                   : "No repair is known");
    }
    for (const std::vector<std::string>& names : report_.left) {
      line(2, TextStyle::plain, "whatever is changed, a cycle stays among " + join(names, ", "));
    }
    line(0, TextStyle::plain,
         fmt::format("{} considered, {} searched again",
                     counted(report_.candidates, "change", "changes"),
                     counted(report_.searches, "set of functionalities",
                             "changed sets of functionalities")));
    if (!report_.bound.empty()) line(0, TextStyle::plain, "not complete: " + report_.bound);
    return std::move(text_);
  }

 private:
  void say_changes(const ProgramRepair& repair) {
    for (const ProgramChange& change : repair.changes) {
      line(2, TextStyle::plain, change.sentence);
    }
  }

  // With some of the changes: the others did not help.
  bool has_another_refused(const ProgramRepair& repair) const {
    return std::ranges::any_of(report_.refused, [&](const ProgramRepair& other) {
      return other.changes.size() < repair.changes.size() &&
             std::ranges::all_of(
                 other.changes,
                 [&](const ProgramChange& change) {
                   return std::ranges::find(repair.changes, change.sentence,
                                            &ProgramChange::sentence) != repair.changes.end();
                 });
    });
  }

  void say_execution(const RepairExecution& execution) {
    std::string text;
    if (execution.orders > 0) {
      text = fmt::format("executed: {} of {}, none of which goes wrong any more",
                         counted(execution.orders, "order", "orders"),
                         counted(execution.causes, "cause", "causes"));
    } else {
      text = "not executed: " +
             (execution.bound.empty() ? "nothing of it was confirmed" : execution.bound);
    }
    if (execution.orders > 0 && !execution.bound.empty()) text += "; not all: " + execution.bound;
    line(2, TextStyle::plain, text);
  }

  std::string head_of(std::size_t number) const {
    const ProgramRepair& repair = report_.repairs[number];
    const std::string what = counted(repair.changes.size(), "change", "changes");
    if (number == 0) {
      const std::string_view verb = repair.changes.size() == 1 ? "is" : "are";
      return fmt::format(
          "To remove {}, {} {} enough{}:", report_.left.empty() ? "all of them" : "all others",
          what, verb, repair.is_cheapest ? ", and nothing cheaper is" : "");
    }
    const std::string_view kind = !changes_levels(repair)       ? "at the same levels, "
                                  : !changes_statements(repair) ? "with the same statements, "
                                                                : "";
    return fmt::format("Or, {}{}:", kind, what);
  }

  void line(std::size_t indent, TextStyle style, const std::string& text) {
    for (const std::string& part : wrap(printable(text), options_.width - indent, 4)) {
      text_ += std::string(indent, ' ') + paint(part, style, options_) + "\n";
    }
  }

  const ProgramRepairReport& report_;
  TextOptions options_;
  std::string text_;
};

}  // namespace

std::string render_text(const ProgramRepairReport& report, const TextOptions& options) {
  return RepairPrinter(report, options).print();
}

}  // namespace heddle
