#include "record/redact/field_names.h"

#include <algorithm>

#include "base/text.h"

namespace heddle {
namespace {

std::string without_style(std::string_view name) {
  std::string letters;
  for (const char c : to_lower(name)) {
    if (c != '_' && c != '-' && c != '.' && c != ' ') letters += c;
  }
  return letters;
}

}  // namespace

FieldNames::FieldNames(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (name.starts_with('*')) {
      ends_.push_back(without_style(std::string_view(name).substr(1)));
    } else {
      names_.insert(without_style(name));
    }
  }
}

bool FieldNames::has(std::string_view name) const {
  const std::string letters = without_style(name);
  return names_.contains(letters) ||
         std::any_of(ends_.begin(), ends_.end(),
                     [&letters](const std::string& end) { return letters.ends_with(end); });
}

bool FieldNames::says(std::string_view text) const {
  const std::string letters = without_style(text);
  return names_.contains(letters) || std::find(ends_.begin(), ends_.end(), letters) != ends_.end();
}

}  // namespace heddle
