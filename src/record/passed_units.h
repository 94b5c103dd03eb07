// What passed on the wire, as a trace says it.
#pragma once

#include "heddle/trace.h"
#include "proxy/observer.h"

namespace heddle {

// Without its flow, its place and its times.
TraceStatement trace_statement(const postgres::WireUnit& unit);
// With what `place` says of these.
TraceRequest trace_request(TraceRequest place, const HttpExchange& exchange);

}  // namespace heddle
