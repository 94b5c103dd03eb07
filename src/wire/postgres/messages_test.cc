#include "wire/postgres/messages.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::postgres {
namespace {

using std::string_literals::operator""s;

std::vector<WireMessage> messages_of(MessageReader& reader) {
  std::vector<WireMessage> found;
  while (true) {
    auto message = reader.next();
    EXPECT_TRUE(message) << to_string(message.error());
    if (!message || !*message) return found;
    found.push_back(**message);
  }
}

TEST(WireMessages, are_cut_out_of_any_pieces) {
  const std::vector<WireMessage> sent = {{'Q', "SELECT 1\0"s}, {'S', ""}, {'X', ""}};
  std::string bytes;
  for (const WireMessage& message : sent) bytes += to_bytes(message);
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    MessageReader reader;
    std::vector<WireMessage> found;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      reader.append(bytes.substr(at, piece));
      for (WireMessage& message : messages_of(reader)) found.push_back(std::move(message));
    }
    EXPECT_EQ(found, sent) << piece;
  }
}

TEST(WireMessages, what_begins_like_none_is_an_error) {
  MessageReader short_one;
  short_one.append("Q\0\0\0\3"s);
  EXPECT_FALSE(short_one.next());
  MessageReader long_one;
  long_one.append("Q\x7f\xff\xff\xff"s);
  EXPECT_FALSE(long_one.next());
  MessageReader without_type;
  without_type.append("\0\0\0\0\4"s);
  EXPECT_FALSE(without_type.next());
}

TEST(WireMessages, a_client_begins_without_a_type) {
  MessageReader reader(true);
  reader.append("\0\0\0\x08\x04\xd2\x16\x2f"s);
  const std::vector<WireMessage> request = messages_of(reader);
  ASSERT_EQ(request.size(), 1U);
  EXPECT_EQ(read_startup(request[0].body)->version, kTlsRequest);
  const std::string body = "\0\3\0\0user\0me\0database\0shop\0\0"s;
  const auto startup = read_startup(body);
  ASSERT_TRUE(startup);
  EXPECT_EQ(startup->version, kProtocolVersion);
  EXPECT_EQ(startup->parameters.at("user"), "me");
  EXPECT_EQ(startup->parameters.at("database"), "shop");
  reader.append(to_bytes({0, body}));
  EXPECT_EQ(messages_of(reader).size(), 1U);
  reader.started();
  reader.append(sync_bytes());
  EXPECT_EQ(messages_of(reader), (std::vector<WireMessage>{{'S', ""}}));
}

TEST(WireMessages, parameters_have_types_formats_and_values) {
  const auto parse = read_parse("S_1\0SELECT $1\0\0\1\0\0\0\x17"s);
  ASSERT_TRUE(parse);
  EXPECT_EQ(parse->statement, "S_1");
  EXPECT_EQ(parse->text, "SELECT $1");
  EXPECT_EQ(parse->types, std::vector<std::uint32_t>{23});
  const auto bind = read_bind("\0S_1\0\0\1\0\1\0\2\0\0\0\4\0\0\0\7\xff\xff\xff\xff\0\0"s);
  ASSERT_TRUE(bind);
  EXPECT_EQ(bind->statement, "S_1");
  ASSERT_EQ(bind->values.size(), 2U);
  EXPECT_EQ(value_text(*bind->values[0], format_at(bind->formats, 0), 23), "7");
  EXPECT_FALSE(bind->values[1]);
}

TEST(WireMessages, what_is_cut_off_is_not_read) {
  const std::string parse = "S_1\0SELECT $1\0\0\1\0\0\0\x17"s;
  const std::string bind = "\0S_1\0\0\1\0\1\0\1\0\0\0\4\0\0\0\7\0\0"s;
  const std::string columns = "\0\1id\0\0\0\0\x64\0\1\0\0\0\x17\0\4\xff\xff\xff\xff\0\0"s;
  for (std::size_t i = 0; i < parse.size(); ++i) EXPECT_FALSE(read_parse(parse.substr(0, i)));
  for (std::size_t i = 0; i < bind.size(); ++i) EXPECT_FALSE(read_bind(bind.substr(0, i)));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    EXPECT_FALSE(read_row_description(columns.substr(0, i)));
  }
  EXPECT_EQ(read_row_description(columns)->at(0).table, 100U);
}

TEST(WireMessages, values_in_binary_are_read_where_their_type_is_known) {
  EXPECT_EQ(value_text("\xff\xff\xff\xff\xff\xff\xff\xfe"s, 1, 20), "-2");
  EXPECT_EQ(value_text("\x3f\xf8\0\0\0\0\0\0"s, 1, 701), "1.5");
  EXPECT_EQ(value_text("\1"s, 1, kBooleanType), "t");
  EXPECT_EQ(value_text("abc", 1, 25), "abc");
  EXPECT_FALSE(value_text("\0\1"s, 1, 600));
  EXPECT_FALSE(value_text("\0\1"s, 1, 23));
}

TEST(WireMessages, errors_have_fields) {
  const auto fields = read_fields("SERROR\0C40P01\0Mdeadlock detected\0\0"s);
  EXPECT_EQ(fields.at('C'), "40P01");
  EXPECT_EQ(fields.at('M'), "deadlock detected");
}

}  // namespace
}  // namespace heddle::postgres
