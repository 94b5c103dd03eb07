// Markup is gone through tag by tag; nothing is known of which elements there are, so that HTML and
// XML are read alike, also cut off. What scripts hold is looked at for JSON.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "record/redact/encodings.h"
#include "record/redact/redactor.h"

namespace heddle {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

struct Attribute {
  std::string_view name;
  std::string_view value;
  std::size_t at = 0;  // of the value, in the tag
};

std::string unescaped_markup(std::string_view text) {
  constexpr std::pair<std::string_view, char> kEntities[] = {{"&amp;", '&'},  {"&lt;", '<'},
                                                             {"&gt;", '>'},   {"&quot;", '"'},
                                                             {"&#39;", '\''}, {"&#x2b;", '+'}};
  std::string unescaped;
  while (!text.empty()) {
    std::size_t length = 1;
    char meaning = text.front();
    for (const auto& [entity, character] : kEntities) {
      if (!equal_ignoring_case(text.substr(0, entity.size()), entity)) continue;
      length = entity.size();
      meaning = character;
    }
    unescaped += meaning;
    text.remove_prefix(length);
  }
  return unescaped;
}

// Without the prefix of its name space.
std::string_view local_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == name.npos ? name : name.substr(colon + 1);
}

// The end of the tag that `text` begins with, after its ">".
std::size_t tag_length(std::string_view text) {
  char quote = '\0';
  for (std::size_t at = 1; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '>') {
      return at + 1;
    }
  }
  return text.size();
}

std::vector<Attribute> attributes_of(std::string_view tag) {
  std::vector<Attribute> found;
  for (std::size_t at = tag.find_first_of(kBlanks); at < tag.size();) {
    at = tag.find_first_not_of(kBlanks, at);
    if (at == tag.npos) break;
    const std::size_t name_end = std::min(tag.find_first_of("=> \t\r\n", at), tag.size());
    Attribute attribute{.name = tag.substr(at, name_end - at), .value = {}, .at = 0};
    at = name_end;
    if (at < tag.size() && tag[at] == '=') {
      ++at;
      const bool is_quoted = at < tag.size() && (tag[at] == '"' || tag[at] == '\'');
      const std::size_t begin = is_quoted ? at + 1 : at;
      const std::size_t end = std::min(
          is_quoted ? tag.find(tag[at], begin) : tag.find_first_of("> \t\r\n", begin), tag.size());
      attribute.value = tag.substr(begin, end - begin);
      attribute.at = begin;
      at = is_quoted ? end + 1 : end;
    } else if (at < tag.size() && tag[at] == '>') {
      break;
    }
    found.push_back(attribute);
  }
  return found;
}

// What the attribute `name` says: of an input or a setting it names the field.
std::string_view attribute_value(const std::vector<Attribute>& attributes, std::string_view name) {
  for (const Attribute& attribute : attributes) {
    if (equal_ignoring_case(attribute.name, name)) return attribute.value;
  }
  return {};
}

std::string redacted_tag(Redactor& redactor, std::string_view tag) {
  const std::vector<Attribute> attributes = attributes_of(tag);
  const std::string_view named = attribute_value(attributes, "name");
  std::string redacted;
  std::size_t at = 0;
  for (const Attribute& attribute : attributes) {
    if (attribute.value.empty()) continue;
    const bool is_value = equal_ignoring_case(attribute.name, "value") ||
                          equal_ignoring_case(attribute.name, "content");
    auto hiding = redactor.hiding_of(local_name(attribute.name));
    if (!hiding && is_value) hiding = redactor.hiding_of(named);
    const std::string value = unescaped_markup(attribute.value);
    const std::string changed =
        hiding ? redactor.hide(value, *hiding) : redact_url(redactor, value);
    if (changed == value) continue;
    redacted += tag.substr(at, attribute.at - at);
    redacted += changed;
    at = attribute.at + attribute.value.size();
  }
  return redacted.append(tag.substr(at));
}

}  // namespace

std::string redact_markup(Redactor& redactor, std::string_view markup) {
  std::string redacted;
  std::optional<Hiding> hiding;  // of the text behind the last tag
  bool is_script = false;
  while (!markup.empty()) {
    if (markup.front() == '<') {
      const std::size_t placeholder = placeholder_length(markup);
      const std::size_t length = placeholder > 0 ? placeholder : tag_length(markup);
      const std::string_view tag = markup.substr(0, length);
      redacted += placeholder > 0 ? std::string(tag) : redacted_tag(redactor, tag);
      const std::string_view name = tag.substr(1, tag.find_first_of("/> \t\r\n", 1) - 1);
      hiding = redactor.hiding_of(local_name(name));
      is_script = equal_ignoring_case(name, "script");
      markup.remove_prefix(length);
      continue;
    }
    const std::string_view text = markup.substr(0, markup.find('<'));
    const std::string_view value = trim(text);
    if (hiding && !value.empty()) {
      const std::size_t begin = text.find(value);
      redacted += text.substr(0, begin);
      redacted += redactor.hide(unescaped_markup(value), *hiding);
      redacted += text.substr(begin + value.size());
    } else if (is_script) {
      redacted += redact_json(redactor, text);
    } else {
      redacted += text;
    }
    markup.remove_prefix(text.size());
  }
  return redactor.text(redacted);
}

}  // namespace heddle
