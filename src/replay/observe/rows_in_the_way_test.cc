#include "replay/observe/rows_in_the_way.h"

#include <gtest/gtest.h>

namespace heddle {
namespace {

CatalogueTable member_table() {
  CatalogueTable table;
  table.name = "member";
  for (const char* const column : {"id", "team", "email"}) {
    CatalogueColumn& added = table.columns.emplace_back();
    added.name = column;
  }
  table.key = {"team", "id"};
  return table;
}

RowsInTheWay rows_of(const std::string& sql, Dialect dialect = Dialect::postgres) {
  const auto statements = parse_statements(sql, dialect);
  EXPECT_TRUE(statements && statements->size() == 1) << sql;
  return rows_in_the_way(statements->front(), member_table(), dialect);
}

Reply reply_with(const std::string& tag) {
  Reply reply;
  reply.result.emplace().command_tag = tag;
  return reply;
}

TEST(RowsInTheWay, have_the_key_or_a_value_of_a_new_row) {
  const RowsInTheWay rows = rows_of("INSERT INTO member VALUES (1, 'a', 'x'), (2, 'b', 'y')");
  EXPECT_EQ(rows.by_key,
            "(\"team\" = ('a') AND \"id\" = (1)) OR (\"team\" = ('b') AND \"id\" = (2))");
  EXPECT_EQ(rows.by_values,
            "\"email\" = ('x') OR \"id\" = (1) OR \"team\" = ('a') OR "
            "\"email\" = ('y') OR \"id\" = (2) OR \"team\" = ('b')");
}

TEST(RowsInTheWay, are_not_known_by_what_is_generated) {
  const RowsInTheWay rows =
      rows_of("INSERT INTO member (id, team, email) VALUES (nextval('s'), 'a', 'x')");
  EXPECT_EQ(rows.by_key, "");
  EXPECT_EQ(rows.by_values, "\"email\" = ('x') OR \"team\" = ('a')");
  EXPECT_EQ(rows_of("INSERT INTO member SELECT * FROM other").by_values, "");
}

TEST(RowsInTheWay, are_named_as_the_dialect_names_them) {
  EXPECT_EQ(rows_of("INSERT INTO member (email) VALUES ('x')", Dialect::mysql).by_values,
            "`email` = ('x')");
}

TEST(RowsInTheWay, are_referred_to_by_all_columns_of_a_key) {
  const auto parse = [](const std::string& sql) {
    return parse_statements(sql, Dialect::postgres)->front();
  };
  const ForeignKey key{.columns = {"team"}, .table = "team", .referenced = {"name"}};
  const CatalogueTable member = member_table();
  EXPECT_EQ(referred_rows(parse("INSERT INTO member VALUES (1, 'a', 'x')"), member, key,
                          Dialect::postgres),
            "(\"name\" = ('a'))");
  EXPECT_EQ(referred_rows(parse("UPDATE member SET team = 'b'"), member, key, Dialect::postgres),
            "(\"name\" = ('b'))");
  EXPECT_EQ(referred_rows(parse("UPDATE member SET email = 'b'"), member, key, Dialect::postgres),
            "");
  EXPECT_TRUE(takes_away(parse("DELETE FROM team"), key));
  EXPECT_TRUE(takes_away(parse("UPDATE team SET name = 'c'"), key));
  EXPECT_FALSE(takes_away(parse("UPDATE team SET size = 3"), key));
  EXPECT_FALSE(takes_away(parse("INSERT INTO team VALUES ('c')"), key));
}

TEST(RowsInTheWay, are_met_by_who_is_refused_or_does_nothing) {
  const auto of = [](const std::string& sql) {
    return parse_statements(sql, Dialect::postgres)->front();
  };
  const Statement insert = of("INSERT INTO member VALUES (1, 'a', 'x')");
  Reply refused;
  refused.error.emplace().code = "1062";
  EXPECT_TRUE(met_a_row(insert, refused));
  refused.error->code = "23502";
  EXPECT_FALSE(met_a_row(insert, refused));
  EXPECT_FALSE(met_a_row(insert, reply_with("INSERT 0 1")));
  const Statement beside = of("INSERT INTO member VALUES (1, 'a', 'x') ON CONFLICT DO NOTHING");
  EXPECT_TRUE(met_a_row(beside, reply_with("INSERT 0 0")));
  EXPECT_TRUE(met_a_row(beside, reply_with("0 rows")));
  EXPECT_FALSE(met_a_row(beside, reply_with("INSERT 0 1")));
  EXPECT_FALSE(met_a_row(of("DELETE FROM member"), reply_with("0 rows")));
}

}  // namespace
}  // namespace heddle
