#include "race/flows/branches.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/path_pattern.h"
#include "race/flows/endpoints.h"

namespace heddle::race {
namespace {

std::string branch_key(const FlowChild& child) {
  return child.shape + "#" + std::to_string(child.occurrence);
}

bool overlap(const FlowChild& a, const FlowChild& b) {
  return a.begun < b.ended && b.begun < a.ended;
}

// A transaction has one statement at a time; a connection may serve one branch after another.
bool share_transaction(const FlowChild& a, const FlowChild& b) {
  return !a.is_request && !b.is_request && a.transaction != 0 && a.connection == b.connection &&
         a.transaction == b.transaction;
}

// Some libraries open a span for each call, so that its id says nothing about who calls.
bool has_span_per_call(const RequestSpan& span, std::size_t& several) {
  std::set<std::string_view> ids;
  std::size_t count = 0;
  for (const FlowChild& child : span.children) {
    if (child.parent_id.empty()) continue;
    ids.insert(child.parent_id);
    ++count;
  }
  if (count > 1) ++several;
  return ids.size() == count;
}

// Whether something else of the span was running beside `a`.
bool is_forked(const RequestSpan& span, std::size_t a, std::size_t b) {
  for (std::size_t i = 0; i < span.children.size(); ++i) {
    if (i == a || i == b || share_transaction(span.children[i], span.children[a])) continue;
    if (overlap(span.children[i], span.children[a])) return true;
  }
  return false;
}

// Whether a child up to `b` began when `a` was the last to end.
bool has_waited(const RequestSpan& span, std::size_t a, std::size_t b) {
  const FlowChild& one = span.children[a];
  TraceTime last_end = 0;
  for (std::size_t i = 0; i <= b; ++i) {
    const FlowChild& each = span.children[i];
    if (each.begun >= one.ended && last_end <= one.ended) return true;
    if (i != a) last_end = std::max(last_end, each.ended);
  }
  return false;
}

// Whether the service did one thing after another while `a` was running, and did not wait for `a`
// before `b`.
bool is_left_running(const RequestSpan& span, std::size_t a, std::size_t b) {
  const FlowChild& one = span.children[a];
  TraceTime went_on = kEndOfTime;  // when the first child beside it had ended
  for (std::size_t i = a + 1; i < span.children.size(); ++i) {
    const FlowChild& each = span.children[i];
    if (each.begun < one.ended && each.ended < one.ended) went_on = std::min(went_on, each.ended);
  }
  const bool has_gone_on = std::ranges::any_of(span.children, [&](const FlowChild& each) {
    return each.begun >= went_on && each.begun < one.ended;
  });
  return has_gone_on && !has_waited(span, a, b);
}

// The way from a span down to a statement: (span, child) pairs, the outermost first.
using Way = std::vector<std::pair<std::size_t, std::size_t>>;

Way way_to(const Flows& flows, const StatementPlace& place) {
  Way way{{place.span, place.child}};
  std::size_t span = place.span;
  while (flows.spans[span].parent) {
    const std::size_t parent = *flows.spans[span].parent;
    const std::vector<FlowChild>& children = flows.spans[parent].children;
    const auto child = std::ranges::find_if(
        children, [&](const FlowChild& each) { return each.is_request && each.index == span; });
    way.emplace_back(parent, static_cast<std::size_t>(child - children.begin()));
    span = parent;
  }
  std::ranges::reverse(way);
  return way;
}

// Whether the statement at the end of the way went on after a span below `level` was answered.
bool outlives(const Flows& flows, const Way& way, std::size_t level) {
  const auto [span, child] = way.back();
  if (child >= flows.spans[span].children.size()) return false;  // the span itself
  const TraceTime ended = flows.spans[span].children[child].ended;
  for (std::size_t i = level; i < way.size(); ++i) {
    if (ended > flows.spans[way[i].first].ended) return true;
  }
  return false;
}

}  // namespace

Branches::Branches(const Flows& flows, const std::vector<Flows>& others,
                   const std::vector<std::string>& async)
    : flows_(flows), async_(async) {
  std::map<std::string, std::pair<bool, std::size_t>> services;  // all per call, in how many
  const auto look_at = [&](const Flows& recorded) {
    for (const RequestSpan& span : recorded.spans) {
      by_endpoint_[span.endpoint].push_back(&span);
      auto& [is_per_call, several] = services.try_emplace(span.service, true, 0).first->second;
      is_per_call = has_span_per_call(span, several) && is_per_call;
    }
  };
  look_at(flows);
  for (const Flows& each : others) look_at(each);
  for (const auto& [service, seen] : services) {
    parents_tell_[service] = !seen.first || seen.second < kNoChance;
  }
}

SiblingOrder Branches::order_of(const StatementPlace& one, const StatementPlace& other) {
  const Way first = way_to(flows_, one);
  const Way second = way_to(flows_, other);
  std::size_t level = 0;
  while (level + 1 < std::min(first.size(), second.size()) && first[level] == second[level]) {
    ++level;
  }
  if (first[level] == second[level]) return {};  // one statement
  SiblingOrder order = siblings(first[level].first, first[level].second, second[level].second);
  if (outlives(flows_, first, level + 1) || outlives(flows_, second, level + 1)) {
    order.may_overlap = true;
  }
  return order;
}

bool Branches::is_late(const StatementPlace& place) const {
  const Way way = way_to(flows_, place);
  return outlives(flows_, way, 0);
}

SiblingOrder Branches::siblings(std::size_t span, std::size_t a, std::size_t b) {
  if (a > b) std::swap(a, b);
  const RequestSpan& here = flows_.spans[span];
  if (share_transaction(here.children[a], here.children[b])) return {.seen = 1};
  const std::string one = branch_key(here.children[a]);
  const std::string other = branch_key(here.children[b]);
  const auto [place, is_new] = known_.try_emplace(Key(here.endpoint, one, other));
  if (!is_new) return place->second;
  SiblingOrder& whole = place->second;
  std::size_t forks = 0;
  std::size_t waits = 0;
  for (const RequestSpan* each : by_endpoint_[here.endpoint]) {
    const RequestSpan& occurrence = *each;
    std::size_t first = occurrence.children.size();
    std::size_t second = first;
    for (std::size_t i = 0; i < occurrence.children.size(); ++i) {
      const std::string key = branch_key(occurrence.children[i]);
      if (key == one) first = i;
      if (key == other) second = i;
    }
    if (first == occurrence.children.size() || second == occurrence.children.size()) continue;
    if (have_overlapped(occurrence, first, second)) return whole = {.may_overlap = true};
    ++whole.seen;
    if (is_forked(occurrence, first, second)) ++forks;
    if (has_waited(occurrence, first, second)) ++waits;
  }
  whole.may_overlap = forks > 0 && waits < kNoChance;
  return whole;
}

// `a` came first where the pair was asked about.
bool Branches::have_overlapped(const RequestSpan& span, std::size_t a, std::size_t b) const {
  const FlowChild& one = span.children[a];
  const FlowChild& other = span.children[b];
  if (share_transaction(one, other)) return false;
  const bool is_turned_round = a > b;
  const bool have_parents = !one.parent_id.empty() && !other.parent_id.empty();
  const bool has_gone_on = one.ended > span.ended;
  return is_turned_round || overlap(one, other) || has_gone_on || is_named(span, one) ||
         (have_parents && one.parent_id != other.parent_id && are_parents_telling(span.service)) ||
         is_left_running(span, a, b);
}

bool Branches::is_named(const RequestSpan& span, const FlowChild& child) const {
  return std::ranges::any_of(async_, [&](const std::string& pattern) {
    if (matches_endpoint(pattern, span.endpoint)) return true;
    if (child.is_request) return matches_endpoint(pattern, child.shape);
    return matches_glob(pattern, child.shape.substr(child.shape.find(": ") + 2));
  });
}

bool Branches::are_parents_telling(const std::string& service) const {
  const auto found = parents_tell_.find(service);
  return found != parents_tell_.end() && found->second;
}

}  // namespace heddle::race
