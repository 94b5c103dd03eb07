// The methods of a Java text, found by its braces alone: independent of the reader, so that what
// the reader passes over is noticed.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/marks/scan.h"

namespace heddle::marks {

struct OutlinedMethod {
  std::string type;  // that declares it
  std::string name;
  std::size_t begin = 0;  // of its body
  std::size_t end = 0;
  bool is_private = false;
  bool is_test = false;  // by its annotation
  bool is_main = false;
  std::set<std::string, std::less<>> calls;  // and names of constructors
};

struct JavaOutline {
  std::vector<OutlinedMethod> methods;  // inner ones behind those around them
  bool has_tests = false;

  // The innermost method that the offset is in, or null.
  const OutlinedMethod* method_at(std::size_t offset) const;
};

JavaOutline outline_java(const ScannedText& scanned);

// Where the statement of Java begins that the offset is in.
std::size_t statement_begin(std::string_view code, std::size_t offset);

}  // namespace heddle::marks
