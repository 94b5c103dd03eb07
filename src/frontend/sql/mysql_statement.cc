// Rules for whole statements: INSERT, REPLACE, UPDATE, DELETE, SET, LOCK TABLES and the like.
#include <algorithm>

#include "base/text.h"
#include "frontend/sql/mysql.h"

namespace heddle::sql {
namespace {

// Drops the modifiers after a verb and tells whether IGNORE was one of them.
bool drop_modifiers(MysqlStatement& statement, std::size_t verb) {
  bool ignore = false;
  for (std::size_t i = verb + 1; i < statement.size(); ++i) {
    bool is_modifier = false;
    for (std::string_view word : {"low_priority", "high_priority", "delayed", "quick", "ignore"}) {
      is_modifier = is_modifier || statement.is_word(i, word);
    }
    if (!is_modifier) break;
    ignore = ignore || statement.is_word(i, "ignore");
    statement.drop(i, i + 1);
  }
  return ignore;
}

// The first token from `begin` on that was not dropped.
std::size_t next_token(const MysqlStatement& statement, std::size_t begin) {
  while (begin < statement.size() && statement[begin].text.empty()) ++begin;
  return begin;
}

// After `name` or `database.name`.
std::size_t after_name(const MysqlStatement& statement, std::size_t begin) {
  std::size_t end = begin + 1;
  while (statement.is_symbol(end, ".") && end + 1 < statement.size()) end += 2;
  return std::min(end, statement.size());
}

// INSERT INTO t SET a = 1, b = 2
void rewrite_insert_set(MysqlStatement& statement, std::size_t set, std::size_t end) {
  std::vector<std::string> columns;
  for (std::size_t i = set + 1; i < end;) {
    std::size_t equals = std::min(statement.find_symbol(i, "="), end);
    if (equals == end || equals == i) return;
    columns.push_back(statement[equals - 1].text);
    std::size_t comma = std::min(statement.find_symbol(equals, ","), end);
    statement.drop(i, equals + 1);
    i = comma + 1;
  }
  statement.replace(set, "(" + join(columns, ", ") + ") VALUES (");
  if (end > set + 1) statement.replace(end - 1, statement[end - 1].text + ")");
}

// VALUES (...) AS new(a, b) ON DUPLICATE KEY UPDATE c = new.a
void rewrite_row_alias(MysqlStatement& statement, std::size_t begin, std::size_t conflict) {
  std::size_t as = statement.find_word(begin, {"as", "select", "with"});
  if (as >= conflict || !statement.is_word(as, "as") || !statement.is_name(as + 1)) return;
  std::string alias = statement[as + 1].text;
  statement.drop(as, statement.after_parenthesis(as + 2));
  for (std::size_t i = conflict; i < statement.size(); ++i) {
    bool qualifies = statement.is_name(i) && statement.is_symbol(i + 1, ".");
    if (qualifies && equal_ignoring_case(statement[i].text, alias)) {
      statement.replace(i, "excluded");
    }
  }
}

// VALUES(column) in ON DUPLICATE KEY UPDATE
void rewrite_values_calls(MysqlStatement& statement, std::size_t begin) {
  for (std::size_t i = begin; i < statement.size(); ++i) {
    bool is_call = statement.is_word(i, "values") && statement.is_symbol(i + 1, "(");
    if (!is_call) continue;
    std::size_t end = statement.after_parenthesis(i + 1);
    std::size_t column = end >= 2 ? end - 2 : 0;
    if (column <= i + 1 || !statement.is_name(column)) continue;
    statement.replace(column, "excluded." + statement[column].text);
    statement.drop(i, column);
    statement.drop(column + 1, end);
  }
}

// VALUE (...), () VALUES () and VALUES ()
void rewrite_value_words(MysqlStatement& statement, std::size_t begin) {
  std::size_t values = statement.find_word(begin, {"values", "value"});
  if (values >= statement.size()) return;
  statement.replace(values, "VALUES");
  bool empty_row = statement.is_symbol(values + 1, "(") && statement.is_symbol(values + 2, ")");
  if (!empty_row) return;
  statement.replace(values, "DEFAULT VALUES");
  statement.drop(values + 1, values + 3);
  if (statement.is_symbol(begin, "(") && statement.is_symbol(begin + 1, ")")) {
    statement.drop(begin, begin + 2);
  }
}

std::size_t find_duplicate_key(const MysqlStatement& statement, std::size_t begin) {
  for (std::size_t i = begin; i < statement.size(); ++i) {
    if (statement.are_words(i, "on duplicate key update")) return i;
  }
  return statement.size();
}

void rewrite_mysql_insert(MysqlStatement& statement, std::size_t verb) {
  statement.replaces = statement.is_word(verb, "replace");
  bool ignore = drop_modifiers(statement, verb);
  std::size_t table = next_token(statement, verb + 1);
  bool has_into = statement.is_word(table, "into");
  statement.replace(verb, has_into ? "INSERT" : "INSERT INTO");
  if (has_into) ++table;
  std::size_t rest = after_name(statement, table);
  std::size_t conflict = find_duplicate_key(statement, rest);
  rewrite_row_alias(statement, rest, conflict);
  if (statement.is_word(rest, "set")) {
    std::size_t end = std::min(conflict, statement.find_word(rest, {"returning"}));
    while (end > rest + 1 && statement[end - 1].text.empty()) --end;
    rewrite_insert_set(statement, rest, end);
  } else {
    rewrite_value_words(statement, rest);
  }
  if (conflict < statement.size()) {
    statement.replace(conflict, "ON CONFLICT DO UPDATE SET");
    statement.drop(conflict + 1, conflict + 4);
    rewrite_values_calls(statement, conflict);
  } else if (ignore || statement.replaces) {
    add_conflict_clause(statement, rest);
  }
}

bool is_single_table(const MysqlStatement& statement, std::size_t begin, std::size_t end) {
  return std::min(statement.find_word(begin, {"join", "straight_join"}), end) == end &&
         std::min(statement.find_symbol(begin, ","), end) == end &&
         !statement.is_symbol(begin, "(");
}

// UPDATE a JOIN b ON ... SET a.x = b.y WHERE ...  becomes  UPDATE a SET a.x = b.y FROM a JOIN b ...
void rewrite_mysql_update(MysqlStatement& statement, std::size_t verb) {
  drop_modifiers(statement, verb);
  std::size_t first = next_token(statement, verb + 1);
  std::size_t set = statement.find_word(first, {"set"});
  if (set >= statement.size()) return;
  drop_order_and_limit(statement, set);
  if (is_single_table(statement, first, set)) return;
  std::size_t name = first;
  while (name < set && !statement.is_name(name)) ++name;
  if (name == set) return;
  statement.options.multi_table = true;
  statement.replace(verb, "UPDATE " + statement[name].text);
  statement.replace(first, "FROM " + statement[first].text);
  std::size_t end = statement.find_word(set, {"where", "returning"});
  statement.move(set, end, first);
}

// The name that a word or a name in backticks means.
std::string name_in_backticks(const MysqlToken& token) {
  bool in_backticks = token.kind == MysqlTokenKind::name && token.text.size() >= 2;
  return in_backticks ? token.text.substr(1, token.text.size() - 2) : token.word;
}

// The tokens that name targets in a list: a, db.b, c.*
std::vector<std::size_t> find_targets(const MysqlStatement& statement, std::size_t begin,
                                      std::size_t end) {
  std::vector<std::size_t> targets;
  for (std::size_t i = begin; i < end; ++i) {
    bool qualifies = statement.is_symbol(i + 1, ".") && !statement.is_symbol(i + 2, "*");
    if (statement.is_name(i) && !qualifies) targets.push_back(i);
  }
  return targets;
}

// DELETE a, b FROM a JOIN b ...  and  DELETE FROM a, b USING a JOIN b ...
void rewrite_delete(MysqlStatement& statement, std::size_t verb) {
  drop_modifiers(statement, verb);
  std::size_t first = next_token(statement, verb + 1);
  drop_order_and_limit(statement, first);
  bool from_first = statement.is_word(first, "from");
  std::size_t begin = from_first ? first + 1 : first;
  std::size_t end = statement.find_word(begin, {from_first ? "using" : "from", "where"});
  if (end >= statement.size() || statement.is_word(end, "where")) return;
  std::vector<std::size_t> targets = find_targets(statement, begin, end);
  if (targets.empty()) return;
  for (std::size_t i : targets) {
    statement.options.delete_targets.push_back(name_in_backticks(statement[i]));
  }
  statement.options.multi_table = true;
  statement.replace(verb, "DELETE FROM " + statement[targets[0]].text);
  statement.drop(first, end);
  statement.replace(end, "USING");
}

// LOCK TABLES a AS x READ, b WRITE
void rewrite_lock(MysqlStatement& statement, std::size_t verb) {
  if (!statement.is_word(verb + 1, "tables") && !statement.is_word(verb + 1, "table")) return;
  statement.replace(verb + 1, "TABLE");
  for (std::size_t i = verb + 2; i < statement.size();) {
    std::size_t comma = statement.find_symbol(i, ",");
    statement.drop(after_name(statement, i), comma);
    i = comma + 1;
  }
}

void rewrite_start(MysqlStatement& statement, std::size_t verb) {
  std::size_t with = verb + 2;
  if (!statement.are_words(with, "with consistent snapshot")) return;
  statement.drop(with, with + (statement.is_symbol(with + 3, ",") ? 4 : 3));
}

// COMMIT AND NO CHAIN NO RELEASE
void rewrite_end(MysqlStatement& statement, std::size_t verb) {
  for (std::size_t i = verb + 1; i < statement.size(); ++i) {
    if (statement.is_word(i, "savepoint")) return;
    if (!statement.is_word(i, "release")) continue;
    statement.drop(statement.is_word(i - 1, "no") ? i - 1 : i, i + 1);
  }
}

// SET @a = (SELECT ...), @b = 1: the expressions are evaluated and may read.
void rewrite_variable_set(MysqlStatement& statement, std::size_t verb) {
  statement.kind = StatementKind::set;
  statement.returns_rows = false;
  statement.replace(verb, "SELECT");
  for (std::size_t i = verb + 1; i < statement.size();) {
    bool assigns = statement.is_symbol(i + 1, "=") || statement.is_symbol(i + 1, ":=");
    if (assigns) statement.drop(i, i + 2);
    i = statement.find_symbol(i, ",") + 1;
  }
}

// SET GLOBAL x = 1, SET @@session.x = 1, y = 2
void rewrite_setting(MysqlStatement& statement, std::size_t name) {
  if (name >= statement.size()) return;
  if (statement[name].kind == MysqlTokenKind::variable) {
    std::string word = statement[name].word;
    std::size_t last = word.find_last_of(".@");
    statement.replace(name, word.substr(last + 1));
  }
  if (statement.is_symbol(name + 1, ":=")) statement.replace(name + 1, "=");
  std::size_t comma = statement.find_symbol(name, ",");
  if (comma >= statement.size()) return;
  statement.notes.emplace_back("SET of several variables");
  statement.drop(comma, statement.size());
}

void rewrite_set(MysqlStatement& statement, std::size_t verb) {
  std::size_t at = verb + 1;
  if (at >= statement.size()) return;
  const std::string& word = statement[at].word;
  if (word.starts_with("@") && !word.starts_with("@@"))
    return rewrite_variable_set(statement, verb);
  bool scoped = word == "session" || word == "global" || word == "local" || word == "persist";
  if (scoped && statement.is_word(at + 1, "transaction")) {
    statement.replace(at, "SESSION CHARACTERISTICS AS");
  } else if (scoped) {
    statement.drop(at, at + 1);
    rewrite_setting(statement, at + 1);
  } else if (word != "transaction") {
    rewrite_setting(statement, at);
  }
}

// EXPLAIN FORMAT = JSON ..., DESCRIBE SELECT ...
void rewrite_mysql_explain(MysqlStatement& statement, std::size_t verb) {
  statement.replace(verb, "EXPLAIN");
  if (statement.are_words(verb + 1, "format =")) statement.drop(verb + 1, verb + 4);
  bool detailed =
      statement.is_word(verb + 1, "extended") || statement.is_word(verb + 1, "partitions");
  if (detailed) statement.drop(verb + 1, verb + 2);
}

void rewrite_mysql_create(MysqlStatement& statement, std::size_t) { rewrite_definition(statement); }

// A query whose rows nobody gets.
void rewrite_do(MysqlStatement& statement, std::size_t verb) { statement.replace(verb, "SELECT"); }

constexpr RewriteRule kMysqlVerbRules[] = {
    {"insert", rewrite_mysql_insert},
    {"replace", rewrite_mysql_insert},
    {"update", rewrite_mysql_update},
    {"delete", rewrite_delete},
    {"lock", rewrite_lock},
    {"start", rewrite_start},
    {"commit", rewrite_end},
    {"rollback", rewrite_end},
    {"set", rewrite_set},
    {"explain", rewrite_mysql_explain},
    {"describe", rewrite_mysql_explain},
    {"desc", rewrite_mysql_explain},
    {"create", rewrite_mysql_create},
    {"do", rewrite_do},
};

struct WordsKind {
  std::string_view words;
  StatementKind kind;
};
// Longer phrases before their beginnings.
constexpr WordsKind kWordsKinds[] = {
    {"create user", StatementKind::cluster_definition},
    {"create role", StatementKind::cluster_definition},
    {"create database", StatementKind::cluster_definition},
    {"alter user", StatementKind::cluster_definition},
    {"alter database", StatementKind::cluster_definition},
    {"drop user", StatementKind::cluster_definition},
    {"drop role", StatementKind::cluster_definition},
    {"drop database", StatementKind::cluster_definition},
    {"create", StatementKind::data_definition},
    {"alter", StatementKind::data_definition},
    {"drop", StatementKind::data_definition},
    {"rename", StatementKind::data_definition},
    {"grant", StatementKind::data_definition},
    {"revoke", StatementKind::data_definition},
    {"truncate", StatementKind::truncate},
    {"analyze table", StatementKind::maintenance},
    {"optimize", StatementKind::maintenance},
    {"check", StatementKind::maintenance},
    {"checksum", StatementKind::maintenance},
    {"repair", StatementKind::maintenance},
    {"flush", StatementKind::maintenance},
    {"show", StatementKind::set},
    {"use", StatementKind::set},
    {"set", StatementKind::set},
    {"reset", StatementKind::set},
    {"describe", StatementKind::explain},
    {"desc", StatementKind::explain},
    {"explain", StatementKind::explain},
    {"call", StatementKind::call},
    {"prepare", StatementKind::prepare},
    {"execute", StatementKind::prepare},
    {"deallocate", StatementKind::prepare},
    {"lock", StatementKind::lock_table},
    {"unlock", StatementKind::lock_table},
    {"xa start", StatementKind::begin},
    {"xa begin", StatementKind::begin},
    {"xa prepare", StatementKind::prepare_transaction},
    {"xa commit", StatementKind::commit_prepared},
    {"xa rollback", StatementKind::rollback_prepared},
    {"load", StatementKind::copy},
    {"xa", StatementKind::other},
    {"kill", StatementKind::other},
    {"handler", StatementKind::other},
};

// The name after TABLE [IF [NOT] EXISTS], or after ON (CREATE INDEX, TRIGGER).
void add_defined_table(const MysqlStatement& statement, Statement& result) {
  std::size_t at = statement.size();
  for (std::size_t i = 0; i < statement.size() && at == statement.size(); ++i) {
    if (statement[i].word == "table" || statement[i].word == "on") at = i + 1;
  }
  auto is_option = [&](std::size_t i) {
    const std::string& word = statement[i].word;
    return word == "if" || word == "not" || word == "exists";
  };
  while (at < statement.size() && is_option(at)) ++at;
  if (at >= statement.size() || !statement.is_name(at)) return;
  std::size_t end = after_name(statement, at);
  TableUse use;
  use.table = name_in_backticks(statement[end - 1]);
  if (end - at > 2) use.schema = name_in_backticks(statement[at]);
  use.written = true;
  use.columns_written = {"*"};
  result.tables.push_back(std::move(use));
}

bool runs_unknown_code(StatementKind kind) {
  return kind == StatementKind::call || kind == StatementKind::other ||
         kind == StatementKind::prepare;
}

}  // namespace

void add_conflict_clause(MysqlStatement& statement, std::size_t begin) {
  std::size_t returning = statement.find_word(begin, {"returning"});
  if (returning < statement.size()) {
    statement.replace(returning, "ON CONFLICT DO NOTHING RETURNING");
  } else {
    statement.append("ON CONFLICT DO NOTHING");
  }
}

// ORDER BY and LIMIT choose among the rows; without them all rows of the predicate are touched.
void drop_order_and_limit(MysqlStatement& statement, std::size_t begin) {
  std::size_t order = statement.find_word(begin, {"order", "limit"});
  if (order >= statement.size()) return;
  std::size_t end = statement.find_word(order, {"returning"});
  statement.ordered = statement.is_word(order, "order");
  statement.limited = statement.find_word(order, {"limit"}) < end;
  statement.notes.emplace_back("ORDER BY or LIMIT of an UPDATE or DELETE");
  statement.drop(order, end);
}

void rewrite_statement(MysqlStatement& statement) {
  std::size_t verb = 0;
  if (statement.is_word(0, "with")) {
    verb = statement.find_word(0, {"select", "insert", "update", "delete", "replace"});
  }
  for (const RewriteRule& rule : kMysqlVerbRules) {
    if (!statement.is_word(verb, rule.word)) continue;
    rule.apply(statement, verb);
    break;
  }
  rewrite_expressions(statement);
}

std::optional<Statement> classify_by_words(const MysqlStatement& statement) {
  for (const WordsKind& one : kWordsKinds) {
    std::size_t words =
        static_cast<std::size_t>(std::count(one.words.begin(), one.words.end(), ' ')) + 1;
    std::string first;
    for (std::size_t i = 0; i < std::min(words, statement.size()); ++i) {
      first += (i > 0 ? " " : "") + statement[i].word;
    }
    if (first != one.words) continue;
    Statement result;
    result.kind = one.kind;
    result.returns_rows = first == "show" || one.kind == StatementKind::explain;
    result.calls_unknown_function = runs_unknown_code(one.kind);
    bool names_table = one.kind == StatementKind::data_definition ||
                       one.kind == StatementKind::copy || one.kind == StatementKind::truncate;
    if (names_table) add_defined_table(statement, result);
    return result;
  }
  return std::nullopt;
}

}  // namespace heddle::sql
