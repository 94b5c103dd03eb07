// What each command of Redis is: one table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/statement.h"

namespace heddle {

// Where the keys are among the arguments, of which the first, with the number 0, is the name.
enum class RedisKeys : std::uint8_t {
  none,
  first,                  // 1
  second,                 // 2
  first_two,              // 1 and 2
  all,                    // 1 and on
  second_on,              // 2 and on
  all_but_last,           // 1 and on, without the last
  pairs,                  // 1, 3, 5, ...
  counted,                // their number is 1
  counted_after_timeout,  // their number is 2
  first_and_counted,      // 1, and the number of the others is 2
  streams,                // the first half of what follows STREAMS
  first_and_stored,       // 1, and what follows STORE or STOREDIST
  sorted,                 // the same, or any where BY or GET names more
  everything,             // any key
};

enum class RedisUse : std::uint8_t {
  none,
  read,
  write,             // whatever was there
  read_and_write,    // the new value or the answer depends on the old one
  write_or_options,  // SET: a write, unless an option asks for the old value
  read_or_store,     // a read, unless STORE is among the arguments
};

// How an answer is to be shown, so that equal contents give equal answers.
enum class RedisAnswer : std::uint8_t {
  as_it_is,
  set,          // in no order
  map,          // fields and values in turn, in no order
  scanned_set,  // the second of two elements is a set
  scanned_map,
  entries,  // of streams: identifiers made of the time are hidden
};

struct RedisCommandRow {
  StatementKind kind = StatementKind::other;
  RedisKeys keys = RedisKeys::everything;
  RedisUse use = RedisUse::read_and_write;
  bool expires = false;    // looks at or sets when a key will vanish
  bool generated = false;  // the answer depends on the clock or on chance
  RedisAnswer answer = RedisAnswer::as_it_is;
};

// By name, in whatever case, together with a second word such as CREATE of XGROUP. Null: unknown.
const RedisCommandRow* find_redis_command(const std::vector<std::string>& arguments);

// The keys that the arguments name, in their order; none: it may be any.
std::optional<std::vector<std::string>> redis_keys(const RedisCommandRow& row,
                                                   const std::vector<std::string>& arguments);

// Whether any of the arguments from `first` on is the word, in whatever case.
bool has_redis_option(const std::vector<std::string>& arguments, std::size_t first,
                      std::string_view word);

}  // namespace heddle
