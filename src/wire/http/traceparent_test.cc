#include "wire/http/traceparent.h"

#include <string>

#include <gtest/gtest.h>

#include "base/must_testing.h"

namespace heddle {
namespace {

const std::string kTrace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string kSpan = "00f067aa0ba902b7";
const std::string kGood = "00-" + kTrace + "-" + kSpan + "-01";

TEST(Traceparents, are_read_and_written) {
  const auto read = read_traceparent(kGood);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->trace_id, kTrace);
  EXPECT_EQ(read->parent_id, kSpan);
  EXPECT_EQ(read->flags, 1);
  EXPECT_EQ(traceparent_text(*read), kGood);
  EXPECT_EQ(read_traceparent(" " + kGood + "\t"), read);
  EXPECT_EQ(read_traceparent("00-" + kTrace + "-" + kSpan + "-fe")->flags, 0xfe);
}

TEST(Traceparents, of_later_versions_begin_alike) {
  EXPECT_EQ(read_traceparent("cc" + kGood.substr(2)), read_traceparent(kGood));
  EXPECT_EQ(read_traceparent("cc" + kGood.substr(2) + "-more"), read_traceparent(kGood));
  EXPECT_FALSE(read_traceparent("cc" + kGood.substr(2) + "more"));
  EXPECT_FALSE(read_traceparent(kGood + "-more"));
  EXPECT_FALSE(read_traceparent("ff" + kGood.substr(2)));
}

TEST(Traceparents, that_are_invalid_are_ignored) {
  for (const std::string& text :
       {std::string(), kGood.substr(1), kGood.substr(0, kGood.size() - 1), kGood + "0",
        "0x" + kGood.substr(2), "00_" + kGood.substr(3), "00-" + kTrace + kSpan + "--01",
        "00-" + std::string(32, '0') + "-" + kSpan + "-01",
        "00-" + kTrace + "-" + std::string(16, '0') + "-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + kSpan + "-01",
        "00-" + kTrace + "-" + kSpan + "-0g", "00-" + kTrace + "-00f067aa0ba902b-701"}) {
    EXPECT_FALSE(read_traceparent(text)) << text;
  }
}

TEST(Traceparents, of_headers_stand_there_once) {
  EXPECT_TRUE(traceparent_of({{"A", "b"}, {"Traceparent", kGood}}));
  EXPECT_FALSE(traceparent_of({{"traceparent", kGood}, {"traceparent", kGood}}));
  EXPECT_FALSE(traceparent_of({}));
}

TEST(Traceparents, are_drawn_anew) {
  const Traceparent one = must(draw_traceparent());
  EXPECT_EQ(read_traceparent(traceparent_text(one)), one);
  EXPECT_NE(one, must(draw_traceparent()));
  EXPECT_NE(must(draw_span_id()), must(draw_span_id()));
}

}  // namespace
}  // namespace heddle
