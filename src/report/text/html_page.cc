#include "report/text/html_page.h"

#include "report/text/markup.h"

namespace heddle {

std::string tagged(std::string_view name, const std::string& text, const std::string& css_class) {
  return element(name, css_class.empty() ? "" : attribute("class", css_class), markup_text(text));
}

std::string paragraph(const std::string& text, const std::string& css_class) {
  return tagged("p", text, css_class) + "\n";
}

std::string table_row(const std::vector<std::string>& cells, std::string_view cell,
                      const std::string& css_class) {
  std::string text;
  for (const std::string& content : cells) text += tagged(cell, content);
  return element("tr", css_class.empty() ? "" : attribute("class", css_class), text) + "\n";
}

std::string folded(const std::string& summary, const std::string& content) {
  return element("details", "", tagged("summary", summary) + "\n" + content) + "\n";
}

std::string html_document(const std::string& title, const std::string& style,
                          const std::string& content) {
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n" +
         tagged("title", title) + "\n" + element("style", "", "\n" + style) +
         "\n</head>\n<body>\n" + element("main", "", "\n" + content) + "\n</body>\n</html>\n";
}

}  // namespace heddle
