// libpg_query's tree, read without recursion.
//
// The parser's own stack is bounded (it answers "memory exhausted" to 10000 open parentheses), but
// chains that associate to the left (1+1+1..., x::int::int, joins, UNION) are not: their tree is as
// deep as they are long, and libpg_query writes trees out by recursion, without a check of the
// stack, and would end the process. So the depth is estimated from the tokens beforehand, from
// above: each token since the last comma of the same parenthesis may be one level, and each set
// operation, which a comma does not end. Lists of values and columns may be as long as they like.
#include "frontend/sql/tree.h"

#include <algorithm>

#include <nlohmann/json.hpp>
#include <pg_query.h>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::sql {
namespace {

// A level of a chain takes two tokens or more; 10000 levels fit in 2 MB of stack.
constexpr std::size_t kMaximumChain = 15000;
constexpr std::size_t kMaximumSetOperations = 2000;
constexpr std::size_t kMaximumParentheses = 1000;

// Builds nodes from the events of a JSON reader; nothing here recurses.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit TreeBuilder(std::deque<Node>& nodes) : nodes_(nodes) {
    open_.push_back(&nodes_.emplace_back());
  }

  bool null() override { return scalar(""); }
  bool boolean(bool value) override { return scalar(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return scalar(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(std::to_string(value)); }
  bool number_float(number_float_t, const string_t& text) override { return scalar(text); }
  bool string(string_t& value) override { return scalar(value); }
  bool binary(binary_t&) override { return scalar(""); }
  bool start_object(std::size_t) override { return start(); }
  bool start_array(std::size_t) override { return start(); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool key(string_t& name) override {
    name_ = name;
    return true;
  }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override {
    return false;
  }

 private:
  Node& add() {
    Node& node = nodes_.emplace_back();
    node.name = std::move(name_);
    name_.clear();
    Node& parent = *open_.back();
    if (parent.last == nullptr) {
      parent.first = &node;
    } else {
      parent.last->next = &node;
    }
    parent.last = &node;
    return node;
  }
  bool scalar(std::string value) {
    add().scalar = std::move(value);
    return true;
  }
  bool start() {
    open_.push_back(&add());
    return true;
  }
  bool end() {
    open_.pop_back();
    return true;
  }

  std::deque<Node>& nodes_;
  std::vector<Node*> open_;
  std::string name_;
};

// PostgreSQL counts error positions in characters, whose length the first byte tells.
std::size_t character_size(char first) {
  auto byte = static_cast<unsigned char>(first);
  if ((byte & 0xe0) == 0xc0) return 2;
  if ((byte & 0xf0) == 0xe0) return 3;
  if ((byte & 0xf8) == 0xf0) return 4;
  return 1;
}

std::size_t byte_offset(std::string_view sql, std::size_t characters) {
  std::size_t offset = 0;
  while (characters > 0 && offset < sql.size()) {
    offset += character_size(sql[offset]);
    --characters;
  }
  return std::min(offset, sql.size());
}

// Source texts in other encodings than UTF-8 still parse; the JSON reader insists on UTF-8.
std::string with_valid_utf8(std::string_view text) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), is_ascii)) return std::string(text);
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t size = valid_character_size(text, at);
    if (size == 0) {
      result += '?';
      ++at;
    } else {
      result.append(text, at, size);
      at += size;
    }
  }
  return result;
}

struct OpenLevel {
  std::size_t chain = 0;
  std::size_t set_operations = 0;
};

bool is_set_operation(std::string_view word) {
  return word == "union" || word == "intersect" || word == "except";
}

ParseTrouble too_deep(std::size_t offset) {
  return {.message = "the statement is nested too deeply, or one expression is too long",
          .offset = offset,
          .trouble = Trouble::bound};
}

