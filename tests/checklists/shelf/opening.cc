#include <gtest/gtest.h>

#include "store/open/open.h"

namespace heddle {
namespace {

TEST(Shelf, IsOpenedByItsAddressAndAnswers) {
  const auto server = open_server("shelf");
  ASSERT_TRUE(server) << to_string(server.error());
  const auto database = (*server)->create_database("");
  ASSERT_TRUE(database);
  const auto sessions = (*database)->open_sessions({SessionOptions()});
  ASSERT_TRUE(sessions);
  ASSERT_TRUE(sessions->front()->send("SELECT 1"));
  EXPECT_EQ(sessions->front()->take_replies().size(), 1U);
}

}  // namespace
}  // namespace heddle
