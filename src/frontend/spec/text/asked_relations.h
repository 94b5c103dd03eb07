// What an invariant asks about beside the tables: `initial.customer`, the rows of a table before
// anything was called, and `calls.payment`, the calls of a functionality that were made.
//
//   WITH "calls.payment"(amount) AS (VALUES (10)) SELECT sum(amount) > 0 FROM "calls.payment"
//
// is what a store is asked for `SELECT sum(amount) > 0 FROM calls.payment`: it need not know of
// either, and nothing that it keeps is changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/program.h"

namespace heddle {

struct AskedRelation {
  enum class Kind : std::uint8_t { initial, calls };

  Kind kind = Kind::initial;
  std::string name;       // behind the dot; without quotes in lower case
  std::size_t begin = 0;  // in bytes, of both words
  std::size_t end = 0;
};

// In the order of the text, each time that one is named. Where the text uses `initial` or `calls`
// for something of its own, such as a table, nothing behind that word is one.
std::vector<AskedRelation> asked_relations(std::string_view sql, Dialect dialect);

// The text with a query in front of each statement for every relation that it names, and with names
// in their places that need no schema. `definition`: "(a, b) AS (VALUES (1, 2))".
std::string with_asked_relations(
    std::string_view sql, Dialect dialect,
    const std::function<std::string(const AskedRelation&)>& definition);

// Which of the names is meant: one that is written so, or whose part behind its schema or class is;
// where none is, letters may be large or small. More than one: it is not said which.
std::vector<std::size_t> meant_by(const std::string& asked, const std::vector<std::string>& names);

}  // namespace heddle
