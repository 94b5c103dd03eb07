#include "store/ring/watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heddle {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

WatchedRow row(const std::string& key, const std::string& text) {
  return {.writer = "", .text = text, .value = text, .key = {key}};
}

std::vector<std::string> texts(const std::vector<WatchedRow>& rows) {
  std::vector<std::string> all;
  for (const WatchedRow& one : rows) all.push_back(one.text);
  return all;
}

TEST(RingWatch, shows_what_was_written_last_wherever) {
  RingWatch watch;
  EXPECT_THAT(texts(watch.merge("t", {{{row("1", "a")}, {row("1", "a")}}}, {})), ElementsAre("a"));
  EXPECT_THAT(texts(watch.merge("t", {{{row("1", "b")}, {row("1", "a")}}}, {})), ElementsAre("b"));
  EXPECT_THAT(texts(watch.merge("t", {{{row("1", "b")}, {row("1", "c")}}}, {})), ElementsAre("c"));
  // The second server gets the first one's row over its own.
  EXPECT_THAT(texts(watch.merge("t", {{{row("1", "b")}, {row("1", "b")}}}, {{false, true}})),
              ElementsAre("c"));
  EXPECT_THAT(texts(watch.merge("t", {{{row("1", "b")}, {}}}, {})), IsEmpty());
  watch.begin();
  EXPECT_THAT(texts(watch.merge("t", {{{row("1", "b")}, {}}}, {})), ElementsAre("b"));
}

TEST(RingWatch, tells_equal_rows_without_a_key_apart) {
  RingWatch watch;
  const WatchedRow same{.writer = "", .text = "x", .value = "x", .key = {}};
  EXPECT_THAT(texts(watch.merge("t", {{{same, same}, {same, same}}}, {})), ElementsAre("x", "x"));
  EXPECT_THAT(texts(watch.merge("t", {{{same}, {same, same}}}, {})), ElementsAre("x"));
}

}  // namespace
}  // namespace heddle
