// Which parts of one flow may overlap each other although they did not when they were recorded.
//
// Two children of one span are branches of it where they overlapped, were asked for by different
// spans of their service (traceparent), went on after the span's response, came in both orders, or
// where the service went on while the earlier one was running and never waited for it. What is seen
// in one occurrence of an endpoint counts for all, also where it is one of another recording.
// Children always seen one after the other are ordered. Where branches have overlapped and the next
// child begins when all have ended, the service may have waited for a branch, or that was only
// fast: it has waited where it was seen to do so several times, the branch being the last to end.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "race/flows/flows.h"

namespace heddle::race {

// What is known of the order of two children of one span.
struct SiblingOrder {
  bool may_overlap = false;
  std::size_t seen = 0;  // so often one after the other, always in this order
};

// How often something has to be seen before it is no chance.
inline constexpr std::size_t kNoChance = 3;

class Branches {
 public:
  // `others`: of further recordings of the system. `async`: endpoints and shapes of statements
  // whose branches may overlap. All must outlive this.
  Branches(const Flows& flows, const std::vector<Flows>& others,
           const std::vector<std::string>& async);

  // Of two places in one flow. Not thread-safe: what was found is remembered.
  SiblingOrder order_of(const StatementPlace& one, const StatementPlace& other);
  // Whether it went on, or may go on, when the request from outside was answered.
  bool is_late(const StatementPlace& place) const;

 private:
  using Key = std::tuple<std::string, std::string, std::string>;

  SiblingOrder siblings(std::size_t span, std::size_t a, std::size_t b);
  bool have_overlapped(const RequestSpan& span, std::size_t a, std::size_t b) const;
  bool is_named(const RequestSpan& span, const FlowChild& child) const;
  bool are_parents_telling(const std::string& service) const;

  const Flows& flows_;
  const std::vector<std::string>& async_;
  std::map<std::string, std::vector<const RequestSpan*>> by_endpoint_;
  std::map<std::string, bool> parents_tell_;  // by service
  std::map<Key, SiblingOrder> known_;
};

}  // namespace heddle::race
