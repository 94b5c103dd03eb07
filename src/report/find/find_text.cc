// The anomalies of a program for people: the table of all causes and how many there are of which,
// then some of them in full.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "format/anomalies_json.h"
#include "report/find/cause_table.h"
#include "report/find/find_reports.h"
#include "report/find/find_summary.h"
#include "report/schedule/run_text.h"
#include "report/text/counted.h"
#include "report/text/coverage_text.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

class AnomalyPrinter {
 public:
  AnomalyPrinter(const FindReport& report, const Program& program, const TextOptions& options,
                 const DetailChoice& choice)
      : report_(report),
        coverage_(program.coverage),
        options_(options),
        choice_(choice),
        words_(program),
        summary_(summarize(report, program, words_)),
        chosen_(chosen_rows(choice, summary_.rows)) {}

  std::string print() {
    text_ = render_coverage(coverage_, options_);
    print_lines(summary_.head);
    print_table();
    begin_part();
    print_lines(summary_.counts);
    print_reasons();
    print_where_the_rest_is();
    for (const std::size_t place : chosen_) {
      begin_part();
      text_ += cause_details_text(details_of(report_.causes[place], place + 1, words_), options_);
    }
    return std::move(text_);
  }

 private:
  // An empty line behind what is there.
  void begin_part() {
    if (!text_.empty()) text_ += '\n';
  }

  void print_table() {
    if (summary_.rows.empty()) return;
    begin_part();
    const std::size_t most = rows_in_table(choice_);
    text_ += cause_table_text(summary_.rows, most, options_);
    const std::size_t shown = rows_shown(summary_.rows, most);
    if (summary_.rows.size() > shown) {
      line(fmt::format("and {} more: --details=none lists all", summary_.rows.size() - shown));
    }
  }

  // Of what is told in full below its reason stands there.
  void print_reasons() {
    constexpr std::size_t kMostReasons = 12;
    std::size_t left = 0;
    std::size_t printed = 0;
    for (const CauseReason& reason : summary_.reasons) {
      std::vector<std::size_t> numbers = reason.numbers;
      std::erase_if(numbers, [&](std::size_t number) {
        return std::ranges::find(chosen_, number - 1) != chosen_.end();
      });
      if (numbers.empty()) continue;
      if (printed == kMostReasons && !choice_.is_given) {
        left += numbers.size();
        continue;
      }
      ++printed;
      line(fmt::format("{} {}: {}", number_ranges(numbers), reason.status, reason.reason));
    }
    if (left > 0) line(fmt::format("the reasons of {} more: --details=none", left));
  }

  void print_where_the_rest_is() {
    if (chosen_.size() == summary_.rows.size()) return;
    std::vector<std::size_t> numbers;
    for (const std::size_t place : chosen_) numbers.push_back(place + 1);
    const std::string told =
        numbers.empty() ? "" : fmt::format("in full below: {}; ", number_ranges(numbers));
    line(told +
         "any other with --details=NUMBER, all with --details=all or on a page with "
         "--format=html");
  }

  void print_lines(const std::vector<std::string>& lines) {
    for (const std::string& text : lines) line(text);
  }

  void line(const std::string& text) { text_ += indented_text(0, printable(text), options_); }

  const FindReport& report_;
  const Coverage& coverage_;
  TextOptions options_;
  const DetailChoice& choice_;
  CauseText words_;
  FindSummary summary_;
  std::vector<std::size_t> chosen_;
  std::string text_;
};

}  // namespace

std::string render_text(const FindReport& report, const Program& program,
                        const TextOptions& options) {
  return render_text(report, program, options, DetailChoice{});
}

std::string render_text(const FindReport& report, const Program& program,
                        const TextOptions& options, const DetailChoice& choice) {
  return AnomalyPrinter(report, program, options, choice).print();
}

std::string render_json(const FindReport& report, const Program& program,
                        const ProgramRepairReport* repairs) {
  return to_json(report, program, repairs);
}

}  // namespace heddle
