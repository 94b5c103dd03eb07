// What the levels keep from happening, for people: each cause that is possible where nothing is
// promised, and the axioms that remove it.
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "format/anomalies_json.h"
#include "report/find/cause_text.h"
#include "report/find/find_reports.h"
#include "report/text/counted.h"
#include "report/text/coverage_text.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

class RemovedPrinter {
 public:
  RemovedPrinter(const RemovedReport& report, const Program& program, const TextOptions& options)
      : report_(report), words_(program), options_(options) {}

  std::string print() {
    for (const RemovedCause& removed : report_.causes) print(removed);
    print_summary();
    return std::move(text_);
  }

 private:
  void print(const RemovedCause& removed) {
    const FoundCycle& cycle = removed.cause.cores.front();
    line(0, TextStyle::heading, words_.title(removed.cause));
    for (const FoundEdge& edge : cycle.edges) {
      line(4, TextStyle::plain, words_.sentence(cycle, edge));
    }
    if (removed.axioms.empty()) {
      line(2, TextStyle::plain, "removed by the levels as a whole, not by single axioms");
    }
    for (const Axiom axiom : removed.axioms) {
      line(2, TextStyle::plain,
           fmt::format("{} {}: {}", axiom == removed.axioms.front() ? "removed by" : "and by",
                       definition(axiom).name, definition(axiom).formula));
    }
    text_ += '\n';
  }

  void print_summary() {
    std::map<std::string, std::size_t> counts;
    for (const RemovedCause& removed : report_.causes) {
      for (const Axiom axiom : removed.axioms) ++counts[std::string(definition(axiom).name)];
    }
    for (const auto& [name, count] : counts) {
      line(0, TextStyle::plain, fmt::format("{} removes {}", name, count));
    }
    line(0, TextStyle::plain,
         fmt::format("of {} at eventual {} {} removed, {}",
                     counted(report_.causes.size() + report_.left, "cause", "causes"),
                     report_.causes.size(), report_.causes.size() == 1 ? "is" : "are",
                     within_bounds(report_.max_length, report_.max_instances)));
    if (!report_.bound.empty()) line(0, TextStyle::plain, "not complete: " + report_.bound);
  }

  void line(std::size_t indent, TextStyle style, const std::string& text) {
    for (const std::string& part : wrap(printable(text), options_.width - indent, 4)) {
      text_ += std::string(indent, ' ') + paint(part, style, options_) + "\n";
    }
  }

  const RemovedReport& report_;
  CauseText words_;
  TextOptions options_;
  std::string text_;
};

}  // namespace

std::string render_text(const RemovedReport& report, const Program& program,
                        const TextOptions& options) {
  return render_coverage(program.coverage, options) +
         RemovedPrinter(report, program, options).print();
}

std::string render_json(const RemovedReport& report, const Program& program) {
  return to_json(report, program);
}

}  // namespace heddle
