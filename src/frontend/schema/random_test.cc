// Random schemas: print, read, compare.
#include <random>

#include <gtest/gtest.h>

#include "base/rounds_testing.h"
#include "frontend/schema/rendering.h"

namespace heddle::sql {
namespace {

// Types are the written text with what it means.
struct KnownType {
  const char* text;
  ValueType type;
  std::vector<std::uint32_t> arguments = {};
  ValueType element = ValueType::unknown;
};

const std::vector<KnownType>& known_types() {
  static const std::vector<KnownType> kKnownTypes = {
      {"int", ValueType::integer32},
      {"bigint", ValueType::integer64},
      {"smallint", ValueType::integer16},
      {"numeric(10,2)", ValueType::numeric, {10, 2}},
      {"text", ValueType::text},
      {"varchar(20)", ValueType::varying, {20}},
      {"char(3)", ValueType::padded_text, {3}},
      {"boolean", ValueType::boolean},
      {"timestamp(3) with time zone", ValueType::timestamp_with_zone, {3}},
      {"date", ValueType::date},
      {"uuid", ValueType::uuid},
      {"bytea", ValueType::bytes},
      {"int[]", ValueType::array, {}, ValueType::integer32},
      {"double precision", ValueType::real64},
  };
  return kKnownTypes;
}

class RandomSchema {
 public:
  explicit RandomSchema(std::uint32_t seed) : random_(seed) {}

