#include "record/redact/field_names.h"

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
  for (const std::string& name : names) names_.insert(without_style(name));
}

bool FieldNames::has(std::string_view name) const { return names_.contains(without_style(name)); }

}  // namespace heddle
