#include "wire/http/content_coding.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>
#include <zlib.h>
#include <zstd.h>

#include <gtest/gtest.h>

namespace heddle {
namespace {

constexpr std::size_t kLimit = 10'000;
constexpr std::size_t kMillion = 1'000'000;
const std::string kText = "the seat is taken, the seat is taken, the seat is free";

std::string deflated(const std::string& text, int window) {
  z_stream stream{};
  deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, window, 8, Z_DEFAULT_STRATEGY);
  std::string bytes(deflateBound(&stream, text.size()) + 32, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  deflate(&stream, Z_FINISH);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

std::string by_gzip(const std::string& text) { return deflated(text, MAX_WBITS + 16); }

std::string by_zstd(const std::string& text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 3));
  return bytes;
}

std::string unhex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

// What the program brotli makes of the text, and of a million times "a".
const std::string kBrotliText =
    unhex("1b3500f81d09364e72bbf63a4bba30904a9bcb3210b414a49981520428563aabe5820808");
const std::string kBrotliMillion = unhex("5b3f428f5f222c1e0b04f2731e00");

Result<DecodedBody> decoded(const std::string& coding, const std::string& body,
                            std::size_t limit = kLimit) {
  return decode_body({{"content-encoding", coding}}, body, limit);
}

void expect_text(const Result<DecodedBody>& body, const std::string& text, const char* what) {
  ASSERT_TRUE(body) << what << ": " << to_string(body.error());
  EXPECT_EQ(body->bytes, text) << what;
  EXPECT_TRUE(body->is_whole) << what;
}

TEST(ContentCodings, are_undone) {
  expect_text(decoded("gzip", by_gzip(kText)), kText, "gzip");
  expect_text(decoded("X-Gzip", by_gzip(kText) + by_gzip("!")), kText + "!", "two members");
  expect_text(decoded("deflate", deflated(kText, MAX_WBITS)), kText, "deflate");
  expect_text(decoded("deflate", deflated(kText, -MAX_WBITS)), kText, "deflate without a header");
  expect_text(decoded("br", kBrotliText), kText, "br");
  expect_text(decoded("zstd", by_zstd(kText)), kText, "zstd");
  expect_text(decoded("zstd", by_zstd(kText) + by_zstd("!")), kText + "!", "two frames");
  expect_text(decoded("identity", kText), kText, "identity");
  expect_text(decode_body({}, kText, kLimit), kText, "nothing");
}

TEST(ContentCodings, follow_each_other) {
  expect_text(decoded("gzip, zstd", by_zstd(by_gzip(kText))), kText, "one header");
  expect_text(decode_body({{"Content-Encoding", "gzip"}, {"Content-Encoding", "identity, zstd"}},
                          by_zstd(by_gzip(kText)), kLimit),
              kText, "two headers");
  EXPECT_FALSE(decoded("gzip, gzip, gzip, gzip, gzip", kText));
}

TEST(ContentCodings, of_nothing_are_nothing) {
  for (const char* const coding : {"gzip", "deflate", "br", "zstd"}) {
    expect_text(decoded(coding, ""), "", coding);
  }
  expect_text(decoded("gzip", by_gzip("")), "", "gzip");
  expect_text(decoded("zstd", by_zstd("")), "", "zstd");
}

TEST(ContentCodings, end_at_the_limit) {
  const std::string million(kMillion, 'a');
  const std::array<std::pair<const char*, std::string>, 4> bodies = {{
      {"gzip", by_gzip(million)},
      {"deflate", deflated(million, MAX_WBITS)},
      {"br", kBrotliMillion},
      {"zstd", by_zstd(million)},
  }};
  for (const auto& [coding, bytes] : bodies) {
    const auto cut = decoded(coding, bytes);
    ASSERT_TRUE(cut) << coding;
    EXPECT_EQ(cut->bytes, million.substr(0, kLimit)) << coding;
    EXPECT_FALSE(cut->is_whole) << coding;
    expect_text(decoded(coding, bytes, kMillion), million, coding);
  }
  EXPECT_EQ(decode_body({}, kText, 3)->bytes, "the");
  EXPECT_FALSE(decode_body({}, kText, 3)->is_whole);
}

TEST(ContentCodings, that_are_cut_off_are_undone_as_far_as_they_go) {
  const std::array<std::pair<const char*, std::string>, 4> bodies = {{
      {"gzip", by_gzip(kText)},
      {"deflate", deflated(kText, MAX_WBITS)},
      {"br", kBrotliText},
      {"zstd", by_zstd(kText)},
  }};
  for (const auto& [coding, bytes] : bodies) {
    for (std::size_t length = 1; length < bytes.size(); ++length) {
      const auto cut = decoded(coding, bytes.substr(0, length));
      ASSERT_TRUE(cut) << coding << " " << length;
      EXPECT_FALSE(cut->is_whole) << coding << " " << length;
      EXPECT_TRUE(kText.starts_with(cut->bytes)) << coding << " " << length;
    }
  }
}

TEST(ContentCodings, that_are_wrong_are_an_error) {
  for (const char* const coding : {"gzip", "deflate", "br", "zstd"}) {
    const auto wrong = decoded(coding, "\xff\xff\xff\xff this is not coded at all");
    ASSERT_FALSE(wrong) << coding;
    EXPECT_NE(wrong.error().what.find(coding), std::string::npos) << wrong.error().what;
  }
  const auto unknown = decoded("lzma", kText);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().what, "unknown Content-Encoding \"lzma\"");
}

}  // namespace
}  // namespace heddle
