// The fields of somebody else's JSON document, each with the way that leads to it.
//
//   for (const JsonField& each : *list_json_fields(R"({"lines": [{"price": 12.50}]})"))
//     use(each.path, each.text);  // "$.lines[0].price", "12.50"
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

enum class JsonFieldKind : std::uint8_t { text, number, boolean, null, empty_list, empty_object };

// A value that has no values in it.
struct JsonField {
  std::string path = {};   // "$.lines[0].price"; a key with signs in it is a JSON string in [ ]
  std::string place = {};  // the same for all elements of a list: "$.lines[].price"
  JsonFieldKind kind = JsonFieldKind::null;
  std::string text = {};  // numbers as they are written; of lists and objects nothing

  friend bool operator==(const JsonField&, const JsonField&) = default;
};

// In the order of the document. Nothing where it is no JSON, or nested deeper than 200 levels.
std::optional<std::vector<JsonField>> list_json_fields(std::string_view document);

}  // namespace heddle
