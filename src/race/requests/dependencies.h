// What a request needs before it can be sent: those that came earlier and without which it would
// not be answered as it was.
//
//   const RequestDependencies needs = find_dependencies(trace, settings);
//   const PairPlan plan = plan_pair(trace, needs, pair.first, pair.second);
//   for (const std::uint64_t unit : plan.before) send(unit);
//
// When in doubt there is a dependency: a request too many costs time, one too few makes a pair that
// cannot be replayed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "heddle/race.h"
#include "heddle/trace.h"
#include "race/requests/created_names.h"
#include "race/requests/value_links.h"

namespace heddle {

enum class RequestDependencyKind : std::uint8_t {
  value,   // it has a value of the other one's answer
  row,     // it used a row that the other one wrote
  memory,  // a service answered it without its store, about something the other one was about, too
};

struct RequestDependency {
  std::uint64_t unit = 0;  // the later request
  std::uint64_t on = 0;    // the earlier one
  RequestDependencyKind kind = RequestDependencyKind::value;
  std::string what = {};  // "/id of its answer", "orders(id=7) of orders-db"
  // Without the other one there is no such row, answer or memory. A row that was only changed is
  // there anyway, and the request may well be answered in the same way.
  bool is_sure = true;

  friend bool operator==(const RequestDependency&, const RequestDependency&) = default;
};

struct RequestDependencies {
  std::vector<RequestDependency> each = {};                 // by `unit`, then `on`, then kind
  std::vector<ValueLink> links = {};                        // by `unit`, then `value`, then `begin`
  std::map<std::string, ClientSecret> client_secrets = {};  // by placeholder
  std::vector<CreatedName> created = {};                    // by unit, then value
  std::set<std::uint64_t> writers = {};                     // the requests that wrote rows
};

// Between the requests of outer edges.
RequestDependencies find_dependencies(const Trace& trace, const RaceSettings& settings);

}  // namespace heddle
