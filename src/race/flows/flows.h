// Flows: what each request from outside caused, as spans in causal order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "heddle/trace.h"

namespace heddle::race {

// A request or a statement that a span has caused.
struct FlowChild {
  bool is_request = false;
  std::size_t index = 0;       // a span, or a statement of the trace
  std::string shape = {};      // without values
  std::size_t occurrence = 0;  // among the span's children of this shape
  std::string parent_id = {};  // of traceparent; empty: not known
  std::uint64_t connection = 0;
  std::uint64_t transaction = 0;  // on the connection; 0: not known
  TraceTime begun = 0;
  TraceTime ended = 0;  // the end of time where there was no answer
};

// A request and what its service did for it.
struct RequestSpan {
  std::size_t request = 0;  // in Trace::requests
  std::size_t flow = 0;     // in Flows::flows
  std::optional<std::size_t> parent = {};
  std::string service = {};
  std::string endpoint = {};
  TraceTime begun = 0;
  TraceTime ended = 0;
  std::vector<FlowChild> children = {};  // in the order of their arrival
};

struct Flow {
  std::size_t span = 0;                 // of the request from outside
  std::vector<std::size_t> spans = {};  // all, that one first
};

// Where a statement is: it may be in several flows where the trace is unsure.
struct StatementPlace {
  std::size_t statement = 0;  // in Trace::statements
  std::size_t span = 0;
  std::size_t child = 0;  // of the span; kNoChild: the span itself
};
inline constexpr std::size_t kNoChild = ~std::size_t{0};

struct Flows {
  std::vector<RequestSpan> spans;
  std::vector<Flow> flows;                 // in the order in which their requests came
  std::vector<StatementPlace> statements;  // by flow, then in their order
  std::size_t unsure = 0;                  // units that were taken for each of their candidates
  std::size_t alone = 0;                   // statements of a flow whose request was not recorded
};

// Units in the background, of set-ups and of streams are in no flow.
Flows read_flows(const Trace& trace);

inline constexpr TraceTime kEndOfTime = ~TraceTime{0};

}  // namespace heddle::race
