// Texts inside HTML, SVG, XML and Markdown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

// The text as the content of an element or as the value of an attribute in quotes. What XML 1.0 has
// no character for (controls, bytes that are not UTF-8, U+FFFE) is written out, "\x1b"; line ends
// and tabs stay.
std::string markup_text(std::string_view text);

// ` name="value"`, with the value escaped.
std::string attribute(std::string_view name, std::string_view value);

// `<name attributes>content</name>`. REQUIRES: `content` is markup, `attributes` come from
// `attribute`.
std::string element(std::string_view name, std::string_view attributes, std::string_view content);

// Text in which no character means anything to Markdown. An underscore inside a word means nothing.
std::string markdown_text(std::string_view text);

// A row of a table in Markdown. REQUIRES: the cells are Markdown.
std::string markdown_row(const std::vector<std::string>& cells);

}  // namespace heddle
