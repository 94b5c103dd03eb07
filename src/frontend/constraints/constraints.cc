// Items of a spec file's tokens: store, axiom, initially, session, requires.
#include "heddle/constraints.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/constraints/axiom.h"
#include "frontend/plpgsql/expression.h"
#include "frontend/spec/block_positions.h"
#include "frontend/spec/text/spec_token.h"
#include "frontend/sql/words/lexer.h"

namespace heddle {

namespace {

using Token = SpecToken::Kind;

constexpr std::string_view kExample =
    "an item looks like: initially \"no debt\" { SELECT balance >= 0 FROM account }";

constexpr std::string_view kRequirement = "say it of parameters: requires pay { payer <> payee }";

class ConstraintsReader {
 public:
  ConstraintsReader(std::string_view text, std::string_view file) : scanner_(text, file) {
    constraints_.file = std::string(file);
  }

  Result<Constraints> read() {
    while (!error_) {
      const SpecToken item = next();
      if (error_ || item.kind == Token::end) break;
      read_item(item);
    }
    if (error_) return *std::move(error_);
    return std::move(constraints_);
  }

 private:
  struct Item {
    std::string_view word;
    void (ConstraintsReader::*read)(const SpecToken& name, const SqlBlock& block);
  };
  static const std::array<Item, 5> kConstraintItems;

  SpecToken next() {
    Result<SpecToken> token = scanner_.next(BlockEnd::outside_quotes);
    if (token) return *std::move(token);
    error_ = token.error();
    return {};
  }

  void fail(SourcePosition where, std::string what, std::string what_to_do) {
    error_ = Diagnostic{.what = std::move(what),
                        .what_to_do = std::move(what_to_do),
                        .file = constraints_.file,
                        .position = where,
                        .trouble = Trouble::bad_input};
  }

  void read_item(const SpecToken& word) {
    const auto* item = std::ranges::find(kConstraintItems, word.text, &Item::word);
    if (word.kind != Token::word || item == kConstraintItems.end()) {
      fail(word.position, fmt::format("\"{}\" begins no constraint", word.text),
           "use one of: store, axiom, initially, session, requires");
      return;
    }
    const SpecToken name = next();
    if (error_) return;
    if (name.kind != Token::word && name.kind != Token::quoted_name) {
      fail(name.position, fmt::format("the {} has no name", word.text), std::string(kExample));
      return;
    }
    // A functionality may have several requirements.
    const bool is_named = word.text != "requires";
    if (is_named && !names_.insert({std::string(word.text), name.text}).second) {
      fail(name.position, fmt::format("a second {} \"{}\"", word.text, name.text),
           "rename one of the two");
      return;
    }
    const SpecToken block = next();
    if (error_) return;
    if (block.kind != Token::block) {
      fail(block.position, fmt::format("the {} \"{}\" has no block", word.text, name.text),
           std::string(kExample));
      return;
    }
    (this->*item->read)(name, {.text = block.text, .position = block.content});
  }

  void read_axiom_item(const SpecToken& name, const SqlBlock& block) {
    Result<OrderAxiom> axiom = read_axiom(name.text, block, constraints_.file);
    if (!axiom) {
      error_ = axiom.error();
      return;
    }
    constraints_.axioms.push_back(*std::move(axiom));
  }

  void read_store(const SpecToken& name, const SqlBlock& block) {
    StoreTables store;
    store.name = name.text;
    const sql::Tokens tokens(block.text);
    BlockPositions positions(block);
    for (std::size_t i = 0; i < tokens.size(); i += 2) {
      const bool is_name = !tokens.word(i).empty() || tokens[i].kind == sql::TokenKind::quoted_name;
      const bool goes_on = i + 1 == tokens.size() || tokens.is_symbol(i + 1, ',');
      if (!is_name || !goes_on) {
        const std::size_t at = is_name ? i + 1 : i;
        fail(positions.at(tokens[at].offset),
             fmt::format("\"{}\" stands where {} is expected", tokens.text(at),
                         is_name ? "a comma" : "the name of a table"),
             "write the tables of the store: { account, transfer }");
        return;
      }
      std::string table(tokens.text(i));
      if (tokens[i].kind == sql::TokenKind::quoted_name && table.size() >= 2) {
        table = table.substr(1, table.size() - 2);
      }
      store.tables.push_back(std::move(table));
      store.positions.push_back(positions.at(tokens[i].offset));
    }
    constraints_.stores.push_back(std::move(store));
  }

  // f(1, x); g(x); h
  void read_session(const SpecToken& name, const SqlBlock& block) {
    CallSession session{.name = name.text, .calls = {}, .position = name.position};
    const sql::Tokens tokens(block.text);
    BlockPositions positions(block);
    std::size_t at = 0;
    while (at < tokens.size()) {
      session.calls.push_back({.functionality = name_at(tokens, at),
                               .arguments = {},
                               .position = positions.at(tokens[at].offset)});
      if (session.calls.back().functionality.empty()) break;
      ++at;
      while (tokens.is_symbol(at, '.') && !name_at(tokens, at + 1).empty()) {
        session.calls.back().functionality += "." + name_at(tokens, at + 1);
        at += 2;
      }
      if (tokens.is_symbol(at, '(') && !read_arguments(tokens, at, session.calls.back())) break;
      if (at == tokens.size()) return take_session(std::move(session));
      if (!tokens.is_symbol(at, ';')) break;
      if (++at == tokens.size()) return take_session(std::move(session));
    }
    const bool is_end = at >= tokens.size();
    fail(is_end ? block.position : positions.at(tokens[at].offset),
         is_end ? fmt::format("the session \"{}\" ends in the middle of a call", name.text)
                : fmt::format("\"{}\" stands where a call is expected to go on", tokens.text(at)),
         "write the calls in their order: { deposit(account, 10); balance(account) }");
  }

