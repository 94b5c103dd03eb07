// CREATE TABLE as MySQL writes it. Types are only as right as parsing needs: nobody runs the
// result.
#include <algorithm>

#include "frontend/sql/mysql.h"

namespace heddle::sql {
namespace {

struct TypeName {
  std::string_view mysql;
  std::string_view postgres;
};
// Types whose arguments in parentheses are dropped with them.
constexpr TypeName kTypes[] = {
    {"tinyint", "smallint"},
    {"smallint", "smallint"},
    {"mediumint", "integer"},
    {"int", "integer"},
    {"integer", "integer"},
    {"bigint", "bigint"},
    {"double", "double precision"},
    {"real", "double precision"},
    {"float", "double precision"},
    {"datetime", "timestamp"},
    {"year", "integer"},
    {"tinytext", "text"},
    {"mediumtext", "text"},
    {"longtext", "text"},
    {"text", "text"},
    {"tinyblob", "bytea"},
    {"blob", "bytea"},
    {"mediumblob", "bytea"},
    {"longblob", "bytea"},
    {"binary", "bytea"},
    {"varbinary", "bytea"},
    {"enum", "text"},
    {"set", "text"},
    {"dec", "decimal"},
};

// Attributes of columns without a counterpart, with the number of tokens they take.
struct Attribute {
  std::string_view words;
  std::size_t size;
};
constexpr Attribute kAttributes[] = {
    {"auto_increment", 1},
    {"unsigned", 1},
    {"signed", 1},
    {"zerofill", 1},
    {"comment", 2},
    {"charset", 2},
    {"character set", 3},
    {"collate", 2},
    {"using btree", 2},
    {"using hash", 2},
    {"invisible", 1},
    {"visible", 1},
    {"on update current_timestamp", 3},
    {"on update now", 3},
    {"virtual", 1},
};

bool is_key_word(const MysqlStatement& statement, std::size_t i) {
  return statement.is_word(i, "key") || statement.is_word(i, "index");
}

bool drops_element(const MysqlStatement& statement, std::size_t i) {
  bool prefixed = statement.is_word(i, "fulltext") || statement.is_word(i, "spatial");
  bool plain = is_key_word(statement, i) &&
               (statement.is_symbol(i + 1, "(") || statement.is_symbol(i + 2, "(") ||
                statement.is_word(i + 2, "using"));
  return prefixed || plain;
}

void rewrite_type(MysqlStatement& statement, std::size_t i) {
  for (const TypeName& type : kTypes) {
    if (!statement.is_word(i, type.mysql)) continue;
    statement.replace(i, std::string(type.postgres));
    if (statement.is_word(i + 1, "precision")) statement.drop(i + 1, i + 2);
    if (statement.is_symbol(i + 1, "(")) {
      statement.drop(i + 1, statement.after_parenthesis(i + 1));
    }
    return;
  }
}

void drop_attributes(MysqlStatement& statement, std::size_t i, std::size_t end) {
  for (const Attribute& attribute : kAttributes) {
    if (!statement.are_words(i, attribute.words)) continue;
    std::size_t last = std::min(i + attribute.size, end);
    if (statement.is_symbol(last, "(")) last = statement.after_parenthesis(last);
    statement.drop(i, last);
    return;
  }
}

// PRIMARY KEY (a(10), b): the lengths of prefixes.
void drop_prefix_lengths(MysqlStatement& statement, std::size_t open) {
  if (!statement.is_symbol(open, "(")) return;
  std::size_t end = statement.after_parenthesis(open);
  for (std::size_t i = open + 1; i < end; ++i) {
    if (statement.is_symbol(i, "(")) statement.drop(i, statement.after_parenthesis(i));
  }
}

// UNIQUE KEY name (a), PRIMARY KEY (a), FOREIGN KEY name (a)
void rewrite_key(MysqlStatement& statement, std::size_t begin, std::size_t end) {
  std::size_t i = begin;
  if (statement.is_word(i, "constraint")) i += statement.is_name(i + 1) ? 2 : 1;
  bool unique = statement.is_word(i, "unique");
  bool foreign = statement.is_word(i, "foreign");
  std::size_t at = i + 1;
  if (unique && is_key_word(statement, at)) statement.drop(at, at + 1);
  if (unique || foreign) {
    if (is_key_word(statement, at) || (unique && at < end && statement[at].text.empty())) ++at;
    if (statement.is_name(at)) statement.drop(at, at + 1);
  }
  std::size_t open = begin;
  while (open < end && !statement.is_symbol(open, "(")) ++open;
  drop_prefix_lengths(statement, open);
}

bool is_constraint(const MysqlStatement& statement, std::size_t i) {
  for (std::string_view word : {"constraint", "primary", "unique", "foreign", "check"}) {
    if (statement.is_word(i, word)) return true;
  }
  return false;
}

// One column or constraint, tokens [begin, end).
void rewrite_element(MysqlStatement& statement, std::size_t begin, std::size_t end) {
  if (is_constraint(statement, begin)) {
    rewrite_key(statement, begin, end);
  } else {
    rewrite_type(statement, begin + 1);
  }
  for (std::size_t i = begin + 1; i < end; ++i) {
    if (!statement[i].text.empty()) drop_attributes(statement, i, end);
  }
}

void rewrite_elements(MysqlStatement& statement, std::size_t open, std::size_t close) {
  for (std::size_t begin = open + 1; begin < close;) {
    std::size_t end = std::min(statement.find_symbol(begin, ","), close);
    if (drops_element(statement, begin)) {
      // The comma goes with the element; one before it has to, when it is the last.
      statement.drop(begin, end);
      if (end < close) {
        statement.drop(end, end + 1);
      } else if (statement.is_symbol(begin - 1, ",")) {
        statement.drop(begin - 1, begin);
      }
    } else {
      rewrite_element(statement, begin, end);
    }
    begin = end + 1;
  }
}

std::size_t after_table_name(const MysqlStatement& statement) {
  std::size_t i = statement.find_word(0, {"table"});
  if (i >= statement.size() || i > 3) return statement.size();
  ++i;
  if (statement.are_words(i, "if not exists")) i += 3;
  ++i;
  while (statement.is_symbol(i, ".")) i += 2;
  return i;
}

// The comma before elements dropped at the end of the list.
void drop_trailing_comma(MysqlStatement& statement, std::size_t open, std::size_t close) {
  std::size_t i = close;
  while (i > open + 1 && statement[i - 1].text.empty()) --i;
  if (statement.is_symbol(i - 1, ",")) statement.drop(i - 1, i);
}

}  // namespace

void rewrite_definition(MysqlStatement& statement) {
  std::size_t open = after_table_name(statement);
  if (open >= statement.size()) return;
  if (statement.is_word(open, "like")) {
    statement.replace(open, "(LIKE");
    statement.append(")");
    return;
  }
  std::size_t end = statement.after_parenthesis(open);
  std::size_t query = statement.find_word(end, {"select", "with"});
  if (query < statement.size()) {
    statement.drop(open, query);
    statement.replace(query, "AS " + statement[query].text);
    return;
  }
  if (!statement.is_symbol(open, "(") || end <= open + 1) return;
  rewrite_elements(statement, open, end - 1);
  drop_trailing_comma(statement, open, end - 1);
  statement.drop(end, statement.size());
}

}  // namespace heddle::sql
