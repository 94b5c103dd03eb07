// Calls as Jepsen's tests write them: a register is compared and set by [from to], a transfer is
// {:from a, :to b, :amount n}, a bank read a map from account to balance. Where there are several
// objects, the field :key says which.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "frontend/history/write/write_formats.h"
#include "frontend/history/write/write_jepsen_events.h"

namespace heddle {

namespace {

std::string_view function_name(ObjectFunction function) {
  return function == ObjectFunction::compare_and_set ? "cas" : to_string(function);
}

bool returns_something(ObjectFunction function) {
  switch (function) {
    case ObjectFunction::read:
    case ObjectFunction::get:
    case ObjectFunction::contains:
    case ObjectFunction::dequeue:
    case ObjectFunction::pop:
    case ObjectFunction::remove_minimum:
      return true;
    default:
      return false;
  }
}

bool has_argument(ObjectFunction function) {
  return function != ObjectFunction::acquire && function != ObjectFunction::release &&
         (function == ObjectFunction::contains || !returns_something(function));
}

class JepsenCallWriter {
 public:
  JepsenCallWriter(const ObjectHistory& history, HistoryFormat format)
      : history_(history), format_(format), syntax_(format, history.texts) {}

  Result<std::string> write() {
    if (const auto obstacle = find_obstacle()) return cannot_write(format_, *obstacle);
    std::vector<JepsenSpan> spans;
    for (const ObjectCall& call : history_.calls) {
      spans.push_back(
          {call.process, call.called, call.returned, call.outcome != CallOutcome::unknown});
    }
    const auto events = order_jepsen_events(spans);
    if (!events) return cannot_write(format_, "a process makes two calls at the same time");
    std::string out;
    for (std::size_t i = 0; i < events->size(); ++i) write_event(out, i, (*events)[i]);
    return out;
  }

 private:
  void write_event(std::string& out, std::size_t index, const JepsenEvent& event) const {
    static constexpr std::array<std::string_view, 3> kCompletions = {"ok", "fail", "info"};
    const ObjectCall& call = history_.calls[event.span];
    const auto outcome = static_cast<std::size_t>(call.outcome);
    syntax_.begin_event(out, index, fmt::to_string(call.process),
                        event.is_completion ? kCompletions[outcome] : "invoke",
                        function_name(call.function));
    const Value object = history_.objects.name(call.object);
    if (object != kNil || history_.objects.size() > 1) {
      syntax_.member(out, "key");
      syntax_.value(out, object);
    }
    const bool shows_result =
        event.is_completion && call.outcome == CallOutcome::ok && returns_something(call.function);
    // A result that nobody saw is no value at all, for nil would be one.
    if (!shows_result || call.result != kUnseen) {
      syntax_.member(out, "value");
      if (shows_result) {
        write_result(out, call);
      } else {
        write_argument(out, call);
      }
    }
    syntax_.end_event(out);
  }

  void write_argument(std::string& out, const ObjectCall& call) const {
    if (call.function == ObjectFunction::compare_and_set) {
      syntax_.list(out, std::array{call.argument, call.second});
    } else if (call.function == ObjectFunction::transfer) {
      out += '{';
      syntax_.member(out, "from");
      syntax_.value(out, call.argument);
      syntax_.member(out, "to");
      syntax_.value(out, call.second);
      syntax_.member(out, "amount");
      syntax_.value(out, call.result);
      out += '}';
    } else {
      syntax_.value(out, has_argument(call.function) ? call.argument : kNil);
    }
  }

  void write_result(std::string& out, const ObjectCall& call) const {
    if (call.function == ObjectFunction::contains) {
      out += '[';
      syntax_.value(out, call.argument);
      out += syntax_.separator();
      out += call.result == Value::number(0) ? "false]" : "true]";
    } else if (!call.result_is_list) {
      syntax_.value(out, call.result);
    } else if (history_.model == ObjectModel::bank) {
      write_balances(out, elements_of(call));
    } else {
      syntax_.list(out, elements_of(call));
    }
  }

  // JSON's keys are texts, which accounts mostly are not: then they are the places in a list.
  void write_balances(std::string& out, std::span<const Value> balances) const {
    if (!syntax_.is_edn()) {
      std::vector<Value> values;
      for (std::size_t i = 1; i < balances.size(); i += 2) values.push_back(balances[i]);
      return syntax_.list(out, values);
    }
    out += '{';
    for (std::size_t i = 0; i + 1 < balances.size(); i += 2) {
      if (i > 0) out += ", ";
      syntax_.value(out, balances[i]);
      out += ' ';
      syntax_.value(out, balances[i + 1]);
    }
    out += '}';
  }

  std::span<const Value> elements_of(const ObjectCall& call) const {
    return history_.lists[ListId(static_cast<std::size_t>(call.result.code))];
  }

  std::optional<std::string> find_obstacle() const {
    if (history_.calls.empty()) return "nothing happens in it";
    if (history_.permits != 1) return "the number of permits has no place there";
    if (!has_usual_initial_value()) return "the initial value has no place there";
    for (std::size_t i = 0; i < history_.calls.size(); ++i) {
      const auto obstacle = find_obstacle(history_.calls[i]);
      if (obstacle) return fmt::format("call {}: {}", i + 1, *obstacle);
    }
    return std::nullopt;
  }

  // Whether a reader would assume that value.
  bool has_usual_initial_value() const {
    const Value initial = history_.initial;
    switch (history_.model) {
      case ObjectModel::cas_register:
        return initial == kNil;
      case ObjectModel::counter:
        return initial == kNil || initial == Value::number(0);
      case ObjectModel::key_value: {
        const bool gets_nil = std::ranges::any_of(history_.calls, [](const ObjectCall& call) {
          return call.outcome == CallOutcome::ok && call.result == kNil;
        });
        if (initial == kNil) return gets_nil;
        return !gets_nil && !initial.is_number() && history_.texts.to_string(initial).empty();
      }
      default:
        return true;
    }
  }

  std::optional<std::string> find_obstacle(const ObjectCall& call) const {
    if (!syntax_.is_expressible(history_.objects.name(call.object))) {
      return "an object whose name is no text";
    }
    if (!syntax_.is_expressible(call.argument) || !syntax_.is_expressible(call.second)) {
      return "an argument that is no text";
    }
    if (call.function == ObjectFunction::transfer && !syntax_.is_expressible(call.result)) {
      return "a transfer of an unknown amount";
    }
    if (!call.result_is_list) {
      const bool good = call.result == kUnseen || syntax_.is_expressible(call.result);
      return good ? std::nullopt : std::optional<std::string>("a result that is no text");
    }
    const auto elements = elements_of(call);
    const bool is_bank = history_.model == ObjectModel::bank;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (!syntax_.is_expressible(elements[i])) return "an element that is no text";
      const bool is_account = is_bank && i % 2 == 0;
      const auto place = static_cast<std::int64_t>(i / 2);
      if (is_account && !syntax_.is_edn() && elements[i] != Value::number(place)) {
        return "accounts that are not 0, 1, 2 and so on";
      }
    }
    if (is_bank && elements.size() % 2 != 0) return "an account without a balance";
    return std::nullopt;
  }

  const ObjectHistory& history_;
  HistoryFormat format_;
  JepsenSyntax syntax_;
};

}  // namespace

Result<std::string> write_jepsen(const ObjectHistory& history, HistoryFormat format) {
  return JepsenCallWriter(history, format).write();
}

}  // namespace heddle
