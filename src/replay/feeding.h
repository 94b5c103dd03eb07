// What the value of an SQL expression is made of, as far as its text tells.
//
// Not everything an expression mentions feeds its value: in `(SELECT balance FROM account WHERE id
// = 7)` the balance does and the id does not, and neither count(id) nor the condition of a CASE
// does.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace heddle {

struct FeedingParts {
  std::set<std::string> columns;    // without qualifiers; "*" for all
  std::set<std::string> variables;  // psql variables, as `:name` or as placeholders
  // What makes values by itself: "sequence NAME", "sequence" (of unknown name), "clock", "random",
  // "session" (numbers of processes and transactions).
  std::set<std::string> generators;
  bool mentions_generator = false;  // also where it does not feed the value
};

// Never fails; understands PostgreSQL's and MySQL's names.
FeedingParts feeding_parts(std::string_view expression);

// "sequence orders_id_seq" for "public.orders_id_seq" in whatever quotes.
std::string sequence_generator(std::string_view name);

// An identifier that stands for a psql variable in SQL text that is parsed before the variable is
// set: feeding_parts recognises it.
std::string variable_placeholder(std::string_view name);

// Whether the text has such an identifier in it.
bool has_placeholder(std::string_view text);

// The text with a placeholder for each variable; for each that may be set, where that is known.
std::string with_placeholders(std::string_view sql);
std::string with_placeholders(std::string_view sql,
                              const std::function<bool(const std::string&)>& may_be_set);

}  // namespace heddle