  void take_session(CallSession session) {
    if (session.calls.size() < 2) {
      return fail(session.position, fmt::format("the session \"{}\" has one call", session.name),
                  "a single call needs no session");
    }
    constraints_.sessions.push_back(std::move(session));
  }

  static std::string name_at(const sql::Tokens& tokens, std::size_t at) {
    if (at >= tokens.size()) return "";
    const std::string text(tokens.text(at));
    const bool is_quoted = tokens[at].kind == sql::TokenKind::quoted_name && text.size() >= 2;
    if (is_quoted) return text.substr(1, text.size() - 2);
    return tokens.word(at).empty() ? "" : text;
  }

  // Behind its bracket; false: something else stands at `at`.
  static bool read_arguments(const sql::Tokens& tokens, std::size_t& at, SessionCall& call) {
    call.arguments.emplace();
    if (tokens.is_symbol(++at, ')')) return ++at != 0;
    while (at < tokens.size()) {
      const std::size_t begin = at;
      if (tokens.is_symbol(at, '-')) ++at;
      if (at >= tokens.size()) return false;
      const bool is_number = tokens[at].kind == sql::TokenKind::number;
      const bool is_string = tokens[at].kind == sql::TokenKind::string && begin == at;
      const std::string word = begin == at ? tokens.word(at) : "";
      if (!is_number && !is_string && word.empty()) return false;
      const bool is_literal = word.empty() || word == "null" || word == "true" || word == "false";
      call.arguments->push_back(
          {.kind = is_literal ? ExpressionKind::literal : ExpressionKind::variable,
           .text = word.empty() ? std::string(trim(tokens.text(begin, at + 1))) : word,
           .operands = {}});
      ++at;
      if (tokens.is_symbol(at, ')')) return ++at != 0;
      if (!tokens.is_symbol(at, ',')) return false;
      ++at;
    }
    return false;
  }

  void read_fact(const SpecToken& name, const SqlBlock& block) {
    Result<std::vector<Statement>> read = parse_statements(block.text, Dialect::postgres);
    if (!read) {
      Diagnostic error = read.error();
      error.file = constraints_.file;
      error.position = within(block, error.position);
      error_ = std::move(error);
      return;
    }
    if (read->size() != 1 || read->front().kind != StatementKind::select) {
      const SourcePosition where =
          read->empty() ? block.position : within(block, read->front().position);
      fail(where, fmt::format("\"{}\" is not one query", name.text), std::string(kExample));
      return;
    }
    constraints_.facts.push_back(
        {.name = name.text, .query = std::move(read->front()), .position = name.position});
  }

  void read_requirement(const SpecToken& name, const SqlBlock& block) {
    std::set<std::string> used;
    const auto parameter = [&](const std::vector<std::string>& path) -> std::optional<Expression> {
      if (path.size() != 1) return std::nullopt;
      used.insert(path.front());
      return Expression{.kind = ExpressionKind::variable, .text = path.front(), .operands = {}};
    };
    const auto read = plpgsql::read_value(block.text, parameter);
    BlockPositions positions(block);
    if (!read.is_ok) {
      fail(positions.at(read.trouble.offset), read.trouble.what, std::string(kRequirement));
      return;
    }
    if (read.value.asks_store) {
      fail(block.position,
           fmt::format("what \"{}\" requires is no condition on its arguments", name.text),
           std::string(kRequirement));
      return;
    }
    CallRequirement requirement{.functionality = name.text,
                                .condition = read.value.value,
                                .parameters = {},
                                .position = name.position};
    const sql::Tokens tokens(block.text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string name_there = name_at(tokens, i);
      const bool is_quoted = tokens[i].kind == sql::TokenKind::quoted_name;
      const std::string folded = is_quoted ? name_there : tokens.word(i);
      if (!used.contains(folded)) continue;
      requirement.parameters.push_back(
          {.name = folded, .position = positions.at(tokens[i].offset)});
    }
    constraints_.requirements.push_back(std::move(requirement));
  }

  // A position in a block as one of the file.
  static SourcePosition within(const SqlBlock& block, SourcePosition inner) {
    if (inner.line <= 1) return {block.position.line, block.position.column + inner.column - 1};
    return {block.position.line + inner.line - 1, inner.column};
  }

  SpecScanner scanner_;
  Constraints constraints_;
  std::set<std::pair<std::string, std::string>> names_;
  std::optional<Diagnostic> error_;
};

const std::array<ConstraintsReader::Item, 5> ConstraintsReader::kConstraintItems = {{
    {"store", &ConstraintsReader::read_store},
    {"axiom", &ConstraintsReader::read_axiom_item},
    {"initially", &ConstraintsReader::read_fact},
    {"session", &ConstraintsReader::read_session},
    {"requires", &ConstraintsReader::read_requirement},
}};

}  // namespace

Result<Constraints> parse_constraints(std::string_view text, std::string_view file) {
  return ConstraintsReader(text, file).read();
}

}  // namespace heddle
