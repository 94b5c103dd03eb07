#include "frontend/sql/sqlite.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/text.h"
#include "frontend/sql/reader.h"
#include "frontend/sql/words/sqlite_lexer.h"

namespace heddle::sql {
namespace {

// Rules for whole statements.

// OR REPLACE, OR IGNORE and the like after a verb; the word after OR, or empty.
std::string drop_conflict_word(MysqlStatement& statement, std::size_t verb) {
  if (!statement.is_word(verb + 1, "or") || verb + 2 >= statement.size()) return "";
  std::string word = statement[verb + 2].word;
  statement.drop(verb + 1, verb + 3);
  return word;
}

void rewrite_sqlite_insert(MysqlStatement& statement, std::size_t verb) {
  const std::string word = drop_conflict_word(statement, verb);
  statement.replaces = statement.is_word(verb, "replace") || word == "replace";
  statement.replace(verb, "INSERT");
  if (!statement.replaces && word != "ignore") return;
  for (std::size_t i = verb; i < statement.size(); ++i) {
    if (statement.are_words(i, "on conflict")) return;
  }
  add_conflict_clause(statement, verb);
}

void rewrite_sqlite_update(MysqlStatement& statement, std::size_t verb) {
  drop_conflict_word(statement, verb);
  drop_order_and_limit(statement, verb);
}

void rewrite_begin(MysqlStatement& statement, std::size_t verb) {
  for (const std::string_view word : {"deferred", "immediate", "exclusive"}) {
    if (statement.is_word(verb + 1, word)) statement.drop(verb + 1, verb + 2);
  }
}

void rewrite_sqlite_explain(MysqlStatement& statement, std::size_t verb) {
  if (statement.are_words(verb + 1, "query plan")) statement.drop(verb + 1, verb + 3);
}

// The options behind the columns, and what PostgreSQL's constraints do not have.
void rewrite_sqlite_create(MysqlStatement& statement, std::size_t verb) {
  for (std::size_t i = verb; i < statement.size(); ++i) {
    if (statement.is_word(i, "autoincrement")) statement.drop(i, i + 1);
    if (statement.are_words(i, "on conflict")) statement.drop(i, i + 3);
  }
  std::size_t open = verb;
  while (open < statement.size() && !statement.is_symbol(open, "(")) ++open;
  const std::size_t end = statement.after_parenthesis(open);
  const bool has_options = statement.is_word(end, "without") || statement.is_word(end, "strict");
  if (has_options) statement.drop(end, statement.size());
}

constexpr RewriteRule kSqliteVerbRules[] = {
    {"insert", rewrite_sqlite_insert}, {"replace", rewrite_sqlite_insert},
    {"update", rewrite_sqlite_update}, {"delete", drop_order_and_limit},
    {"begin", rewrite_begin},          {"explain", rewrite_sqlite_explain},
    {"create", rewrite_sqlite_create},
};

// Rules for what may stand anywhere.

// Words that PostgreSQL reserves and SQLite does not.
constexpr std::string_view kNamesOfSqlite[] = {
    "user",     "only",     "array",        "authorization", "verbose",   "freeze",       "analyse",
    "placing",  "variadic", "session_user", "current_user",  "symmetric", "asymmetric",   "similar",
    "overlaps", "ilike",    "collation",    "tablesample",   "some",      "lateral",      "grant",
    "both",     "leading",  "trailing",     "any",           "initially", "concurrently", "fetch"};

// Functions that PostgreSQL parses by rules of its own.
constexpr std::string_view kQuotedFunctionsOfSqlite[] = {"time", "timestamp", "char", "position",
                                                         "overlay"};

// Functions that tell the time where they are asked for 'now', or for nothing.
constexpr std::string_view kClocks[] = {"date",      "time",     "datetime",
                                        "julianday", "strftime", "unixepoch"};

// IS and IS NOT compare any two values.
void rewrite_is(MysqlStatement& statement, std::size_t i) {
  const bool is_negated = statement.is_word(i + 1, "not");
  const std::size_t operand = i + (is_negated ? 2 : 1);
  if (operand >= statement.size()) return;
  for (const std::string_view word : {"null", "true", "false", "distinct", "not"}) {
    if (statement.is_word(operand, word)) return;
  }
  statement.replace(i, is_negated ? "IS DISTINCT FROM" : "IS NOT DISTINCT FROM");
  statement.drop(i + 1, operand);
}

// x NOT NULL, x NOT GLOB y, FROM t NOT INDEXED
void rewrite_not(MysqlStatement& statement, std::size_t i) {
  if (statement.is_word(i + 1, "indexed")) {
    statement.drop(i, i + 2);
  } else if (statement.is_word(i + 1, "glob") || statement.is_word(i + 1, "regexp") ||
             statement.is_word(i + 1, "match")) {
    statement.replace(i, "!~");
    statement.drop(i + 1, i + 2);
  } else if (statement.is_word(i + 1, "null") && !statement.follows_word(i, "is")) {
    statement.replace(i, "IS NOT");
  }
}

void rewrite_pattern(MysqlStatement& statement, std::size_t i) {
  if (!statement.is_symbol(i + 1, "(") && i > 0) statement.replace(i, "~");
}

// FROM t INDEXED BY i
void drop_index(MysqlStatement& statement, std::size_t i) {
  if (statement.is_word(i + 1, "by")) statement.drop(i, i + 3);
}

// x IN t
void rewrite_in(MysqlStatement& statement, std::size_t i) {
  if (!statement.is_name(i + 1) || statement.is_symbol(i + 2, "(")) return;
  std::size_t last = i + 1;
  while (statement.is_symbol(last + 1, ".") && statement.is_name(last + 2)) last += 2;
  statement.replace(i, "IN (SELECT * FROM");
  statement.replace(last, statement[last].text + ")");
}

void rewrite_clock(MysqlStatement& statement, std::size_t i) {
  if (!statement.is_symbol(i + 1, "(")) return;
  const std::size_t end = statement.after_parenthesis(i + 1);
  bool is_now = end == i + 3 || (statement.is_word(i, "strftime") && end == i + 4);
  for (std::size_t at = i + 2; at < end; ++at) {
    is_now = is_now || (statement[at].kind == MysqlTokenKind::string &&
                        equal_ignoring_case(statement[at].text, "'now'"));
  }
  if (!is_now || !statement.is_symbol(end - 1, ")")) return;
  statement.replace(i, "now");
  statement.drop(i + 2, end - 1);
}

constexpr RewriteRule kSqliteRules[] = {
    {"is", rewrite_is},      {"not", rewrite_not},    {"glob", rewrite_pattern},
    {"in", rewrite_in},      {"limit", swap_limit},   {"regexp", rewrite_pattern},
    {"as", quote_alias},     {"join", complete_join}, {"match", rewrite_pattern},
    {"indexed", drop_index},
};

void rewrite_sqlite_word(MysqlStatement& statement, std::size_t i) {
  const std::string word = statement[i].word;
  const bool is_called = statement.is_symbol(i + 1, "(");
  const bool is_type = i > 0 && statement.is_word(i - 1, "as");
  if (i > 0 && statement.is_symbol(i - 1, ".")) return;
  if (is_called && is_one_of(word, kClocks)) rewrite_clock(statement, i);
  const bool is_rewritten = statement[i].text == "now";
  const bool is_offset = word == "offset" && statement.find_word(0, {"limit"}) < i && !is_called;
  if (is_called && !is_type && !is_rewritten && is_one_of(word, kQuotedFunctionsOfSqlite)) {
    statement.replace(i, quote_name(word));
  } else if (!is_called && (is_one_of(word, kNamesOfSqlite) || (word == "offset" && !is_offset))) {
    statement.replace(i, quote_name(word));
  }
}

void rewrite_expressions_of_sqlite(MysqlStatement& statement, bool is_definition) {
  for (std::size_t i = 0; i < statement.size(); ++i) {
    if (statement[i].text.empty()) continue;
    if (statement.is_symbol(i, "==")) statement.replace(i, "=");
    if (statement[i].kind != MysqlTokenKind::word) continue;
    for (const RewriteRule& rule : kSqliteRules) {
      const bool is_constraint = is_definition && rule.word == "not";
      if (!statement.is_word(i, rule.word) || is_constraint) continue;
      rule.apply(statement, i);
      break;
    }
    if (!statement[i].text.empty()) rewrite_sqlite_word(statement, i);
  }
}

// Statements that PostgreSQL's parser does not read.

struct VerbKind {
  std::string_view verb;
  StatementKind kind;
};
constexpr VerbKind kVerbKinds[] = {
    {"select", StatementKind::select},
    {"values", StatementKind::select},
    {"insert", StatementKind::insert},
    {"replace", StatementKind::insert},
    {"update", StatementKind::update},
    {"delete", StatementKind::delete_},
    {"create", StatementKind::data_definition},
    {"alter", StatementKind::data_definition},
    {"drop", StatementKind::data_definition},
    {"pragma", StatementKind::set},
    {"vacuum", StatementKind::maintenance},
    {"reindex", StatementKind::maintenance},
    {"analyze", StatementKind::maintenance},
    {"explain", StatementKind::explain},
    {"begin", StatementKind::begin},
    {"commit", StatementKind::commit},
    {"end", StatementKind::commit},
    {"rollback", StatementKind::rollback},
};

bool reads_or_writes_rows(StatementKind kind) {
  return kind == StatementKind::select || kind == StatementKind::insert ||
         kind == StatementKind::update || kind == StatementKind::delete_;
}

// After WITH the verb may be anywhere.
std::size_t find_verb(const MysqlStatement& statement) {
  if (!statement.is_word(0, "with")) return 0;
  return statement.find_word(0, {"select", "values", "insert", "replace", "update", "delete"});
}

// Rules may have put something behind the name.
std::string unquoted_name(const MysqlToken& token) {
  const std::size_t last = token.text.rfind('"');
  const bool is_quoted = token.kind == MysqlTokenKind::name && token.text.starts_with('"');
  return is_quoted && last > 0 ? token.text.substr(1, last - 1) : token.word;
}

// Follows the words of a statement: whether the name of a table may come next.
class TablePlaces {
 public:
  explicit TablePlaces(bool is_definition) : is_definition_(is_definition) {}

