#include "report/check/text.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/check/diagram.h"
#include "report/check/explanation.h"
#include "report/check/names.h"
#include "report/check/paragraphs.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

constexpr std::size_t kMostExamples = 3;  // per level

std::string level_name(IsolationLevel level) { return std::string(definition(level).name); }

std::string level_names(const std::vector<IsolationLevel>& levels) {
  std::vector<std::string> names;
  for (const IsolationLevel level : levels) names.push_back(level_name(level));
  return join(names, ", ");
}

class CheckText {
 public:
  CheckText(const CheckReport& report, const TransactionHistory& history,
            const CheckSubject& subject, const TextOptions& options)
      : report_(report), history_(history), subject_(subject), options_(options) {}

  std::string render() {
    std::string text = paragraph_heading(head(), options_) + paragraph(size(), options_);
    if (report_.answers.size() > 1) text += "\n" + table();
    for (const IsolationLevel level : report_.weakest_violated) text += examples(level);
    if (subject_.witness) {
      for (const IsolationLevel level : report_.strongest_held) text += witness(level);
    }
    return text;
  }

 private:
  const LevelAnswer* answer_of(IsolationLevel level) const {
    for (const LevelAnswer& answer : report_.answers) {
      if (answer.level == level) return &answer;
    }
    return nullptr;
  }

  // "lost update on x", "the time limit of 10 s"; nothing for what holds.
  std::string reason(const LevelAnswer& answer) const {
    if (answer.verdict == Verdict::unknown) return answer.bound;
    if (answer.counterexamples.empty()) return "";
    return counterexample_title(answer.counterexamples.front(), history_);
  }

  std::string with_reason(const LevelAnswer& answer) const {
    const std::string why = reason(answer);
    return why.empty() ? "" : ": " + why;
  }

  std::string head() const {
    const std::string file = printable(subject_.file) + ": ";
    if (report_.answers.size() == 1) {
      const LevelAnswer& answer = report_.answers.front();
      return fmt::format("{}{} is {}{}", file, level_name(answer.level), to_string(answer.verdict),
                         with_reason(answer));
    }
    if (report_.weakest_violated.empty()) {
      const bool all = std::ranges::all_of(report_.answers, [](const LevelAnswer& answer) {
        return answer.verdict == Verdict::satisfied;
      });
      if (all) return file + "satisfied at every level asked for";
      return file + (report_.strongest_held.empty()
                         ? std::string("nothing is known of any level")
                         : "satisfied up to " + level_names(report_.strongest_held) +
                               "; the rest is unknown");
    }
    std::vector<std::string> failed;
    for (const IsolationLevel level : report_.weakest_violated) {
      const LevelAnswer* const answer = answer_of(level);
      const std::string why = answer == nullptr ? "" : reason(*answer);
      failed.push_back(level_name(level) + (why.empty() ? "" : " (" + why + ")"));
    }
    const std::string held = report_.strongest_held.empty()
                                 ? "no level holds"
                                 : "holds up to " + level_names(report_.strongest_held);
    return file + held + "; fails at " + join(failed, " and at ");
  }

  std::string size() const {
    std::vector<bool> seen;
    std::size_t sessions = 0;
    std::size_t aborted = 0;
    std::size_t unknown = 0;
    for (const RecordedTransaction& txn : history_.transactions) {
      if (txn.session >= seen.size()) seen.resize(std::size_t{txn.session} + 1, false);
      sessions += seen[txn.session] ? 0 : 1;
      seen[txn.session] = true;
      aborted += txn.outcome == TransactionOutcome::aborted ? 1 : 0;
      unknown += txn.outcome == TransactionOutcome::unknown ? 1 : 0;
    }
    std::string text =
        fmt::format("{} in {}, {} on {}", counted(history_.transactions.size(), "transaction"),
                    counted(sessions, "session"), counted(history_.operations.size(), "operation"),
                    counted(history_.keys.size(), "key"));
    if (aborted > 0) text += "; " + counted(aborted, "transaction") + " aborted";
    if (unknown > 0) text += "; the outcome of " + counted(unknown, "transaction") + " is unknown";
    return text;
  }

