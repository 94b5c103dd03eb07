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

// Whether a level of it makes the database refuse what it would else let go wrong.
bool ends_transactions(const ProgramRepair& repair) {
  return std::ranges::any_of(repair.changes, [](const ProgramChange& change) {
    return !change.statement && change.level != IsolationLevel::read_committed;
  });
}

class RepairPrinter {
 public:
  RepairPrinter(const ProgramRepairReport& report, const TextOptions& options)
      : report_(report), options_(options) {}

  std::string print() {
    for (std::size_t i = 0; i < report_.repairs.size(); ++i) {
      line(0, TextStyle::heading, head_of(i));
      for (const ProgramChange& change : report_.repairs[i].changes) {
        line(2, TextStyle::plain, change.sentence);
      }
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
