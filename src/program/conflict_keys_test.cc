// What is known of the keys by which a row may be in the way of an INSERT.
#include "program/conflict_keys.h"

#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "heddle/schema.h"
#include "heddle/statement.h"

namespace heddle::program {
namespace {

constexpr const char* kAccount =
    "CREATE TABLE account (id int PRIMARY KEY, mail text NOT NULL, phone text, UNIQUE (mail));";

// The keys, and what is not known.
std::string keys_of(const std::string& schema, const std::string& insert,
                    Dialect dialect = Dialect::postgres) {
  const Schema tables = parse_schema(schema, dialect).schema;
  const auto statements = parse_statements(insert, dialect);
  if (tables.tables.empty() || !statements || statements->size() != 1) return "not read";
  if (!does_nothing_at_any_key(statements->front())) return "it names its key, or does something";
  const ConflictKeys found = conflict_keys(statements->front(), tables.tables[0], dialect);
  return fmt::format("{}{}{}", fmt::join(found.keys, " "), found.doubt.empty() ? "" : "; ",
                     found.doubt);
}

// What is said of the statement.
std::string notes_of(const std::string& schema, const std::string& insert,
                     Dialect dialect = Dialect::postgres) {
  auto statements = parse_statements(insert, dialect);
  if (!statements || statements->size() != 1) return "not read";
  judge_conflict(statements->front(), parse_schema(schema, dialect).schema);
  return fmt::format("{}", fmt::join(statements->front().over_approximated, "; "));
}

TEST(ConflictKeys, are_all_unique_ones_of_the_table) {
  const std::string insert = "INSERT INTO account VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
  EXPECT_EQ(keys_of(kAccount, insert), R"(["id"] ["mail"])");
  EXPECT_EQ(keys_of(std::string(kAccount) + "CREATE UNIQUE INDEX second ON account (mail, phone);",
                    insert),
            R"(["id"] ["mail"] ["mail", "phone"])");
  EXPECT_EQ(keys_of(std::string(kAccount) + "CREATE UNIQUE INDEX again ON account (id);", insert),
            R"(["id"] ["mail"])");
  EXPECT_EQ(keys_of("CREATE TABLE account (mail text UNIQUE);",
                    "INSERT INTO account VALUES ($1) ON CONFLICT DO NOTHING"),
            R"(["mail"])");
}

TEST(ConflictKeys, are_those_that_the_new_row_can_meet) {
  const std::string table =
      "CREATE TABLE account (id serial PRIMARY KEY, mail text UNIQUE, kind int DEFAULT 1 UNIQUE);";
  EXPECT_EQ(keys_of(table, "INSERT INTO account (mail) VALUES ($1) ON CONFLICT DO NOTHING"),
            R"(["mail"] ["kind"])");
  EXPECT_EQ(keys_of(table,
                    "INSERT INTO account (id, kind) VALUES (DEFAULT, 2) "
                    "ON CONFLICT DO NOTHING"),
            R"(["kind"])");
  // NULL equals nothing, unless the constraint says so.
  EXPECT_EQ(keys_of("CREATE TABLE account (id int PRIMARY KEY, mail text,\n"
                    "UNIQUE NULLS NOT DISTINCT (mail));",
                    "INSERT INTO account (id) VALUES ($1) ON CONFLICT DO NOTHING"),
            R"(["id"] ["mail"]; the value of account.mail is not known)");
}

TEST(ConflictKeys, are_meant_by_other_dialects_too) {
  EXPECT_EQ(keys_of("CREATE TABLE account (id INTEGER PRIMARY KEY, mail TEXT UNIQUE);",
                    "INSERT OR IGNORE INTO account (id, mail) VALUES (?, ?)", Dialect::sqlite),
            R"(["id"] ["mail"])");
  const std::string table =
      "CREATE TABLE account (id int PRIMARY KEY, mail varchar(9) NOT NULL UNIQUE, parent int{})";
  EXPECT_EQ(keys_of(fmt::format(fmt::runtime(table), ""),
                    "INSERT IGNORE INTO account (id, mail) VALUES (?, ?)", Dialect::mysql),
            R"(["id"] ["mail"])");
  EXPECT_EQ(
      notes_of(fmt::format(fmt::runtime(table), " REFERENCES account (id)"),
               "INSERT IGNORE INTO account (id, mail) VALUES (?, ?)", Dialect::mysql),
      notes_of(fmt::format(fmt::runtime(table), ", FOREIGN KEY (parent) REFERENCES account (id)"),
               "INSERT IGNORE INTO account (id, mail) VALUES (?, ?)", Dialect::mysql));
  EXPECT_EQ(keys_of(kAccount, "REPLACE INTO account VALUES (1, 'a', 'b')", Dialect::mysql),
            "it names its key, or does something");
}

TEST(ConflictKeys, that_are_not_known_are_said) {
  const std::string insert = "INSERT INTO account VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
  const auto said = [](const std::string& why) {
    return "ON CONFLICT without columns, where " + why + ",";
  };
  EXPECT_EQ(notes_of(kAccount, insert), "");
  const std::string others =
      said("account has a unique index on some rows or on expressions, or an exclusion constraint");
  for (const char* other : {"CREATE UNIQUE INDEX u ON account (phone) WHERE phone <> '';",
                            "CREATE UNIQUE INDEX u ON account (lower(phone));",
                            "ALTER TABLE account ADD EXCLUDE USING gist (phone WITH =);"}) {
    EXPECT_EQ(notes_of(std::string(kAccount) + other, insert), others) << other;
  }
  EXPECT_EQ(notes_of(kAccount,
                     "INSERT INTO account VALUES ($1, (SELECT max(mail) FROM account))\n"
                     "ON CONFLICT DO NOTHING"),
            said("not one row is inserted"));
  EXPECT_EQ(notes_of(kAccount,
                     "INSERT INTO account (id, mail) VALUES (1, gen_random_uuid()::text)\n"
                     "ON CONFLICT DO NOTHING"),
            said("the value of account.mail is not known"));
  EXPECT_EQ(notes_of(kAccount,
                     "INSERT INTO account VALUES (1, 'a'), (2, 'b')\n"
                     "ON CONFLICT DO NOTHING"),
            said("not one row is inserted"));
  EXPECT_EQ(notes_of(kAccount, "INSERT INTO other VALUES (1) ON CONFLICT DO NOTHING"),
            said("no file defines other"));
}

}  // namespace
}  // namespace heddle::program
