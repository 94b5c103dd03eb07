// A user logs in and does what users do. All that is written of it is searched for the secrets.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/redact/encodings_testing.h"
#include "record/redact/redact_http.h"
#include "wire/http/http_testing.h"

namespace heddle {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr std::size_t kLimit = 100'000;

const std::string kPassword = "c0rrect horse/bat+tery";
const std::string kToken = "tok_7f/3a+9c=e1";
const std::string kSession = "s:k2J9_x.Zq/0+1";
const std::string kCsrf = "csrf&9f8e7d\"6c";
const std::string kApiPassword = "api-pass-w0rd";
const std::string kWebToken = to_base64(R"({"alg":"HS256","typ":"JWT"})", true) + "." +
                              to_base64(R"({"sub":"ann","exp":1})", true) + ".U2lnbmF0dXJl-_0";

// What a recorder writes: requests, responses and statements as they went over the wire.
class Recording {
 public:
  void request(const std::string& bytes) { write(HttpReader::requests(), bytes); }
  void response(const std::string& bytes) { write(HttpReader::responses(), bytes); }
  void statement(const std::string& sql, const std::vector<std::string>& parameters = {}) {
    add(redact_statement(redactor_, sql));
    for (const std::string& parameter : parameters) add(redactor_.value(parameter));
  }
  void row(const std::string& column, const std::string& value) {
    add(column + "=" + redactor_.field(column, value));
  }

  const std::string& written() const { return written_; }

 private:
  void add(const std::string& text) { written_ += text + "\n"; }

  void write(HttpReader reader, const std::string& bytes) {
    HttpPieces pieces = read_pieces(reader, bytes);
    reader.end_of_stream();
    take_pieces(reader, pieces);
    EXPECT_EQ(pieces.trouble, "");
    HttpHead head;
    for (const HttpPiece& piece : pieces.pieces) {
      if (piece.kind == HttpPiece::Kind::head) {
        head = piece.head;
        add(head_bytes(redact_head(redactor_, head)));
      } else if (piece.kind == HttpPiece::Kind::body) {
        add(redact_body(redactor_, head.headers, piece.payload, kLimit).bytes);
      } else if (piece.kind == HttpPiece::Kind::trailers) {
        for (const HttpHeader& header : redact_headers(redactor_, piece.trailers))
          add(header.value);
      }
    }
  }

