#include "record/flow_tracker.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/text.h"
#include "wire/postgres/statement_essence.h"

namespace heddle {
namespace {

constexpr std::size_t kTraceDigits = 32;
// Of a version and the id of a trace: 00-0af7651916cd43dd8448eb211c80319c.
constexpr std::size_t kTraceAt = 3;
constexpr std::size_t kMostShapes = 4096;
constexpr std::uint64_t kFewest = 3;
// One that was under way when the last unit was answered may have missed its news, so that two more
// are waited for.
constexpr std::uint64_t kBackAndForth = 3;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return is_digit(c) || (c >= 'a' && c <= 'f'); });
}

bool begins_with_word(std::string_view essence, std::string_view word) {
  return essence == word || (essence.starts_with(word) && essence[word.size()] == ' ');
}

// What says something about a transaction and touches no rows.
bool is_within_transaction_only(std::string_view essence) {
  return begins_with_word(essence, "savepoint") || begins_with_word(essence, "release") ||
         essence.starts_with("rollback to") || postgres::is_of_driver(essence) || essence.empty();
}

TraceFlow without_flow(FlowEvidence evidence) { return {.number = 0, .evidence = evidence}; }

}  // namespace

std::string_view trace_in_comment(std::string_view text) {
  constexpr std::string_view kKey = "traceparent=";
  for (std::size_t open = text.find("/*"); open != text.npos; open = text.find("/*", open + 2)) {
    const std::size_t close = text.find("*/", open + 2);
    std::string_view comment = text.substr(open, close == text.npos ? close : close - open);
    const std::size_t key = comment.find(kKey);
    if (key == comment.npos) continue;
    comment.remove_prefix(key + kKey.size());
    if (comment.starts_with('\'') || comment.starts_with('"')) comment.remove_prefix(1);
    if (comment.size() < kTraceAt + kTraceDigits) continue;
    const std::string_view trace = comment.substr(kTraceAt, kTraceDigits);
    if (is_hex(trace)) return trace;
  }
  return {};
}

FlowTracker::FlowTracker(std::vector<TraceEdge> edges) : edges_(std::move(edges)) {
  for (const TraceEdge& edge : edges_) {
    services_.try_emplace(edge.caller);
    if (!edge.is_store) services_.try_emplace(edge.callee);
  }
}

TraceFlow FlowTracker::new_flow(std::string_view trace) {
  const std::uint64_t flow = next_flow_++;
  if (!trace.empty()) flow_of_trace_[std::string(trace)] = flow;
  return {.number = flow, .evidence = FlowEvidence::traceparent};
}

// By the requests that the caller has open.
TraceFlow FlowTracker::flow_of_work(std::size_t edge, bool follows_background,
                                    bool may_be_background) const {
  std::set<std::uint64_t> flows;
  for (const OpenRequest& request : services_.at(edges_[edge].caller).open) {
    flows.insert(request.flow);
  }
  const bool is_doubtful = may_be_background && !is_serial_;
  if (flows.size() == 1 && *flows.begin() != 0 && !is_doubtful) {
    return {.number = *flows.begin(), .evidence = FlowEvidence::only};
  }
  if (flows.empty() && is_serial_ && next_flow_ > 1) {
    return {.number = next_flow_ - 1, .evidence = FlowEvidence::serial};
  }
  if (flows.empty() && follows_background) return without_flow(FlowEvidence::background);
  flows.erase(0);
  return {
      .number = 0, .evidence = FlowEvidence::unsure, .candidates = {flows.begin(), flows.end()}};
}

TraceFlow FlowTracker::request_arrived(std::size_t edge, UnitName unit, std::string_view trace,
                                       std::string_view what, Time at) {
  TraceFlow flow;
  Repeated* repeated = nullptr;
  const auto known = flow_of_trace_.find(std::string(trace));
  if (edges_[edge].is_outer) {
    flow = new_flow(trace);
  } else if (!trace.empty() && known != flow_of_trace_.end()) {
    flow = {.number = known->second, .evidence = FlowEvidence::traceparent};
  } else {
    repeated = listen(edge, std::string(what), at);
    flow = repeated != nullptr ? without_flow(FlowEvidence::background)
                               : flow_of_work(edge, false, false);
    // What it causes elsewhere may name the trace that it brought.
    if (flow.number != 0 && !trace.empty()) flow_of_trace_[std::string(trace)] = flow.number;
  }
  if (!edges_[edge].is_store && flow.evidence != FlowEvidence::background) {
    services_[edges_[edge].callee].open.push_back({.unit = unit, .flow = flow.number});
  }
  last_of_any_ = at;
  note_open(unit, flow, repeated);
  return flow;
}

void FlowTracker::request_ended(std::size_t edge, UnitName unit, Time at) {
  std::erase_if(services_[edges_[edge].callee].open,
                [&](const OpenRequest& request) { return request.unit == unit; });
  note_ended(unit, at);
}

