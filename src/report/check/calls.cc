// What check_linearizable answered, for people: the calls that cannot be put in an order, as bars
// over time, and how far an order goes.

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/check/names.h"
#include "report/check/paragraphs.h"
#include "report/check/text.h"
#include "report/check/timeline.h"
#include "report/text/layout.h"

namespace heddle {

namespace {

constexpr std::size_t kMostBars = 24;
constexpr std::size_t kMostObjects = 10;     // that are listed by name
constexpr std::size_t kLastCalls = 8;        // of a long order
constexpr std::size_t kMostCharacters = 40;  // of a text that is shown from its end

class CallsText {
 public:
  CallsText(const LinearizabilityAnswer& answer, const ObjectHistory& history,
            const CheckSubject& subject, const TextOptions& options)
      : answer_(answer), history_(history), subject_(subject), options_(options) {}

  std::string render() const {
    std::string text = paragraph_heading(head(), options_) + paragraph(size(), options_);
    if (answer_.invariant) text += paragraph(invariant(), options_);
    if (answer_.culprit && answer_.verdict == Verdict::violated) {
      text += "\n" + explain(answer_.parts[*answer_.culprit]) + others();
    }
    if (subject_.witness && answer_.verdict == Verdict::satisfied) {
      for (const LinearizabilityPart& part : answer_.parts) text += witness(part);
    }
    return text;
  }

 private:
  std::string object_text(const LinearizabilityPart& part) const {
    if (!part.object) return "all objects together";
    return value_text(history_.texts, history_.objects.name(*part.object));
  }

  bool has_one_object() const { return history_.objects.size() <= 1; }

  std::string head() const {
    std::string text = fmt::format("{}: {} is {}", printable(subject_.file),
                                   order_word(subject_.order), to_string(answer_.verdict));
    if (answer_.verdict == Verdict::unknown) return text + ": " + answer_.bound;
    if (answer_.verdict == Verdict::violated && answer_.culprit) {
      const LinearizabilityPart& part = answer_.parts[*answer_.culprit];
      if (!has_one_object()) text += " by " + object_text(part);
      const std::optional<std::uint32_t>& stuck = part.core_stuck ? part.core_stuck : part.stuck;
      if (stuck) text += ": " + call_text(*stuck) + " fits into no order";
    }
    return text;
  }

  std::string size() const {
    std::vector<std::uint32_t> processes;
    std::size_t unknown = 0;
    for (const ObjectCall& call : history_.calls) {
      processes.push_back(call.process);
      unknown += call.outcome == CallOutcome::unknown ? 1 : 0;
    }
    std::ranges::sort(processes);
    processes.erase(std::unique(processes.begin(), processes.end()), processes.end());
    std::string text = fmt::format(
        "{} of {} on {}", counted(history_.calls.size(), "call"),
        processes.size() == 1 ? "1 process" : fmt::format("{} processes", processes.size()),
        history_.objects.size() == 1
            ? fmt::format("a {}", to_string(history_.model))
            : fmt::format("{} of the kind {}", counted(history_.objects.size(), "object"),
                          to_string(history_.model)));
    if (unknown > 0) text += "; the outcome of " + counted(unknown, "call") + " is unknown";
    return text;
  }

  std::string invariant() const {
    std::string text = fmt::format("what Jepsen asks of a {} is {}", to_string(history_.model),
                                   to_string(answer_.invariant->verdict));
    if (!answer_.invariant->message.empty()) text += ": " + answer_.invariant->message;
    return text;
  }

  // "p1 write 3", "p2 read: 3", "p3 compare-and-set 1 to 2: failed".
  std::string call_text(std::uint32_t index) const {
    const ObjectCall& call = history_.calls[index];
    std::string text = fmt::format("p{} {}", call.process, to_string(call.function));
    if (call.argument != kNil || takes_argument(call.function)) {
      text += " " + value_text(history_.texts, call.argument);
    }
    if (call.second != kNil) text += " to " + value_text(history_.texts, call.second);
    if (call.outcome == CallOutcome::failed) return text + ": failed";
    if (call.outcome == CallOutcome::unknown) return text + ": ?";
    if (call.result_is_list) {
      return text + ": " +
             list_text(history_.texts,
                       history_.lists[ListId(static_cast<std::size_t>(call.result.code))]);
    }
    if (call.result != kUnseen) text += ": " + result_text(call);
    return text;
  }

  // What all texts of the core begin with is three dots.
  std::string result_text(const ObjectCall& call) const {
    const std::string& beginning = core_beginning();
    if (!beginning.empty() && call.result != kNil) {
      const std::string text = history_.texts.to_string(call.result);
      if (text.starts_with(beginning)) {
        return "…" + shorten(printable(text.substr(beginning.size())), kMostCharacters);
      }
    }
    return value_text(history_.texts, call.result);
  }

  const std::string& core_beginning() const {
    static const std::string nothing;
    return answer_.culprit ? answer_.parts[*answer_.culprit].core_begins_with : nothing;
  }

