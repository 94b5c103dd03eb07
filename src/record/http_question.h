// Short questions that heddle itself asks of a service.
#pragma once

#include <string>

#include "heddle/result.h"
#include "stream/stream.h"

namespace heddle {

// Whether GET of that URL, http://HOST:PORT/PATH, is answered with a status below 400 in time.
// Error: bad_input where it is none.
Result<bool> answers_well(const std::string& url, Deadline deadline);

// Whether somebody listens at the address, HOST:PORT.
Result<bool> accepts_connections(const std::string& address, Deadline deadline);

}  // namespace heddle
