#include "race/requests/secret_values.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace heddle {
namespace {

// A folder with a heddle.yaml of its own.
class SecretValues : public testing::Test {
 protected:
  SecretValues() : folder_(testing::TempDir() + "heddle_secrets") {
    std::filesystem::create_directories(folder_);
  }
  ~SecretValues() override { std::filesystem::remove_all(folder_); }

  SecretLookup lookup(const std::string& race) {
    const auto config = parse_race_config("race: " + race, folder_ + "/heddle.yaml");
    EXPECT_TRUE(config) << to_string(config.error());
    return secrets_of(*config);
  }

  // The value, "nothing", or the message without the folder.
  std::string ask(const SecretLookup& of, const SecretQuestion& question) {
    const auto value = of(question);
    if (!value) {
      std::string message = to_string(value.error());
      const std::size_t at = message.find(folder_);
      return at == message.npos ? message : message.erase(at, folder_.size() + 1);
    }
    return value->value_or("nothing");
  }

  std::string folder_;
};

TEST_F(SecretValues, come_from_where_the_file_says) {
  std::ofstream(folder_ + "/pin.txt") << "1234\n";
  ::setenv("HEDDLE_TEST_SECRET", "from a variable", 1);
  const SecretLookup of = lookup(
      "{token: {command: [sh, -c, \"echo noise; echo token of $$HEDDLE_ENDPOINT\"]},\n"
      " secrets: {password: {environment: HEDDLE_TEST_SECRET}, pin: {file: pin.txt}, a_b: text,\n"
      " '*_key': {value: k}}}");
  EXPECT_EQ(ask(of, {.field = "password"}), "from a variable");
  EXPECT_EQ(ask(of, {.field = "PIN"}), "1234");
  EXPECT_EQ(ask(of, {.field = "aB"}), "text");
  EXPECT_EQ(ask(of, {.field = "api-key"}), "k");
  EXPECT_EQ(ask(of, {.field = "other"}), "nothing");
  EXPECT_EQ(ask(of, {.field = "authorization", .endpoint = "GET a/b", .is_credential = true}),
            "token of GET a/b");
  // The command runs once.
  EXPECT_EQ(ask(of, {.field = "authorization", .endpoint = "GET c/d", .is_credential = true}),
            "token of GET a/b");
  ::unsetenv("HEDDLE_TEST_SECRET");
}

TEST_F(SecretValues, that_cannot_be_had_name_their_place) {
  const SecretLookup of = lookup(
      "{token: {command: [sh, -c, \"echo no; exit 1\"]}, secrets: {a: {environment: HEDDLE_NONE}, "
      "b: {file: none}, c: {command: 'true'}, d: {command: no-such-program-at-all}}}");
  EXPECT_EQ(ask(of, {.field = "authorization", .is_credential = true}),
            "heddle.yaml:1:26: the command for \"token\" failed: no, let it print the value as its "
            "last line and end with exit code 0");
  EXPECT_EQ(ask(of, {.field = "a"}),
            "heddle.yaml:1:82: the variable HEDDLE_NONE is not set, set it: a request that is sent "
            "again needs it");
  EXPECT_EQ(ask(of, {.field = "b"}).substr(0, 18), "heddle.yaml:1:106:");
  EXPECT_EQ(ask(of, {.field = "c"}).substr(0, 61),
            "heddle.yaml:1:126: the command for \"c\" printed nothing, let i");
  EXPECT_EQ(ask(of, {.field = "d"}).substr(0, 59),
            "heddle.yaml:1:148: there is no program \"no-such-program-at-");
}

TEST_F(SecretValues, made_up_ones_have_the_form_that_their_name_asks_for) {
  const std::string placeholder = "<masked:0123456789abcdef>";
  EXPECT_EQ(made_up_value(placeholder, "user_email"), "u0123456789abcdef@example.org");
  EXPECT_EQ(made_up_value(placeholder, "phone"), "+15558901234");
  EXPECT_EQ(made_up_value(placeholder, "PIN"), "8901");
  EXPECT_EQ(made_up_value(placeholder, "password"), "Hd1-0123456789abcdef");
  EXPECT_TRUE(may_be_chosen("password_confirmation"));
  EXPECT_FALSE(may_be_chosen("accessToken"));
  EXPECT_FALSE(may_be_chosen("X-Api-Key"));
}

}  // namespace
}  // namespace heddle
