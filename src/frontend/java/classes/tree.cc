#include "frontend/java/classes/tree.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/utf8.h"

// The grammar's parser, generated C from the package tree-sitter-java.
extern "C" const TSLanguage* tree_sitter_java();

namespace heddle::java {

std::string_view Node::kind() const {
  return is_present() ? std::string_view(ts_node_type(node_)) : std::string_view();
}

std::string_view Node::text() const {
  if (!is_present()) return {};
  const std::size_t begin = ts_node_start_byte(node_);
  return std::string_view(file_->text()).substr(begin, ts_node_end_byte(node_) - begin);
}

Node Node::field(std::string_view name) const {
  if (!is_present()) return {};
  return {ts_node_child_by_field_name(node_, name.data(), static_cast<std::uint32_t>(name.size())),
          file_};
}

std::vector<Node> Node::children() const {
  std::vector<Node> result;
  if (!is_present()) return result;
  TSTreeCursor cursor = ts_tree_cursor_new(node_);
  for (bool more = ts_tree_cursor_goto_first_child(&cursor); more;
       more = ts_tree_cursor_goto_next_sibling(&cursor)) {
    const TSNode child = ts_tree_cursor_current_node(&cursor);
    if (ts_node_is_named(child) && !ts_node_is_extra(child)) result.emplace_back(child, file_);
  }
  ts_tree_cursor_delete(&cursor);
  return result;
}

Node Node::child(std::string_view kind) const {
  for (const Node& each : children()) {
    if (each.is(kind)) return each;
  }
  return {};
}

Node Node::first_child() const {
  const std::vector<Node> all = children();
  return all.empty() ? Node() : all.front();
}

bool Node::has_token(std::string_view token) const {
  if (!is_present()) return false;
  const std::uint32_t count = ts_node_child_count(node_);
  for (std::uint32_t i = 0; i < count; ++i) {
    const TSNode child = ts_node_child(node_, i);
    if (!ts_node_is_named(child) && token == ts_node_type(child)) return true;
  }
  return false;
}

SourceLocation Node::location() const {
  if (!is_present()) return {};
  const TSPoint point = ts_node_start_point(node_);
  return {.file = file_->name(), .position = {point.row + 1, point.column + 1}};
}

std::size_t Node::offset() const { return is_present() ? ts_node_start_byte(node_) : 0; }

SourceFile::SourceFile(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  const std::unique_ptr<TSParser, void (*)(TSParser*)> parser(ts_parser_new(), ts_parser_delete);
  ts_parser_set_language(parser.get(), tree_sitter_java());
  tree_.reset(ts_parser_parse_string(parser.get(), nullptr, text_.data(),
                                     static_cast<std::uint32_t>(text_.size())));
}

Node SourceFile::root() const { return {ts_tree_root_node(tree_.get()), this}; }

namespace {

bool is_error(TSNode node) {
  return ts_node_is_missing(node) || std::string_view(ts_node_type(node)) == "ERROR";
}

// To the first child that has an error; false, and nowhere, if none has.
bool go_to_erroneous_child(TSTreeCursor& cursor) {
  if (!ts_tree_cursor_goto_first_child(&cursor)) return false;
  do {
    const TSNode child = ts_tree_cursor_current_node(&cursor);
    if (ts_node_has_error(child) || ts_node_is_missing(child)) return true;
  } while (ts_tree_cursor_goto_next_sibling(&cursor));
  ts_tree_cursor_goto_parent(&cursor);
  return false;
}

}  // namespace

std::optional<Diagnostic> SourceFile::find_error() const {
  const TSNode root = ts_tree_root_node(tree_.get());
  if (!ts_node_has_error(root)) return std::nullopt;
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  while (!is_error(ts_tree_cursor_current_node(&cursor)) && go_to_erroneous_child(cursor)) {
  }
  const TSNode node = ts_tree_cursor_current_node(&cursor);
  ts_tree_cursor_delete(&cursor);
  const Node place(node, this);
  std::string what = "this is not Java";
  if (ts_node_is_missing(node)) {
    what = fmt::format("\"{}\" is missing", ts_node_type(node));
  } else if (const std::string line = std::string(place.text().substr(0, place.text().find('\n')));
             !line.empty()) {
    const std::string begin = line.substr(0, 40);
    what = fmt::format("this is not Java: \"{}\"", begin);
  }
  return Diagnostic{.what = what,
                    .what_to_do = "check the syntax; heddle reads Java up to version 21",
                    .file = name_,
                    .position = place.location().position};
}

namespace {

void append_character(std::string& text, char32_t character) {
  const auto code = static_cast<std::uint32_t>(character);
  if (code < 0x80) {
    text += static_cast<char>(code);
  } else if (code < 0x800) {
    text += static_cast<char>(0xC0U | (code >> 6U));
    text += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    text += static_cast<char>(0xE0U | (code >> 12U));
    text += static_cast<char>(0x80U | ((code >> 6U) & 0x3FU));
    text += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

bool is_octal(char c) { return c >= '0' && c <= '7'; }

// What follows a backslash at text[at]; returns where it ends.
std::size_t append_escape(std::string& result, std::string_view text, std::size_t at) {
  static constexpr std::array<std::pair<char, char>, 7> kEscapes = {
      {{'n', '\n'}, {'t', '\t'}, {'r', '\r'}, {'b', '\b'}, {'f', '\f'}, {'s', ' '}, {'0', '\0'}}};
  if (at >= text.size()) return at;
  const char c = text[at];
  if (c == '\n') return at + 1;
  if (c == 'u') {
    std::size_t digit = at;
    while (digit < text.size() && text[digit] == 'u') ++digit;
    const std::string digits(text.substr(digit, 4));
    append_character(result, static_cast<char32_t>(std::strtoul(digits.c_str(), nullptr, 16)));
    return std::min(digit + 4, text.size());
  }
  if (is_octal(c)) {
    std::size_t end = at;
    unsigned code = 0;
    for (; end < text.size() && end < at + 3 && is_octal(text[end]) && code < 32; ++end) {
      code = code * 8 + static_cast<unsigned>(text[end] - '0');
    }
    append_character(result, code);
    return end;
  }
  const auto* const known = std::ranges::find(kEscapes, c, &std::pair<char, char>::first);
  result += known != kEscapes.end() ? known->second : c;
  return at + 1;
}

std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] != '\\') {
      result += text[i++];
    } else {
      i = append_escape(result, text, i + 1);
    }
  }
  return result;
}