// The token at which the estimate passes a bound, or the number of tokens.
std::size_t find_excess(const Tokens& tokens) {
  std::vector<OpenLevel> levels(1);
  std::size_t chain = 0;  // over all open levels
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    bool ends = levels.size() == 1 && tokens.is_symbol(i, ';');
    if (tokens.is_symbol(i, ',') || ends) {
      chain -= levels.back().chain;
      levels.back().chain = 0;
      if (ends) levels.back().set_operations = 0;
      continue;
    }
    if (tokens.is_symbol(i, ')') || tokens.is_symbol(i, ']')) {
      if (levels.size() > 1) {
        chain -= levels.back().chain;
        levels.pop_back();
      }
    }
    ++chain;
    ++levels.back().chain;
    if (is_set_operation(tokens.word(i))) ++levels.back().set_operations;
    if (tokens.is_symbol(i, '(') || tokens.is_symbol(i, '[')) levels.emplace_back();
    if (chain > kMaximumChain || levels.size() > kMaximumParentheses ||
        levels.back().set_operations > kMaximumSetOperations) {
      return i;
    }
  }
  return tokens.size();
}

std::size_t to_number(const std::string& text) {
  std::size_t value = 0;
  for (char c : text) {
    if (!is_digit(c)) return kNoOffset;
    value = value * 10 + static_cast<std::size_t>(c - '0');
  }
  return text.empty() ? 0 : value;
}

void find_statements(std::string_view sql, const Node& root, ParseTree& tree) {
  for (const Node& raw : root["stmts"]) {
    RawStatement statement;
    statement.node = &raw["stmt"];
    statement.offset = std::min(to_number(raw.text("stmt_location")), sql.size());
    std::size_t size = to_number(raw.text("stmt_len"));
    std::size_t rest = sql.size() - statement.offset;
    statement.size = size == 0 ? rest : std::min(size, rest);
    tree.statements.push_back(statement);
  }
}

ParseOutcome failed(ParseTrouble trouble) {
  return {.tree = {}, .is_ok = false, .trouble = std::move(trouble)};
}

const Node& empty_node() {
  static const Node kEmpty;
  return kEmpty;
}

}  // namespace

std::size_t valid_character_size(std::string_view text, std::size_t at) {
  auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  if (byte(0) < 0x80) return 1;
  std::size_t size = character_size(text[at]);
  if (size == 1 || at + size > text.size()) return 0;
  std::uint32_t code = byte(0) & (0xffU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < kSmallest[size] || surrogate || code > 0x10ffff ? 0 : size;
}

bool Node::is_present() const { return this != &empty_node(); }

const Node& Node::operator[](std::string_view field) const {
  for (const Node& child : *this) {
    if (child.name == field) return child;
  }
  return empty_node();
}

std::string_view Node::type() const {
  if (first == nullptr || first->name.empty()) return {};
  char c = first->name[0];
  return c >= 'A' && c <= 'Z' ? std::string_view(first->name) : std::string_view();
}

const Node& Node::content() const {
  return first == nullptr || type().empty() ? empty_node() : *first;
}

ParseOutcome parse_tree(std::string_view sql) {
  if (std::size_t nul = sql.find('\0'); nul != std::string_view::npos) {
    return failed({.message = "the text contains a NUL byte", .offset = nul});
  }
  Tokens tokens(sql);
  if (std::size_t excess = find_excess(tokens); excess < tokens.size()) {
    return failed(too_deep(tokens[excess].offset));
  }
  PgQueryParseResult parsed = pg_query_parse(std::string(sql).c_str());
  ParseOutcome outcome;
  if (parsed.error != nullptr) {
    auto position = static_cast<std::size_t>(std::max(parsed.error->cursorpos, 1));
    outcome = failed({.message = parsed.error->message, .offset = byte_offset(sql, position - 1)});
  } else {
    TreeBuilder builder(outcome.tree.nodes);
    if (nlohmann::json::sax_parse(with_valid_utf8(parsed.parse_tree), &builder)) {
      find_statements(sql, *outcome.tree.nodes.front().first, outcome.tree);
    } else {
      outcome = failed({.message = "the parser's answer cannot be read", .offset = 0});
    }
  }
  pg_query_free_parse_result(parsed);
  return outcome;
}

std::size_t first_location(const Node& node) {
  std::size_t smallest = kNoOffset;
  std::vector<const Node*> pending{&node};
  while (!pending.empty()) {
    const Node* current = pending.back();
    pending.pop_back();
    if (current->name == "location" && !current->scalar.empty()) {
      smallest = std::min(smallest, to_number(current->scalar));
    }
    for (const Node& child : *current) pending.push_back(&child);
  }
  return smallest;
}

}  // namespace heddle::sql
