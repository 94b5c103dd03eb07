#include "frontend/config/expanded_texts.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace heddle {

bool names_variable(std::string_view name) {
  return !name.empty() && !is_digit(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

Result<void> ExpandedTexts::read_texts(const YamlNode& key, const YamlNode& value,
                                       std::vector<Setting>& to) const {
  if (value.kind == YamlKind::list && value.items.empty()) return {};
  if (auto read = reader_.read_list(key, value, to); !read) return read;
  for (Setting& each : to) {
    if (auto expanded = expand(each); !expanded) return expanded;
  }
  return {};
}

Result<void> ExpandedTexts::read_text(const YamlNode& key, const YamlNode& value,
                                      std::vector<Setting>& to) const {
  if (auto read = read_any_text(key, value, to); !read) return read;
  if (!trim(to.back().text).empty()) return {};
  return trouble(to.back().position, fmt::format("\"{}\" is empty", key.text),
                 "set the variables in it to something");
}

Result<void> ExpandedTexts::read_any_text(const YamlNode& key, const YamlNode& value,
                                          std::vector<Setting>& to) const {
  if (auto read = reader_.read_one(key, value, to); !read) return read;
  return expand(to.back());
}

Diagnostic ExpandedTexts::trouble(const SourcePosition& at, std::string what,
                                  std::string what_to_do) const {
  return reader_.trouble(YamlNode{.position = at}, std::move(what), std::move(what_to_do));
}

Result<void> ExpandedTexts::expand(Setting& setting) const {
  std::string text;
  for (std::size_t at = 0; at < setting.text.size();) {
    const std::string_view rest = std::string_view(setting.text).substr(at);
    if (rest.starts_with("$$")) {
      text += '$';
      at += 2;
    } else if (rest.starts_with("${")) {
      const std::size_t end = rest.find('}');
      if (end == rest.npos) {
        return trouble(setting.position, "a \"${\" has no \"}\"",
                       "write ${NAME} or ${NAME:-value}");
      }
      auto value = variable(rest.substr(2, end - 2), setting.position);
      if (!value) return value.error();
      text += *value;
      at += end + 1;
    } else {
      text += rest.front();
      ++at;
    }
  }
  setting.text = std::move(text);
  return {};
}

Result<std::string> ExpandedTexts::variable(std::string_view inside,
                                            const SourcePosition& at) const {
  const std::size_t colon = inside.find(":-");
  const std::string name(inside.substr(0, colon));
  if (!names_variable(name)) {
    return trouble(at, fmt::format("\"{}\" is no name of a variable", name),
                   "write ${NAME} or ${NAME:-value}");
  }
  const auto value = lookup_(name);
  if (value && (!value->empty() || colon == inside.npos)) return *value;
  if (colon != inside.npos) return std::string(inside.substr(colon + 2));
  return trouble(at, fmt::format("the variable {} is not set", name),
                 fmt::format("set it, or write ${{{}:-value}}", name));
}

std::optional<std::string> environment_variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace heddle
