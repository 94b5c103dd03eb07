#include "race/flows/flows.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "base/text.h"
#include "race/flows/endpoints.h"
#include "wire/http/traceparent.h"
#include "wire/postgres/statement_essence.h"

namespace heddle::race {
namespace {

constexpr std::string_view kComment = "traceparent='";

std::string parent_in_headers(const TraceHeaders& headers) {
  for (const auto& [name, value] : headers) {
    if (!equal_ignoring_case(name, kTraceparentName)) continue;
    const auto traceparent = read_traceparent(value);
    return traceparent ? traceparent->parent_id : "";
  }
  return {};
}

std::string parent_in_comment(std::string_view text) {
  const std::size_t begin = text.find(kComment);
  if (begin == text.npos) return {};
  text.remove_prefix(begin + kComment.size());
  const auto traceparent = read_traceparent(text.substr(0, text.find('\'')));
  return traceparent ? traceparent->parent_id : "";
}

// The flows that a unit is of, or may be of.
std::vector<std::uint64_t> numbers_of(const TraceFlow& flow) {
  if (flow.number != 0) return {flow.number};
  return flow.evidence == FlowEvidence::unsure ? flow.candidates : std::vector<std::uint64_t>{};
}

class FlowReader {
 public:
  explicit FlowReader(const Trace& trace) : trace_(trace), endpoints_(endpoints_of(trace)) {}

  Flows read() {
    add_flows();
    add_inner_requests();
    add_statements();
    for (RequestSpan& span : flows_.spans) number_children(span);
    place_statements();
    return std::move(flows_);
  }

 private:
  const TraceEdge& edge_of(std::size_t edge) const { return trace_.head.edges[edge]; }

  template <class Unit>
  static std::vector<std::size_t> in_order(const std::vector<Unit>& units) {
    std::vector<std::size_t> order(units.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {},
                      [&](std::size_t i) { return std::pair(units[i].arrived, units[i].unit); });
    return order;
  }

  std::size_t add_span(std::size_t request, std::size_t flow) {
    const TraceRequest& unit = trace_.requests[request];
    flows_.spans.push_back({.request = request,
                            .flow = flow,
                            .service = edge_of(unit.edge).callee,
                            .endpoint = endpoints_[request],
                            .begun = unit.arrived,
                            .ended = unit.answered.value_or(kEndOfTime)});
    flows_.flows[flow].spans.push_back(flows_.spans.size() - 1);
    return flows_.spans.size() - 1;
  }

  void add_flows() {
    for (const std::size_t i : in_order(trace_.requests)) {
      const TraceRequest& request = trace_.requests[i];
      if (!edge_of(request.edge).is_outer || request.flow.evidence == FlowEvidence::exempt)
        continue;
      const std::size_t flow = flows_.flows.size();
      flows_.flows.emplace_back();
      flows_.flows[flow].span = add_span(i, flow);
      by_number_[request.flow.number].push_back(flow);
    }
  }

  // A client may send several requests in one trace: the unit is of the last one that has come.
  std::vector<std::size_t> flows_at(const TraceFlow& named, TraceTime at) {
    std::vector<std::size_t> found;
    const std::vector<std::uint64_t> numbers = numbers_of(named);
    if (named.number == 0 && !numbers.empty()) ++flows_.unsure;
    for (const std::uint64_t number : numbers) {
      const auto flows = by_number_.find(number);
      if (flows == by_number_.end()) continue;
      std::size_t last = flows->second.front();
      for (const std::size_t flow : flows->second) {
        if (flows_.spans[flows_.flows[flow].span].begun <= at) last = flow;
      }
      found.push_back(last);
    }
    if (named.number != 0 && found.empty()) ++flows_.alone;
    return found;
  }

