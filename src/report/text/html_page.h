// Pieces of an HTML page that is well-formed XML as well. Contents that are plain texts are made
// safe; `content` is markup.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heddle/finding.h"

namespace heddle {

std::string tagged(std::string_view name, const std::string& text,
                   const std::string& css_class = "");
std::string paragraph(const std::string& text, const std::string& css_class = "");
// `cell`: td or th.
std::string table_row(const std::vector<std::string>& cells, std::string_view cell,
                      const std::string& css_class = "");
// What is shown when the reader asks for it.
std::string folded(const std::string& summary, const std::string& content);

// The whole page. `style`: its rules.
std::string html_document(const std::string& title, const std::string& style,
                          const std::string& content);

// All there is to say of a finding, without a heading.
std::string html_of(const Finding& finding);

}  // namespace heddle
