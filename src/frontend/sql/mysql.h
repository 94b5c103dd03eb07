// MySQL text to text for PostgreSQL's parser.
//
// The rewriter works on tokens and never on a tree: each rule looks at a few neighbours. What has
// no counterpart is dropped when that only makes the statement touch more rows or columns than it
// does (index hints, LIMIT of an UPDATE), and then a note says so.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "frontend/sql/reader.h"
#include "frontend/sql/words/mysql_lexer.h"
#include "heddle/statement.h"

namespace heddle::sql {

// One statement under rewriting. Rules drop and replace tokens in place; they insert by putting
// several words into one token's text.
class MysqlStatement {
 public:
  explicit MysqlStatement(std::vector<MysqlToken> tokens) : tokens_(std::move(tokens)) {}

  std::size_t size() const { return tokens_.size(); }
  const MysqlToken& operator[](std::size_t index) const { return tokens_[index]; }

  // False where there is no such token, or it was dropped.
  bool is_word(std::size_t index, std::string_view lower) const;
  bool is_symbol(std::size_t index, std::string_view symbol) const;
  // Whether the tokens from `index` are these words (or symbols), separated by one blank each.
  bool are_words(std::size_t index, std::string_view lower) const;
  bool is_name(std::size_t index) const;  // a word or a name in backticks
  // Whether the token before `index`, dropped ones left out, is this word.
  bool follows_word(std::size_t index, std::string_view lower) const;

  void replace(std::size_t index, std::string text) { tokens_[index].text = std::move(text); }
  void drop(std::size_t begin, std::size_t end);
  // After the last token.
  void append(std::string text);
  // Puts tokens [begin, end) before token `to` (to <= begin).
  void move(std::size_t begin, std::size_t end, std::size_t to);
  void swap(std::size_t one, std::size_t other) {
    std::swap(tokens_[one].text, tokens_[other].text);
  }

  // The index after the parenthesis that matches the one opened at `open`; size() when none does.
  std::size_t after_parenthesis(std::size_t open) const;
  // The first token from `begin` on, outside parentheses, that is one of the words; or size().
  std::size_t find_word(std::size_t begin, const std::vector<std::string_view>& words) const;
  // Likewise a symbol, stopping at nothing.
  std::size_t find_symbol(std::size_t begin, std::string_view symbol) const;

  // What the tree of the rewritten text will not say.
  ReaderOptions options{.dialect = Dialect::mysql, .multi_table = false, .delete_targets = {}};
  std::vector<std::string> notes;
  std::optional<StatementKind> kind;  // of the statement as written
  bool ordered = false;
  bool limited = false;
  bool replaces = false;     // REPLACE: conflicting rows are deleted
  bool returns_rows = true;  // if the tree says so

 private:
  std::vector<MysqlToken> tokens_;
};

// What is done where a word or a symbol stands; a statement's rule is told by its verb.
struct RewriteRule {
  std::string_view word;
  void (*apply)(MysqlStatement&, std::size_t at);
};

// Splits a text into statements, not rewritten yet.
std::vector<MysqlStatement> split_mysql(std::string_view sql);
// The same for tokens; the body of a routine stays with what creates it.
std::vector<MysqlStatement> split_tokens(std::vector<MysqlToken> tokens);

void rewrite_statement(MysqlStatement& statement);    // mysql_statement.cc: all rules
void rewrite_expressions(MysqlStatement& statement);  // mysql_expression.cc
void rewrite_definition(MysqlStatement& statement);   // mysql_definition.cc: CREATE and ALTER TABLE

// Rules that SQLite's text needs, too (sqlite.h): INSERT whose conflicting rows are no error, ORDER
// BY and LIMIT of an UPDATE or DELETE, LIMIT a, b, AS 'total', joins without a condition.
void add_conflict_clause(MysqlStatement& statement, std::size_t begin);
void drop_order_and_limit(MysqlStatement& statement, std::size_t begin);
void swap_limit(MysqlStatement& statement, std::size_t i);
void quote_alias(MysqlStatement& statement, std::size_t i);
void complete_join(MysqlStatement& statement, std::size_t i);

// Where each piece of rewritten text stood in the source.
struct Origin {
  std::size_t rewritten = 0;
  std::size_t source = 0;
};

struct RewrittenText {
  std::string text;
  std::vector<Origin> origins;  // ascending in `rewritten`

  std::size_t source_offset(std::size_t rewritten) const;
};

// The text of a rewritten statement; blanks stay as they are in `sql` where its tokens do.
RewrittenText render(const MysqlStatement& statement, std::string_view sql);

// A statement that PostgreSQL's parser does not read even when rewritten, told by its first words.
// None: a query, whose error the user wants to see.
std::optional<Statement> classify_by_words(const MysqlStatement& statement);

}  // namespace heddle::sql