void FlowTracker::request_exempt(UnitName unit) {
  for (auto& [name, service] : services_) {
    std::erase_if(service.open, [&](const OpenRequest& request) { return request.unit == unit; });
  }
  note_ended(unit, last_of_any_);
}

void FlowTracker::begin_listening(Time at) { listened_from_ = at; }

void FlowTracker::end_listening(Time at) {
  is_listening_ = false;
  for (auto& [name, repeated] : repeated_) {
    if (!is_periodic(repeated, at)) repeated.heard = 0;
  }
}

// What came only while the system started is not repeated. What came several times in one moment,
// as when tables are filled, comes no more: it spans little of the time, and has been silent for
// long; or nearly all of its time is one gap. Of what has just begun that is not so.
bool FlowTracker::is_periodic(const Repeated& repeated, Time end) const {
  if (repeated.heard < kFewest || repeated.last < listened_from_) return false;
  const auto span = repeated.last - repeated.first;
  if (4 * repeated.longest_gap > 3 * span) return false;
  return 2 * span >= end - listened_from_ || end - repeated.last <= 2 * repeated.longest_gap;
}

// What was heard before, or is now while it is listened for; null: it is not background.
FlowTracker::Repeated* FlowTracker::listen(std::size_t edge, const std::string& essence, Time at) {
  const auto found = repeated_.find({edge, essence});
  // What came once or twice may have been for starting only.
  const bool is_known = found != repeated_.end() && found->second.heard >= kFewest;
  if (!is_known && !is_listening_) return nullptr;
  Repeated& repeated = found != repeated_.end() ? found->second : repeated_[{edge, essence}];
  ++repeated.count;
  if (is_listening_) {
    if (repeated.heard++ == 0) {
      repeated.first = at;
    } else {
      repeated.longest_gap = std::max(repeated.longest_gap, at - repeated.last);
    }
    repeated.last = at;
  }
  return &repeated;
}

std::optional<TraceFlow> FlowTracker::flow_in_comment(std::string_view text) const {
  const std::string_view trace = trace_in_comment(text);
  if (trace.empty()) return std::nullopt;
  const auto known = flow_of_trace_.find(std::string(trace));
  if (known == flow_of_trace_.end()) return std::nullopt;
  return TraceFlow{.number = known->second, .evidence = FlowEvidence::traceparent};
}

// Until the poller looks again.
bool FlowTracker::follows_news(const Connection& connection) const {
  return connection.news != nullptr && connection.news->count == connection.news_count;
}

TraceFlow FlowTracker::decide(std::size_t edge, const Connection& connection, const Shape& shape,
                              bool is_last) {
  // Whatever request is open: it depends on the pool alone whether that comes again.
  if (shape.is_setup || is_last) return without_flow(FlowEvidence::setup);
  const Template name{edge, shape.text};
  const bool is_after_news = follows_news(connection);
  TraceFlow flow = flow_of_work(edge, connection.was_background,
                                is_after_news || done_after_news_.contains(name));
  if (is_after_news && flow.evidence == FlowEvidence::background) done_after_news_.insert(name);
  return flow;
}

void FlowTracker::settle(Connection& connection, const TraceFlow& flow) {
  for (const UnitName unit : std::exchange(connection.undecided, {})) {
    if (const auto open = open_.find(unit); open != open_.end() && flow.number != 0) {
      if (!std::exchange(open->second.is_of_flow, true)) ++open_of_flows_;
    }
    decided_.emplace_back(unit, flow);
  }
}

// What a text is, as long as few others are known: most systems send the same ones again and again.
const FlowTracker::Shape& FlowTracker::shape_of(std::string_view text) {
  const std::string key(text);
  const auto found = shapes_.find(key);
  if (found != shapes_.end()) return found->second;
  if (shapes_.size() >= kMostShapes) shapes_.clear();
  Shape shape{.text = postgres::statement_template(text)};
  shape.begins = postgres::is_begin(shape.text);
  shape.ends = postgres::is_end(shape.text);
  shape.is_within_only = is_within_transaction_only(shape.text);
  shape.is_setup = postgres::prepares_connection(shape.text);
  return shapes_.emplace(key, std::move(shape)).first->second;
}

std::optional<TraceFlow> FlowTracker::statement_arrived(std::size_t edge, UnitName unit,
                                                        std::string_view text, Time at) {
  Connection& connection = connections_[unit.connection];
  const Shape& shape = shape_of(text);
  last_of_any_ = at;
  if (shape.begins) {
    connection.is_in_transaction = true;
    connection.transaction.reset();
  }
  const bool is_last = shape.ends && connection.is_in_transaction;
  const bool is_undecided = connection.is_in_transaction && !connection.transaction;
  const std::optional<TraceFlow> named = flow_in_comment(text);
  if (is_undecided && !named && !is_last &&
      (shape.begins || shape.is_within_only || shape.is_setup)) {
    connection.undecided.push_back(unit);
    note_open(unit, {}, nullptr);
    return std::nullopt;
  }
  TraceFlow flow;
  Repeated* repeated = nullptr;
  if (named) {
    flow = *named;
    settle(connection, flow);
    if (connection.is_in_transaction) connection.transaction = flow;
  } else if (connection.is_in_transaction && connection.transaction) {
    flow = *connection.transaction;
    if (flow.number != 0) flow.evidence = FlowEvidence::transaction;
  } else {
    if (!is_last && !shape.is_setup) repeated = listen(edge, shape.text, at);
    // A transaction that ends here has done nothing but what drivers do.
    flow = repeated != nullptr ? without_flow(FlowEvidence::background)
                               : decide(edge, connection, shape, is_last);
    settle(connection, flow);
    if (connection.is_in_transaction) connection.transaction = flow;
  }
  if (flow.evidence != FlowEvidence::setup) {
    connection.was_background = flow.evidence == FlowEvidence::background;
  }
  if (is_last) connection.is_in_transaction = false;
  note_open(unit, flow, repeated);
  return flow;
}

