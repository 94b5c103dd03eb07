// JSON as heddle writes it: members in a fixed order, short lists on one line, texts of any bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace heddle {

using Json = nlohmann::ordered_json;

// A text that may hold any bytes: a JSON string when it is UTF-8, else {"hex": "ff00"}, so that
// reading gives back the same bytes.
Json text_json(std::string_view text);
Json texts_json(const std::vector<std::string>& texts);

// A list with what `write` makes of each value.
template <class Values, class Write>
Json list_json(const Values& values, const Write& write) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(write(value));
  return list;
}

// The document with two blanks per level; lists and objects that fit on a line stay on it.
// What would take over a terminal is escaped.
std::string print_json(const Json& document);
// The same, but every element has a line of its own.
std::string print_json_by_line(const Json& document);

}  // namespace heddle
