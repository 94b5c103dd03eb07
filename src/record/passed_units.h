// What passed on the wire, as a trace says it.
#pragma once

#include <cstdint>

#include "heddle/trace.h"
#include "proxy/observer.h"

namespace heddle {

// Without its flow, its place and its times.
TraceStatement trace_statement(const postgres::WireUnit& unit);
// Of all that it was answered with; equal for equal answers.
std::uint64_t answer_hash(const postgres::WireUnit& unit);
// With what `place` says of these.
TraceRequest trace_request(TraceRequest place, const HttpExchange& exchange);

}  // namespace heddle
