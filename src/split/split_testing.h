// What tests of cuts share: the bank of the paper, in two tables and two services.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "find/search/find_testing.h"
#include "heddle/split.h"

namespace heddle::split_testing {

using find::parse;
using find::routine;

inline constexpr std::string_view kTables =
    "CREATE TABLE account (id int PRIMARY KEY, balance int NOT NULL);\n"
    "CREATE TABLE wallet (id int PRIMARY KEY, balance int NOT NULL);\n";

inline Cut cut_of(const std::string& text) {
  Result<Cut> cut = parse_cut(text, "cut.json");
  EXPECT_TRUE(cut) << (cut ? "" : to_string(cut.error()));
  return cut ? std::move(*cut) : Cut{};
}

inline const std::string kTwo = R"({"M1": ["account"], "M2": ["wallet"]})";
inline const std::string kOne = R"({"M": ["account", "wallet"]})";

inline const std::string kBank =
    std::string(kTables) +
    "CREATE FUNCTION total(cid int) RETURNS int LANGUAGE plpgsql AS $$\n"
    "DECLARE a int; w int;\nBEGIN\n"
    "SELECT balance INTO a FROM account WHERE id = cid;\n"
    "SELECT balance INTO w FROM wallet WHERE id = cid;\nRETURN a + w;\nEND\n$$;\n" +
    routine("transfer(cid int, amount int)",
            "BEGIN\nUPDATE account SET balance = balance - amount WHERE id = cid;\n"
            "UPDATE wallet SET balance = balance + amount WHERE id = cid;\nEND");

}  // namespace heddle::split_testing
