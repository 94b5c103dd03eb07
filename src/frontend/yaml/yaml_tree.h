// YAML as a tree whose every part knows its place. Keys keep their order, also where one comes
// twice; an alias is the part that it names, shared, so that a small file stays small.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "heddle/result.h"

namespace heddle {

struct YamlNode;
using YamlPart = std::shared_ptr<const YamlNode>;

enum class YamlKind : std::uint8_t { nothing, scalar, list, map };

struct YamlNode {
  YamlKind kind = YamlKind::nothing;
  std::string text = {};  // of a scalar
  SourcePosition position = {};
  std::vector<YamlPart> items = {};                         // of a list
  std::vector<std::pair<YamlPart, YamlPart>> entries = {};  // of a map
};

// The only document of the text; nothing where there is none. Never null. Errors: bad_input with
// its place, for what is no YAML, nested more than 50 deep with all aliases
// written out, longer than a megabyte, no UTF-8, and
// for an alias inside of what it names.
//
// `form`: what to do where it is no YAML, "write ...".
Result<YamlPart> parse_yaml(std::string_view text, const std::string& file, std::string_view form);

}  // namespace heddle
