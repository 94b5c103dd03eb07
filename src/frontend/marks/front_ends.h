// The table of languages that heddle reads programs in. Each has a row in the table of languages,
// too; what is in the others is only measured.
#pragma once

#include <span>
#include <string_view>

#include "frontend/marks/language.h"

namespace heddle::marks {

struct FrontEnd {
  Family family;
  std::string_view ending;       // of its files: ".java"
  std::string_view what;         // is read: "Java with JDBC"
  bool is_told_by_text = false;  // which files are the program's depends on what they say, too
};

// SQL, which defines the tables, first.
std::span<const FrontEnd> front_ends();
// By the file's name; null: nobody reads it.
const FrontEnd* front_end_of(std::string_view path);
// Whether there is one for the languages of that family.
bool has_front_end(Family family);

}  // namespace heddle::marks