void FlowTracker::statement_ended(std::size_t, UnitName unit, char state, Time at,
                                  std::uint64_t answer) {
  const auto found = connections_.find(unit.connection);
  if (found != connections_.end()) note_news(found->second, unit, answer);
  note_ended(unit, at);
  if (found == connections_.end() || state == '?') return;
  Connection& connection = found->second;
  const auto next = open_.lower_bound({unit.connection, 0});
  if (next != open_.end() && next->first.connection == unit.connection) return;
  // The server knows better than the texts: a function may have begun or ended one.
  if (state == 'I') {
    settle(connection, without_flow(FlowEvidence::setup));
    connection.is_in_transaction = false;
  } else {
    connection.is_in_transaction = true;
  }
}

// Whether a poll was answered as it never is while nothing happens, nor was the last time.
void FlowTracker::note_news(Connection& connection, UnitName unit, std::uint64_t answer) {
  const auto open = open_.find(unit);
  if (open == open_.end() || open->second.repeated == nullptr) return;
  Repeated& repeated = *open->second.repeated;
  const std::uint64_t last = std::exchange(repeated.last_answer, answer);
  if (is_listening_) repeated.idle_answer = answer;
  const bool is_new = !is_listening_ && answer != repeated.idle_answer && answer != last;
  connection.news = is_new ? &repeated : nullptr;
  connection.news_count = repeated.count;
}

void FlowTracker::connection_closed(std::uint64_t number) {
  const auto found = connections_.find(number);
  if (found == connections_.end()) return;
  settle(found->second, without_flow(FlowEvidence::setup));
  connections_.erase(found);
}

void FlowTracker::note_open(UnitName unit, const TraceFlow& flow, Repeated* repeated) {
  const bool is_of_flow = flow.number != 0 || !flow.candidates.empty();
  open_[unit] = {.is_of_flow = is_of_flow, .repeated = repeated};
  if (is_of_flow) ++open_of_flows_;
}

void FlowTracker::note_ended(UnitName unit, Time at) {
  last_of_any_ = std::max(last_of_any_, at);
  const auto found = open_.find(unit);
  if (found == open_.end()) return;
  if (found->second.repeated != nullptr) ++found->second.repeated->answered_since;
  if (found->second.is_of_flow) {
    --open_of_flows_;
    last_of_flow_ = at;
    for (auto& [name, repeated] : repeated_) repeated.answered_since = 0;
  }
  open_.erase(found);
}

bool FlowTracker::is_at_rest(Time now, std::chrono::milliseconds quiet) const {
  if (open_of_flows_ > 0) return false;
  bool has_periodic = false;
  for (const auto& [name, repeated] : repeated_) {
    if (repeated.heard < kFewest) continue;
    has_periodic = true;
    if (repeated.answered_since < kBackAndForth) return false;
  }
  return has_periodic || now - std::max(last_of_any_, last_of_flow_) >= quiet;
}

std::string FlowTracker::restless_part() const {
  if (open_of_flows_ > 0) {
    for (const auto& [unit, open] : open_) {
      if (open.is_of_flow) {
        return fmt::format("unit {} of connection {} is not answered", unit.ordinal,
                           unit.connection);
      }
    }
  }
  for (const auto& [name, repeated] : repeated_) {
    if (repeated.heard < kFewest || repeated.answered_since >= kBackAndForth) continue;
    return fmt::format("\"{}\" of {} has not come {} times since", name.second,
                       edges_[name.first].caller, kBackAndForth);
  }
  return {};
}

std::vector<TraceBackground> FlowTracker::background() const {
  std::vector<TraceBackground> found;
  for (const auto& [name, repeated] : repeated_) {
    if (repeated.heard < kFewest) continue;
    const auto period =
        (repeated.last - repeated.first) / static_cast<std::int64_t>(repeated.heard - 1);
    found.push_back({.edge = name.first,
                     .text = name.second,
                     .period_us = static_cast<std::uint64_t>(
                         std::chrono::duration_cast<std::chrono::microseconds>(period).count()),
                     .seen = repeated.count});
  }
  return found;
}

}  // namespace heddle
