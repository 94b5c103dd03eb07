#include "store/refusal_state.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

TEST(RefusalState, is_what_postgres_calls_the_error) {
  EXPECT_EQ(refusal_state("1062"), "23505");
  EXPECT_EQ(refusal_state("4025"), "23514");
  EXPECT_EQ(refusal_state("SQLITE_CONSTRAINT_UNIQUE"), "23505");
  EXPECT_EQ(refusal_state("SQLITE_CONSTRAINT_FOREIGNKEY"), "23503");
  EXPECT_EQ(refusal_state("23505"), "23505");
  EXPECT_EQ(refusal_state("1999"), "1999");
}

}  // namespace
}  // namespace heddle
