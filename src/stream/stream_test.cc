// What holds of streams of every kind.
#include "stream/stream.h"

#include <chrono>
#include <poll.h>
#include <string>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/file.h"
#include "stream/memory_stream.h"
#include "stream/stream_socket.h"

namespace heddle {
namespace {

using Clock = std::chrono::steady_clock;
using Ends = std::pair<std::unique_ptr<Stream>, std::unique_ptr<Stream>>;

constexpr std::size_t kMuch = 4'000'000;

Ends ends_in_memory() { return connected_streams(); }

Ends ends_of_sockets() {
  int sockets[2] = {-1, -1};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets), 0);
  return {std::make_unique<SocketStream>(FileDescriptor(sockets[0])),
          std::make_unique<SocketStream>(FileDescriptor(sockets[1]))};
}

Deadline in_ms(int count) { return Clock::now() + std::chrono::milliseconds(count); }
Deadline within_time() { return in_ms(20'000); }

bool is_ready(Watched watched) {
  pollfd look{watched.descriptor, watched.events, 0};
  return ::poll(&look, 1, 0) == 1;
}

// What differs from place to place.
std::string long_text() {
  std::string text;
  for (std::size_t i = 0; text.size() < kMuch; ++i) text += std::to_string(i) + " ";
  return text;
}

struct StreamKind {
  const char* name;
  Ends (*make)();
};

class Streams : public testing::TestWithParam<StreamKind> {
 protected:
  Streams() { std::tie(ours_, theirs_) = GetParam().make(); }

  std::unique_ptr<Stream> ours_;
  std::unique_ptr<Stream> theirs_;
};

INSTANTIATE_TEST_SUITE_P(Each, Streams,
                         testing::Values(StreamKind{"memory", ends_in_memory},
                                         StreamKind{"socket", ends_of_sockets}),
                         [](const auto& each) { return each.param.name; });

TEST_P(Streams, give_what_has_arrived) {
  std::string bytes = "so far: ";
  EXPECT_TRUE(ours_->read_available(bytes));
  EXPECT_FALSE(is_ready(ours_->readable()));
  EXPECT_TRUE(is_ready(ours_->writable()));
  ASSERT_TRUE(theirs_->write_all("one two", within_time()));
  EXPECT_TRUE(is_ready(ours_->readable()));
  EXPECT_TRUE(ours_->read_some(bytes, 3));
  EXPECT_EQ(bytes, "so far: one");
  EXPECT_TRUE(is_ready(ours_->readable()));
  EXPECT_TRUE(ours_->read_available(bytes));
  EXPECT_EQ(bytes, "so far: one two");
  EXPECT_FALSE(is_ready(ours_->readable()));
}

TEST_P(Streams, write_as_much_as_goes) {
  const std::string text = long_text();
  std::string_view left = text;
  ASSERT_TRUE(ours_->write_some(left));
  ASSERT_FALSE(left.empty());
  ASSERT_LT(left.size(), text.size());
  EXPECT_FALSE(is_ready(ours_->writable()));
  const std::size_t before = left.size();
  ASSERT_TRUE(ours_->write_some(left));
  EXPECT_EQ(left.size(), before);
  std::string read;
  while (!left.empty()) {
    ASSERT_TRUE(theirs_->read_available(read));
    ASSERT_TRUE(is_ready(ours_->writable()));
    ASSERT_TRUE(ours_->write_some(left));
  }
  ASSERT_TRUE(theirs_->read_available(read));
  EXPECT_EQ(read, text);
}

TEST_P(Streams, write_all_gives_up_at_the_deadline) {
  EXPECT_FALSE(ours_->write_all(long_text(), in_ms(20)));
}

TEST_P(Streams, write_all_waits_for_a_slow_reader) {
  const std::string text = long_text();
  std::string read;
  std::thread reader([&] {
    while (theirs_->read_some(read, 10'000)) {
      if (!wait_for(theirs_->readable(), within_time())) return;
    }
  });
  EXPECT_TRUE(ours_->write_all(text, within_time()));
  ours_->end_writing();
  reader.join();
  EXPECT_EQ(read, text);
}

TEST_P(Streams, end_in_one_direction) {
  ASSERT_TRUE(ours_->write_all("last", within_time()));
  ours_->end_writing();
  std::string bytes;
  EXPECT_TRUE(is_ready(theirs_->readable()));
  EXPECT_FALSE(theirs_->read_available(bytes));
  EXPECT_EQ(bytes, "last");
  EXPECT_FALSE(theirs_->read_available(bytes));
  EXPECT_FALSE(ours_->write_all("more", within_time()));

  std::string answer;
  EXPECT_TRUE(ours_->read_available(answer));
  ASSERT_TRUE(theirs_->write_all("answer", within_time()));
  EXPECT_TRUE(ours_->read_available(answer));
  EXPECT_EQ(answer, "answer");
}

TEST_P(Streams, tell_that_the_other_side_has_gone) {
  ASSERT_TRUE(theirs_->write_all("bye", within_time()));
  theirs_->close();
  EXPECT_FALSE(theirs_->is_open());
  EXPECT_EQ(theirs_->readable().descriptor, -1);
  EXPECT_TRUE(ours_->is_open());
  EXPECT_TRUE(is_ready(ours_->readable()));
  EXPECT_TRUE(is_ready(ours_->writable()));
  std::string bytes;
  EXPECT_FALSE(ours_->read_available(bytes));
  EXPECT_EQ(bytes, "bye");
  EXPECT_FALSE(ours_->write_all("hello", within_time()));
}

TEST_P(Streams, free_a_writer_that_waits_when_the_reader_goes) {
  std::thread reader([&] {
    std::string bytes;
    if (wait_for(theirs_->readable(), within_time())) theirs_->read_some(bytes, 1);
    theirs_->close();
  });
  EXPECT_FALSE(ours_->write_all(long_text(), within_time()));
  reader.join();
}

TEST_P(Streams, are_no_longer_watched_once_closed) {
  const FileDescriptor events(::epoll_create1(EPOLL_CLOEXEC));
  epoll_event event{};
  event.events = static_cast<std::uint32_t>(ours_->readable().events);
  ASSERT_EQ(::epoll_ctl(events.get(), EPOLL_CTL_ADD, ours_->readable().descriptor, &event), 0);
  epoll_event seen{};
  EXPECT_EQ(::epoll_wait(events.get(), &seen, 1, 0), 0);
  ASSERT_TRUE(theirs_->write_all("a", within_time()));
  EXPECT_EQ(::epoll_wait(events.get(), &seen, 1, 0), 1);
  ours_->close();
  EXPECT_EQ(::epoll_wait(events.get(), &seen, 1, 0), 0);
}

TEST_P(Streams, are_served_several_at_once) {
  std::vector<Ends> pairs;
  for (int i = 0; i < 5; ++i) pairs.push_back(GetParam().make());
  for (const std::size_t i : {3U, 1U}) {
    ASSERT_TRUE(pairs[i].second->write_all(std::to_string(i), within_time()));
  }
  std::string bytes;
  for (const Ends& pair : pairs) {
    if (!is_ready(pair.first->readable())) continue;
    EXPECT_TRUE(pair.first->read_available(bytes));
  }
  EXPECT_EQ(bytes, "13");
}

TEST_P(Streams, are_waited_for_until_the_deadline) {
  const auto late = wait_for(ours_->readable(), in_ms(5));
  ASSERT_TRUE(late);
  EXPECT_FALSE(*late);
  ASSERT_TRUE(theirs_->write_all("a", within_time()));
  const auto there = wait_for(ours_->readable(), within_time());
  ASSERT_TRUE(there);
  EXPECT_TRUE(*there);
}

}  // namespace
}  // namespace heddle
