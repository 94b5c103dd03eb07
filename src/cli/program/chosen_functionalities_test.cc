#include "cli/program/chosen_functionalities.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "cli/commands.h"
#include "cli/options/command.h"

namespace heddle {
namespace {

Program program() {
  Program program;
  program.functionalities.resize(3);
  program.functionalities[0].name = "accounts_pay";
  program.functionalities[0].method = "bank.Accounts.pay(Connection, int)";
  program.functionalities[1].name = "orders_pay";
  program.functionalities[1].method = "bank.Orders.pay(int)";
  program.functionalities[2].name = "audit";
  return program;
}

std::string chosen_by(const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::string& name : names) words.push_back("--only=" + name);
  const Result<Arguments> arguments = parse_arguments(find_command_definition(), words, "1");
  EXPECT_TRUE(arguments);
  const Result<std::vector<std::string>> found = chosen(*arguments, "--only", program());
  if (!found) return to_string(found.error());
  std::string text;
  for (const std::string& name : *found) text += (text.empty() ? "" : " ") + name;
  return text;
}

TEST(ChosenFunctionalities, AreNamedInManyWays) {
  for (const char* const name :
       {"accounts_pay", "Accounts.pay", "bank.Accounts.pay", "Accounts.pay(Connection, int)",
        "Accounts.*", "*Accounts.p?y", "bank.Acc*"}) {
    EXPECT_EQ(chosen_by({name}), "accounts_pay") << name;
  }
  EXPECT_EQ(chosen_by({"pay"}), "accounts_pay orders_pay");
  EXPECT_EQ(chosen_by({"*.pay"}), "accounts_pay orders_pay");
  EXPECT_EQ(chosen_by({"audit", "Orders.pay"}), "orders_pay audit");
}

TEST(ChosenFunctionalities, RoutinesHaveNamesWithoutCase) {
  EXPECT_EQ(chosen_by({"AUDIT"}), "audit");
  EXPECT_EQ(chosen_by({"Aud*"}), "audit");
  EXPECT_EQ(chosen_by({"accounts.PAY"}),
            "--only=accounts.PAY: there is no functionality of that name, did you mean "
            "\"accounts_pay\"?");
}

TEST(ChosenFunctionalities, UnknownNamesAreErrorsWithNearOnes) {
  EXPECT_EQ(chosen_by({"Acounts.pay"}),
            "--only=Acounts.pay: there is no functionality of that name, did you mean "
            "\"accounts_pay\"?");
  EXPECT_EQ(chosen_by({"zzzzzzzz"}),
            "--only=zzzzzzzz: there is no functionality of that name, use one of: Accounts.pay, "
            "Orders.pay, audit");
  EXPECT_EQ(chosen_by({"audit", "x*"}).substr(0, 12), "--only=x*: t");
}

}  // namespace
}  // namespace heddle
