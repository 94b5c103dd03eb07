#include "frontend/history/jepsen_values.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "base/text.h"

namespace heddle {

namespace {

// Inside of brackets a text that could be taken for several has quotes around it. What is a
// collection's text has none, so that texts do not grow with every bracket around them.
std::string quoted_if_needed(std::string text) {
  const bool is_collection =
      text.starts_with('[') || text.starts_with('{') || text.starts_with("#{");
  const bool is_one = text.find_first_of(" \"\\,()[]{}") == std::string::npos && !text.empty();
  if (is_collection || is_one) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted.push_back('\\');
    quoted.push_back(c);
  }
  quoted.push_back('"');
  return quoted;
}

}  // namespace

Value FormValues::text(std::string_view text) {
  constexpr std::less_equal<> kNotAfter;
  const bool stays = kNotAfter(file_.data(), text.data()) &&
                     kNotAfter(text.data() + text.size(), file_.data() + file_.size());
  if (!stays) return texts_.text(text);
  const auto known = known_.find(text);
  if (known != known_.end()) return known->second;
  return known_.emplace(text, texts_.text(text)).first->second;
}

Value FormValues::of(const FormNode& form) {
  if (form.kind == FormKind::number) return texts_.number(form.number);
  if (form.kind == FormKind::nil) return kNil;
  if (!form.is_container()) return text(form.text);
  terms_.clear();
  add_terms(form, terms_);
  return texts_.text(write(terms_[0]));
}

Value FormValues::of(const HistoryTerm& term) {
  return term.is_container() ? texts_.text(write(term)) : term.value;
}

void FormValues::add_terms(const FormNode& form, std::vector<HistoryTerm>& terms) {
  for (const FormNode* node = &form; node != &form + form.size; ++node) {
    const Value value = node->is_container() ? kNil : of(*node);
    terms.push_back({.kind = node->kind, .size = node->size, .value = value});
  }
}

Value FormValues::of_vector(const std::vector<Value>& elements) {
  std::vector<std::string> parts;
  parts.reserve(elements.size());
  for (const Value element : elements) parts.push_back(write_scalar(element));
  return texts_.text("[" + join(parts, " ") + "]");
}

std::string FormValues::write_scalar(Value value) const {
  return quoted_if_needed(texts_.to_string(value));
}

std::string FormValues::write(const HistoryTerm& term) const {
  if (!term.is_container()) return write_scalar(term.value);
  std::vector<std::string> parts;
  for (const HistoryTerm& element : Inside(term)) parts.push_back(write(element));
  if (term.kind == FormKind::vector) return "[" + join(parts, " ") + "]";
  if (term.kind == FormKind::map) {
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
      parts[i / 2] = parts[i] + " " + parts[i + 1];
    }
    parts.resize(parts.size() / 2);
  }
  std::ranges::sort(parts);
  return term.kind == FormKind::set ? "#{" + join(parts, " ") + "}" : "{" + join(parts, ", ") + "}";
}

Value value_as_written(std::string_view text, ValueTexts& texts) {
  if (text == "nil" || text == "null") return kNil;
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && stop == text.data() + text.size()) return texts.number(number);
  const bool is_quoted = text.size() >= 2 && text.starts_with('"') && text.ends_with('"');
  return texts.text(is_quoted ? text.substr(1, text.size() - 2) : text);
}

}  // namespace heddle
