#include "record/redact/redact_http.h"

#include <string>

#include <gtest/gtest.h>

#include "record/redact/encodings_testing.h"
#include "record/redact/redact_content.h"

namespace heddle {
namespace {

constexpr std::size_t kHttpLimit = 10'000;

std::string hidden_in_http(std::string_view value) {
  return placeholder("key", value, Hiding::secret);
}

struct Redacted : testing::Test {
  Redactor redactor{RedactSettings(), "key"};

  std::string header(const std::string& name, const std::string& value) {
    return redact_headers(redactor, {{name, value}}).at(0).value;
  }
};

TEST_F(Redacted, credentials_behind_their_scheme) {
  EXPECT_EQ(header("Authorization", "Bearer value-1"), "Bearer " + hidden_in_http("value-1"));
  EXPECT_EQ(header("proxy-authorization", "bearer  value-1"),
            "bearer  " + hidden_in_http("value-1"));
  EXPECT_EQ(header("Authorization", "value-1"), hidden_in_http("value-1"));
  EXPECT_EQ(header("X-Api-Key", "value-1"), hidden_in_http("value-1"));
  EXPECT_EQ(header("Authorization", "Token token=\"value-2\", id=7"),
            "Token " + hidden_in_http("token=\"value-2\", id=7"));
  EXPECT_EQ(redactor.text("value-2"), hidden_in_http("value-2"));
}

TEST_F(Redacted, credentials_that_are_none_stay) {
  for (const char* const value : {"Bearer", "Bearer null", "bearer undefined", "None", ""}) {
    EXPECT_EQ(header("Authorization", value), value);
  }
  EXPECT_EQ(header("Authorization", "Bearer nullable"), "Bearer " + hidden_in_http("nullable"));
}

TEST_F(Redacted, the_password_of_basic_credentials) {
  const std::string basic = to_base64("ann:pass:word");
  EXPECT_EQ(header("Authorization", "Basic " + basic), "Basic " + hidden_in_http(basic));
  EXPECT_EQ(redactor.text("'pass:word'"), "'" + hidden_in_http("pass:word") + "'");
  EXPECT_EQ(header("Authorization", "Basic ann"), "Basic " + hidden_in_http("ann"));
}

TEST_F(Redacted, cookies_each_of_its_own) {
  EXPECT_EQ(header("Cookie", "a=value-1; b=\"value-2\";c=; d"),
            "a=" + hidden_in_http("value-1") + "; b=\"" + hidden_in_http("value-2") + "\";c=; " +
                hidden_in_http("d"));
  EXPECT_EQ(header("Set-Cookie", "a=value-1; Path=/; HttpOnly"),
            "a=" + hidden_in_http("value-1") + "; Path=/; HttpOnly");
  EXPECT_EQ(header("Set-Cookie", "a=; Max-Age=0"), "a=; Max-Age=0");
  EXPECT_EQ(header("Set-Cookie", "sid=s%3Aabc%2Bdef"), "sid=" + hidden_in_http("s:abc+def"));
  EXPECT_EQ(redactor.text("s:abc+def"), hidden_in_http("s:abc+def"));
}

TEST_F(Redacted, words_in_cookies_are_not_hidden_elsewhere) {
  EXPECT_EQ(header("Cookie", "theme=default; n=1234567; token=pineapple"),
            "theme=" + hidden_in_http("default") + "; n=" + hidden_in_http("1234567") +
                "; token=" + hidden_in_http("pineapple"));
  EXPECT_EQ(redactor.text("SET x TO default, 1234567, pineapple"),
            "SET x TO default, 1234567, " + hidden_in_http("pineapple"));
}

TEST_F(Redacted, targets_and_other_headers) {
  HttpHead head;
  head.method = "GET";
  head.target = "/pay?token=value-1&seat=7";
  head.headers = {{"Referer", "http://shop/x?pin=1"},
                  {"X-Note", "about value-1 and value-2"},
                  {"Authorization", "Bearer value-2"}};
  const HttpHead redacted = redact_head(redactor, head);
  EXPECT_EQ(redacted.target, "/pay?token=" + hidden_in_http("value-1") + "&seat=7");
  EXPECT_EQ(redacted.headers[0].value, "http://shop/x?pin=" + hidden_in_http("1"));
  EXPECT_EQ(redacted.headers[1].value,
            "about " + hidden_in_http("value-1") + " and " + hidden_in_http("value-2"));
  EXPECT_EQ(redact_head(redactor, redacted), redacted);
}

TEST_F(Redacted, contents_by_their_type) {
  const auto content = [this](const char* type, const std::string& body) {
    return redact_content(redactor, type, body);
  };
  const std::string json = R"({"pin":"1"})";
  const std::string redacted = R"({"pin":")" + hidden_in_http("1") + R"("})";
  EXPECT_EQ(content("application/json; charset=utf-8", json), redacted);
  EXPECT_EQ(content("application/problem+JSON", json), redacted);
  EXPECT_EQ(content("", json), redacted);
  EXPECT_EQ(content("text/plain", " " + json), " " + redacted);
  EXPECT_EQ(content("text/event-stream", "event: x\ndata: " + json + "\n\ndata:" + json),
            "event: x\ndata: " + redacted + "\n\ndata:" + redacted);
  EXPECT_EQ(content("application/x-www-form-urlencoded", "pin=1"), "pin=" + hidden_in_http("1"));
  EXPECT_EQ(content("text/html", "<input name=pin value=1>"),
            "<input name=pin value=" + hidden_in_http("1") + ">");
  EXPECT_EQ(content("text/plain", "pin=1"), "pin=1");
}

TEST_F(Redacted, parts_by_their_names) {
  const std::string type = "multipart/form-data; x=y; boundary=\"b-1\"";
  const auto body = [](const std::string& pin, const std::string& inner) {
    return "--b-1\r\nContent-Disposition: form-data; name=\"pin\"\r\n\r\n" + pin +
           "\r\n--b-1\r\nContent-Disposition: form-data; name=file; filename=\"a;b\"\r\n"
           "Content-Type: application/json\r\n\r\n{\"pin\":" +
           inner + "}\r\n--b-1--\r\n";
  };
  EXPECT_EQ(redact_content(redactor, type, body("1\r\n2", "3")),
            body(hidden_in_http("1\r\n2"), "\"" + hidden_in_http("3") + "\""));
  EXPECT_EQ(redact_content(redactor, "multipart/mixed", "--\r\n"), "--\r\n");
}

TEST_F(Redacted, bodies_that_are_no_text_are_searched_as_bytes) {
  redactor.hide("value-1");
  const std::string bytes("\0\xff%\\value-1\0\x80", 12);
  EXPECT_EQ(redact_content(redactor, "application/octet-stream", bytes),
            std::string("\0\xff%\\", 4) + hidden_in_http("value-1") + std::string("\0\x80", 1));
}

TEST_F(Redacted, compressed_bodies_are_decoded_where_something_is_hidden) {
  // One block of deflate that is stored as it is.
  const auto compressed = [](const std::string& text) {
    const std::size_t size = text.size();
    const auto bytes = [](std::size_t number) {
      return std::string{static_cast<char>(number & 0xff), static_cast<char>(number >> 8 & 0xff)};
    };
    return "\x01" + bytes(size) + bytes(~size) + text;
  };
  const std::vector<HttpHeader> headers = {{"Content-Type", "application/json"},
                                           {"Content-Encoding", "deflate"}};
  const std::string harmless = compressed(R"({"a":1})");
  RedactedBody body = redact_body(redactor, headers, harmless, kHttpLimit);
  EXPECT_EQ(body.bytes, harmless);
  EXPECT_FALSE(body.is_decoded);
  body = redact_body(redactor, headers, compressed(R"({"pin":"1"})"), kHttpLimit);
  EXPECT_EQ(body.bytes, R"({"pin":")" + hidden_in_http("1") + R"("})");
  EXPECT_TRUE(body.is_decoded);
  EXPECT_TRUE(body.is_whole);
  body = redact_body(redactor, headers, compressed("[" + std::string(2 * kHttpLimit, '1') + "]"),
                     kHttpLimit);
  EXPECT_TRUE(body.is_decoded);
  EXPECT_FALSE(body.is_whole);
  EXPECT_EQ(body.bytes.size(), kHttpLimit);
  body = redact_body(redactor, headers, "not coded", kHttpLimit);
  EXPECT_EQ(body.bytes, "not coded");
}

}  // namespace
}  // namespace heddle
