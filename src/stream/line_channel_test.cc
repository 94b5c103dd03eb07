#include "stream/line_channel.h"

#include <chrono>
#include <sys/socket.h>

#include <gtest/gtest.h>

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;

TEST(LineChannel, says_any_text_in_a_line) {
  const LineFields fields = {"call", "a\tb\nc\\N\r", std::nullopt, "", "\\"};
  const std::string line = to_line(fields);
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(read_line(line.substr(0, line.size() - 1)), fields);
}

TEST(LineChannel, takes_lines_as_they_come_and_tells_the_end) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  LineChannel ours{FileDescriptor(ends[0])};
  FileDescriptor theirs(ends[1]);
  EXPECT_FALSE(ours.next());
  ASSERT_EQ(::send(theirs.get(), "one\ttwo\nthr", 11, 0), 11);
  EXPECT_EQ(ours.next(), (LineFields{"one", "two"}));
  EXPECT_FALSE(ours.next());
  EXPECT_FALSE(ours.has_ended());
  const auto late = ours.await(Clock::now() + std::chrono::milliseconds(5));
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().trouble, Trouble::environment);
  ASSERT_EQ(::send(theirs.get(), "ee\n", 3, 0), 3);
  theirs.reset();
  const auto last = ours.await(Clock::now() + std::chrono::seconds(10));
  ASSERT_TRUE(last);
  EXPECT_EQ(*last, LineFields{"three"});
  EXPECT_FALSE(ours.await(Clock::now() + std::chrono::seconds(10)));
  EXPECT_TRUE(ours.has_ended());
  EXPECT_FALSE(ours.write({"nobody"}));
}

}  // namespace
}  // namespace heddle
