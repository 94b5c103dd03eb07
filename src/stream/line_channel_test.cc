#include "stream/line_channel.h"

#include <chrono>

#include <gtest/gtest.h>

#include "stream/memory_stream.h"

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
  auto [our_end, theirs] = connected_streams();
  LineChannel ours{std::move(our_end)};
  const Deadline soon = Clock::now() + std::chrono::seconds(10);
  EXPECT_FALSE(ours.next());
  ASSERT_TRUE(theirs->write_all("one\ttwo\nthr", soon));
  EXPECT_EQ(ours.next(), (LineFields{"one", "two"}));
  EXPECT_FALSE(ours.next());
  EXPECT_FALSE(ours.has_ended());
  const auto late = ours.await(Clock::now() + std::chrono::milliseconds(5), "it");
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().trouble, Trouble::environment);
  EXPECT_EQ(late.error().what, "it does not answer");
  ASSERT_TRUE(theirs->write_all("ee\n", soon));
  theirs->close();
  const auto last = ours.await(soon, "it");
  ASSERT_TRUE(last);
  EXPECT_EQ(*last, LineFields{"three"});
  EXPECT_FALSE(ours.await(soon, "it"));
  EXPECT_TRUE(ours.has_ended());
  EXPECT_FALSE(ours.write({"nobody"}));
}

}  // namespace
}  // namespace heddle