  std::string table() const {
    Grid grid{{"level", "verdict", "because of"}, {}};
    for (const LevelAnswer& answer : report_.answers) {
      const TextStyle style =
          answer.verdict == Verdict::violated ? TextStyle::error : TextStyle::plain;
      grid.rows.push_back({{{TextStyle::heading, level_name(answer.level)}},
                           {{style, std::string(to_string(answer.verdict))}},
                           {{TextStyle::plain, reason(answer)}}});
    }
    return render_grid(grid, options_);
  }

  std::string examples(IsolationLevel level) {
    const LevelAnswer* const answer = answer_of(level);
    if (answer == nullptr) return "";
    std::string text;
    for (std::size_t i = 0; i < answer->counterexamples.size() && i < kMostExamples; ++i) {
      text += "\n" + example(level, answer->counterexamples[i]);
    }
    if (answer->counterexamples.size() > kMostExamples) {
      const std::size_t more = answer->counterexamples.size() - kMostExamples;
      text += "\n" + paragraph(fmt::format("{} also has {}.", level_name(level),
                                           counted(more, "further counterexample")),
                               options_);
    }
    return text;
  }

  // The same counterexample may make several levels fail that do not imply each other.
  std::string example(IsolationLevel level, const Counterexample& counterexample) {
    const CheckNames names(history_, counterexample);
    const CheckExplanation explanation = explain(counterexample, names);
    const std::string title = explanation.title + ": not " + level_name(level);
    const std::string body = describe(counterexample, names, explanation);
    const auto [first, is_new] = told_.emplace(body, level);
    if (is_new) return paragraph_heading(title, options_) + body;
    return paragraph_heading(title, options_) +
           paragraph("The same as for " + level_name(first->second) + ".", options_);
  }

  std::string describe(const Counterexample& counterexample, const CheckNames& names,
                       const CheckExplanation& explanation) const {
    std::string text =
        paragraph(std::string(definition(counterexample.kind).meaning), options_) + "\n";
    text += render_let(explanation.let, options_);
    text += beside_word("Then", explanation.then, options_);
    text += beside_word("However,", {explanation.however}, options_);
    text += "\n" + render_check_diagram(counterexample, names, options_);
    const std::string times = render_check_times(counterexample, names, options_);
    return times.empty() ? text : text + "\n" + times;
  }

  std::string witness(IsolationLevel level) const {
    const LevelAnswer* const answer = answer_of(level);
    if (answer == nullptr) return "";
    const std::vector<std::string> all = transaction_names(history_);
    std::vector<std::string> names;
    for (const TransactionId id : answer->order) names.push_back(all[id.index()]);
    std::string text = "\n" + paragraph_heading("An order for " + level_name(level), options_) +
                       paragraph(join(names, " "), options_);
    for (const ChosenWriter& chosen : answer->chosen) {
      const KeyOperation& read = history_.operations[chosen.operation];
      text += paragraph(
          fmt::format("{} reads {} = {} from {}", all[owner_of(chosen.operation)],
                      key_text(history_, read.key), told_text(history_, read),
                      chosen.writer ? all[chosen.writer->index()] : "before all transactions"),
          options_);
    }
    return text;
  }

  std::size_t owner_of(std::uint32_t operation) const {
    std::size_t txn = 0;
    while (operation < history_.transactions[txn].first ||
           operation - history_.transactions[txn].first >= history_.transactions[txn].count) {
      ++txn;
    }
    return txn;
  }

  const CheckReport& report_;
  const TransactionHistory& history_;
  const CheckSubject& subject_;
  const TextOptions& options_;
  std::map<std::string, IsolationLevel> told_;
};

}  // namespace

std::string render_text(const CheckReport& report, const TransactionHistory& history,
                        const CheckSubject& subject, const TextOptions& options) {
  return CheckText(report, history, subject, options).render();
}

}  // namespace heddle
