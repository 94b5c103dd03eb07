#include "wire/postgres/message_cutter.h"

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "wire/postgres/messages.h"

namespace heddle::postgres {
namespace {

constexpr std::size_t kMostKept = 10;

struct Seen {
  char type = 0;
  std::string body;
  std::uint64_t size = 0;
  std::uint64_t hash = 0;

  friend bool operator==(const Seen&, const Seen&) = default;
};

// All messages of the stream, given in parts of at most so many bytes.
std::vector<Seen> cut(std::string_view stream, const std::vector<std::size_t>& parts) {
  MessageCutter cutter(kMostKept);
  std::vector<Seen> seen;
  std::size_t part = 0;
  while (!stream.empty()) {
    const std::string copy(stream.substr(0, parts[part++ % parts.size()]));
    std::string_view bytes = copy;
    stream.remove_prefix(copy.size());
    while (!bytes.empty()) {
      auto message = cutter.take(bytes);
      EXPECT_TRUE(message);
      if (!message || !*message) break;
      seen.push_back(
          {(*message)->type, std::string((*message)->body), (*message)->size, (*message)->hash});
    }
  }
  EXPECT_FALSE(cutter.is_within());
  return seen;
}

TEST(MessageCutter, gives_the_same_messages_wherever_the_stream_is_cut) {
  std::mt19937_64 random(7);
  for (std::size_t left_rounds = test_rounds(200); left_rounds > 0; --left_rounds) {
    std::string stream;
    std::vector<WireMessage> sent;
    for (std::size_t left = 1 + random() % 5; left > 0; --left) {
      WireMessage message{.type = static_cast<char>('A' + random() % 26), .body = {}};
      for (std::size_t bytes = random() % 30; bytes > 0; --bytes) {
        message.body += static_cast<char>(random());
      }
      stream += to_bytes(message);
      sent.push_back(std::move(message));
    }
    const std::vector<Seen> whole = cut(stream, {stream.size()});
    ASSERT_EQ(whole.size(), sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i) {
      EXPECT_EQ(whole[i].type, sent[i].type);
      EXPECT_EQ(whole[i].body, sent[i].body.substr(0, kMostKept));
      EXPECT_EQ(whole[i].size, sent[i].body.size());
    }
    EXPECT_EQ(cut(stream, {1}), whole);
    EXPECT_EQ(cut(stream, {1 + random() % 9, 1 + random() % 9, 1 + random() % 9}), whole);
  }
}

TEST(MessageCutter, tells_long_messages_apart_by_their_hashes) {
  const std::string one = to_bytes({'D', std::string(100, 'a') + "x"});
  const std::string other = to_bytes({'D', std::string(100, 'a') + "y"});
  EXPECT_NE(cut(one, {one.size()}).front().hash, cut(other, {other.size()}).front().hash);
}

TEST(MessageCutter, refuses_what_is_no_message) {
  for (const std::string_view bytes :
       {std::string_view("Q\0\0\0\3", 5), std::string_view("\0\0\0\0\4", 5),
        std::string_view("Q\x7f\0\0\0", 5)}) {
    MessageCutter cutter(kMostKept);
    std::string_view left = bytes;
    EXPECT_FALSE(cutter.take(left));
  }
  MessageCutter beginning(kMostKept, true);
  std::string_view tls("\x16\3\1\2", 4);
  EXPECT_FALSE(beginning.take(tls));
}

}  // namespace
}  // namespace heddle::postgres
