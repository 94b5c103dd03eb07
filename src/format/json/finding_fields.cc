#include "format/json/finding_fields.h"

#include <fmt/format.h>

namespace heddle {

bool is_document(std::string_view json, std::string_view document) {
  JsonReader reader(json, "");
  const JsonPlace root = reader.root();
  if (!root.is_object()) return false;
  const JsonPlace word = root.find("heddle");
  return word.is_text() && word.text() == document;
}

void check_document(const JsonPlace& root, std::string_view document, const std::string& advice) {
  if (root.at("heddle").text() == document) return;
  root.find("heddle").complain(fmt::format("expected \"{}\"", document), advice);
}

Json explanation_json(const Explanation& explanation) {
  return {{"let", text_json(explanation.let)},
          {"then", text_json(explanation.then)},
          {"however", text_json(explanation.however)}};
}

Explanation parse_explanation(const JsonPlace& place) {
  return {.let = place.at("let").text(),
          .then = place.at("then").text(),
          .however = place.at("however").text()};
}

}  // namespace heddle
