#include "wire/http/http_message.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/http/http_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;

TEST(HttpHeaders, are_found_whatever_their_case) {
  const std::vector<HttpHeader> headers = {
      {"Host", "pay"}, {"ACCEPT", "a , b,,"}, {"accept", "c"}, {"Empty", ""}};
  EXPECT_EQ(only_header(headers, "host"), "pay");
  EXPECT_EQ(only_header(headers, "empty"), "");
  EXPECT_FALSE(only_header(headers, "Accept"));
  EXPECT_FALSE(only_header(headers, "none"));
  EXPECT_THAT(header_elements(headers, "Accept"), ElementsAre("a", "b", "c"));
}

TEST(HttpHeads, are_read_as_they_were_written) {
  HttpHead request;
  request.method = "GET";
  request.target = "/a";
  request.version = 10;
  request.headers = {{"A", "b"}, {"C", ""}};
  request.keep_alive = false;
  EXPECT_EQ(head_bytes(request), "GET /a HTTP/1.0\r\nA: b\r\nC: \r\n\r\n");
  HttpReader requests = HttpReader::requests();
  EXPECT_EQ(read_pieces(requests, head_bytes(request)).pieces.at(0).head, request);

  HttpHead response;
  response.status = 204;
  response.reason = "No Content";
  EXPECT_EQ(head_bytes(response), "HTTP/1.1 204 No Content\r\n\r\n");
  HttpReader responses = HttpReader::responses();
  EXPECT_EQ(read_pieces(responses, head_bytes(response)).pieces.at(0).head, response);
}

TEST(HttpHeads, get_a_header_and_stay_as_they_are_otherwise) {
  const HttpHeader header = {"traceparent", "new"};
  EXPECT_EQ(with_header("GET / HTTP/1.1\r\n\r\n", header),
            "GET / HTTP/1.1\r\ntraceparent: new\r\n\r\n");
  EXPECT_EQ(with_header("\r\nGET / HTTP/1.1\r\nA:b\r\n\tc\r\n\r\n", header),
            "\r\nGET / HTTP/1.1\r\nA:b\r\n\tc\r\ntraceparent: new\r\n\r\n");
  EXPECT_EQ(with_header("GET / HTTP/1.1\r\nA:b\r\nTraceParent:  old\r\n  older\r\nC :d\r\n"
                        "traceparent: twice\r\n\r\n",
                        header),
            "GET / HTTP/1.1\r\nA:b\r\ntraceparent: new\r\nC :d\r\n\r\n");
}

TEST(HttpHeads, lose_a_header_and_stay_as_they_are_otherwise) {
  EXPECT_EQ(
      without_header("GET / HTTP/1.1\r\nA:b\r\nUpgrade: h2c\r\n\tx\r\nC :d\r\nupgrade:\r\n\r\n",
                     "Upgrade"),
      "GET / HTTP/1.1\r\nA:b\r\nC :d\r\n\r\n");
  EXPECT_EQ(without_header("GET / HTTP/1.1\r\n\r\n", "Upgrade"), "GET / HTTP/1.1\r\n\r\n");
}

TEST(PlainResponses, say_what_went_wrong_and_end_the_connection) {
  const std::string bytes = plain_response(502, "the store is away\n");
  EXPECT_EQ(bytes,
            "HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/plain; charset=utf-8\r\n"
            "Content-Length: 18\r\nConnection: close\r\n\r\nthe store is away\n");
  for (const int status : {400, 502, 503, 504}) {
    HttpReader reader = HttpReader::responses();
    const HttpPieces read = read_pieces(reader, plain_response(status, "why"));
    EXPECT_THAT(read.lines(), ElementsAre("head " + std::to_string(status), "body why", "end"))
        << read.trouble;
    ASSERT_FALSE(read.pieces.empty());
    EXPECT_FALSE(read.pieces[0].head.keep_alive);
    EXPECT_FALSE(read.pieces[0].head.reason.empty());
  }
  HttpReader reader = HttpReader::responses();
  reader.expect("HEAD");
  EXPECT_THAT(read_pieces(reader, plain_response(504, "why", "HEAD")).lines(),
              ElementsAre("head 504", "end"));
}

}  // namespace
}  // namespace heddle
