#include "frontend/history/write/write_jepsen_events.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include <fmt/format.h>

#include "base/utf8.h"
#include "frontend/history/lines_json.h"

namespace heddle {

namespace {

// Where one span of a process ends at the moment at which the next one begins, the end comes first,
// between the other beginnings and the other ends.
enum class Turn : std::uint8_t { begin, end_before_next, begin_after_last, end };

struct TimedEvent {
  Moment moment = 0;
  Turn turn = Turn::begin;
  std::uint32_t span = 0;

  friend auto operator<=>(const TimedEvent&, const TimedEvent&) = default;
};

bool hands_over(const JepsenSpan& last, const JepsenSpan& next) {
  return last.is_known && last.ended == next.began;
}

std::vector<TimedEvent> sort_events(std::span<const JepsenSpan> spans) {
  std::vector<TimedEvent> events;
  std::unordered_map<std::uint32_t, std::size_t> last_end;  // in `events`, by process
  std::unordered_map<std::uint32_t, std::uint32_t> last_span;
  for (std::uint32_t i = 0; i < spans.size(); ++i) {
    const JepsenSpan& span = spans[i];
    TimedEvent begin{span.began, Turn::begin, i};
    const auto last = last_span.find(span.process);
    if (last != last_span.end() && hands_over(spans[last->second], span)) {
      begin.turn = Turn::begin_after_last;
      events[last_end[span.process]].turn = Turn::end_before_next;
    }
    events.push_back(begin);
    last_span[span.process] = i;
    if (!span.is_known) continue;
    last_end[span.process] = events.size();
    events.push_back({span.ended, Turn::end, i});
  }
  std::ranges::sort(events);
  return events;
}

bool is_keyword(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return text.size() > 1 && text[0] == ':' && is_letter(text[1]) &&
         std::ranges::all_of(text.substr(1), [&](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
         });
}

}  // namespace

std::optional<std::vector<JepsenEvent>> order_jepsen_events(std::span<const JepsenSpan> spans) {
  std::vector<JepsenEvent> events;
  std::unordered_map<std::uint32_t, std::uint32_t> open;  // spans by process
  std::unordered_map<std::uint32_t, std::uint32_t> newest;
  for (const TimedEvent& event : sort_events(spans)) {
    const JepsenSpan& span = spans[event.span];
    const auto running = open.find(span.process);
    if (event.turn == Turn::end || event.turn == Turn::end_before_next) {
      if (running == open.end() || running->second != event.span) return std::nullopt;
      open.erase(running);
      events.push_back({event.span, true});
      continue;
    }
    if (running != open.end()) {
      if (spans[running->second].is_known) return std::nullopt;
      events.push_back({running->second, true});
    }
    const auto [last, is_first] = newest.try_emplace(span.process, event.span);
    if (!is_first && last->second > event.span) return std::nullopt;
    last->second = event.span;
    open[span.process] = event.span;
    events.push_back({event.span, false});
  }
  std::vector<std::uint32_t> unfinished;
  for (const auto& [process, span] : open) unfinished.push_back(span);
  std::ranges::sort(unfinished);
  for (const std::uint32_t span : unfinished) events.push_back({span, true});
  return events;
}

void JepsenSyntax::member(std::string& out, std::string_view name) const {
  if (!out.ends_with('{')) out += ", ";
  word(out, name);
  out += is_edn_ ? " " : ": ";
}

void JepsenSyntax::begin_event(std::string& out, std::size_t index, std::string_view process,
                               std::string_view type, std::string_view function) const {
  out += '{';
  member(out, "index");
  fmt::format_to(std::back_inserter(out), "{}", index);
  member(out, "process");
  out += process;
  member(out, "type");
  word(out, type);
  member(out, "f");
  word(out, function);
}

void JepsenSyntax::word(std::string& out, std::string_view word) const {
  out += is_edn_ ? ':' : '"';
  out += word;
  if (!is_edn_) out += '"';
}

void JepsenSyntax::value(std::string& out, Value value) const {
  if (value == kNil) {
    out += is_edn_ ? "nil" : "null";
  } else if (value.is_number()) {
    fmt::format_to(std::back_inserter(out), "{}", value.code);
  } else {
    text(out, texts_.to_string(value));
  }
}

void JepsenSyntax::text(std::string& out, std::string_view text) const {
  if (is_edn_ && is_keyword(text)) {
    out += text;
  } else {
    append_json_text(out, text);  // EDN's escapes are among JSON's
  }
}

void JepsenSyntax::list(std::string& out, std::span<const Value> elements) const {
  out += '[';
  std::string_view before;
  for (const Value element : elements) {
    out += before;
    value(out, element);
    before = separator();
  }
  out += ']';
}

bool JepsenSyntax::is_expressible(Value value) const {
  if (value == kUnseen) return false;
  return value == kNil || value.is_number() || is_utf8(texts_.to_string(value));
}

}  // namespace heddle