  // The request for which the service did something: the last one that was open, else the one that
  // had been answered last; none: the flow has none at that service.
  std::optional<std::size_t> span_at(std::size_t flow, const std::string& service, TraceTime at) {
    std::optional<std::size_t> open;
    std::optional<std::size_t> ended;
    for (const std::size_t each : flows_.flows[flow].spans) {
      const RequestSpan& span = flows_.spans[each];
      if (span.service != service || span.begun > at) continue;
      if (span.ended >= at) open = each;
      if (span.ended < at && (!ended || flows_.spans[*ended].ended < span.ended)) ended = each;
    }
    return open ? open : ended;
  }

  void add_inner_requests() {
    for (const std::size_t i : in_order(trace_.requests)) {
      const TraceRequest& request = trace_.requests[i];
      if (edge_of(request.edge).is_outer) continue;
      for (const std::size_t flow : flows_at(request.flow, request.arrived)) {
        const auto found = span_at(flow, edge_of(request.edge).caller, request.arrived);
        const std::size_t parent = found.value_or(flows_.flows[flow].span);
        const std::size_t span = add_span(i, flow);
        flows_.spans[span].parent = parent;
        flows_.spans[parent].children.push_back({.is_request = true,
                                                 .index = span,
                                                 .shape = endpoints_[i],
                                                 .parent_id = parent_in_headers(request.headers),
                                                 .begun = request.arrived,
                                                 .ended = request.answered.value_or(kEndOfTime)});
      }
    }
  }

  void add_statements() {
    for (const std::size_t i : in_order(trace_.statements)) {
      const TraceStatement& statement = trace_.statements[i];
      for (const std::size_t flow : flows_at(statement.flow, statement.arrived)) {
        add_statement(i, span_of(statement, flow));
      }
    }
  }

  // A transaction is for one request.
  std::size_t span_of(const TraceStatement& statement, std::size_t flow) {
    const auto key = std::tuple(flow, statement.connection, statement.transaction);
    if (const auto known = by_transaction_.find(key);
        statement.transaction != 0 && known != by_transaction_.end()) {
      return known->second;
    }
    const auto found = span_at(flow, edge_of(statement.edge).caller, statement.arrived);
    const std::size_t span = found.value_or(flows_.flows[flow].span);
    if (statement.transaction != 0) by_transaction_[key] = span;
    return span;
  }

  const std::string& shape_of(const TraceStatement& statement) {
    const auto [place, is_new] = shapes_.try_emplace(statement.text);
    if (is_new) place->second = postgres::statement_template(statement.text);
    return place->second;
  }

  void add_statement(std::size_t index, std::size_t span) {
    const TraceStatement& statement = trace_.statements[index];
    flows_.spans[span].children.push_back(
        {.index = index,
         .shape = edge_of(statement.edge).callee + ": " + shape_of(statement),
         .parent_id = parent_in_comment(statement.text),
         .connection = statement.connection,
         .transaction = statement.transaction,
         .begun = statement.arrived,
         .ended = statement.answered.value_or(kEndOfTime)});
  }

  static void number_children(RequestSpan& span) {
    std::ranges::stable_sort(span.children, {}, [](const FlowChild& child) {
      return std::tuple(child.begun, child.is_request, child.index);
    });
    std::map<std::string_view, std::size_t> seen;
    for (FlowChild& child : span.children) child.occurrence = seen[child.shape]++;
  }

  void place_statements() {
    for (const Flow& flow : flows_.flows) {
      for (const std::size_t span : flow.spans) {
        const std::vector<FlowChild>& children = flows_.spans[span].children;
        for (std::size_t i = 0; i < children.size(); ++i) {
          if (children[i].is_request) continue;
          flows_.statements.push_back({.statement = children[i].index, .span = span, .child = i});
        }
      }
    }
  }

  const Trace& trace_;
  std::vector<std::string> endpoints_;
  Flows flows_;
  std::map<std::uint64_t, std::vector<std::size_t>> by_number_;
  std::map<std::tuple<std::size_t, std::uint64_t, std::uint64_t>, std::size_t> by_transaction_;
  std::unordered_map<std::string, std::string> shapes_;
};

}  // namespace

Flows read_flows(const Trace& trace) { return FlowReader(trace).read(); }

}  // namespace heddle::race
