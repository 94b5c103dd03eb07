// Which calls of Java methods can be made.
#include "jvm/java_call.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jvm/java_machine.h"

namespace heddle {
namespace {

using testing::HasSubstr;

TEST(JavaCall, names_a_class_a_method_and_types) {
  const auto name = read_method_name("bank.Accounts.pay(Connection, int , BigDecimal)");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->type, "bank.Accounts");
  EXPECT_EQ(name->name, "pay");
  EXPECT_EQ(name->parameters, (std::vector<std::string>{"Connection", "int", "BigDecimal"}));
  EXPECT_TRUE(read_method_name("Bank.audit()")->parameters.empty());
  for (const char* text : {"", "pay", "pay()", ".pay()", "Bank.pay", "Bank.pay(int"}) {
    EXPECT_FALSE(read_method_name(text)) << text;
  }
}

TEST(JavaCall, needs_a_method_whose_arguments_are_known) {
  EXPECT_EQ(
      why_not_callable_in_java({.method = "Bank.withdraw(Connection, int)", .arguments = {"1"}}),
      "");
  EXPECT_THAT(why_not_callable_in_java({.method = "", .arguments = {}}), HasSubstr("which method"));
  EXPECT_THAT(why_not_callable_in_java({.method = "withdraw", .arguments = {}}),
              HasSubstr("is no method"));
  EXPECT_THAT(
      why_not_callable_in_java({.method = "Bank.draw(Connection, Random)", .arguments = {"1"}}),
      HasSubstr("draws values of its own"));
  EXPECT_THAT(why_not_callable_in_java({.method = "Bank.pay(Order)", .arguments = {"1", "2"}}),
              HasSubstr("more than one value"));
}

TEST(JavaCall, needs_classes_that_are_there) {
  const auto machine = JavaMachine::open("no/such/folder");
  ASSERT_FALSE(machine);
  EXPECT_THAT(machine.error().what, HasSubstr("no/such/folder"));
}

}  // namespace
}  // namespace heddle
