// What a text imports: the one thing that shows in every language which libraries it uses.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/marks/scan.h"

namespace heddle::marks {

struct Import {
  std::string path;  // as the language writes it: org.jooq.DSLContext, github.com/lib/pq
  std::string name;  // what the text calls it; empty: all that there is in it, or not known
  std::size_t offset = 0;
};

std::vector<Import> imports_of(const ScannedText& scanned, const Language& language);

// Whether a path is, or is within, what a table names.
bool is_within(std::string_view path, std::string_view named);

}  // namespace heddle::marks
