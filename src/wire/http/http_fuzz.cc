// Whatever bytes a client or server may send, in pieces as they come from a socket: the bytes that
// are given out are those that came, in order, and how they are cut changes nothing.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "wire/http/content_coding.h"
#include "wire/http/http_reader.h"
#include "wire/http/http_testing.h"
#include "wire/http/traceparent.h"

namespace {

constexpr std::size_t kLimit = 1000;

void look_at(const heddle::HttpPiece& piece) {
  using namespace heddle;
  if (piece.kind != HttpPiece::Kind::head) return;
  traceparent_of(piece.head.headers);
  // A head that gets another header has it once, and is still a head.
  const std::string changed = with_header(piece.bytes, {"traceparent", "x"});
  HttpReader again = piece.head.status == 0 ? HttpReader::requests() : HttpReader::responses();
  const HttpPieces read = read_pieces(again, changed);
  const bool is_at_limit =
      changed.size() > kLongestHttpHead || piece.head.headers.size() >= kMostHttpHeaders;
  HEDDLE_ASSERT(is_at_limit || !read.pieces.empty());
  if (!is_at_limit) {
    HEDDLE_ASSERT(only_header(read.pieces[0].head.headers, "Traceparent") == "x");
    const std::string name = "TRACEPARENT";
    HEDDLE_ASSERT(without_header(changed, name) == without_header(piece.bytes, name));
  }
}

heddle::HttpPieces read_stream(bool is_request, std::string_view bytes, std::size_t cut) {
  using namespace heddle;
  HttpReader reader = is_request ? HttpReader::requests() : HttpReader::responses();
  if (!is_request) {
    for (const char* const method : {"GET", "HEAD", "CONNECT"}) reader.expect(method);
  }
  HttpPieces read = read_pieces(reader, bytes, [cut] { return cut; });
  reader.end_of_stream();
  while (reader.is_waiting() && read.trouble.empty()) {
    reader.go_on(bytes.size() % 2 == 0);
    take_pieces(reader, read);
  }
  take_pieces(reader, read);
  return read;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace heddle;
  if (size == 0) return 0;
  // The first byte says whose stream it is and how it is cut.
  const bool is_request = data[0] % 2 == 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const HttpPieces whole = read_stream(is_request, bytes, size);
  const HttpPieces cut = read_stream(is_request, bytes, 1 + data[0] % 7);
  HEDDLE_ASSERT(whole.lines() == cut.lines());
  HEDDLE_ASSERT(whole.bytes() == cut.bytes());
  HEDDLE_ASSERT(bytes.starts_with(whole.bytes()));
  for (const HttpPiece& piece : whole.pieces) look_at(piece);
  for (const char* const coding : {"gzip", "deflate", "br", "zstd"}) {
    const auto decoded = decode_body({{"Content-Encoding", coding}}, bytes, kLimit);
    HEDDLE_ASSERT(!decoded || decoded->bytes.size() <= kLimit);
  }
  return 0;
}
