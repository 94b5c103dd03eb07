// Cuts one direction of a connection that speaks HTTP/1.0 or 1.1 into pieces. No sockets here.
//
//   HttpReader reader = HttpReader::requests();
//   reader.append(bytes);
//   while (true) {
//     const auto piece = reader.next();
//     if (!piece) return piece.error();      // nothing more can be read of this direction
//     if (!*piece) break;                    // more bytes are needed
//     forward((*piece)->bytes);
//   }
//
// Each message is a head, pieces of its body as they come, trailers if there are any, and an end.
// What is no well-formed message, and what two readers could understand differently (request
// smuggling), is an error. The grammar is read by Boost.Beast's parser.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "wire/http/http_message.h"

namespace heddle {

// The longest head of a message, and the most headers in it; trailers, too.
inline constexpr std::size_t kLongestHttpHead = std::size_t{64} << 10;
inline constexpr std::size_t kMostHttpHeaders = 500;

struct HttpPiece {
  enum class Kind : std::uint8_t {
    head,
    body,
    trailers,
    end,
    tunnel,  // bytes of another protocol, after an upgrade or CONNECT
  };

  Kind kind = Kind::end;
  std::string bytes;  // as they came: those of all pieces one after the other are the stream
  HttpHead head = {};
  std::string payload = {};  // of a body: without the frames of chunks, otherwise as it was sent
  std::vector<HttpHeader> trailers = {};
};

class HttpReader {
 public:
  static HttpReader requests();
  static HttpReader responses();
  HttpReader(HttpReader&& other) noexcept;
  HttpReader& operator=(HttpReader&& other) noexcept;
  ~HttpReader();

  void append(std::string_view bytes);
  // The other side sends no more. It ends a body that lasts until then; what else it cuts off is an
  // error of `next`.
  void end_of_stream();

  // The next piece; none: the bytes for it have not come, or the reader waits. What was an error is
  // one each time. Takes time proportional to the bytes, however they are cut.
  Result<std::optional<HttpPiece>> next();

  // Of responses: a request with this method was sent, and is answered after those before it. Its
  // response has no body where the method is HEAD, and where it is CONNECT may begin a tunnel.
  void expect(std::string_view method);

  // Of requests: after CONNECT, and after one that asks for an upgrade, what the bytes behind it
  // are depends on the response. The reader waits until `go_on` tells: a tunnel (the responses'
  // reader gave a head whose length is that), or further requests.
  bool is_waiting() const;
  void go_on(bool as_tunnel);

  // Bytes that came and are in no piece yet.
  std::size_t held_bytes() const;

 private:
  class Machine;
  explicit HttpReader(std::unique_ptr<Machine> machine);
  std::unique_ptr<Machine> machine_;
};

}  // namespace heddle
