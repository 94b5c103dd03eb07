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

inline const std::string kOpen =
    routine("open_account(cid int, amount int)",
            "BEGIN\nINSERT INTO account VALUES (cid, amount) ON CONFLICT DO NOTHING;\n"
            "INSERT INTO wallet VALUES (cid, amount) ON CONFLICT DO NOTHING;\nEND");
inline const std::string kNoAccounts =
    "initially \"no accounts\" { SELECT id <> id FROM account }\n"
    "initially \"no wallets\" { SELECT id <> id FROM wallet }\n";

// Nothing is there at first, and so many calls may come before a cycle.
inline SplitOptions behind_calls(std::size_t calls) {
  SplitOptions options;
  Result<Constraints> read = parse_constraints(kNoAccounts, "c.txt");
  EXPECT_TRUE(read) << (read ? "" : to_string(read.error()));
  if (read) options.find.constraints = *std::move(read);
  options.find.max_prefix = calls;
  return options;
}

}  // namespace heddle::split_testing
