// Transactions of integers as Jepsen prints nearly all of them: [[:append 3 4] [:r 5 [1 2]] [:r 6
// nil]], in JSON [["append",3,4],["r",5,[1,2]],["r",6,null]]. They are read in one pass, without a
// tree. Left out: whatever else the two allow (other kinds of values, tags, comments, lines inside
// of a transaction), which EdnFormReader and JsonFormReader read; what is read here they read
// alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "heddle/recorded_history.h"

namespace heddle {

enum class PlainForm : std::uint8_t { edn, json };

struct PlainOperation {
  enum class Kind : std::uint8_t { nil, number, numbers };

  KeyAction action = KeyAction::read;  // or write, append: then of a number
  Kind kind = Kind::nil;
  std::int64_t key = 0;
  std::int64_t number = 0;
  std::string_view numbers = {};  // between the brackets
};

// Reads the transaction that begins at that byte of the text, and returns where it ends; 0:
// anything else stands there, or a transaction without operations.
std::size_t read_plain_transaction(std::string_view text, std::size_t at, PlainForm form,
                                   std::vector<PlainOperation>& operations);

// The first place, from there on, of what is neither digit nor minus sign, blank or comma.
std::size_t numbers_end(std::string_view text, std::size_t at);

}  // namespace heddle
