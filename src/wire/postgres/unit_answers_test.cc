// What a server says to units of a client.
#include "wire/postgres/unit_answers.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::postgres {
namespace {

using std::string_literals::operator""s;

FieldDescription one_field(const std::string& name) {
  FieldDescription field;
  field.name = name;
  field.type = 23;
  return field;
}

// Reads units of what a client sends, and says what types of messages answer them.
class TestServer {
 public:
  TestServer()
      : answers_(
            [](const std::string& text) -> Result<std::optional<std::vector<FieldDescription>>> {
              if (text == "unknown") return Diagnostic{.what = "nobody knows"};
              if (text.starts_with("SELECT")) return std::optional(std::vector{one_field("a")});
              return std::optional<std::vector<FieldDescription>>();
            }) {}

  std::string answer(const std::vector<WireMessage>& sent, const StatementResult& result) {
    std::string types;
    for (const WireMessage& message : sent) {
      const auto unit = statements_.add(message);
      if (!unit || !*unit) continue;
      const UnitAnswer said = answers_.answer(**unit, result);
      MessageReader reader;
      reader.append(said.bytes);
      while (const auto read = reader.next()) {
        if (!*read) break;
        types += (*read)->type;
      }
      if (!said.refusal.empty()) types += "!";
    }
    return types;
  }

 private:
  ClientStatements statements_;
  UnitAnswers answers_;
};

WireMessage parsed(const std::string& name, const std::string& text) {
  return {'P', name + '\0' + text + '\0' + "\0\0"s};
}
WireMessage bound_to(const std::string& statement, const std::string& formats = "\0\0"s) {
  return {'B', "\0"s + statement + '\0' + "\0\0\0\0"s + formats};
}
const WireMessage kRun{'E', "\0\0\0\0\0"s};
const WireMessage kRunOne{'E', "\0\0\0\0\1"s};
const WireMessage kAskPortal{'D', "P\0"s};
const WireMessage kWait{'S', ""};

StatementResult two_rows() {
  return {
      .columns = std::vector{one_field("a")}, .rows = {{"1"}, {std::nullopt}}, .tag = "SELECT 2"};
}

TEST(UnitAnswers, are_given_message_by_message) {
  TestServer server;
  EXPECT_EQ(
      server.answer({parsed("", "SELECT"), bound_to(""), kAskPortal, kRun, kWait}, two_rows()),
      "12TDDC");
  EXPECT_EQ(server.answer({parsed("", "DELETE"), bound_to(""), kAskPortal, kRun, kWait},
                          {.columns = {}, .rows = {}, .tag = "DELETE 1"}),
            "12nC");
  EXPECT_EQ(server.answer({parsed("", ""), bound_to(""), kAskPortal, kRun, kWait}, {}), "12nI");
  EXPECT_EQ(server.answer({{'Q', "SELECT\0"s}}, two_rows()), "TDDC");
  EXPECT_EQ(server.answer({{'Q', "\0"s}}, {}), "I");
}

TEST(UnitAnswers, describe_what_has_not_run) {
  TestServer server;
  const WireMessage ask{'D', "SS_1\0"s};
  EXPECT_EQ(server.answer({parsed("S_1", "SELECT"), ask, kWait}, {}), "1tT");
  EXPECT_EQ(server.answer({bound_to("S_1"), kRun, kWait}, two_rows()), "2DDC");
  EXPECT_EQ(server.answer({parsed("S_1", "DELETE"), ask, kWait}, {}), "1tn");
  EXPECT_EQ(server.answer({parsed("S_1", "unknown"), ask, kWait}, {}), "1tE!");
  EXPECT_EQ(server.answer({{'C', "SS_1\0"s}, kWait}, {}), "3");
  EXPECT_EQ(server.answer({{'D', "PC_9\0"s}, kWait}, {}), "E!");
}

TEST(UnitAnswers, give_the_rest_of_the_rows_later) {
  TestServer server;
  EXPECT_EQ(server.answer({parsed("", "SELECT"), bound_to(""), kRunOne}, two_rows()), "12Ds");
  EXPECT_EQ(server.answer({kRunOne}, {}), "DC");
  EXPECT_EQ(server.answer({kRunOne}, {}), "C");
}

TEST(UnitAnswers, refuse_what_is_not_served) {
  TestServer server;
  EXPECT_EQ(server.answer({parsed("", "SELECT"), bound_to("", "\0\1\0\1"s), kRun}, two_rows()),
            "1E!");
  EXPECT_EQ(server.answer({{'F', ""}}, {}), "E!");
  EXPECT_EQ(server.answer({{'D', "X\0"s}, kWait}, {}), "E!");
}

TEST(UnitAnswers, are_read_as_they_were_meant) {
  const auto fields = read_row_description(row_description_bytes({one_field("id")}).substr(5));
  ASSERT_TRUE(fields);
  EXPECT_EQ(fields->at(0).name, "id");
  EXPECT_EQ(fields->at(0).type, 23U);
  EXPECT_EQ(fields->at(0).modifier, -1);
  const DataRow row = {"a", std::nullopt, ""};
  EXPECT_EQ(read_data_row(data_row_bytes(row).substr(5)), row);
  EXPECT_EQ(read_parameter_description(parameter_description_bytes({23, 0}).substr(5)),
            (std::vector<std::uint32_t>{23, 0}));
  EXPECT_FALSE(read_target("P"));
  EXPECT_FALSE(read_execute("\0\0\0\0"s));
}

}  // namespace
}  // namespace heddle::postgres