  // Its end says most.
  std::string beginning_text(const std::string& beginning) const {
    const std::string end = beginning.size() <= kMostCharacters
                                ? beginning
                                : beginning.substr(beginning.size() - kMostCharacters);
    return fmt::format("Before them the key holds the {} that … stands for, which {} \"{}\".",
                       counted(beginning.size(), "byte"),
                       end.size() == beginning.size() ? "are" : "end with", printable(end));
  }

  static bool takes_argument(ObjectFunction function) {
    return function == ObjectFunction::write || function == ObjectFunction::put ||
           function == ObjectFunction::compare_and_set;
  }

  std::string place_text(std::uint32_t index) const {
    const std::uint32_t line = history_.calls[index].line;
    return line == 0 ? fmt::format("call {}", index + 1) : fmt::format("line {}", line);
  }

  std::string explain(const LinearizabilityPart& part) const {
    const std::string object = has_one_object() ? "" : " on " + object_text(part);
    std::string text = paragraph_heading(
        fmt::format("Non-linearizable calls{}: not {}", object, order_word(subject_.order)),
        options_);
    text += paragraph(
        fmt::format("No order of these calls{} gives what they returned.", order_text()), options_);
    if (!part.core_begins_with.empty()) {
      text += paragraph(beginning_text(part.core_begins_with), options_);
    }
    text += "\n" + bars(part) + "\n";
    if (!part.core_stuck) return text;
    const std::uint32_t stuck = *part.core_stuck;
    text +=
        beside_word("Let", {"these calls happen as far as possible: " + beginning(part)}, options_);
    text += beside_word("Then",
                        {fmt::format("{} ({}) returns next.", call_text(stuck), place_text(stuck))},
                        options_);
    return text + beside_word("However,",
                              {"no order of what happened until then lets it return that."},
                              options_);
  }

  std::string order_text() const {
    switch (subject_.order) {
      case CallOrder::linearizable:
        return " within their times";
      case CallOrder::sequential:
        return " that keeps the order of each process";
      case CallOrder::quiescent:
        return " that keeps apart what a moment of rest parts";
    }
    return "";
  }

  std::string beginning(const LinearizabilityPart& part) const {
    const std::vector<std::uint32_t>& order = part.core_order;
    if (order.empty()) return "none before it.";
    std::vector<std::string> calls;
    std::size_t from = 0;
    if (order.size() > kLastCalls) {
      from = order.size() - kLastCalls;
      calls.push_back(fmt::format("{} first", counted(from, "call")));
    }
    for (std::size_t i = from; i < order.size(); ++i) calls.push_back(call_text(order[i]));
    return join(calls, ", then ") + ".";
  }

  std::string bars(const LinearizabilityPart& part) const {
    std::vector<std::uint32_t> shown = part.core;
    // The calls that are said to be in the way are the last ones.
    const std::size_t more = shown.size() - std::min(shown.size(), kMostBars);
    shown.erase(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(more));
    std::ranges::sort(shown, {}, [&](std::uint32_t call) {
      return std::pair(history_.calls[call].process, call);
    });
    std::vector<TimelineBar> drawn;
    for (const std::uint32_t index : shown) {
      const ObjectCall& call = history_.calls[index];
      drawn.push_back({fmt::format("{}  ({})", call_text(index), place_text(index)), call.called,
                       call.returned, part.core_stuck == index});
    }
    std::string text = render_timeline(drawn, options_);
    if (more > 0) text += fmt::format("... and {} before\n", counted(more, "call"));
    return text;
  }

  std::string others() const {
    return others("Also violated by: ", Verdict::violated) +
           others("Not decided within the bounds: ", Verdict::unknown);
  }

  std::string others(const std::string& what, Verdict verdict) const {
    std::vector<std::string> names;
    std::size_t count = 0;
    for (std::size_t i = 0; i < answer_.parts.size(); ++i) {
      if (i == *answer_.culprit || answer_.parts[i].verdict != verdict) continue;
      if (++count <= kMostObjects) names.push_back(object_text(answer_.parts[i]));
    }
    if (count == 0) return "";
    if (count > kMostObjects) names.push_back(fmt::format("{} more", count - kMostObjects));
    return "\n" + paragraph(what + join(names, ", "), options_);
  }

  std::string witness(const LinearizabilityPart& part) const {
    std::vector<std::string> calls;
    for (const std::uint32_t call : part.order) {
      calls.push_back(fmt::format("{} ({})", call_text(call), place_text(call)));
    }
    return "\n" + paragraph_heading("An order of the calls on " + object_text(part), options_) +
           paragraph(join(calls, "; "), options_);
  }

  const LinearizabilityAnswer& answer_;
  const ObjectHistory& history_;
  const CheckSubject& subject_;
  const TextOptions& options_;
};

}  // namespace

std::string render_text(const LinearizabilityAnswer& answer, const ObjectHistory& history,
                        const CheckSubject& subject, const TextOptions& options) {
  return CallsText(answer, history, subject, options).render();
}

}  // namespace heddle
