// Java whose conditions tell what they are, when it runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "frontend/java/classes/tree.h"
#include "heddle/program.h"

namespace heddle::java {

// "Bank.java:12:9": where a statement with a condition begins.
inline std::string place_text(const SourceLocation& source) {
  return fmt::format("{}:{}:{}", source.file, source.position.line, source.position.column);
}

// What conditions were, by the place of their statement: "TTF".
using Conditions = std::map<std::string, std::string>;

// A file with each condition in a call of heddle.Trace.
struct Observed {
  std::string text;
  std::set<std::string> places;
};

struct Insertion {
  std::size_t offset = 0;
  std::string text;
};

// The compiler needs to see constant conditions, and what a pattern binds.
inline bool may_be_wrapped(const Node& condition) {
  return condition.is_present() && condition.text() != "true" &&
         condition.text().find("instanceof") == std::string_view::npos;
}

inline void observe(const Node& node, std::vector<Insertion>& insertions,
                    std::set<std::string>& places) {
  for (const char* kind :
       {"if_statement", "while_statement", "do_statement", "for_statement", "ternary_expression"}) {
    if (!node.is(kind)) continue;
    Node condition = node.field("condition");
    if (condition.is("parenthesized_expression")) condition = condition.first_child();
    if (!may_be_wrapped(condition)) continue;
    const std::string place = place_text(node.location());
    insertions.push_back({condition.offset(), fmt::format("heddle.Trace.at(\"{}\", ", place)});
    insertions.push_back({condition.offset() + condition.text().size(), ")"});
    places.insert(place);
  }
  for (const Node& child : node.children()) observe(child, insertions, places);
}

inline Observed observed(const SourceText& source) {
  const SourceFile file(source.file, source.text);
  std::vector<Insertion> insertions;
  Observed observed;
  observe(file.root(), insertions, observed.places);
  std::ranges::stable_sort(insertions, {}, &Insertion::offset);
  std::size_t at = 0;
  for (const Insertion& insertion : insertions) {
    observed.text += source.text.substr(at, insertion.offset - at) + insertion.text;
    at = insertion.offset;
  }
  observed.text += source.text.substr(at);
  return observed;
}

}  // namespace heddle::java
