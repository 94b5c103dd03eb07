// The values that a request or an answer holds, each with its place and what it is called there:
// parts of paths, fields of queries and forms, headers, cookies, members of JSON, words of texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/trace.h"
#include "race/requests/coded_text.h"
#include "race/requests/http_texts.h"

namespace heddle {

// The texts of a message; an answer has no target.
struct MessageText {
  std::string target = {};
  TraceHeaders headers = {};
  std::string body = {};  // not compressed
};

enum class MessagePart : std::uint8_t { target, header, body };

struct MessageValue {
  CodedText coded;
  MessagePart part = MessagePart::body;
  std::size_t header = 0;   // which one, in MessageText::headers
  std::string path = {};    // finds it again in a similar message: "/body/lines/0/id"
  std::string field = {};   // what it is called: "id", "order"; empty: nothing
  std::string entity = {};  // what it is a field of: "order"; empty: not known
  bool is_bare = false;     // a number or word of JSON, without quotes
  bool is_quoted = false;   // a string of JSON

  const std::string& text() const { return coded.text; }
};

// In the order of the message; where a value has values within (a URL, JSON in a string) it comes
// before these. `resource`: what the message is about, as resource_of() says.
std::vector<MessageValue> values_of(const MessageText& message, std::string_view resource);

MessageText text_of_request(const TraceRequest& request);
MessageText text_of_answer(const TraceRequest& request);
// Without its coding, up to 64 MB; one that cannot be decoded has no body.
MessageText text_of_answer(const HttpAnswer& answer);

// What a target is about, which is the last word of its path: "line" for /orders/17/lines?all=1.
// Empty: it has no words.
std::string resource_of(std::string_view target);
// One of many: "order" of "orders", "entry" of "entries".
std::string singular(std::string_view word);

// What the value is called, in letters and digits: the `id` of an order is "order" and "orderid",
// its `price` is "order.price".
std::vector<std::string> names_of(const MessageValue& value);
// What the value may be called where it comes from: a field `order` may be the `id` of an order as
// well.
std::vector<std::string> origin_names(const MessageValue& value);
// Whether its name says that it tells things apart: id, key, order_id.
bool is_identity(const MessageValue& value);

}  // namespace heddle
