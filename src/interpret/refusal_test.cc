#include "interpret/refusal.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::interpreter {
namespace {

bool is_named_by(const std::string& name) {
  return is_refusal(
      {.sqlstate = "23505", .exception = "SeatTakenException", .message = "seat 12 is taken"},
      {"55000", name});
}

TEST(Refusal, is_named_by_state_condition_exception_or_message) {
  for (const char* name : {"23505", "23", "unique_violation", "integrity_constraint_violation",
                           "SeatTakenException", "shop.seats.SeatTakenException", "Seat*",
                           "seat 12 is taken", "seat * is taken", "*taken"}) {
    EXPECT_TRUE(is_named_by(name)) << name;
  }
  for (const char* name : {"23503", "22", "check_violation", "TakenException", "seat", "seat * is",
                           "shop.Other", ""}) {
    EXPECT_FALSE(is_named_by(name)) << name;
  }
}

TEST(Refusal, of_class_40_needs_no_name) {
  EXPECT_TRUE(is_refusal({.sqlstate = "40001", .exception = {}, .message = {}}, {}));
  EXPECT_TRUE(is_refusal({.sqlstate = "40P01", .exception = {}, .message = {}}, {}));
  EXPECT_FALSE(is_refusal({.sqlstate = "P0001", .exception = {}, .message = "40"}, {}));
}

TEST(Refusal, of_a_raise_is_that_of_its_format) {
  const Raise raise{.condition = "", .message = "seat % is taken", .values = {}};
  EXPECT_EQ(state_of(raise), "P0001");
  EXPECT_TRUE(is_refusal(raise, {"seat * is taken"}));
  EXPECT_FALSE(is_refusal(raise, {"seat 12 is taken"}));
  EXPECT_TRUE(
      is_refusal(Raise{.condition = "serialization_failure", .message = "", .values = {}}, {}));
  EXPECT_EQ(state_of({.condition = "no_data_found", .message = "", .values = {}}), "P0002");
}

}  // namespace
}  // namespace heddle::interpreter
