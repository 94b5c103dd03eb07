// The heddle.yaml that a team begins with.
#pragma once

#include <string_view>

namespace heddle {

// The sections "system", "record" and "race" of a shop with two services and one store, each key
// with what it is for. parse_race_config() reads it as it is.
std::string_view system_template();

}  // namespace heddle
