#include "record/check/trace_check.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "record/system_edges.h"

namespace heddle {
namespace {

constexpr std::string_view kLocalNames[] = {"127.0.0.1", "localhost", "[::1]"};
// Headers whose values are addresses for the client.
constexpr std::string_view kAddressHeaders[] = {"location", "content-location", "link", "refresh"};
constexpr std::size_t kLongWord = 20;  // of a path: a name of one thing rather than of a kind

// An address stands behind // (or \/\/ in JSON) or the @ of a user, and its port ends there.
bool is_address_at(std::string_view text, std::size_t at, std::size_t size) {
  const std::string_view before = text.substr(0, at);
  const bool begins = before.ends_with("//") || before.ends_with("\\/\\/") || before.ends_with("@");
  const std::size_t end = at + size;
  return begins && (end == text.size() || !is_digit(text[end]));
}

bool is_one_thing(std::string_view word) {
  return word.size() > kLongWord || std::ranges::any_of(word, is_digit);
}

}  // namespace

std::vector<std::string> server_names(const std::string& server) {
  const std::size_t colon = server.rfind(':');
  if (server.starts_with('/') || colon == server.npos) return {};
  const std::string_view host = std::string_view(server).substr(0, colon);
  if (std::ranges::find(kLocalNames, host) == std::end(kLocalNames)) return {server};
  std::vector<std::string> names;
  for (const std::string_view name : kLocalNames) {
    names.push_back(fmt::format("{}{}", name, server.substr(colon)));
  }
  return names;
}

std::string endpoint_of(const std::string& method, std::string_view target) {
  std::string text = method + " ";
  const std::string path(target.substr(0, target.find('?')));
  bool is_first = true;
  for (const std::string& word : split(path, '/')) {
    if (!is_first) text += '/';
    is_first = false;
    text += is_one_thing(word) ? "*" : word;
  }
  return text;
}

TraceCheck::TraceCheck(const SystemSettings& system, std::vector<TraceEdge> edges) {
  const auto add_address = [this](const std::string& owner, const std::vector<Setting>& address) {
    if (address.empty()) return;
    for (std::string& name : server_names(server_part(address.front().text))) {
      addresses_.push_back({.text = std::move(name), .owner = owner});
    }
  };
  for (const ServiceSettings& each : system.services) add_address(each.name.text, each.address);
  for (const StoreSettings& each : system.stores) add_address(each.name.text, each.address);
  for (TraceEdge& edge : edges) edges_.push_back({.edge = std::move(edge)});
}

void TraceCheck::add(const Trace& part) {
  for (const TraceRequest& request : part.requests) add_request(request);
  for (const TraceStatement& statement : part.statements) {
    EdgeCheck& edge = edges_[statement.edge];
    ++edge.units;
    if (statement.flow.evidence == FlowEvidence::background) ++edge.background;
    if (statement.flow.evidence == FlowEvidence::unsure) ++edge.unsure;
  }
  background_.insert(background_.end(), part.background.begin(), part.background.end());
  remarks_.insert(remarks_.end(), part.remarks.begin(), part.remarks.end());
}

void TraceCheck::add_request(const TraceRequest& request) {
  EdgeCheck& edge = edges_[request.edge];
  ++edge.units;
  const FlowEvidence evidence = request.flow.evidence;
  if (evidence == FlowEvidence::unsure) ++edge.unsure;
  if (evidence == FlowEvidence::background) {
    ++edge.background;
  } else {
    // Only what a request from outside may have caused has a trace that could be passed on.
    const bool is_caused = request.flow.number != 0 || !request.flow.candidates.empty();
    if (is_caused && evidence != FlowEvidence::exempt) ++edge.caused;
    if (evidence == FlowEvidence::traceparent) ++edge.passed_on;
    auto& open = open_[edge.edge.callee];
    open.emplace_back(request.arrived, 1);
    open.emplace_back(request.answered.value_or(request.arrived), -1);
  }
  look_for_addresses(request);
}

void TraceCheck::look_for_addresses(const TraceRequest& request) {
  for (const auto& [name, value] : request.response_headers) {
    const std::string lower = to_lower(name);
    if (std::ranges::find(kAddressHeaders, lower) == std::end(kAddressHeaders)) continue;
    find_in(value, name, request);
  }
  find_in(request.response_body.bytes, "its body", request);
}

void TraceCheck::find_in(std::string_view text, const std::string& where,
                         const TraceRequest& request) {
  for (const Address& address : addresses_) {
    for (std::size_t at = text.find(address.text); at != text.npos;
         at = text.find(address.text, at + 1)) {
      if (!is_address_at(text, at, address.text.size())) continue;
      const TraceEdge& edge = edges_[request.edge].edge;
      ++found_[{endpoint_of(request.method, request.target), edge.caller + ">" + edge.callee, where,
                address.text, address.owner}];
      break;
    }
  }
}

std::uint64_t TraceCheck::most_open(const std::string& service) {
  auto& changes = open_[service];
  std::ranges::sort(changes);  // one that ends at the moment in which another begins comes first
  int open = 0;
  int most = 0;
  for (const auto& [time, change] : changes) {
    open += change;
    most = std::max(most, open);
  }
  return static_cast<std::uint64_t>(most);
}

void TraceCheck::finish(RecordCheck& check) {
  for (EdgeCheck& edge : edges_) {
    if (!edge.edge.is_outer) edge.most_requests = most_open(edge.edge.caller);
  }
  check.edges = std::move(edges_);
  check.background = std::move(background_);
  check.remarks = std::move(remarks_);
  for (const auto& [found, responses] : found_) {
    const auto& [endpoint, edge, where, address, owner] = found;
    check.addresses.push_back({.endpoint = endpoint,
                               .edge = edge,
                               .where = where,
                               .address = address,
                               .owner = owner,
                               .responses = responses});
  }
}

}  // namespace heddle
