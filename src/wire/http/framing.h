// Whether all who read a head agree on where its message ends (RFC 9112, section 6; its section
// 11.2 says what comes of it where they do not).
#pragma once

#include <string>

#include "wire/http/http_message.h"

namespace heddle {

// Why the body's end cannot be trusted; empty: it can. The length of the head is what the parser
// made of it, which looks at the last Transfer-Encoding alone.
std::string framing_trouble(const HttpHead& head);

}  // namespace heddle
