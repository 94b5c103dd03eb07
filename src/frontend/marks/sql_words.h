// Whether a text in a program is a statement of SQL rather than words for people.
#pragma once

#include <string_view>

namespace heddle::marks {

enum class SqlKind { none, data, definition };

// `data`: it reads or writes rows, or calls code that may; `definition`: CREATE, SET and their
// like. Texts that were put together may have anything in the place of names.
SqlKind sql_kind(std::string_view text);

}  // namespace heddle::marks
