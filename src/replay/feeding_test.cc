#include "replay/feeding.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.h"

namespace heddle {
namespace {

std::string print(std::string_view expression) {
  const FeedingParts parts = feeding_parts(expression);
  std::vector<std::string> words;
  for (const std::string& column : parts.columns) words.push_back(column);
  for (const std::string& variable : parts.variables) words.push_back(":" + variable);
  for (const std::string& generator : parts.generators) words.push_back("<" + generator + ">");
  return join(words, " ");
}

TEST(FeedingParts, reads_expressions) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"", ""},
      {"7", ""},
      {"balance + 10", "balance"},
      {"a.balance + b.Fee", "balance fee"},
      {"\"Id\" || 'id'", "Id"},
      {"*", "*"},
      {"o.*", "*"},
      {"price * amount", "amount price"},
      {"lower(name)", "name"},
      {"nextval('orders_id_seq'::regclass)", "<sequence orders_id_seq>"},
      {"nextval('public.\"Orders_id_seq\"')", "<sequence orders_id_seq>"},
      {"lastval()", "<sequence>"},
      {"CURRENT_TIMESTAMP", "<clock>"},
      {"now() + expiry", "expiry <clock>"},
      {"'now()'", ""},
      {"random", "random"},
      {"gen_random_uuid()", "<random>"},
      {":id + :'name'", ":id :name"},
      {"heddle_variable_id + 'heddle_variable_name'", ":id :name"},
      {"count(id)", ""},
      {"count(*) + 1", ""},
      {"max(id)", "id"},
      {"(SELECT balance FROM account WHERE id = 7)", "balance"},
      {"(SELECT count(id) FROM account)", ""},
      {"(SELECT a FROM t UNION SELECT b FROM u) + c", "a b c"},
      {"(SELECT x FROM t WHERE created < now())", "x"},
      {"EXTRACT(year FROM created)", "created from year"},
      {"CASE WHEN id > 5 THEN balance ELSE fee END", "balance fee"},
      {"CASE id WHEN 1 THEN CASE WHEN a THEN b END ELSE c END + d", "b c d"},
      {"row_number() OVER (ORDER BY id)", ""},
      {"EXISTS (SELECT id FROM t)", ""},
  };
  for (const auto& [expression, expected] : table) {
    EXPECT_EQ(print(expression), expected) << expression;
  }
}

TEST(FeedingParts, survives_unbalanced_text) {
  EXPECT_EQ(print(")) a END ( b CASE c"), "a b");
  EXPECT_EQ(print("'open"), "");
}

TEST(FeedingParts, tells_mention_from_feeding) {
  EXPECT_TRUE(feeding_parts("(SELECT x FROM t WHERE created < now())").mentions_generator);
  EXPECT_FALSE(feeding_parts("x").mentions_generator);
}

TEST(Placeholders, stand_for_variables) {
  EXPECT_EQ(with_placeholders("SELECT :id, 'a:b', x::int"),
            "SELECT heddle_variable_id, 'a:b', x::int");
  EXPECT_EQ(print(with_placeholders(":'id' || :n")), ":id :n");
}

}  // namespace
}  // namespace heddle
