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
  StoreSession& session = part_of(*sessions->front(), 0);
  EXPECT_EQ(&session, sessions->front().get());
  EXPECT_EQ(session.several(), nullptr);
  ASSERT_TRUE(session.send("SELECT 1"));
  EXPECT_EQ(session.take_replies().size(), 1U);
}

}  // namespace
}  // namespace heddle
