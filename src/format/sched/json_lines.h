// JSON as heddle writes it, put together as text: what the runtime of thread programs is linked
// with has no library for it. Values are JSON already, but for texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace heddle {

// A text that may hold any bytes, as `text_json` has it.
std::string json_of_text(std::string_view text);
inline std::string json_of_number(std::uint64_t number) { return std::to_string(number); }
inline std::string json_of_truth(bool truth) { return truth ? "true" : "false"; }

using JsonMembers = std::vector<std::pair<std::string_view, std::string>>;

// On one line.
std::string json_line(const JsonMembers& members);

// A member on each line, `indent` blanks before it.
std::string json_object(const JsonMembers& members, std::size_t indent);

// An element on each line, none within `[]`.
std::string json_list(const std::vector<std::string>& elements, std::size_t indent);

}  // namespace heddle
