// HTTP/1.1 (RFC 9110 and 9112): heads of requests and responses, and how they are written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

inline constexpr std::string_view kHttpLineEnd = "\r\n";
// The status with which a server leaves HTTP.
inline constexpr int kSwitchingProtocols = 101;

struct HttpHeader {
  std::string name;
  std::string value;  // a folded one on one line

  friend bool operator==(const HttpHeader&, const HttpHeader&) = default;
};

// How the end of a body is known.
enum class HttpLength : std::uint8_t {
  no_body,
  counted,      // Content-Length says it
  chunked,      // the last chunk is empty
  until_close,  // the connection ends with it
  tunnel,       // all bytes from here on are of another protocol
};

// The head of a request or of a response.
struct HttpHead {
  std::string method;  // of a request, as its target
  std::string target;  // "/path?query", "http://host/path", "host:port" of CONNECT, or "*"
  int status = 0;      // of a response, as its reason
  std::string reason;
  int version = 11;  // or 10
  std::vector<HttpHeader> headers;

  // What a reader found out; no part of what is written.
  HttpLength length = HttpLength::no_body;
  std::uint64_t body_bytes = 0;  // of a counted body
  bool keep_alive = true;        // the connection is for further messages, too

  friend bool operator==(const HttpHead&, const HttpHead&) = default;
};

// The value of the only header with that name, whatever its case; none: there is none, or several.
std::optional<std::string_view> only_header(const std::vector<HttpHeader>& headers,
                                            std::string_view name);
// The elements of a list that may stand in several headers ("a, b"), trimmed, without empty ones.
std::vector<std::string> header_elements(const std::vector<HttpHeader>& headers,
                                         std::string_view name);

// The client waits for "100 Continue" before it sends the body.
bool expects_continue(const HttpHead& request);
// The client would go on in another protocol on this connection.
bool asks_for_upgrade(const HttpHead& request);
// The response is not the last to its request; 101 is the last.
bool is_interim(const HttpHead& response);

// The head as it is sent, with the empty line at its end.
std::string head_bytes(const HttpHead& head);

// The bytes of a head with this header, at the place of the first one with that name, or as the
// last; all other bytes are as they were. REQUIRES: `head` is a whole head, with the empty line.
std::string with_header(std::string_view head, const HttpHeader& header);
// The same without any header with that name: of a client that asks for HTTP/2 in each request,
// nothing could be read any more where its server agreed. REQUIRES: as above.
std::string without_header(std::string_view head, std::string_view name);

// The bytes of a response in plain text after which the connection ends: what is answered to a
// client when its request cannot be read (400), cannot be passed on (502, 503) or was not answered
// in time (504). HEAD is answered without the text.
std::string plain_response(int status, std::string_view text, std::string_view method = "GET");

}  // namespace heddle
