// Requests as they are to be sent again, and how they were answered.
#pragma once

#include <cstddef>
#include <string>

#include "heddle/trace.h"

namespace heddle {

// A request with the values of this run. Whoever sends it adds Host and whatever concerns the
// connection; Content-Length is there.
struct HttpToSend {
  std::size_t edge = 0;  // in TraceHead::edges
  std::string method;
  std::string target;
  TraceHeaders headers = {};
  std::string body = {};

  friend bool operator==(const HttpToSend&, const HttpToSend&) = default;
};

// The body is as it was sent: Content-Encoding of the headers tells how it is coded.
struct HttpAnswer {
  int status = 0;  // 0: there was none
  TraceHeaders headers = {};
  std::string body = {};

  friend bool operator==(const HttpAnswer&, const HttpAnswer&) = default;
};

}  // namespace heddle
