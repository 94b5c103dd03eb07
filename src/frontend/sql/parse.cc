// parse_statements: text -> trees -> Statements, for all dialects of SQL.
#include "frontend/redis/parse.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "frontend/sql/mysql.h"
#include "frontend/sql/parts.h"
#include "frontend/sql/reader.h"
#include "frontend/sql/sqlite.h"
#include "frontend/sql/tree.h"
#include "frontend/sql/words/functions.h"
#include "frontend/sql/words/lexer.h"
#include "heddle/statement.h"

namespace heddle::sql {
namespace {

Diagnostic to_diagnostic(const ParseTrouble& trouble, std::string_view text, std::size_t offset) {
  std::string advice = trouble.trouble == Trouble::bound ? "split the statement into smaller ones"
                                                         : "check the statement's syntax";
  return {.what = trouble.message,
          .what_to_do = std::move(advice),
          .file = {},
          .position = position_at(text, offset),
          .trouble = trouble.trouble};
}

Diagnostic nested_too_deeply(std::string_view text, std::size_t offset) {
  return to_diagnostic({.message = "queries or joins are nested too deeply",
                        .offset = offset,
                        .trouble = Trouble::bound},
                       text, offset);
}

// The tokens of a raw statement: what the parser counts to it, less semicolons at its ends.
std::pair<std::size_t, std::size_t> token_range(const Tokens& tokens, const RawStatement& raw) {
  std::size_t begin = tokens.index_at(raw.offset);
  std::size_t end = tokens.index_at(raw.offset + raw.size);
  while (begin < end && tokens.is_symbol(begin, ';')) ++begin;
  while (end > begin && tokens.is_symbol(end - 1, ';')) --end;
  return {begin, end};
}

Result<std::vector<Statement>> parse_postgres(std::string_view text) {
  ParseOutcome parsed = parse_tree(text);
  if (!parsed.is_ok) return to_diagnostic(parsed.trouble, text, parsed.trouble.offset);
  Tokens tokens(text);
  std::vector<Statement> statements;
  for (const RawStatement& raw : parsed.tree.statements) {
    auto [begin, end] = token_range(tokens, raw);
    std::size_t offset = begin < tokens.size() ? tokens[begin].offset : text.size();
    StatementReader reader(tokens, {});
    Statement statement = reader.read(*raw.node);
    if (reader.too_deep()) return nested_too_deeply(text, offset);
    statement.text = std::string(tokens.text(begin, end));
    statement.position = position_at(text, offset);
    statements.push_back(std::move(statement));
  }
  return statements;
}

// What the tree of the rewritten text does not say.
void apply_rewrite(const MysqlStatement& rewritten, Statement& statement) {
  for (const std::string& note : rewritten.notes) insert_name(statement.over_approximated, note);
  statement.ordered = statement.ordered || rewritten.ordered;
  statement.limited = statement.limited || rewritten.limited;
  if (rewritten.kind) statement.kind = *rewritten.kind;
  if (!rewritten.returns_rows) {
    statement.returns_rows = false;
    statement.output.clear();
  }
  if (rewritten.replaces && !statement.tables.empty()) {
    statement.tables[0].columns_written = {"*"};
    statement.replaces = true;
    insert_name(statement.over_approximated, "REPLACE");
  }
  if (rewritten.options.dialect != Dialect::sqlite) return;
  for (TableUse& use : statement.tables) {
    if (use.schema == "main") use.schema.clear();  // SQLite's name of the file that was opened
  }
}

// The last resort for what PostgreSQL's parser refuses: the kind by the first words.
Result<Statement> read_by_words(const MysqlStatement& rewritten, Diagnostic trouble) {
  std::optional<Statement> statement = classify_by_words(rewritten);
  if (!statement || trouble.trouble == Trouble::bound) return trouble;
  bool may_touch_rows = statement->kind == StatementKind::data_definition ||
                        statement->kind == StatementKind::copy || statement->calls_unknown_function;
  if (may_touch_rows) {
    insert_name(statement->over_approximated, "not read further: " + trouble.what);
  }
  return *statement;
}

// Likewise for SQLite, where nothing is an error.
Result<Statement> read_unreadable(const MysqlStatement& rewritten, Diagnostic trouble) {
  if (rewritten.options.dialect == Dialect::sqlite) {
    return classify_sqlite_by_words(rewritten, trouble.what);
  }
  return read_by_words(rewritten, std::move(trouble));
}

Result<Statement> parse_rewritten(MysqlStatement& rewritten, std::string_view sql) {
  RewrittenText text = render(rewritten, sql);
  ParseOutcome parsed = parse_tree(text.text);
  if (!parsed.is_ok || parsed.tree.statements.size() != 1) {
    if (parsed.is_ok) parsed.trouble.message = "not one statement";
    std::size_t offset = text.source_offset(parsed.trouble.offset);
    return read_unreadable(rewritten, to_diagnostic(parsed.trouble, sql, offset));
  }
  Tokens tokens(text.text);
  StatementReader reader(tokens, rewritten.options);
  Statement statement = reader.read(*parsed.tree.statements[0].node);
  if (reader.too_deep()) {
    return read_unreadable(rewritten, nested_too_deeply(sql, text.source_offset(0)));
  }
  apply_rewrite(rewritten, statement);
  return statement;
}

Result<std::vector<Statement>> parse_other(std::string_view sql, Dialect dialect) {
  const bool is_sqlite = dialect == Dialect::sqlite;
  std::vector<Statement> statements;
  for (MysqlStatement& rewritten : is_sqlite ? split_sqlite(sql) : split_mysql(sql)) {
    const MysqlToken first = rewritten[0];
    const MysqlToken last = rewritten[rewritten.size() - 1];
    is_sqlite ? rewrite_sqlite(rewritten) : rewrite_statement(rewritten);
    Result<Statement> statement = parse_rewritten(rewritten, sql);
    if (!statement) return statement.error();
    statement->text = std::string(sql.substr(first.offset, last.offset + last.size - first.offset));
    statement->position = position_at(sql, first.offset);
    statements.push_back(std::move(*statement));
  }
  return statements;
}

Result<std::vector<Statement>> parse(std::string_view text, Dialect dialect) {
  return dialect == Dialect::postgres ? parse_postgres(text) : parse_other(text, dialect);
}

}  // namespace

std::vector<StatementPart> parts_of(std::string_view text) {
  const ParseOutcome parsed = parse_tree(text);
  if (!parsed.is_ok || parsed.tree.statements.size() != 1) return {};
  const Tokens tokens(text);
  ReaderOptions options;
  options.takes_apart = true;
  StatementReader reader(tokens, options);
  Statement rest = reader.read(*parsed.tree.statements[0].node);
  std::vector<StatementPart> parts = reader.take_parts();
  if (reader.too_deep() || parts.empty()) return {};
  parts.push_back({.statement = std::move(rest), .needs = reader.take_needs()});
  return parts;
}

}  // namespace heddle::sql

namespace heddle {

Result<std::vector<Statement>> parse_statements(std::string_view sql, Dialect dialect) {
  return dialect == Dialect::redis ? parse_redis(sql) : sql::parse(sql, dialect);
}

}  // namespace heddle
