// Forms as text, for tests: EDN with one space between values, "~" in front of numbers that are no
// integers of 64 bits, and strings as they are between quotes.
#pragma once

#include <string>

#include <fmt/format.h>

#include "frontend/history/forms/jepsen_form_reader.h"
#include "heddle/result.h"

namespace heddle {

inline std::string dump_form(const FormNode& form) {
  switch (form.kind) {
    case FormKind::nil:
      return "nil";
    case FormKind::number:
      return fmt::to_string(form.number);
    case FormKind::other_number:
      return "~" + std::string(form.text);
    case FormKind::text:
      return "\"" + std::string(form.text) + "\"";
    case FormKind::boolean:
    case FormKind::word:
      return std::string(form.text);
    default:
      break;
  }
  std::string inside;
  for (const FormNode& element : Inside(form)) {
    inside += (inside.empty() ? "" : " ") + dump_form(element);
  }
  if (form.kind == FormKind::vector) return "[" + inside + "]";
  return (form.kind == FormKind::set ? "#{" : "{") + inside + "}";
}

// All values of the text, or what is wrong with it.
inline std::string dump_forms(FormReader& reader) {
  std::string text;
  Form form;
  while (reader.skip_space() && !reader.is_at_end()) {
    form.clear();
    if (!reader.read_form(&form)) break;
    text += (text.empty() ? "" : " ") + dump_form(form.nodes[0]);
  }
  return reader.trouble() ? to_string(*reader.trouble()) : text;
}

}  // namespace heddle
