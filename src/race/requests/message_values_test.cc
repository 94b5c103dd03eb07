#include "race/requests/message_values.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

// One line for each value: where, what it is called, what it is.
std::string shown(const MessageText& message, std::string_view resource = "thing") {
  std::string lines;
  for (const MessageValue& each : values_of(message, resource)) {
    lines += fmt::format("{} {}.{} [{}]\n", each.path, each.entity, each.field, each.text());
  }
  return lines;
}

std::string shown_body(const std::string& type, const std::string& body) {
  return shown({.headers = {{"Content-Type", type}}, .body = body});
}

TEST(MessageValues, of_targets) {
  EXPECT_EQ(shown({.target = "/orders/7/lines?page=2&q=a+b%2F"}),
            "/path/1 . [orders]\n/path/2 orders.id [7]\n/path/3 . [lines]\n"
            "/query/page thing.page [2]\n/query/q thing.q [a b/]\n");
  EXPECT_EQ(shown({.target = "http://host:1/a%20b?x=1#?y=2"}),
            "/path/1 . [a b]\n/query/x thing.x [1]\n");
  EXPECT_EQ(shown({.target = "*"}), "/path/0 . [*]\n");
  EXPECT_EQ(shown({.target = "/?a[b]=1&a[b]=2&c"}),
            "/query/a[b] thing.b [1]\n"
            "/query/a[b]#1 thing.b [2]\n");
}

TEST(MessageValues, of_headers) {
  EXPECT_EQ(shown({.headers = {{"Authorization", "Bearer abc"},
                               {"Cookie", "a=1; b=\"2\""},
                               {"Set-Cookie", "sid=x; Path=/a"},
                               {"User-Agent", "curl"},
                               {"Idempotency-Key", " k "},
                               {"Location", "/orders/7?x=1"}}}),
            "/header/authorization header.authorization [abc]\n"
            "/cookie/a cookie.a [1]\n/cookie/b cookie.b [2]\n/cookie/sid cookie.sid [x]\n"
            "/header/idempotency-key header.idempotency-key [k]\n"
            "/header/location header.location [/orders/7?x=1]\n"
            "/header/location/url/path/1 . [orders]\n"
            "/header/location/url/path/2 orders.id [7]\n"
            "/header/location/url/query/x thing.x [1]\n");
}

TEST(MessageValues, of_json) {
  EXPECT_EQ(
      shown_body("application/json", R"({"id": 7, "of": {"a/b": [true, "x\ny"]}, "n": -1.50})"),
      "/body/id thing.id [7]\n/body/of/a~1b/0 of.a/b [true]\n"
      "/body/of/a~1b/1 of.a/b [x\ny]\n/body/n thing.n [-1.50]\n");
  EXPECT_EQ(shown_body("application/json", "[{\"id\": 1}, {\"id\": 2}]"),
            "/body/0/id thing.id [1]\n/body/1/id thing.id [2]\n");
  EXPECT_EQ(shown_body("", "{\"a\": 1}\n{\"a\": 2}\n"),
            "/body/a thing.a [1]\n/body/document/1/a thing.a [2]\n");
  EXPECT_EQ(shown_body("text/plain", R"({"in": "{\"a\": [1]}", "url": "http://h/orders/7"})"),
            "/body/in thing.in [{\"a\": [1]}]\n/body/in/json/a/0 thing.a [1]\n"
            "/body/url thing.url [http://h/orders/7]\n/body/url/url/path/1 . [orders]\n"
            "/body/url/url/path/2 orders.id [7]\n");
  EXPECT_EQ(shown_body("application/json", R"({"a": "cut o)"), "/body/a thing.a [cut o]\n");
  EXPECT_EQ(shown_body("application/json", "\"x\""), "/body thing. [x]\n");
}

TEST(MessageValues, of_json_that_is_nested_too_deeply) {
  const std::string deep = std::string(1000, '[') + "1" + std::string(1000, ']');
  EXPECT_EQ(shown_body("application/json", "{\"d\": " + deep + ", \"a\": 2}"),
            "/body/a thing.a [2]\n");
}

TEST(MessageValues, of_forms_and_their_parts) {
  EXPECT_EQ(shown_body("application/x-www-form-urlencoded",
                       "name=a+b&user[pin]=1&data=%7B%22x%22%3A3%7D"),
            "/body/name thing.name [a b]\n/body/user[pin] thing.pin [1]\n"
            "/body/data thing.data [{\"x\":3}]\n/body/data/json/x thing.x [3]\n");
  EXPECT_EQ(shown_body("multipart/form-data; boundary=\"B\"",
                       "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
                       "--B\r\nContent-Disposition: form-data; name=b\r\n"
                       "Content-Type: application/json\r\n\r\n{\"c\": 2}\r\n--B--\r\n"),
            "/body/part/a thing.a [1]\n/body/part/b/c thing.c [2]\n");
}

TEST(MessageValues, of_texts) {
  EXPECT_EQ(shown_body("text/plain", "Order 17, and 18"),
            "/body/word/ thing. [Order]\n/body/word/Order  thing. [17]\n"
            "/body/word/#,  thing. [and]\n/body/word/#, and  thing. [18]\n");
  EXPECT_EQ(shown_body("text/html", "<input name=\"t\" value=\"<secret:0123456789abcdef>\"><b>"),
            "/body/word/< thing. [input]\n/body/word/<input  thing. [name]\n"
            "/body/word/<input name=\" thing. [t]\n/body/word/<input name=\"t\"  thing. [value]\n"
            "/body/word/<input name=\"t\" value=\" thing. [<secret:0123456789abcdef>]\n"
            "/body/word/#\">< thing. [b]\n");
}

TEST(MessageValues, are_called_by_what_they_are_about) {
  const auto names = [](const std::string& entity, const std::string& field, bool as_origin) {
    MessageValue value;
    value.entity = entity;
    value.field = field;
    std::string all;
    for (const std::string& each : as_origin ? origin_names(value) : names_of(value))
      all += each + " ";
    return all;
  };
  EXPECT_EQ(names("orders", "id", false), "order orderid ");
  EXPECT_EQ(names("payments", "order_id", false), "order orderid ");
  EXPECT_EQ(names("payments", "orderId", false), "order orderid ");
  EXPECT_EQ(names("payments", "order", false), "payment.order ");
  EXPECT_EQ(names("payments", "order", true), "payment.order order ");
  EXPECT_EQ(names("", "id", false), "id ");
  EXPECT_EQ(names("x", "", true), "");
  EXPECT_EQ(singular("entries"), "entry");
  EXPECT_EQ(singular("Addresses"), "address");
  EXPECT_EQ(singular("boxes"), "box");
  EXPECT_EQ(singular("address"), "address");
  EXPECT_EQ(resource_of("/a/orders/17?lines=1"), "order");
  EXPECT_EQ(resource_of("/7"), "");
}

TEST(MessageValues, of_compressed_answers) {
  // "{"id":7}", by gzip.
  const std::string coded(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xab\x56\xca\x4c\x51\xb2\x32\xaf\x05\x00", 20);
  HttpAnswer answer{.status = 200, .headers = {{"Content-Encoding", "gzip"}}};
  answer.body = coded;
  // Without its end it is no gzip.
  EXPECT_EQ(text_of_answer(answer).headers, answer.headers);
  answer.headers.clear();
  EXPECT_EQ(text_of_answer(answer).body, coded);
}

}  // namespace
}  // namespace heddle
