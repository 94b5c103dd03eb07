// Packets of MariaDB's protocol, against what its documentation says of their bytes.
#include "wire/mariadb/packets.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace heddle::mariadb {
namespace {

using namespace std::string_literals;

std::string packet(const std::string& body, std::uint8_t sequence = 0) {
  PacketWriter writer(sequence);
  writer.add(body);
  return writer.take();
}

// What a client answers to the greeting: with its capabilities.
std::string answer_of(const std::string& capabilities, const std::string& user) {
  return capabilities + std::string(28, '\0') + user + '\0' + '\0';
}

TEST(MariadbPackets, are_cut_out_of_whatever_arrives) {
  const std::string bytes = packet("\x03SELECT 1", 0) + packet("\x01", 0);
  EXPECT_EQ(bytes.substr(0, 5), "\x09\x00\x00\x00\x03"s);
  PacketReader reader;
  std::size_t count = 0;
  for (const char byte : bytes) {
    reader.append(std::string_view(&byte, 1));
    while (const auto read = reader.next()) {
      EXPECT_EQ(read->body, count == 0 ? "\x03SELECT 1" : "\x01");
      ++count;
    }
  }
  EXPECT_EQ(count, 2U);
}

TEST(MariadbPackets, go_on_in_another_one_where_they_are_long) {
  constexpr std::size_t kLongest = 0xffffff;
  for (const std::size_t size : {kLongest - 1, kLongest, kLongest + 1}) {
    const std::string body(size, 'x');
    const std::string bytes = packet(body, 255);
    EXPECT_EQ(bytes.size(), size + (size < kLongest ? 4 : 8));
    PacketReader reader;
    reader.append(bytes);
    const auto read = reader.next();
    ASSERT_TRUE(read);
    EXPECT_TRUE(read->body == body);
    EXPECT_EQ(read->sequence, size < kLongest ? 255 : 0);
    EXPECT_FALSE(reader.next());
  }
}

TEST(MariadbPackets, say_what_a_client_asks_for) {
  EXPECT_EQ(query_text({.body = "\x03SELECT 1"}), "SELECT 1");
  EXPECT_EQ(query_text({.body = "\x03"}), "");
  EXPECT_EQ(query_text({.body = "\x16SELECT 1"}), std::nullopt);
  EXPECT_EQ(query_text({.body = ""}), std::nullopt);
  EXPECT_TRUE(asks_for({.body = "\x0e"}, Command::ping));
  EXPECT_FALSE(asks_for({.body = "\x0e."}, Command::ping));
  EXPECT_FALSE(asks_for({.body = ""}, Command::quit));
}

TEST(MariadbPackets, greet_and_read_who_answers) {
  const std::string hello = greeting("10.11.6-MariaDB", 7, 2);
  EXPECT_EQ(hello.substr(0, 21), "\x0a"s + "10.11.6-MariaDB\0"s + "\x07\0\0\0"s);
  EXPECT_TRUE(hello.ends_with("mysql_native_password\0"s));
  EXPECT_EQ(read_user(answer_of("\0\x02\0\0"s, "token")), "token");
  EXPECT_EQ(read_user(answer_of("\0\x0a\0\0"s, "token")), std::nullopt);  // asks for TLS
  EXPECT_EQ(read_user(answer_of("\0\0\0\0"s, "token")), std::nullopt);    // an old protocol
  EXPECT_EQ(read_user("\0\x02\0\0"s), std::nullopt);
  EXPECT_EQ(read_user("\0\x02\0\0"s + std::string(40, 'x')), std::nullopt);
}

TEST(MariadbPackets, say_how_a_statement_ended) {
  EXPECT_EQ(done_body({.affected = 2, .inserted = 300, .status = 3, .warnings = 1}),
            "\0\x02\xfc\x2c\x01\x03\0\x01\0"s);
  EXPECT_EQ(error_body(1213, "40001", "Deadlock"), "\xff\xbd\x04#40001Deadlock"s);
  EXPECT_EQ(end_body(0, 3), "\xfe\0\0\x03\0"s);
}

TEST(MariadbPackets, describe_columns_and_rows) {
  EXPECT_EQ(count_body(2), "\x02"s);
  EXPECT_EQ(column_body({.database = "d",
                         .table = "t",
                         .source_table = "u",
                         .name = "a",
                         .source = "b",
                         .charset = 45,
                         .length = 11,
                         .type = 3,
                         .flags = 1,
                         .decimals = 0}),
            "\x03"
            "def\x01"
            "d\x01"
            "t\x01u\x01"
            "a\x01"
            "b\x0c\x2d\0\x0b\0\0\0\x03\x01\0\0\0\0"s);
  EXPECT_EQ(row_body({"5", std::nullopt, ""}),
            "\x01"
            "5\xfb\0"s);
  EXPECT_EQ(row_body({std::string(0xfb, 'x')}), "\xfc\xfb\0"s + std::string(0xfb, 'x'));
  EXPECT_EQ(row_body({std::string(0x10000, 'x')}), "\xfd\0\0\x01"s + std::string(0x10000, 'x'));
}

}  // namespace
}  // namespace heddle::mariadb
