#include "wire/http/content_coding.h"

#include <algorithm>
#include <brotli/decode.h>
#include <memory>
#include <utility>
#include <zlib.h>
#include <zstd.h>

#include <fmt/format.h>

#include "base/text.h"

namespace heddle {
namespace {

constexpr std::size_t kMostCodings = 4;
constexpr std::size_t kPiece = std::size_t{64} << 10;
// RFC 9659: a window of 8 MiB is the largest that may be used on the web.
constexpr int kLargestZstdWindowLog = 23;
// Of zlib's window: whatever a header says, of gzip's or of zlib's own format; or none at all.
constexpr int kGzipWindow = MAX_WBITS + 16;
constexpr int kZlibWindow = MAX_WBITS;
constexpr int kRawWindow = -MAX_WBITS;

using Decoded = Result<DecodedBody>;

// Receives what is decoded until there is as much as is allowed.
class Limited {
 public:
  explicit Limited(std::size_t limit) : limit_(limit) {}

  // False: more came than is allowed.
  bool add(const void* bytes, std::size_t count) {
    const std::size_t left = limit_ - body_.bytes.size();
    body_.bytes.append(static_cast<const char*>(bytes), std::min(count, left));
    body_.is_whole = count <= left;
    return body_.is_whole;
  }
  DecodedBody body(bool is_whole) && {
    body_.is_whole = body_.is_whole && is_whole;
    return std::move(body_);
  }

 private:
  std::size_t limit_;
  DecodedBody body_;
};

Diagnostic not_coded_so(const char* coding) {
  return {.what = fmt::format("a body is not coded by {}, which its headers say", coding)};
}

struct EndInflate {
  void operator()(z_stream* stream) const { inflateEnd(stream); }
};

// One stream of zlib after the other, as gzip allows; `window` tells the format.
Decoded inflate_all(std::string_view body, std::size_t limit, int window, const char* coding) {
  z_stream stream{};
  if (inflateInit2(&stream, window) != Z_OK) {
    return Diagnostic{.what = "zlib has no memory", .trouble = Trouble::environment};
  }
  const std::unique_ptr<z_stream, EndInflate> end(&stream);
  // zlib counts in 32 bits; larger bodies are nowhere kept.
  body = body.substr(0, std::size_t{1} << 31);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  stream.avail_in = static_cast<uInt>(body.size());
  Limited decoded(limit);
  std::string piece(kPiece, '\0');
  int state = Z_OK;
  while (true) {
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = kPiece;
    state = inflate(&stream, Z_NO_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) return not_coded_so(coding);
    const std::size_t count = kPiece - stream.avail_out;
    if (!decoded.add(piece.data(), count)) break;
    if (state == Z_STREAM_END) {
      if (window != kGzipWindow || stream.avail_in == 0) break;
      inflateReset(&stream);
    } else if (count == 0 && stream.avail_in == 0) {
      break;
    }
  }
  return std::move(decoded).body(state == Z_STREAM_END);
}

Decoded decode_gzip(std::string_view body, std::size_t limit) {
  return inflate_all(body, limit, kGzipWindow, "gzip");
}

// The standard means zlib's format; some servers leave its header away.
Decoded decode_deflate(std::string_view body, std::size_t limit) {
  Decoded decoded = inflate_all(body, limit, kZlibWindow, "deflate");
  if (decoded) return decoded;
  return inflate_all(body, limit, kRawWindow, "deflate");
}

struct EndBrotli {
  void operator()(BrotliDecoderState* state) const { BrotliDecoderDestroyInstance(state); }
};

Decoded decode_brotli(std::string_view body, std::size_t limit) {
  const std::unique_ptr<BrotliDecoderState, EndBrotli> state(
      BrotliDecoderCreateInstance(nullptr, nullptr, nullptr));
  if (!state) return Diagnostic{.what = "brotli has no memory", .trouble = Trouble::environment};
  Limited decoded(limit);
  const auto* in = reinterpret_cast<const std::uint8_t*>(body.data());
  std::size_t in_left = body.size();
  while (true) {
    std::size_t out_left = 0;
    const auto result =
        BrotliDecoderDecompressStream(state.get(), &in_left, &in, &out_left, nullptr, nullptr);
    if (result == BROTLI_DECODER_RESULT_ERROR) return not_coded_so("br");
    std::size_t count = 0;
    const std::uint8_t* const out = BrotliDecoderTakeOutput(state.get(), &count);
    if (!decoded.add(out, count)) return std::move(decoded).body(false);
    if (result == BROTLI_DECODER_RESULT_SUCCESS) return std::move(decoded).body(true);
    if (result == BROTLI_DECODER_RESULT_NEEDS_MORE_INPUT) return std::move(decoded).body(false);
  }
}

struct EndZstd {
  void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

Decoded decode_zstd(std::string_view body, std::size_t limit) {
  const std::unique_ptr<ZSTD_DStream, EndZstd> stream(ZSTD_createDStream());
  if (!stream) return Diagnostic{.what = "zstd has no memory", .trouble = Trouble::environment};
  ZSTD_DCtx_setParameter(stream.get(), ZSTD_d_windowLogMax, kLargestZstdWindowLog);
  Limited decoded(limit);
  std::string piece(kPiece, '\0');
  ZSTD_inBuffer in{body.data(), body.size(), 0};
  std::size_t left = 1;
  while (true) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    left = ZSTD_decompressStream(stream.get(), &out, &in);
    if (ZSTD_isError(left) != 0U) return not_coded_so("zstd");
    if (!decoded.add(piece.data(), out.pos)) return std::move(decoded).body(false);
    // Room was left, so that nothing more can come of what was read.
    if (in.pos == in.size && out.pos < out.size) break;
  }
  return std::move(decoded).body(left == 0);
}

struct Coding {
  std::string_view name;
  Decoded (*decode)(std::string_view body, std::size_t limit);
};

constexpr Coding kCodings[] = {
    {"gzip", decode_gzip}, {"x-gzip", decode_gzip}, {"deflate", decode_deflate},
    {"br", decode_brotli}, {"zstd", decode_zstd},
};

Decoded decode_by(std::string_view name, std::string_view body, std::size_t limit) {
  for (const Coding& coding : kCodings) {
    if (equal_ignoring_case(coding.name, name)) return coding.decode(body, limit);
  }
  return Diagnostic{.what = fmt::format("unknown Content-Encoding \"{}\"", name)};
}

}  // namespace

Result<DecodedBody> decode_body(const std::vector<HttpHeader>& headers, std::string_view body,
                                std::size_t limit) {
  std::vector<std::string> names = header_elements(headers, "Content-Encoding");
  std::erase_if(names,
                [](const std::string& name) { return equal_ignoring_case(name, "identity"); });
  if (names.size() > kMostCodings) {
    return Diagnostic{
        .what = fmt::format("a body is coded {} times, {} are read", names.size(), kMostCodings)};
  }
  DecodedBody decoded{.bytes = std::string(body.substr(0, limit)),
                      .is_whole = body.size() <= limit};
  if (names.empty() || body.empty()) return decoded;
  decoded.is_whole = true;
  std::reverse(names.begin(), names.end());
  for (std::size_t i = 0; i < names.size(); ++i) {
    Decoded next = decode_by(names[i], i == 0 ? body : std::string_view(decoded.bytes), limit);
    if (!next) return next.error();
    next->is_whole = next->is_whole && decoded.is_whole;
    decoded = std::move(*next);
  }
  return decoded;
}

}  // namespace heddle
