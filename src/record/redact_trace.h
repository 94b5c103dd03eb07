// Units of a trace without their secrets.
#pragma once

#include "heddle/trace.h"
#include "proxy/observer.h"
#include "record/redact/redactor.h"

namespace heddle {

// Both may be called again when more is known: placeholders stay.
void redact_unit(Redactor& redactor, TraceStatement& statement);
// `is_decoded` of a body tells that what was compressed is not any more.
void redact_exchange(Redactor& redactor, HttpExchange& exchange);

}  // namespace heddle