  bool is_before_table(const MysqlStatement& statement, std::size_t i) {
    constexpr std::string_view kBefore[] = {"from", "join", "into", "update", "table", "in"};
    constexpr std::string_view kAfterList[] = {"where", "group", "order", "limit",
                                               "set",   "on",    "using", "values"};
    const std::string& word = statement[i].word;
    if (word == "from" || word == "join") in_list_ = true;
    if (is_one_of(word, kAfterList)) in_list_ = false;
    if (statement.is_symbol(i, ",")) return in_list_;
    // CREATE INDEX i ON t, CREATE TRIGGER g AFTER INSERT ON t; not ON CONFLICT, ON DELETE.
    constexpr std::string_view kActions[] = {"conflict", "delete", "update"};
    const bool is_object = word == "on" && is_definition_ && i + 1 < statement.size() &&
                           !is_one_of(statement[i + 1].word, kActions);
    return is_object || is_one_of(word, kBefore);
  }

 private:
  bool is_definition_;
  bool in_list_ = false;
};

// The table named at `at` or after words such as IF NOT EXISTS; empty: none is.
std::string table_named_at(const MysqlStatement& statement, std::size_t at) {
  constexpr std::string_view kOptions[] = {"if", "not", "exists", "or", "ignore", "replace"};
  constexpr std::string_view kNoTables[] = {"set", "select", "values"};
  while (at + 1 < statement.size() && is_one_of(statement[at].word, kOptions)) ++at;
  while (statement.is_symbol(at + 1, ".") && at + 2 < statement.size()) at += 2;
  const bool is_name =
      statement[at].kind == MysqlTokenKind::word || statement[at].kind == MysqlTokenKind::name;
  return is_name && !is_one_of(statement[at].word, kNoTables) ? unquoted_name(statement[at]) : "";
}

void add_named_tables(const MysqlStatement& statement, Statement& result) {
  TablePlaces places(result.kind == StatementKind::data_definition);
  for (std::size_t i = 0; i + 1 < statement.size(); ++i) {
    if (!places.is_before_table(statement, i)) continue;
    TableUse use;
    use.table = table_named_at(statement, i + 1);
    const bool is_known = std::any_of(result.tables.begin(), result.tables.end(),
                                      [&](const TableUse& one) { return one.table == use.table; });
    if (use.table.empty() || is_known) continue;
    use.read = true;
    use.columns_read = {"*"};
    use.written = result.kind != StatementKind::select;
    if (use.written) use.columns_written = {"*"};
    result.tables.push_back(std::move(use));
  }
}

}  // namespace

std::vector<MysqlStatement> split_sqlite(std::string_view sql) {
  std::vector<MysqlStatement> statements = split_tokens(lex_sqlite(sql));
  for (MysqlStatement& statement : statements) statement.options.dialect = Dialect::sqlite;
  return statements;
}

void rewrite_sqlite(MysqlStatement& statement) {
  const std::size_t verb = find_verb(statement);
  for (const RewriteRule& rule : kSqliteVerbRules) {
    if (!statement.is_word(verb, rule.word)) continue;
    rule.apply(statement, verb);
    break;
  }
  const bool is_definition = statement.is_word(verb, "create") || statement.is_word(verb, "alter");
  rewrite_expressions_of_sqlite(statement, is_definition);
}

Statement classify_sqlite_by_words(const MysqlStatement& statement, std::string_view why) {
  Statement result;
  const std::size_t verb = find_verb(statement);
  const auto* const known =
      std::find_if(std::begin(kVerbKinds), std::end(kVerbKinds), [&](const VerbKind& one) {
        return verb < statement.size() && statement[verb].word == one.verb;
      });
  if (known != std::end(kVerbKinds)) result.kind = known->kind;
  const bool is_other = result.kind == StatementKind::other;
  result.calls_unknown_function = reads_or_writes_rows(result.kind) || is_other;
  result.returns_rows = result.kind == StatementKind::select || result.kind == StatementKind::set ||
                        result.kind == StatementKind::explain;
  if (reads_or_writes_rows(result.kind) || result.kind == StatementKind::data_definition) {
    add_named_tables(statement, result);
  }
  const bool is_whole = !reads_or_writes_rows(result.kind) && !is_other &&
                        result.kind != StatementKind::data_definition;
  if (!is_whole) insert_name(result.over_approximated, "not read further: " + std::string(why));
  return result;
}

}  // namespace heddle::sql