// The lines of a text block without what all of them are indented by (JLS 3.10.6).
std::string block_text(std::string_view inner) {
  std::vector<std::string> lines = split(inner, '\n');
  lines.erase(lines.begin());  // the rest of the line with the opening quotes
  std::size_t indent = std::string::npos;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].empty() && lines[i].back() == '\r') lines[i].pop_back();
    const std::size_t first = lines[i].find_first_not_of(" \t");
    const bool counts = first != std::string::npos || i + 1 == lines.size();
    if (counts) indent = std::min({indent, first, lines[i].size()});
  }
  std::string result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string line = lines[i].substr(std::min(indent, lines[i].size()));
    line.erase(line.find_last_not_of(" \t") + 1);
    result += line;
    if (i + 1 < lines.size()) result += '\n';
  }
  return unescaped(result);
}

}  // namespace

Node place_of_call(const Node& invocation) {
  const Node name = invocation.field("name");
  return name.is_present() ? name : invocation;
}

std::string literal_text(const Node& literal) {
  const std::string_view text = literal.text();
  if (text.starts_with("\"\"\"") && text.size() >= 6) {
    return block_text(text.substr(3, text.size() - 6));
  }
  return text.size() >= 2 ? unescaped(text.substr(1, text.size() - 2)) : "";
}

}  // namespace heddle::java
