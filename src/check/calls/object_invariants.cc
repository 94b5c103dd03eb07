#include "check/calls/object_invariants.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace heddle {

namespace {

// Sums of what clients wrote fit here whatever they wrote.
__extension__ using WideSum = __int128;

std::string to_text(WideSum sum) { return fmt::format("{}", static_cast<double>(sum)); }

struct Event {
  Moment moment = 0;
  bool is_return = false;
  std::size_t call = 0;

  friend auto operator<=>(const Event&, const Event&) = default;
};

// Calls before returns of the same moment.
std::vector<Event> events_of(const ObjectHistory& history) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < history.calls.size(); ++i) {
    const ObjectCall& call = history.calls[i];
    if (call.outcome == CallOutcome::failed) continue;
    events.push_back({call.called, false, i});
    if (call.outcome == CallOutcome::ok) events.push_back({call.returned, true, i});
  }
  std::ranges::sort(events);
  return events;
}

struct CounterBounds {
  WideSum lower = 0;
  WideSum upper = 0;

  // What may be added raises the upper bound, what may be taken away lowers the lower one.
  void take_call(std::int64_t amount) { (amount > 0 ? upper : lower) += amount; }
  void take_return(std::int64_t amount) { (amount > 0 ? lower : upper) += amount; }
};

InvariantAnswer check_counters(const ObjectHistory& history) {
  const std::int64_t initial = history.initial.is_number() ? history.initial.code : 0;
  std::vector<CounterBounds> bounds(history.objects.size(), {initial, initial});
  std::vector<WideSum> lower_at_call(history.calls.size(), 0);
  for (const Event& event : events_of(history)) {
    const ObjectCall& call = history.calls[event.call];
    CounterBounds& now = bounds[call.object.index()];
    if (call.function == ObjectFunction::add) {
      event.is_return ? now.take_return(call.argument.code) : now.take_call(call.argument.code);
    } else if (!event.is_return) {
      lower_at_call[event.call] = now.lower;
    } else if (call.result != kUnseen) {
      const WideSum lower = std::min(lower_at_call[event.call], now.lower);
      if (call.result.code < lower || call.result.code > now.upper) {
        return {Verdict::violated,
                fmt::format("call {} read {}, which is not between {} and {}", event.call,
                            call.result.code, to_text(lower), to_text(now.upper))};
      }
    }
  }
  return {Verdict::satisfied, ""};
}

struct SetSeen {
  std::set<Value> tried;
  std::set<Value> added;
  std::optional<std::size_t> last_read;
};

InvariantAnswer check_last_read(const ObjectHistory& history, const SetSeen& seen) {
  const std::span<const Value> told =
      history.lists[ListId(static_cast<std::size_t>(history.calls[*seen.last_read].result.code))];
  const std::set<Value> read(told.begin(), told.end());
  for (const Value value : seen.added) {
    if (!read.contains(value)) {
      return {Verdict::violated, fmt::format("{} was added, but the last read, call {}, lacks it",
                                             history.texts.to_string(value), *seen.last_read)};
    }
  }
  for (const Value value : read) {
    if (!seen.tried.contains(value)) {
      return {Verdict::violated, fmt::format("the last read, call {}, has {}, which nobody added",
                                             *seen.last_read, history.texts.to_string(value))};
    }
  }
  return {Verdict::satisfied, ""};
}

InvariantAnswer check_sets(const ObjectHistory& history) {
  std::vector<SetSeen> sets(history.objects.size());
  for (std::size_t i = 0; i < history.calls.size(); ++i) {
    const ObjectCall& call = history.calls[i];
    SetSeen& seen = sets[call.object.index()];
    if (call.function == ObjectFunction::add) {
      if (call.outcome != CallOutcome::failed) seen.tried.insert(call.argument);
      if (call.outcome == CallOutcome::ok) seen.added.insert(call.argument);
    } else if (call.function == ObjectFunction::remove) {
      return {Verdict::unknown, "elements were removed, and this check is about additions"};
    } else if (call.outcome == CallOutcome::ok && call.result_is_list) {
      seen.last_read = i;
    }
  }
  InvariantAnswer answer = {Verdict::satisfied, ""};
  for (const SetSeen& seen : sets) {
    if (!seen.last_read) {
      if (answer.verdict == Verdict::satisfied && !seen.tried.empty()) {
        answer = {Verdict::unknown, "the set was never read"};
      }
      continue;
    }
    InvariantAnswer found = check_last_read(history, seen);
    if (found.verdict == Verdict::violated) return found;
  }
  return answer;
}

struct BankSeen {
  std::optional<WideSum> total;
  bool may_be_negative = false;
};

std::optional<std::string> find_bank_fault(std::span<const Value> told, BankSeen& seen,
                                           std::size_t call) {
  WideSum total = 0;
  bool is_negative = false;
  for (std::size_t i = 1; i < told.size(); i += 2) {
    total += told[i].code;
    is_negative |= told[i].code < 0;
  }
  if (!seen.total) {
    seen = {total, is_negative};
  } else if (total != *seen.total) {
    return fmt::format("call {} read a total of {} instead of {}", call, to_text(total),
                       to_text(*seen.total));
  }
  if (is_negative && !seen.may_be_negative) {
    return fmt::format("call {} read a negative balance", call);
  }
  return std::nullopt;
}

InvariantAnswer check_banks(const ObjectHistory& history) {
  std::vector<BankSeen> banks(history.objects.size());
  for (std::size_t i = 0; i < history.calls.size(); ++i) {
    const ObjectCall& call = history.calls[i];
    if (call.outcome != CallOutcome::ok || !call.result_is_list) continue;
    const std::span<const Value> told =
        history.lists[ListId(static_cast<std::size_t>(call.result.code))];
    if (auto fault = find_bank_fault(told, banks[call.object.index()], i)) {
      return {Verdict::violated, std::move(*fault)};
    }
  }
  return {Verdict::satisfied, ""};
}

}  // namespace

InvariantAnswer check_jepsen_invariant(const ObjectHistory& history) {
  switch (history.model) {
    case ObjectModel::counter:
      return check_counters(history);
    case ObjectModel::set:
      return check_sets(history);
    case ObjectModel::bank:
      return check_banks(history);
    default:
      return {Verdict::unknown,
              fmt::format("there is no such check for a {}", to_string(history.model))};
  }
}

}  // namespace heddle
