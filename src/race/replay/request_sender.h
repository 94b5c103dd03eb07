// Sends a recorded request again, as a client of an outer edge.
#pragma once

#include <string>

#include "heddle/result.h"
#include "race/requests/http_texts.h"
#include "stream/stream.h"

namespace heddle {

// One request on a connection of its own to HOST:PORT, with that trace id; returns when it was
// answered. Errors: environment where there was no answer in time, or none that can be read;
// interrupted.
Result<HttpAnswer> send_request(const std::string& address, const HttpToSend& request,
                                const std::string& trace, Deadline deadline);

}  // namespace heddle
