// What documents of findings have alike, whatever they are findings of.
#pragma once

#include <string>
#include <string_view>

#include "format/json/json.h"
#include "format/json/json_reader.h"
#include "heddle/explanation.h"

namespace heddle {

// Whether a text is a document that says that it is a `document`, "race-finding/1".
bool is_document(std::string_view json, std::string_view document);
// Complains unless it does.
void check_document(const JsonPlace& root, std::string_view document,
                    const std::string& advice = "");

Json explanation_json(const Explanation& explanation);
Explanation parse_explanation(const JsonPlace& place);

}  // namespace heddle
