#include <gtest/gtest.h>

#include "heddle/schema.h"

namespace heddle {
namespace {

TEST(Dialects, are_recognised_by_their_own_words) {
  constexpr std::pair<const char*, std::optional<Dialect>> kCases[] = {
      {"", std::nullopt},
      {"CREATE TABLE t (a int PRIMARY KEY, b varchar(10) UNIQUE, c numeric(3, 2))", std::nullopt},
      {"CREATE TABLE `t` (a int)", Dialect::mysql},
      {"CREATE TABLE t (a int AUTO_INCREMENT PRIMARY KEY)", Dialect::mysql},
      {"CREATE TABLE t (a int) ENGINE = InnoDB", Dialect::mysql},
      {"CREATE TABLE t (a INT(11))", Dialect::mysql},
      {"CREATE TABLE t (engine int)", std::nullopt},
      {"CREATE TABLE int (a text)", std::nullopt},
      {"CREATE TABLE t (a int(", std::nullopt},
      {"CREATE TABLE t (a integer PRIMARY KEY AUTOINCREMENT)", Dialect::sqlite},
      {"CREATE TABLE `t` (a int(3) PRIMARY KEY) WITHOUT ROWID", Dialect::sqlite},
      {"CREATE TABLE t (a bigserial)", Dialect::postgres},
      {"CREATE TABLE t (a text DEFAULT 'x'::text)", Dialect::postgres},
      {"CREATE PROCEDURE p() LANGUAGE sql AS $$ SELECT 1 $$", Dialect::postgres},
      {"-- like `this`\nCREATE TABLE t (a text DEFAULT '`auto_increment`')", std::nullopt},
      {"/* engine=x */ CREATE TABLE \"`t`\" (\"int(1)\" int)", std::nullopt},
      {"CREATE PROCEDURE p() LANGUAGE sql AS $$ SELECT '`' -- ` $$", Dialect::postgres},
  };
  for (const auto& [sql, dialect] : kCases) EXPECT_EQ(recognise_dialect(sql), dialect) << sql;
}

}  // namespace
}  // namespace heddle
