#include "wire/http/http_reader.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/http/http_testing.h"

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Lines = std::vector<std::string>;

// What is read of a stream that then ends, the same whole and a byte at a time.
HttpPieces read_stream(HttpReader (*make)(), const std::string& bytes,
                       const std::vector<std::string>& methods = {}) {
  std::vector<HttpPieces> both;
  for (const std::size_t cut : {bytes.size() + 1, std::size_t{1}}) {
    HttpReader reader = make();
    for (const std::string& method : methods) reader.expect(method);
    HttpPieces pieces = read_pieces(reader, bytes, [cut] { return cut; });
    reader.end_of_stream();
    take_pieces(reader, pieces);
    both.push_back(std::move(pieces));
  }
  EXPECT_EQ(both[0].lines(), both[1].lines());
  EXPECT_EQ(both[0].bytes(), both[1].bytes());
  EXPECT_TRUE(bytes.starts_with(both[0].bytes()));
  if (both[0].trouble.empty()) {
    EXPECT_EQ(both[0].bytes(), bytes);
  }
  return both[0];
}

HttpPieces requests(const std::string& bytes) { return read_stream(HttpReader::requests, bytes); }
HttpPieces responses(const std::string& bytes, const std::vector<std::string>& methods = {}) {
  return read_stream(HttpReader::responses, bytes, methods);
}

HttpHead first_head(const HttpPieces& pieces) {
  if (pieces.pieces.empty()) ADD_FAILURE() << pieces.trouble;
  return pieces.pieces.empty() ? HttpHead() : pieces.pieces.front().head;
}

