#include "frontend/views/text_edits.h"

#include <algorithm>
#include <charconv>
#include <functional>

#include "frontend/sql/reader.h"
#include "program/text.h"

namespace heddle::views {

using sql::Node;
using sql::Tokens;

std::string edited(std::string text, std::vector<Edit> edits) {
  std::ranges::stable_sort(edits, std::ranges::greater(), &Edit::offset);
  for (const Edit& edit : edits) text.replace(edit.offset, edit.size, edit.text);
  return text;
}

std::size_t place_of(const Node& node) {
  std::size_t value = 0;
  const std::string& text = node.text("location");
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

bool is_at(const Tokens& tokens, std::size_t at, std::size_t depth, std::string_view word) {
  return at < tokens.size() && tokens[at].depth == depth && tokens.word(at) == word;
}

std::size_t end_of(const sql::Token& token) { return token.offset + token.size; }

std::vector<std::string> column_path(const Node& reference) {
  for (const Node& field : reference["fields"]) {
    if (field.type() == "A_Star") return {};
  }
  return sql::string_list(reference["fields"]);
}

bool has_subquery(const Node& node) {
  if (node.name == "SubLink" || node.name == "CurrentOfExpr") return true;
  for (const Node& child : node) {
    if (has_subquery(child)) return true;
  }
  return false;
}

std::string quoted_name(const std::string& name) { return program::name_text(name); }

std::size_t end_of_name(const Tokens& tokens, std::size_t begin) {
  std::size_t end = begin + 1;
  while (tokens.is_symbol(end, '.') && end + 1 < tokens.size()) end += 2;
  return end;
}

}  // namespace heddle::views
