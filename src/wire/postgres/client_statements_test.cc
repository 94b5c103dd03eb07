// What drivers send, cut into units.
#include "wire/postgres/client_statements.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace heddle::postgres {
namespace {

using std::string_literals::operator""s;
using Kind = ClientUnit::Kind;

WireMessage parse(const std::string& name, const std::string& text) {
  return {'P', name + '\0' + text + '\0' + "\0\0"s};
}

WireMessage bind(const std::string& statement, const std::string& value) {
  return {'B', "\0"s + statement + '\0' + "\0\0\0\1\0\0\0"s + static_cast<char>(value.size()) +
                   value + "\0\0"s};
}

const WireMessage kBindNothing{'B', "\0\0\0\0\0\0\0\0"s};
const WireMessage kExecute{'E', "\0\0\0\0\0"s};
const WireMessage kDescribe{'D', "P\0"s};
const WireMessage kSync{'S', ""};

std::vector<ClientUnit> units_of(const std::vector<WireMessage>& messages) {
  ClientStatements statements;
  std::vector<ClientUnit> units;
  for (const WireMessage& message : messages) {
    const auto unit = statements.add(message);
    EXPECT_TRUE(unit) << to_string(unit.error());
    if (unit && *unit) units.push_back(**unit);
  }
  return units;
}

TEST(ClientStatements, begin_and_the_first_statement_come_at_once) {
  const std::vector<WireMessage> sent = {
      parse("", "BEGIN"), kBindNothing, kExecute, parse("", "SELECT b FROM t WHERE id = $1"),
      bind("", "7"),      kDescribe,    kExecute, kSync};
  const std::vector<ClientUnit> units = units_of(sent);
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[0].text, "BEGIN");
  EXPECT_EQ(units[1].text, "SELECT b FROM t WHERE id = $1");
  EXPECT_EQ(units[1].values, (std::vector<std::optional<std::string>>{"7"}));
  EXPECT_EQ(units[2].kind, Kind::sync);
  std::string all;
  std::string bytes;
  for (const WireMessage& message : sent) bytes += to_bytes(message);
  for (const ClientUnit& unit : units) all += unit.bytes;
  EXPECT_EQ(all, bytes);
}

TEST(ClientStatements, a_statement_that_was_prepared_is_known_by_its_name) {
  const auto units = units_of({parse("S_1", "DELETE FROM t WHERE id = $1"), bind("S_1", "1"),
                               kExecute, kSync, bind("S_1", "2"), kExecute, kSync});
  ASSERT_EQ(units.size(), 4U);
  EXPECT_EQ(units[2].text, "DELETE FROM t WHERE id = $1");
  EXPECT_EQ(units[2].values, (std::vector<std::optional<std::string>>{"2"}));
}

TEST(ClientStatements, more_rows_are_no_statement) {
  const auto units = units_of({parse("", "SELECT 1"), kBindNothing, kExecute, kSync, kExecute});
  ASSERT_EQ(units.size(), 3U);
  EXPECT_EQ(units[0].kind, Kind::statement);
  EXPECT_EQ(units[2].kind, Kind::more_rows);
}

TEST(ClientStatements, a_query_stands_alone) {
  const auto units = units_of({{'Q', "COMMIT\0"s}, {'X', ""}});
  ASSERT_EQ(units.size(), 2U);
  EXPECT_TRUE(units[0].is_simple);
  EXPECT_EQ(units[0].text, "COMMIT");
  EXPECT_EQ(units[1].kind, Kind::leave);
}

TEST(ClientStatements, what_is_not_well_formed_is_an_error) {
  ClientStatements statements;
  EXPECT_FALSE(statements.add({'B', "x"}));
  EXPECT_FALSE(statements.add({'P', "no end"}));
}

}  // namespace
}  // namespace heddle::postgres
