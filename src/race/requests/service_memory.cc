#include "race/requests/service_memory.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "race/requests/message_values.h"
#include "race/requests/value_links.h"

namespace heddle {
namespace {

// What a request is about, as texts to compare: "ann-1742", "train 7".
std::set<std::string> subjects_of(const TraceRequest& request) {
  std::set<std::string> subjects;
  for (const MessageValue& value : values_of(text_of_request(request), "")) {
    // Who asks is no subject: a token is in all requests of its user.
    if (value.text().find("<secret:") != std::string::npos) continue;
    if (is_distinctive(value.text())) subjects.insert(value.text());
    const bool is_named = is_identity(value) && !value.entity.empty() && value.text().size() < 64;
    if (is_named && value.part == MessagePart::target) {
      subjects.insert(singular(value.entity) + " " + value.text());
    }
  }
  if (subjects.empty()) {
    subjects.insert("path " + request.target.substr(0, request.target.find('?')));
  }
  return subjects;
}

bool only_reads(const TraceRequest& request) {
  return is_one_of(request.method, {"GET", "HEAD", "OPTIONS", "TRACE"});
}

// A request to a service, and whether the service asked a store meanwhile.
struct ServiceRequest {
  const TraceRequest* request = nullptr;
  std::uint64_t outer = 0;
  bool has_statements = false;
};

class MemorySearch {
 public:
  MemorySearch(const Trace& trace, const std::map<std::uint64_t, std::uint64_t>& outer_of)
      : trace_(trace), outer_of_(outer_of) {}

  std::vector<MemoryDependency> find() {
    collect();
    std::vector<MemoryDependency> found;
    for (const auto& [arrived, each] : requests_) {
      const std::string& service = trace_.head.edges[each.request->edge].callee;
      const std::set<std::string> subjects = subjects_of(*each.request);
      if (!each.has_statements) add_dependencies(each, service, subjects, found);
      if (only_reads(*each.request) && !writers_.contains(each.outer)) continue;
      for (const std::string& subject : subjects) {
        std::vector<std::uint64_t>& known = about_[{service, subject}];
        if (known.empty() || known.back() != each.outer) known.push_back(each.outer);
      }
    }
    return found;
  }

 private:
  void collect() {
    // The times at which each service asked a store for each request from outside.
    std::map<std::pair<std::string, std::uint64_t>, std::vector<TraceTime>> asked;
    for (const TraceStatement& each : trace_.statements) {
      const auto outer = outer_of_.find(each.unit);
      if (outer == outer_of_.end()) continue;
      asked[{trace_.head.edges[each.edge].caller, outer->second}].push_back(each.arrived);
      const bool writes = std::ranges::any_of(each.results, [](const TraceResult& result) {
        return result.rows_changed.value_or(0) > 0;
      });
      if (writes) writers_.insert(outer->second);
    }
    for (const TraceRequest& each : trace_.requests) {
      const auto outer = outer_of_.find(each.unit);
      if (outer == outer_of_.end()) continue;
      const auto times = asked.find({trace_.head.edges[each.edge].callee, outer->second});
      const bool has_statements =
          times != asked.end() && std::ranges::any_of(times->second, [&](TraceTime time) {
            return time >= each.arrived && (!each.answered || time <= *each.answered);
          });
      requests_.emplace(each.arrived, ServiceRequest{&each, outer->second, has_statements});
    }
  }

  void add_dependencies(const ServiceRequest& of, const std::string& service,
                        const std::set<std::string>& subjects,
                        std::vector<MemoryDependency>& found) const {
    for (const std::string& subject : subjects) {
      const auto known = about_.find({service, subject});
      if (known == about_.end()) continue;
      for (const std::uint64_t on : known->second) {
        if (on == of.outer) continue;
        found.push_back({.unit = of.outer,
                         .on = on,
                         .what = fmt::format("{} in the memory of {}", subject, service)});
      }
    }
  }

  const Trace& trace_;
  const std::map<std::uint64_t, std::uint64_t>& outer_of_;
  std::multimap<TraceTime, ServiceRequest> requests_ = {};
  std::set<std::uint64_t> writers_ = {};  // requests from outside that changed a store
  std::map<std::pair<std::string, std::string>, std::vector<std::uint64_t>> about_ = {};
};

}  // namespace

std::vector<MemoryDependency> find_memory_dependencies(
    const Trace& trace, const std::map<std::uint64_t, std::uint64_t>& outer_of) {
  return MemorySearch(trace, outer_of).find();
}

std::map<std::uint64_t, std::uint64_t> outer_requests(const Trace& trace) {
  std::map<std::uint64_t, std::map<TraceTime, std::uint64_t>> outer;  // by flow and time
  std::map<std::uint64_t, std::uint64_t> outer_of;
  for (const TraceRequest& each : trace.requests) {
    if (!trace.head.edges[each.edge].is_outer) continue;
    outer_of[each.unit] = each.unit;
    if (each.flow.number != 0) outer[each.flow.number][each.arrived] = each.unit;
  }
  const auto assign = [&](std::uint64_t unit, const TraceFlow& flow, TraceTime arrived) {
    const auto known = outer.find(flow.number);
    if (flow.number == 0 || known == outer.end()) return;
    auto after = known->second.upper_bound(arrived);
    if (after != known->second.begin()) --after;
    outer_of.emplace(unit, after->second);
  };
  for (const TraceRequest& each : trace.requests) assign(each.unit, each.flow, each.arrived);
  for (const TraceStatement& each : trace.statements) assign(each.unit, each.flow, each.arrived);
  return outer_of;
}

}  // namespace heddle