  Schema make() {
    Schema schema;
    if (one_in(2)) schema.sequences.push_back({.schema = "", .name = "numbers"});
    schema.enumerations.push_back({.schema = "", .name = "Mood", .labels = {"so", "it's", ""}});
    schema.domains.push_back({.schema = "", .name = "amount", .type = type_of(known_types()[0])});
    schema.domains[0].checks.push_back({.name = "", .expression = "VALUE > 0"});
    const std::size_t tables = 1 + below(4);
    for (std::size_t i = 0; i < tables; ++i) schema.tables.push_back(make_table(i));
    for (Table& table : schema.tables) add_foreign_keys(schema, table);
    return schema;
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool one_in(std::size_t n) { return below(n) == 0; }

  static ColumnType type_of(const KnownType& known) {
    ColumnType type;
    type.type = known.type;
    type.element = known.element;
    type.arguments = known.arguments;
    type.text = known.text;
    return type;
  }

  Table make_table(std::size_t index) {
    constexpr const char* kNames[] = {"account", "order", "Mixed Case", "a\"b"};
    Table table;
    table.name = kNames[index];
    if (one_in(4)) table.schema = "s";
    const std::size_t columns = 1 + below(5);
    for (std::size_t i = 0; i < columns; ++i) table.columns.push_back(make_column(i));
    // What is generated from a column is no key.
    table.primary_key = {table.columns[0].name};
    if (one_in(2) && columns > 1) table.primary_key.push_back(table.columns[1].name);
    for (std::size_t i = 0; i < table.primary_key.size(); ++i) table.columns[i].not_null = true;
    if (one_in(3)) table.primary_key_name = "key of " + table.name;
    if (one_in(2)) {
      table.unique_constraints.push_back({.name = one_in(2) ? "u" : "",
                                          .columns = {table.columns.back().name},
                                          .nulls_not_distinct = one_in(3),
                                          .check_time = time()});
    }
    if (one_in(2)) {
      table.checks.push_back({.name = one_in(2) ? "c" : "",
                              .expression = "\"col 0\" <> '1;' OR NOT \"col 0\" IS NULL",
                              .columns = {"col 0"}});
    }
    return table;
  }

  TableColumn make_column(std::size_t index) {
    constexpr const char* kNames[] = {"col 0", "user", "plain", "C", "e"};
    constexpr const char* kDefaults[] = {"NULL", "now()", "1 + 2", "'x'::text",
                                         "CASE WHEN 1 = 2 THEN 'a' ELSE 'b' END"};
    TableColumn column;
    column.name = kNames[index];
    column.type = type_of(known_types()[below(known_types().size())]);
    if (index > 0 && one_in(6)) {
      column.type = {
          .type = ValueType::enumeration, .labels = {"so", "it's", ""}, .text = "\"Mood\""};
    } else if (one_in(6)) {
      column.type.type = ValueType::integer32;
      column.type.element = ValueType::unknown;
      column.type.arguments.clear();
      column.type.text = "amount";
    }
    column.not_null = one_in(2);
    const bool counts = is_integer(column.type.type);
    switch (counts ? below(6) : 1 + below(2)) {
      case 0:
        column.generation = Generation::identity;
        column.not_null = true;
        column.always_generated = one_in(2);
        break;
      case 1:
        if (index == 0) break;
        column.generation = Generation::expression;
        column.always_generated = true;
        column.generation_expression = "upper(\"col 0\"::text) || ','";
        break;
      case 2:
        column.default_expression = kDefaults[below(std::size(kDefaults))];
        break;
      case 3:
        column.generation = Generation::identity;
        column.default_expression = "nextval('numbers'::regclass)";
        break;
      default:
        break;
    }
    return column;
  }

  CheckTime time() { return static_cast<CheckTime>(below(3)); }

  void add_foreign_keys(const Schema& schema, Table& table) {
    while (one_in(2)) {
      const Table& to = schema.tables[below(schema.tables.size())];
      if (to.primary_key.size() > table.columns.size()) continue;
      ForeignKeyConstraint key;
      if (one_in(2)) key.name = "f";
      for (std::size_t i = 0; i < to.primary_key.size(); ++i) {
        key.columns.push_back(table.columns[i].name);
      }
      key.referenced_schema = to.schema;
      key.referenced_table = to.name;
      key.referenced_columns = to.primary_key;
      key.on_delete = static_cast<ReferentialAction>(below(5));
      key.on_update = static_cast<ReferentialAction>(below(5));
      key.check_time = time();
      table.foreign_keys.push_back(std::move(key));
    }
  }

  std::mt19937 random_;
};

TEST(RandomSchemas, ReadsRandomSchemasOfPostgresAgain) {
  const std::size_t rounds = test_rounds(60);
  for (std::uint32_t seed = 0; seed < rounds; ++seed) {
    const Schema schema = RandomSchema(seed).make();
    const SchemaPrinting printing = print_schema(schema, Dialect::postgres);
    EXPECT_TRUE(printing.notes.empty());
    const SchemaReading again = parse_schema(printing.text, Dialect::postgres);
    const bool is_equal = without_positions(again.schema) == schema;
    ASSERT_TRUE(is_equal && again.errors.empty() && again.notes.empty())
        << "seed " << seed << "\n"
        << printing.text << render(again) << "instead of\n"
        << render(schema);
  }
}

// What all dialects have survives the way through another one, and its text is stable.
TEST(RandomSchemas, KeepsKeysOfRandomSchemasInOtherDialects) {
  const std::size_t rounds = test_rounds(60);
  for (std::uint32_t seed = 0; seed < rounds; ++seed) {
    const Schema schema = RandomSchema(seed).make();
    for (const Dialect dialect : {Dialect::mysql, Dialect::sqlite}) {
      const SchemaPrinting printing = print_schema(schema, dialect);
      const SchemaReading again = parse_schema(printing.text, dialect);
      ASSERT_EQ(render("error", again.errors), "") << "seed " << seed << "\n" << printing.text;
      ASSERT_EQ(again.schema.tables.size(), schema.tables.size());
      for (std::size_t i = 0; i < schema.tables.size(); ++i) {
        const Table& before = schema.tables[i];
        const Table& after = again.schema.tables[i];
        EXPECT_EQ(after.name, before.name);
        EXPECT_EQ(after.primary_key, before.primary_key);
        EXPECT_EQ(after.columns.size(), before.columns.size());
        EXPECT_EQ(after.unique_constraints.size(), before.unique_constraints.size());
        EXPECT_EQ(after.foreign_keys.size(), before.foreign_keys.size());
      }
      const SchemaPrinting twice = print_schema(again.schema, dialect);
      const SchemaReading third = parse_schema(twice.text, dialect);
      EXPECT_EQ(without_positions(third.schema), without_positions(again.schema))
          << "seed " << seed << "\n"
          << printing.text << "then\n"
          << twice.text;
      if (testing::Test::HasFailure()) return;
    }
  }
}

}  // namespace
}  // namespace heddle::sql