  Redactor redactor_{RedactSettings(), "key"};
  std::string written_;
};

std::string with_body(const std::string& head, const std::string& body) {
  return fmt::format("{}Content-Length: {}\r\n\r\n{}", head, body.size(), body);
}

std::string hidden(std::string_view value) { return placeholder("key", value, Hiding::secret); }

void log_in(Recording& recording) {
  recording.response(
      with_body("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n",
                "<form><input name='csrf_token' value='csrf&amp;9f8e7d&quot;6c'></form>"));
  recording.request(with_body(
      "POST /login HTTP/1.1\r\n"
      "Content-Type: application/x-www-form-urlencoded\r\n",
      "user=ann&password=c0rrect+horse%2Fbat%2btery&csrf_token=" + to_percent(kCsrf, 2, true)));
  recording.statement(
      "SELECT id FROM users WHERE name = 'ann' AND secret_word = 'c0rrect horse/bat+tery'");
  recording.statement("SELECT crypt($1, $2)", {kPassword, "salt"});
  recording.response(with_body(
      "HTTP/1.1 302 Found\r\nContent-Type: application/json\r\n"
      "Set-Cookie: sid=" +
          to_percent(kSession, 0, true) +
          "; Path=/; HttpOnly\r\n"
          "Location: http://shop/welcome?token=" +
          to_percent(kToken, 3, false) + "&lang=en\r\n",
      R"({"user":{"name":"ann"},"token":"tok_7f\/3a+9c=e1","jwt":")" + kWebToken + R"("})"));
}

void use_it(Recording& recording) {
  recording.request("GET /welcome?token=" + to_percent(kToken, 1, true) +
                    " HTTP/1.1\r\n"
                    "Authorization: Bearer " +
                    kToken +
                    "\r\n"
                    "Cookie: lang=en; sid=" +
                    to_percent(kSession, 2, true) +
                    "\r\n"
                    "Referer: http://shop/login?next=" +
                    to_percent("/a?token=" + to_percent(kToken, 0, true), 0, true) + "\r\n\r\n");
  recording.request(
      with_body("POST /pay HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
                "X-Debug: " +
                    to_base64("t=" + kToken) + "\r\n",
                "seat=7&proof=" + to_percent(kToken, 2, false)));
  recording.request(with_body("POST /pay HTTP/1.1\r\nContent-Type: application/json\r\n",
                              R"({"data":"{\"auth\":\"tok_7f/3a+9c=e1\"}","raw":")" +
                                  to_base64("ab" + kSession + "cd", true) + R"("})"));
  recording.request("GET /api HTTP/1.1\r\nAuthorization: Basic " +
                    to_base64("svc:" + kApiPassword) + "\r\n\r\n");
  recording.request("GET /api HTTP/1.1\r\nX-Forwarded-Jwt: " + kWebToken + "\r\n\r\n");
  recording.statement("INSERT INTO log VALUES ('" + kToken + "', '" + kApiPassword + "', '\\x" +
                      hexadecimal(kSession) + "') /* " + kWebToken + " */");
  recording.statement("SELECT * FROM sessions WHERE sid = $1 AND data = $2",
                      {kSession, R"({"sid": "s:k2J9_x.Zq\/0+1"})"});
  recording.row("token", kToken);
  recording.row("note", to_base64("xyz" + kApiPassword));
  recording.response(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n"
      "X-Trace: " +
      kToken + "\r\n\r\n");
  recording.request(
      with_body("POST /file HTTP/1.1\r\nContent-Type: multipart/form-data; boundary=b\r\n",
                "--b\r\nContent-Disposition: form-data; name=\"csrf_token\"\r\n\r\n" + kCsrf +
                    "\r\n--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n\xff" + kSession +
                    "\r\n--b--\r\n"));
}

TEST(Exchange, nothing_that_is_written_has_a_secret) {
  Recording recording;
  log_in(recording);
  use_it(recording);
  const std::string& written = recording.written();
  for (const std::string& secret : {kPassword, kToken, kSession, kCsrf, kApiPassword, kWebToken}) {
    for (const std::string& way : ways_to_write(secret)) {
      EXPECT_THAT(written, Not(HasSubstr(way))) << secret;
    }
    EXPECT_THAT(without_percent(without_percent(written)), Not(HasSubstr(secret)));
    EXPECT_THAT(json_unescaped(json_unescaped(written)), Not(HasSubstr(secret)));
    EXPECT_THAT(written, HasSubstr(hidden(secret))) << secret;
  }
}

TEST(Exchange, equal_values_are_equal_placeholders_in_every_place) {
  Recording recording;
  log_in(recording);
  use_it(recording);
  const std::string& written = recording.written();
  const std::string token = hidden(kToken);
  const std::string session = hidden(kSession);
  for (const std::string& place :
       {R"("token":")" + token + "\"", "Location: http://shop/welcome?token=" + token + "&lang=en",
        "GET /welcome?token=" + token + " HTTP/1.1", "Authorization: Bearer " + token + "\r\n",
        "&proof=" + token, "\"{\\\"auth\\\":\\\"" + token, "VALUES ('" + token + "'",
        "token=" + token + "\n", "Set-Cookie: sid=" + session + "; Path=/",
        "; sid=" + session + "\r\n", "\\x" + session, R"({"sid": ")" + session + "\"}",
        "password=" + hidden(kPassword) + "&csrf_token=" + hidden(kCsrf),
        "value='" + hidden(kCsrf) + "'", "secret_word = '" + hidden(kPassword) + "'",
        "\r\n\r\n" + hidden(kCsrf) + "\r\n--b", "X-Forwarded-Jwt: " + hidden(kWebToken),
        R"("jwt":")" + hidden(kWebToken) + "\""}) {
    EXPECT_THAT(written, HasSubstr(place));
  }
}

}  // namespace
}  // namespace heddle
