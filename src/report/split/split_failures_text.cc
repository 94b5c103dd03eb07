// What functionalities leave that stop between two sub-transactions, for people: one table, then
// what was shown by a run.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/explore/explore_reports.h"
#include "report/schedule/run_text.h"
#include "report/split/split_reports.h"
#include "report/text/counted.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

class FailurePrinter {
 public:
  FailurePrinter(const FailureReport& report, const SplitReport& split, const TextOptions& options,
                 const DetailChoice& choice)
      : report_(report), split_(split), options_(options), choice_(choice) {}

  std::string print() {
    print_table();
    print_summary();
    print_reasons();
    std::vector<std::size_t> shown;
    for (std::size_t i = 0; i < report_.failures.size(); ++i) {
      if (report_.failures[i].execution.finding) shown.push_back(i + 1);
    }
    const std::vector<std::size_t> chosen = chosen_failures(choice_, shown);
    if (chosen.size() < shown.size()) {
      line(0, TextStyle::plain,
           fmt::format("{} more runs: --details=NUMBER, as in --details=F{}, or --details=all",
                       shown.size() - chosen.size(), shown[chosen.size()]));
    }
    for (const std::size_t number : chosen) print(report_.failures[number - 1], number);
    return std::move(text_);
  }

 private:
  const std::string& name(std::size_t functionality) const {
    return split_.chopped.program.functionalities[functionality].name;
  }

  // "[1] on M1", "[2] on M2 in round 1", "[2] on M2, the last"
  std::string place_of(const SplitFailure& failure) const {
    std::string text = part_text(failure.at);
    if (failure.is_end) text += ", the last";
    std::vector<std::string> rounds;
    for (const std::size_t round : failure.rounds) rounds.push_back(fmt::format("{}", round + 1));
    return rounds.empty() ? text : text + " in round " + join(rounds, ".");
  }

  std::string part_text(const SplitPart& part) const {
    const SubTransaction& sub = split_.chopped.sub_transactions[part.functionality][part.number];
    return fmt::format("[{}] on {}", part.number + 1, split_.cut.services[sub.service].name);
  }

  // "lost answer", "aborted read by total[1]"
  std::string way_of(const SplitFailure& failure) const {
    if (!failure.reader) return std::string(to_string(failure.way));
    return fmt::format("{} by {}[{}]", definition(AnomalyKind::aborted_read).name,
                       name(failure.reader->functionality), failure.reader->number + 1);
  }

  static std::string status_of(const FoundExecution& execution) {
    return std::string(to_string(execution.status));
  }

  static StyledCell plain(const std::string& text) { return {{TextStyle::plain, printable(text)}}; }

  void print_table() {
    if (report_.failures.empty()) return;
    const bool has_broken = std::ranges::any_of(report_.failures, [](const SplitFailure& failure) {
      return !failure.execution.broken_invariants.empty();
    });
    Grid grid{.header = {"", "functionality", "stops behind", "way", "written", "not written"},
              .rows = {}};
    if (has_broken) grid.header.emplace_back("breaks");
    grid.header.emplace_back("status");
    for (std::size_t i = 0; i < report_.failures.size(); ++i) {
      const SplitFailure& failure = report_.failures[i];
      auto& row = grid.rows.emplace_back();
      row.push_back(plain(fmt::format("F{}", i + 1)));
      row.push_back(plain(name(failure.at.functionality)));
      row.push_back(plain(place_of(failure)));
      row.push_back(plain(way_of(failure)));
      row.push_back(plain(join(failure.written, ", ")));
      row.push_back(plain(join(failure.missing, ", ")));
      if (has_broken) row.push_back(plain(join(failure.execution.broken_invariants, ", ")));
      row.push_back(plain(status_of(failure.execution)));
    }
    text_ += render_grid(grid, options_) + "\n";
  }

  std::string heading_of(const SplitFailure& failure) const {
    std::string who = name(failure.at.functionality);
    const std::string where = place_of(failure);
    if (failure.reader) {
      return fmt::format("{}: {}{} reads what {} wrote, which stops behind {}{}",
                         definition(AnomalyKind::aborted_read).name,
                         name(failure.reader->functionality), part_text(*failure.reader), who,
                         where, failure.way == FailureWay::stop ? "" : " and is compensated");
    }
    switch (failure.way) {
      case FailureWay::stop:
        return fmt::format("{} stops behind {}", who, where);
      case FailureWay::lost_answer:
        return fmt::format("the answer of {}{} is lost, and {} is called again", who, where, who);
      case FailureWay::compensation:
        return fmt::format("{} stops behind {} and is compensated", who, where);
    }
    return who;
  }

  void print(const SplitFailure& failure, std::size_t number) {
    const Finding& finding = *failure.execution.finding;
    text_ += '\n';
    line(0, TextStyle::heading, fmt::format("F{}. {}", number, heading_of(failure)));
    line(2, TextStyle::plain, "confirmed on " + finding.store);
    text_ += "\n" + run_text(finding, telling_contrasts(finding), options_);
  }

  // Those of the same reason on one line.
  void print_reasons() {
    std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
    for (std::size_t i = 0; i < report_.failures.size(); ++i) {
      const FoundExecution& execution = report_.failures[i].execution;
      if (execution.reason.empty()) continue;
      const std::string reason = status_of(execution) + ": " + execution.reason;
      auto known = std::ranges::find(reasons, reason, &decltype(reasons)::value_type::first);
      if (known == reasons.end()) known = reasons.insert(reasons.end(), {reason, {}});
      known->second.push_back(fmt::format("F{}", i + 1));
    }
    for (const auto& [reason, names] : reasons) {
      line(0, TextStyle::plain, fmt::format("{} {}", join(names, ", "), reason));
    }
  }

  void print_summary() {
    std::map<FindingStatus, std::size_t> counts;
    for (const SplitFailure& failure : report_.failures) ++counts[failure.execution.status];
    std::vector<std::string> parts;
    for (const auto& [status, count] : counts) {
      parts.push_back(fmt::format("{} {}", count, to_string(status)));
    }
    line(0, TextStyle::plain,
         parts.empty()
             ? "no functionality can fail between two sub-transactions and leave something"
             : "of the failures between sub-transactions " + join(parts, ", "));
    if (report_.in_uncut > 0) {
      line(0, TextStyle::plain,
           fmt::format("{} where the uncut program can fail alike {} left out",
                       counted(report_.in_uncut, "place", "places"),
                       report_.in_uncut == 1 ? "is" : "are"));
    }
    if (!report_.bound.empty()) line(0, TextStyle::plain, "not complete: " + report_.bound);
  }

  void line(std::size_t indent, TextStyle style, const std::string& text) {
    for (const std::string& part : wrap(printable(text), options_.width - indent, 4)) {
      text_ += std::string(indent, ' ') + paint(part, style, options_) + "\n";
    }
  }

  const FailureReport& report_;
  const SplitReport& split_;
  TextOptions options_;
  const DetailChoice& choice_;
  std::string text_;
};

}  // namespace

std::string render_text(const FailureReport& report, const SplitReport& split,
                        const TextOptions& options, const DetailChoice& choice) {
  return FailurePrinter(report, split, options, choice).print();
}

}  // namespace heddle
