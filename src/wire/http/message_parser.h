// One message read by Boost.Beast's parser, which is known to message_parser.cc alone because
// its headers are heavy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wire/http/http_message.h"

namespace heddle {

class MessageParser {
 public:
  // What became of bytes that were put in.
  struct Step {
    std::size_t bytes = 0;     // as many were read
    bool needs_more = false;   // they end before what they begin does; put them in again with more
    std::string trouble = {};  // not empty: "its method is malformed"
  };

  static std::unique_ptr<MessageParser> of_request();
  // `has_no_body`: whatever the response says, because HEAD was asked.
  static std::unique_ptr<MessageParser> of_response(bool has_no_body);
  virtual ~MessageParser() = default;

  // Reads one part: a head, the beginning of a chunk, the last chunk with the trailers, or what
  // there is of a body. REQUIRES: not done, no trouble so far, and `bytes` are not empty. At the
  // beginning of a chunk they are at least kShortestChunk.
  virtual Step put(std::string_view bytes) = 0;
  virtual bool is_done() const = 0;

  // What was read. The payload is added to, and the caller's to clear.
  HttpHead head;
  std::string payload;
  std::vector<HttpHeader> trailers;
  std::uint64_t chunk_left = 0;  // bytes of this chunk that have not come

 protected:
  MessageParser() = default;
};

// The empty chunk at the end. Beast's parser asserts that it gets no fewer bytes of it.
inline constexpr std::size_t kShortestChunk = 5;

}  // namespace heddle
