// parse_schema: the statements of a text that define something, one after the other.
//
// PostgreSQL's parser sees nothing else: files of definitions also hold what it does not read (the
// data of COPY, commands of psql) and bodies of functions, which may be in any language.
#include <algorithm>
#include <iterator>
#include <utility>

#include "base/assert.h"
#include "base/text.h"
#include "frontend/schema/tokens.h"
#include "frontend/schema/tree.h"
#include "frontend/sql/mysql.h"
#include "frontend/sql/sqlite.h"
#include "frontend/sql/tree.h"
#include "frontend/sql/words/lexer.h"
#include "heddle/schema.h"
#include "schema/builder.h"

namespace heddle {
namespace {

using sql::SchemaBuilder;
using sql::Tokens;

// The words by which a definition is known, modifiers left out.
constexpr std::string_view kDefiningWords[] = {
    "create table",  "create unique index", "create sequence", "create type", "create domain",
    "create schema", "alter table",         "alter type",      "drop table",  "drop sequence",
    "drop type",     "drop domain",         "alter sequence",  "create view", "drop view",
};

constexpr std::string_view kDefinitionModifiers[] = {
    "global", "local", "temp", "temporary", "unlogged", "foreign", "or", "replace", "recursive"};

// "create table" of CREATE UNLOGGED TABLE t ...
std::string first_words(const Tokens& tokens) {
  std::string words;
  std::size_t count = 0;
  for (std::size_t i = 0; i < tokens.size() && count < 3; ++i) {
    const std::string word = tokens.word(i);
    if (word.empty()) break;
    if (std::find(std::begin(kDefinitionModifiers), std::end(kDefinitionModifiers), word) !=
        std::end(kDefinitionModifiers)) {
      continue;
    }
    words += (count++ > 0 ? " " : "") + word;
  }
  return words;
}

bool is_definition(const Tokens& tokens) {
  const std::string words = first_words(tokens) + " ";
  for (const std::string_view one : kDefiningWords) {
    if (words.starts_with(std::string(one) + " ")) return true;
  }
  if (!words.starts_with("select ")) return false;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].depth == 0 && tokens.word(i) == "into") return true;
  }
  return false;
}

// Blanks out the commands of psql and the data behind COPY ... FROM stdin, up to the line \. that
// ends it. Quotes and comments are respected, so that a line inside of them stays.
class ClientLines {
 public:
  explicit ClientLines(std::string_view sql) : text_(sql) {}

  std::string blank() {
    while (at_ < text_.size()) {
      const bool at_line_start = at_ == 0 || text_[at_ - 1] == '\n';
      if (at_line_start && text_[at_] == '\\') {
        blank_until(sql::end_of_line(text_, at_));
      } else if (text_[at_] == ';') {
        end_statement();
      } else {
        step();
      }
    }
    return std::move(text_);
  }

 private:
  void blank_until(std::size_t end) {
    for (; at_ < end; ++at_) {
      if (text_[at_] != '\n') text_[at_] = ' ';
    }
  }

  void step() {
    const std::size_t end = sql::end_of_token(text_, at_);
    const std::string word = to_lower(std::string_view(text_).substr(at_, end - at_));
    if (!sql::is_space(text_[at_])) {
      if (words_++ == 0) is_copy_ = word == "copy";
      is_from_client_ = is_from_client_ || word == "stdin";
    }
    at_ = end;
  }

  void end_statement() {
    const bool has_data = is_copy_ && is_from_client_;
    words_ = 0;
    is_copy_ = false;
    is_from_client_ = false;
    ++at_;
    if (!has_data) return;
    const std::size_t close = std::min(text_.find("\n\\.", at_), text_.size());
    blank_until(close == text_.size() ? close : close + 3);
  }

  std::string text_;
  std::size_t at_ = 0;
  std::size_t words_ = 0;
  bool is_copy_ = false;
  bool is_from_client_ = false;
};

void read_definition(SchemaBuilder& builder, const StatementText& statement) {
  const Tokens tokens(statement.text);
  if (!is_definition(tokens)) return;
  const sql::ParseOutcome parsed = sql::parse_tree(statement.text);
  if (!parsed.is_ok) {
    const bool is_bound = parsed.trouble.trouble == Trouble::bound;
    builder.error(builder.position(statement.offset + parsed.trouble.offset),
                  "a definition cannot be read: " + parsed.trouble.message,
                  is_bound ? "split the statement into smaller ones"
                           : "check its syntax, and say --dialect=... if it is not PostgreSQL's");
    return;
  }
  for (const sql::RawStatement& raw : parsed.tree.statements) {
    sql::TreeDefinitions(builder, tokens, statement.offset).read(*raw.node);
  }
}

}  // namespace

SchemaReading parse_schema(std::string_view sql, Dialect dialect) {
  HEDDLE_ASSERT(dialect != Dialect::redis);
  SchemaBuilder builder(sql, dialect);
  if (dialect == Dialect::postgres) {
    const std::string text = ClientLines(sql).blank();
    for (const StatementText& statement : split_statements(text)) {
      read_definition(builder, statement);
    }
  } else {
    const bool is_sqlite = dialect == Dialect::sqlite;
    for (const sql::MysqlStatement& statement :
         is_sqlite ? sql::split_sqlite(sql) : sql::split_mysql(sql)) {
      sql::TokenDefinitions(builder, sql, statement).read();
    }
  }
  return builder.finish();
}

}  // namespace heddle
