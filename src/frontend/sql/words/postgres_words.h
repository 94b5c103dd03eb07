// Names, texts and types as PostgreSQL writes them.
#pragma once

#include <string>
#include <string_view>

namespace heddle::sql {

// Between two marks, which are doubled within: 'it''s'
std::string quoted_by(std::string_view text, char mark);

// A name as PostgreSQL reads it: in quotes where it would fold or refuse it.
std::string postgres_name(std::string_view name);

// A type whose name is a word of PostgreSQL's grammar: the name in its catalogue, and the words
// before and after the length.
struct SpelledType {
  std::string_view name;
  std::string_view words;
  std::string_view after;
};
// By the name in the catalogue, or nullptr.
const SpelledType* find_spelled_type(std::string_view name);

}  // namespace heddle::sql