TEST(HttpRequests, a_head_says_what_is_asked) {
  const HttpPieces read = requests(
      "POST /pay?seat=7 HTTP/1.1\r\nHost: pay\r\nX-Empty:\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_THAT(read.lines(), ElementsAre("head POST /pay?seat=7", "body hello", "end"));
  const HttpHead head = first_head(read);
  EXPECT_EQ(head.version, 11);
  EXPECT_EQ(head.length, HttpLength::counted);
  EXPECT_EQ(head.body_bytes, 5U);
  EXPECT_TRUE(head.keep_alive);
  const std::vector<HttpHeader> headers = {
      {"Host", "pay"}, {"X-Empty", ""}, {"Content-Length", "5"}};
  EXPECT_EQ(head.headers, headers);
}

TEST(HttpRequests, one_after_the_other_on_a_connection_and_pipelined) {
  const HttpPieces read = requests(
      "GET /a HTTP/1.1\r\n\r\n"
      "POST /b HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi"
      "\r\nDELETE /c HTTP/1.1\r\nContent-Length: 0\r\n\r\n");
  EXPECT_THAT(read.lines(), ElementsAre("head GET /a", "end", "head POST /b", "body hi", "end",
                                        "head DELETE /c", "end"));
}

TEST(HttpRequests, targets_may_be_whole_addresses) {
  const HttpPieces read = requests(
      "GET http://pay:80/a?b HTTP/1.1\r\nHost: pay\r\n\r\nOPTIONS * HTTP/1.1\r\nHost: pay\r\n\r\n");
  EXPECT_THAT(read.lines(),
              ElementsAre("head GET http://pay:80/a?b", "end", "head OPTIONS *", "end"));
}

TEST(HttpRequests, chunks_with_extensions_and_trailers) {
  const HttpPieces read = requests(
      "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTrailer: Digest\r\n\r\n"
      "5;name=value;quoted=\"a;b\"\r\nhello\r\n"
      "A\r\n, world!!!\r\n0;last\r\nDigest: abc\r\nX: y\r\n\r\nGET / HTTP/1.1\r\n\r\n");
  EXPECT_THAT(read.lines(), ElementsAre("head PUT /", "body hello, world!!!", "trailers 2", "end",
                                        "head GET /", "end"));
  const std::vector<HttpHeader> trailers = {{"Digest", "abc"}, {"X", "y"}};
  EXPECT_EQ(read.pieces[2].trailers, trailers);
  EXPECT_EQ(first_head(read).length, HttpLength::chunked);
}

TEST(HttpRequests, an_empty_body_of_chunks) {
  const HttpPieces read =
      requests("PUT / HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n");
  EXPECT_THAT(read.lines(), ElementsAre("head PUT /", "end"));
  EXPECT_EQ(read.pieces[1].bytes, "0\r\n\r\n");
}

TEST(HttpRequests, say_whether_the_connection_goes_on) {
  const auto keep_alive = [](const std::string& lines) {
    return first_head(requests("GET / HTTP/" + lines + "\r\n\r\n")).keep_alive;
  };
  EXPECT_TRUE(keep_alive("1.1"));
  EXPECT_FALSE(keep_alive("1.1\r\nConnection: x, Close"));
  EXPECT_FALSE(keep_alive("1.0"));
  EXPECT_TRUE(keep_alive("1.0\r\nConnection: keep-alive"));
}

TEST(HttpRequests, wait_for_100_continue_where_they_say_so) {
  const std::string expecting =
      "POST / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\nx";
  EXPECT_TRUE(expects_continue(first_head(requests(expecting))));
  EXPECT_FALSE(expects_continue(first_head(requests("GET / HTTP/1.1\r\n\r\n"))));
  EXPECT_FALSE(
      expects_continue(first_head(requests("GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n"))));
}

TEST(HttpRequests, a_folded_header_is_on_one_line) {
  const HttpPieces read = requests("GET / HTTP/1.1\r\nA: b\r\n\tc\r\n   d\r\nE: f\r\n\r\n");
  const std::vector<HttpHeader> headers = {{"A", "b c d"}, {"E", "f"}};
  EXPECT_EQ(first_head(read).headers, headers);
}

TEST(HttpRequests, several_equal_lengths_are_one) {
  const HttpPieces read =
      requests("PUT / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 2, 2\r\n\r\nhi");
  EXPECT_THAT(read.lines(), ElementsAre("head PUT /", "body hi", "end"));
}

struct Malformed {
  const char* head;
  const char* trouble;
};

TEST(HttpRequests, what_others_could_read_differently_is_an_error) {
  const Malformed cases[] = {
      {"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n", "contradicts"},
      {"PUT / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", "contradicts"},
      {"PUT / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: gzip\r\n\r\n", "contradicts"},
      {"PUT / HTTP/1.1\r\nTransfer-Encoding: gzip\r\nContent-Length: 3\r\n\r\n", "both"},
      {"PUT / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", "does not end in \"chunked\""},
      {"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", "Transfer-Encoding"},
      {"PUT / HTTP/1.1\r\nTransfer-Encoding: xchunked\r\n\r\n", "Transfer-Encoding"},
      {"PUT / HTTP/1.1\r\nTransfer-Encoding:\r\n\r\n", "Transfer-Encoding"},
      {"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n",
       "repeated"},
      {"PUT / HTTP/1.1\r\nTransfer-Encoding: chunked, chunked\r\n\r\n", "Transfer-Encoding"},
      {"PUT / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "HTTP/1.0"},
      {"PUT / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n", "contradicts"},
      {"PUT / HTTP/1.1\r\nContent-Length: 2, 3\r\n\r\n", "contradicts"},
      {"PUT / HTTP/1.1\r\nContent-Length: +2\r\n\r\n", "malformed"},
      {"PUT / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n", "malformed"},
      {"PUT / HTTP/1.1\r\nContent-Length : 2\r\n\r\n", "name of a header"},
      {"PUT / HTTP/1.1\nContent-Length: 2\r\n\r\n", "CR LF"},
      {"PUT / HTTP/1.1\r\nA: b\nContent-Length: 2\r\n\r\n", "CR LF"},
      {"PUT / HTTP/1.1\r\nA: b\rContent-Length: 2\r\n\r\n", "CR LF"},
  };
  for (const Malformed& one : cases) {
    const HttpPieces read = requests(one.head);
    EXPECT_THAT(read.lines(), ElementsAre("trouble")) << one.head;
    EXPECT_THAT(read.trouble, HasSubstr(one.trouble)) << one.head;
    EXPECT_THAT(read.trouble, HasSubstr("malformed HTTP request")) << one.head;
  }
}

TEST(HttpRequests, malformed_ones_are_one_clear_error) {
  const Malformed cases[] = {
      {"GET  / HTTP/1.1\r\n", "target"},
      {"GET /a b HTTP/1.1\r\n", "HTTP/1.0 or HTTP/1.1"},
      {"GET /\r\n", "target"},
      {"PRI * HTTP/2.0\r\n", "HTTP/1.0 or HTTP/1.1"},
      {"G(T / HTTP/1.1\r\n", "method"},
      {" GET / HTTP/1.1\r\n", "method"},
      {"\x16\x03\x01", "TLS"},
      {"GET / HTTP/1.1\r\n: b\r\n\r\n", "name of a header"},
      {"GET / HTTP/1.1\r\nA b\r\n\r\n", "name of a header"},
      {"GET / HTTP/1.1\r\nA: \x01\r\n\r\n", "value of a header"},
      {"GET / HTTP/1.1\r\nConnection: @\r\n\r\n", "value of a header"},
  };
  for (const Malformed& one : cases) {
    const HttpPieces read = requests(one.head);
    EXPECT_THAT(read.lines(), ElementsAre("trouble")) << one.head;
    EXPECT_THAT(read.trouble, HasSubstr(one.trouble)) << one.head;
  }
}

TEST(HttpRequests, an_error_stays_one) {
  HttpReader reader = HttpReader::requests();
  reader.append("\x16");
  const auto first = reader.next();
  reader.append("GET / HTTP/1.1\r\n\r\n");
  const auto second = reader.next();
  ASSERT_FALSE(first);
  ASSERT_FALSE(second);
  EXPECT_EQ(first.error().what, second.error().what);
}

TEST(HttpRequests, malformed_chunks_are_an_error_after_what_came_before) {
  const std::string head = "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n";
  for (const char* const chunk :
       {"x\r\nabc\r\n", "-1\r\nabc\r\n", "3\nabc\r\n", "3;a=\"\n\"\r\nabc\r\n", "3;=\r\nabc\r\n",
        "3 4\r\nabc\r\n", "11111111111111111\r\nabc\r\n", "0\r\nA b\r\n\r\n",
        "0\r\nContent-Length: 3\r\n\r\n", "0\r\nTransfer-Encoding: chunked\r\n\r\n"}) {
    const HttpPieces read = requests(head + chunk);
    EXPECT_THAT(read.lines(), ElementsAre("head PUT /", "body hi", "trouble")) << chunk;
  }
  EXPECT_THAT(requests(head.substr(0, head.size() - 2) + "xx3\r\nabc\r\n0\r\n\r\n").lines(),
              ElementsAre("head PUT /", "body hi", "trouble"));
}

TEST(HttpRequests, heads_have_limits) {
  const std::string begin = "GET / HTTP/1.1\r\nA: ";
  const std::string end = "\r\n\r\n";
  const std::size_t most = kLongestHttpHead - begin.size() - end.size();
  EXPECT_THAT(requests(begin + std::string(most, 'a') + end).lines(),
              ElementsAre("head GET /", "end"));
  EXPECT_THAT(requests(begin + std::string(most + 1, 'a') + end).trouble, HasSubstr("64 KiB"));
  // Without an end, too.
  EXPECT_THAT(requests(std::string(kLongestHttpHead + 1, 'G')).trouble, HasSubstr("64 KiB"));
  std::string many = "GET / HTTP/1.1\r\n";
  for (std::size_t i = 0; i < kMostHttpHeaders; ++i) many += "A: b\r\n";
  EXPECT_THAT(requests(many + "\r\n").lines(), ElementsAre("head GET /", "end"));
  EXPECT_THAT(requests(many + "A: b\r\n\r\n").trouble, HasSubstr("more than 500 headers"));
}

TEST(HttpRequests, trailers_and_extensions_have_limits) {
  const std::string head = "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  const std::string long_text(kLongestHttpHead, 'a');
  EXPECT_THAT(requests(head + "1;" + long_text + "\r\na\r\n").trouble, HasSubstr("too long"));
  EXPECT_THAT(requests(head + "0\r\nA: " + long_text + "\r\n\r\n").trouble, HasSubstr("too long"));
  EXPECT_THAT(requests(head + long_text + long_text).lines(), ElementsAre("head PUT /", "trouble"));
  std::string many = head + "0\r\n";
  for (std::size_t i = 0; i <= kMostHttpHeaders; ++i) many += "A: b\r\n";
  EXPECT_THAT(requests(many + "\r\n").trouble, HasSubstr("more than 500 headers"));
}

TEST(HttpRequests, that_are_cut_off_are_an_error) {
  for (const char* const begin :
       {"G", "GET / HTTP/1.1\r\n", "PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\nab",
        "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"}) {
    EXPECT_THAT(requests(begin).trouble, HasSubstr("ends in the middle of an HTTP request"))
        << begin;
  }
}

TEST(HttpRequests, behind_an_upgrade_wait_for_its_response) {
  const std::string upgrade =
      "GET /chat HTTP/1.1\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\r\n";
  for (const bool as_tunnel : {true, false}) {
    HttpReader reader = HttpReader::requests();
    const std::string next = "GET / HTTP/1.1\r\n\r\n";
    HttpPieces read = read_pieces(reader, upgrade + next);
    EXPECT_THAT(read.lines(), ElementsAre("head GET /chat", "end"));
    EXPECT_TRUE(reader.is_waiting());
    EXPECT_EQ(reader.held_bytes(), next.size());
    reader.go_on(as_tunnel);
    EXPECT_FALSE(reader.is_waiting());
    take_pieces(reader, read);
    const Lines tunnel = {"head GET /chat", "end", "tunnel " + next};
    const Lines request = {"head GET /chat", "end", "head GET /", "end"};
    EXPECT_EQ(read.lines(), as_tunnel ? tunnel : request);
    EXPECT_EQ(read.bytes(), upgrade + next);
  }
}

TEST(HttpRequests, an_answer_may_come_before_the_request_has_ended) {
  HttpReader reader = HttpReader::requests();
  HttpPieces read = read_pieces(
      reader, "PUT / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\nContent-Length: 2\r\n\r\na");
  reader.go_on(false);
  reader.append("bGET / HTTP/1.1\r\n\r\n");
  take_pieces(reader, read);
  EXPECT_THAT(read.lines(), ElementsAre("head PUT /", "body ab", "end", "head GET /", "end"));
}

TEST(HttpRequests, behind_connect_are_a_tunnel) {
  HttpReader reader = HttpReader::requests();
  HttpPieces read = read_pieces(reader, "CONNECT db:5432 HTTP/1.1\r\n\r\n");
  EXPECT_THAT(read.lines(), ElementsAre("head CONNECT db:5432", "end"));
  EXPECT_TRUE(reader.is_waiting());
  reader.go_on(true);
  for (const char* const bytes : {"\x16\x03", "\r\n\r\n"}) {
    reader.append(bytes);
    take_pieces(reader, read);
  }
  EXPECT_THAT(read.lines(), ElementsAre("head CONNECT db:5432", "end", "tunnel \x16\x03\r\n\r\n"));
}

TEST(HttpResponses, with_a_length_in_chunks_and_until_the_end) {
  const HttpPieces read = responses(
      "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
      "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"
      "HTTP/1.1 200 \r\n\r\nall\r\n\r\nof it");
  EXPECT_THAT(read.lines(), ElementsAre("head 200", "body hi", "end", "head 404", "body abc", "end",
                                        "head 200", "body all\r\n\r\nof it", "end"));
  EXPECT_EQ(first_head(read).reason, "OK");
  EXPECT_TRUE(first_head(read).keep_alive);
  EXPECT_EQ(read.pieces[6].head.length, HttpLength::until_close);
  EXPECT_FALSE(read.pieces[6].head.keep_alive);
}

TEST(HttpResponses, of_old_servers_end_with_the_connection) {
  const HttpPieces read = responses("HTTP/1.0 200 OK\r\n\r\n");
  EXPECT_THAT(read.lines(), ElementsAre("head 200", "end"));
  EXPECT_EQ(first_head(read).version, 10);
  EXPECT_FALSE(first_head(read).keep_alive);
  EXPECT_THAT(responses("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc").lines(),
              ElementsAre("head 200", "body abc", "end"));
  EXPECT_THAT(
      responses("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n").lines(),
      ElementsAre("head 200", "body a", "end"));
}

TEST(HttpResponses, interim_ones_come_before_the_final_one) {
  const std::string both =
      "HTTP/1.1 100 Continue\r\n\r\n"
      "HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx";
  const HttpPieces read = responses(both, {"HEAD", "POST"});
  EXPECT_THAT(read.lines(), ElementsAre("head 100", "end", "head 103", "end", "head 200", "end",
                                        "head 200", "body x", "end"));
  EXPECT_TRUE(is_interim(first_head(read)));
  EXPECT_FALSE(is_interim(read.pieces[4].head));
}

TEST(HttpResponses, without_a_body_whatever_they_say) {
  const HttpPieces read = responses(
      "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
      "HTTP/1.1 304 Not Modified\r\nContent-Length: 100\r\n\r\n"
      "HTTP/1.1 204 No Content\r\n\r\n"
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
      "HTTP/1.1 200 OK\r\n\r\n"
      "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
      {"HEAD", "GET", "DELETE", "HEAD", "HEAD", "GET"});
  EXPECT_THAT(read.lines(), ElementsAre("head 200", "end", "head 304", "end", "head 204", "end",
                                        "head 200", "end", "head 200", "end", "head 200", "end"));
  for (const HttpPiece& piece : read.pieces) EXPECT_TRUE(piece.head.keep_alive);
}

TEST(HttpResponses, after_101_are_a_tunnel) {
  const HttpPieces read = responses(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nContent-Length: "
      "4\r\n\r\n\x81\x02hi",
      {"GET"});
  EXPECT_THAT(read.lines(), ElementsAre("head 101", "end", "tunnel \x81\x02hi"));
  EXPECT_EQ(first_head(read).length, HttpLength::tunnel);
}

TEST(HttpResponses, to_connect_begin_a_tunnel_where_they_are_good) {
  EXPECT_THAT(responses("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nHTTP", {"CONNECT"}).lines(),
              ElementsAre("head 200", "end", "tunnel HTTP"));
  EXPECT_THAT(responses("HTTP/1.1 407 No\r\nContent-Length: 4\r\n\r\nHTTP", {"CONNECT"}).lines(),
              ElementsAre("head 407", "body HTTP", "end"));
}

TEST(HttpResponses, that_nobody_asked_for_are_read) {
  EXPECT_THAT(responses("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n").lines(),
              ElementsAre("head 408", "end"));
}

TEST(HttpResponses, malformed_ones_are_one_clear_error) {
  const Malformed cases[] = {
      {"HTTQ", "version of HTTP"},
      {"SSH-2.0-x\r\n", "version of HTTP"},
      {"\r\nHTTP/1.1 200 OK\r\n\r\n", "version of HTTP"},
      {"HTTP/2.0 200 OK\r\n", "HTTP/1.0 or HTTP/1.1"},
      {"HTTP/1.1 2x0 OK\r\n", "status"},
      {"HTTP/1.1 000 OK\r\n", "status"},
      {"HTTP/1.1 200 \x01\r\n", "reason"},
      {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "Content-Length"},
      {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", "Transfer-Encoding"},
  };
  for (const Malformed& one : cases) {
    const HttpPieces read = responses(one.head);
    EXPECT_THAT(read.lines(), ElementsAre("trouble")) << one.head;
    EXPECT_THAT(read.trouble, HasSubstr(one.trouble)) << one.head;
  }
  EXPECT_THAT(responses("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc").trouble,
              HasSubstr("ends in the middle of an HTTP response"));
}

// A body is never collected: what is held stays small however long it is.
TEST(HttpResponses, long_bodies_take_no_memory) {
  for (const char* const framing : {"Content-Length: 67108864", "Transfer-Encoding: chunked"}) {
    HttpReader reader = HttpReader::responses();
    reader.append(std::string("HTTP/1.1 200 OK\r\n") + framing + "\r\n\r\n");
    constexpr std::size_t kPart = std::size_t{1} << 20;
    if (framing[0] == 'T') reader.append("4000000\r\n");
    std::size_t payload = 0;
    for (int part = 0; part < 64; ++part) {
      reader.append(std::string(kPart, 'x'));
      while (true) {
        const auto piece = reader.next();
        ASSERT_TRUE(piece);
        if (!*piece) break;
        payload += (*piece)->payload.size();
      }
      EXPECT_EQ(reader.held_bytes(), 0U);
    }
    EXPECT_EQ(payload, 64 * kPart);
  }
}

}  // namespace
}  // namespace heddle
