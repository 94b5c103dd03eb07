// Which places of a text use a store through something that heddle does not read, by marks alone.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/marks/imports.h"
#include "frontend/marks/scan.h"
#include "frontend/marks/technology.h"

namespace heddle::marks {

struct Place {
  std::string technology;
  Use use = Use::mapper;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::string what;
};

// What the files of a tree declare, as far as other files use stores through it.
struct Declared {
  // Types of Java and its neighbours that a mapper implements: OrderRepository extends
  // JpaRepository. To the row of the table.
  std::map<std::string, const Technology*, std::less<>> mapped;
  std::set<std::string, std::less<>> types;    // all of them that are declared
  std::set<std::string, std::less<>> methods;  // and what can be called: methods and types
};

// A variable, field or parameter: OrderRepository orders, orders: OrderRepository.
struct DeclaredVariable {
  std::string type;  // without type arguments
  std::string name;
};
std::vector<DeclaredVariable> variables_of(const ScannedText& scanned, const Language& language);

// Adds what the text declares. REQUIRES: Java or another language of the JVM.
void declare_types(const ScannedText& scanned, const Language& language, Declared& declared);
// Adds the types that a mapper's document is about.
void declare_mapped(const ScannedText& scanned, Declared& declared);

// One place for each line, sorted. Of Java those through JDBC are not among them.
std::vector<Place> find_places(const ScannedText& scanned, const Language& language,
                               const Declared& declared);

}  // namespace heddle::marks
