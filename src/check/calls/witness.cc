// The verifier of witnesses: an order that a check found is replayed, and compared with the order
// in which the calls must stay. It shares nothing with the search.
#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "check/calls/object_replay.h"
#include "heddle/linearizability.h"

namespace heddle {

namespace {

using Flaw = std::optional<std::string>;

bool is_of(const ObjectCall& call, std::optional<KeyId> object) {
  return !object || call.object == *object;
}

// Every call that is ok once, unknown ones at most once, nothing else.
Flaw find_selection_flaw(const ObjectHistory& history, std::optional<KeyId> object,
                         std::span<const std::uint32_t> order) {
  std::vector<bool> taken(history.calls.size(), false);
  for (const std::uint32_t i : order) {
    if (i >= history.calls.size() || !is_of(history.calls[i], object) ||
        history.calls[i].outcome == CallOutcome::failed || taken[i]) {
      return fmt::format("call {} does not belong there", i);
    }
    taken[i] = true;
  }
  for (std::size_t i = 0; i < taken.size(); ++i) {
    const ObjectCall& call = history.calls[i];
    if (is_of(call, object) && call.outcome == CallOutcome::ok && !taken[i]) {
      return fmt::format("call {} is left out", i);
    }
  }
  return std::nullopt;
}

// For each call two numbers: it must not come behind one whose first is above its second.
struct Span {
  std::int64_t first = 0;
  std::int64_t second = kNever;
};

std::vector<Span> real_time_spans(const ObjectHistory& history) {
  std::vector<Span> spans;
  for (const ObjectCall& call : history.calls) {
    spans.push_back({call.called, call.outcome == CallOutcome::ok ? call.returned : kNever});
  }
  return spans;
}

// By process: twice how many calls of it are ok so far, and one more for those that may come later.
std::vector<Span> process_spans(const ObjectHistory& history) {
  std::vector<Span> spans;
  std::map<std::uint32_t, std::int64_t> counts;
  for (const ObjectCall& call : history.calls) {
    std::int64_t& count = counts[call.process];
    const bool is_ok = call.outcome == CallOutcome::ok;
    if (is_ok) count += 2;
    spans.push_back({is_ok ? count : count + 1, is_ok ? count : kNever});
  }
  return spans;
}

// By object: in which period between moments without running calls. Calls at the moment of a
// return run together with what returns.
std::vector<Span> quiescent_spans(const ObjectHistory& history) {
  struct Object {
    std::int64_t period = 0;
    std::optional<Moment> busy_until;
  };
  std::vector<Span> spans;
  std::map<KeyId, Object> objects;
  for (const ObjectCall& call : history.calls) {
    Object& object = objects[call.object];
    if (call.outcome != CallOutcome::failed) {
      if (object.busy_until && *object.busy_until < call.called) ++object.period;
      const Moment end = call.outcome == CallOutcome::ok ? call.returned : kNever;
      object.busy_until = std::max(object.busy_until.value_or(end), end);
    }
    spans.push_back({object.period, call.outcome == CallOutcome::ok ? object.period : kNever});
  }
  return spans;
}

Flaw find_order_flaw(const ObjectHistory& history, CallOrder kept,
                     std::span<const std::uint32_t> order) {
  const std::vector<Span> spans = kept == CallOrder::linearizable ? real_time_spans(history)
                                  : kept == CallOrder::sequential ? process_spans(history)
                                                                  : quiescent_spans(history);
  std::map<std::uint32_t, std::int64_t> latest;
  for (const std::uint32_t i : order) {
    const ObjectCall& call = history.calls[i];
    const std::uint32_t place = kept == CallOrder::sequential  ? call.process
                                : kept == CallOrder::quiescent ? call.object.value
                                                               : 0;
    const auto [entry, is_new] = latest.emplace(place, spans[i].first);
    if (spans[i].second < entry->second) {
      return fmt::format("call {} stands behind one that it precedes", i);
    }
    entry->second = std::max(entry->second, spans[i].first);
  }
  return std::nullopt;
}

template <class MakeReplay>
Flaw find_flaw_with(const ObjectHistory& history, CallOrder kept, std::optional<KeyId> object,
                    std::span<const std::uint32_t> order, MakeReplay make) {
  if (Flaw flaw = find_selection_flaw(history, object, order)) return flaw;
  if (Flaw flaw = find_order_flaw(history, kept, order)) return flaw;
  std::map<KeyId, std::unique_ptr<ObjectReplay>> objects;
  for (const std::uint32_t i : order) {
    std::unique_ptr<ObjectReplay>& replay = objects[history.calls[i].object];
    if (!replay) replay = make();
    if (!replay->take(history.calls[i])) {
      return fmt::format("call {} cannot happen where it stands", i);
    }
  }
  return std::nullopt;
}

}  // namespace

Flaw find_witness_flaw(const ObjectHistory& history, CallOrder order_kept,
                       std::optional<KeyId> object, std::span<const std::uint32_t> order) {
  return find_flaw_with(history, order_kept, object, order,
                        [&history] { return make_replay(history); });
}

Flaw find_witness_flaw(const ObjectHistory& history, const CallModel& model, CallOrder order_kept,
                       std::optional<KeyId> object, std::span<const std::uint32_t> order) {
  return find_flaw_with(history, order_kept, object, order,
                        [&model] { return make_replay(model); });
}

}  // namespace heddle
