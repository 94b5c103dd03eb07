// Where streams are opened: in memory, and on a port.
#include <arpa/inet.h>
#include <chrono>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>

#include <gtest/gtest.h>

#include "stream/memory_stream.h"
#include "stream/stream_socket.h"

namespace heddle {
namespace {

Deadline in_time() { return std::chrono::steady_clock::now() + std::chrono::seconds(20); }

std::unique_ptr<Stream> connect_to_port(const std::string& address) {
  FileDescriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  place.sin_port =
      htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&place), sizeof place), 0);
  return std::make_unique<SocketStream>(std::move(socket));
}

void expect_that_they_talk(Stream& theirs, Stream& ours) {
  ASSERT_TRUE(theirs.write_all("hello", in_time()));
  ASSERT_TRUE(*wait_for(ours.readable(), in_time()));
  std::string heard;
  EXPECT_TRUE(ours.read_available(heard));
  EXPECT_EQ(heard, "hello");
}

TEST(MemoryListener, takes_connections_in_their_order) {
  MemoryListener listener;
  EXPECT_EQ(listener.accept_now(), nullptr);
  EXPECT_FALSE(*wait_for(listener.readable(), std::chrono::steady_clock::now()));
  const auto first = listener.connect();
  const auto second = listener.connect();
  EXPECT_TRUE(*wait_for(listener.readable(), in_time()));
  const auto accepted = listener.accept_now();
  ASSERT_NE(accepted, nullptr);
  expect_that_they_talk(*first, *accepted);
  const auto next = listener.accept_now();
  ASSERT_NE(next, nullptr);
  expect_that_they_talk(*second, *next);
  EXPECT_EQ(listener.accept_now(), nullptr);
  EXPECT_FALSE(*wait_for(listener.readable(), std::chrono::steady_clock::now()));
}

TEST(MemoryListener, closes_what_nobody_accepts) {
  std::unique_ptr<Stream> waiting;
  {
    MemoryListener listener;
    waiting = listener.connect();
  }
  std::string bytes;
  EXPECT_FALSE(waiting->read_available(bytes));
}

TEST(SocketListener, listens_on_a_port_that_the_system_chooses) {
  const auto opened = SocketListener::open(kLoopback);
  ASSERT_TRUE(opened) << to_string(opened.error());
  SocketListener& listener = **opened;
  EXPECT_TRUE(listener.address().starts_with("127.0.0.1:"));
  EXPECT_NE(listener.address(), kLoopback);
  EXPECT_EQ(listener.accept_now(), nullptr);
  const auto theirs = connect_to_port(listener.address());
  ASSERT_TRUE(*wait_for(listener.readable(), in_time()));
  const auto ours = listener.accept_now();
  ASSERT_NE(ours, nullptr);
  expect_that_they_talk(*theirs, *ours);
  expect_that_they_talk(*ours, *theirs);
  EXPECT_FALSE(SocketListener::open(listener.address())) << "somebody listens there";
}

TEST(SocketListener, says_what_is_no_address) {
  for (const char* text : {"", "8080", "127.0.0.1", "127.0.0.1:", ":80", "example:80", "::1:x"}) {
    const auto opened = SocketListener::open(text);
    ASSERT_FALSE(opened) << text;
    EXPECT_EQ(opened.error().trouble, Trouble::bad_input) << text;
  }
}

}  // namespace
}  // namespace heddle
