// Rules for what may stand anywhere in a query: operators, functions, hints, joins, LIMIT.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "frontend/sql/mysql.h"

namespace heddle::sql {
namespace {

// Fixed phrases and what stands for them; empty: dropped.
struct Phrase {
  std::string_view words;
  std::string_view replacement;
};
constexpr Phrase kPhrases[] = {
    {"&&", "AND"},
    {"||", "OR"},
    {"!", " ! "},
    {"==", "="},
    {"<=>", "IS NOT DISTINCT FROM"},
    {"not regexp", "!~"},
    {"not rlike", "!~"},
    {"regexp", "~"},
    {"rlike", "~"},
    {"sounds like", "LIKE"},
    {"div", "/"},
    {"xor", "<>"},
    {"with rollup", ""},
    {"from dual", ""},
    {"lock in share mode", "FOR SHARE"},
    {"in boolean mode", ""},
    {"in natural language mode", ""},
    {"with query expansion", ""},
    {"against", "="},
    {"distinctrow", "DISTINCT"},
    {"sql_no_cache", ""},
    {"sql_cache", ""},
    {"sql_calc_found_rows", ""},
    {"sql_small_result", ""},
    {"sql_big_result", ""},
    {"sql_buffer_result", ""},
};

// Words that PostgreSQL reserves and MySQL does not.
constexpr std::string_view kNamesOfMysql[] = {
    "user",         "offset",      "only",         "array",    "authorization", "verbose",
    "freeze",       "analyse",     "placing",      "variadic", "initially",     "deferrable",
    "session_user", "symmetric",   "asymmetric",   "similar",  "overlaps",      "ilike",
    "collation",    "tablesample", "concurrently", "do",       "some"};

// Functions whose empty parentheses PostgreSQL does not want.
constexpr std::string_view kBareFunctions[] = {
    "current_timestamp", "current_date", "current_time", "localtime",
    "localtimestamp",    "current_user", "session_user", "user"};
// Functions whose parentheses MySQL does not demand.
constexpr std::string_view kCalledFunctions[] = {"utc_timestamp", "utc_date", "utc_time",
                                                 "sysdate"};
// Functions whose names are types in PostgreSQL, or that it parses by rules of their own.
constexpr std::string_view kQuotedFunctionsOfMysql[] = {"time", "timestamp", "char", "default"};

constexpr std::string_view kUnits[] = {"microsecond",
                                       "second",
                                       "minute",
                                       "hour",
                                       "day",
                                       "week",
                                       "month",
                                       "quarter",
                                       "year",
                                       "second_microsecond",
                                       "minute_microsecond",
                                       "minute_second",
                                       "hour_microsecond",
                                       "hour_second",
                                       "hour_minute",
                                       "day_microsecond",
                                       "day_second",
                                       "day_minute",
                                       "day_hour",
                                       "year_month"};

bool is_operand_start(const MysqlStatement& statement, std::size_t index) {
  if (index >= statement.size()) return false;
  const MysqlToken& token = statement[index];
  return token.kind != MysqlTokenKind::symbol || statement.is_symbol(index, "(");
}

// The length of a phrase in words.
std::size_t word_count(std::string_view words) {
  return static_cast<std::size_t>(std::count(words.begin(), words.end(), ' ')) + 1;
}

void replace_phrases(MysqlStatement& statement, std::size_t i) {
  for (const Phrase& phrase : kPhrases) {
    if (!statement.are_words(i, phrase.words)) continue;
    // A qualified name may be any word: t.div.
    if (i > 0 && statement.is_symbol(i - 1, ".")) return;
    statement.drop(i + 1, i + word_count(phrase.words));
    statement.replace(i, std::string(phrase.replacement));
    return;
  }
}

// x MOD y; MOD(x, y) stays.
void replace_mod(MysqlStatement& statement, std::size_t i) {
  if (!statement.is_symbol(i + 1, "(") && i > 0) statement.replace(i, "%");
}

void replace_straight_join(MysqlStatement& statement, std::size_t i) {
  statement.replace(i, statement.follows_word(i, "select") ? "" : "JOIN");
}

// BINARY x compares bytes; BINARY(16) and AS BINARY are types.
void drop_binary(MysqlStatement& statement, std::size_t i) {
  constexpr std::string_view kBefore[] = {"where", "and", "or",   "select", "by",   "like",
                                          "not",   "on",  "when", "then",   "else", "regexp"};
  if (i == 0 || !is_operand_start(statement, i + 1)) return;
  const MysqlToken& previous = statement[i - 1];
  bool operand_expected = previous.kind == MysqlTokenKind::symbol && previous.text != ")";
  if (operand_expected || is_one_of(previous.word, kBefore)) statement.replace(i, "");
}

// USE INDEX FOR JOIN (a, b), IGNORE KEY (c)
void drop_index_hints(MysqlStatement& statement, std::size_t i) {
  std::size_t at = i;
  while (statement.is_word(at + 1, "index") || statement.is_word(at + 1, "key")) {
    std::size_t open = at + 2;
    if (statement.is_word(open, "for")) open += statement.is_word(open + 1, "join") ? 2 : 3;
    if (!statement.is_symbol(open, "(")) return;
    std::size_t end = statement.after_parenthesis(open);
    statement.drop(i, end);
    bool next_hint = statement.is_word(end, "use") || statement.is_word(end, "force") ||
                     statement.is_word(end, "ignore");
    bool after_comma = statement.is_word(end + 1, "use") || statement.is_word(end + 1, "force") ||
                       statement.is_word(end + 1, "ignore");
    if (statement.is_symbol(end, ",") && after_comma) {
      at = end + 1;
    } else if (next_hint) {
      at = end;
    } else {
      return;
    }
  }
}

// FROM t PARTITION (p0, p1)
void drop_partition(MysqlStatement& statement, std::size_t i) {
  if (i == 0 || !statement.is_symbol(i + 1, "(") || !statement.is_name(i - 1)) return;
  statement.drop(i, statement.after_parenthesis(i + 1));
}

// INTERVAL expression unit
void rewrite_interval(MysqlStatement& statement, std::size_t i) {
  constexpr std::size_t kLongest = 200;
  for (std::size_t at = i + 1; at < std::min(statement.size(), i + kLongest); ++at) {
    if (statement.is_symbol(at, "(")) at = statement.after_parenthesis(at) - 1;
    if (statement.is_symbol(at, ",")) break;
    if (at == i + 1 || !is_one_of(statement[at].word, kUnits)) continue;
    statement.replace(i, "CAST((");
    statement.replace(at, ") AS interval)");
    return;
  }
  if (statement.is_symbol(i + 1, "(")) statement.replace(i, quote_name("interval"));
}

// TIMESTAMPDIFF(unit, a, b)
void quote_unit(MysqlStatement& statement, std::size_t i) {
  if (!statement.is_symbol(i + 1, "(") || i + 2 >= statement.size()) return;
  if (is_one_of(statement[i + 2].word, kUnits)) {
    statement.replace(i + 2, quote_string(statement[i + 2].word));
  }
}

// CONVERT(x, type) and CONVERT(x USING charset): the last argument is no expression.
void rewrite_convert(MysqlStatement& statement, std::size_t i) {
  if (!statement.is_symbol(i + 1, "(")) return;
  std::size_t end = statement.after_parenthesis(i + 1);
  std::size_t last = statement.size();
  for (std::size_t at = i + 2; at < end; ++at) {
    if (statement.is_symbol(at, ",") || statement.is_word(at, "using")) last = at;
    if (statement.is_symbol(at, "(")) at = statement.after_parenthesis(at) - 1;
  }
  if (last + 2 >= end || statement[last + 1].word.empty()) return;
  statement.replace(last, ",");
  statement.replace(last + 1, quote_string(statement[last + 1].word));
  statement.drop(last + 2, end - 1);
}

// CAST(x AS UNSIGNED INTEGER)
void drop_integer(MysqlStatement& statement, std::size_t i) {
  bool named = statement.is_word(i + 1, "integer") || statement.is_word(i + 1, "int");
  if (named) statement.drop(i + 1, i + 2);
}

// GROUP_CONCAT(x SEPARATOR ',')
void drop_separator(MysqlStatement& statement, std::size_t i) {
  if (i + 1 < statement.size() && statement[i + 1].kind == MysqlTokenKind::string) {
    statement.drop(i, i + 2);
  }
}

// SELECT ... INTO @a, @b and INTO OUTFILE 'f'
void drop_into(MysqlStatement& statement, std::size_t i) {
  std::size_t end = i + 1;
  if (statement.is_word(end, "outfile") || statement.is_word(end, "dumpfile")) {
    end += 2;
  } else {
    while (end < statement.size() && statement[end].kind == MysqlTokenKind::variable) {
      end += statement.is_symbol(end + 1, ",") ? 2 : 1;
    }
  }
  if (end == i + 1) return;
  statement.drop(i, end);
  statement.returns_rows = false;
}

bool is_any(const MysqlStatement& statement, std::size_t i,
            const std::vector<std::string_view>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return statement.is_word(i, word); });
}

bool needs_condition(const MysqlStatement& statement, std::size_t join) {
  return !statement.follows_word(join, "cross") && !statement.follows_word(join, "natural");
}

// Whether the join at `i` has a condition of its own: later joins before it take the first ones, as
// in a JOIN b JOIN c ON ... ON ...
bool has_condition(const MysqlStatement& statement, std::size_t i) {
  constexpr std::size_t kLongest = 2000;
  const std::vector<std::string_view> last_words = {"where", "group", "order", "limit", "having",
                                                    "for",   "union", "set",   "lock",  "window"};
  std::size_t missing = 1;
  std::size_t last = std::min(statement.size(), i + kLongest);
  for (std::size_t at = i + 1; at < last; ++at) {
    bool ends = statement.is_symbol(at, ")") || statement.is_symbol(at, ",");
    if (ends || is_any(statement, at, last_words)) return false;
    if (statement.is_symbol(at, "(")) at = statement.after_parenthesis(at) - 1;
    if (statement.is_word(at, "join") && needs_condition(statement, at)) ++missing;
    if (is_any(statement, at, {"on", "using"}) && --missing == 0) return true;
  }
  return last < statement.size();
}

// The token before `i` that was not dropped.
std::size_t previous_token(const MysqlStatement& statement, std::size_t i) {
  do --i;
  while (i > 0 && statement[i].text.empty());
  return i;
}

// {ts '2000-01-01 00:00:00'}, {fn now()}: JDBC's escapes.
void drop_escape(MysqlStatement& statement, std::size_t i) {
  for (std::string_view word : {"d", "t", "ts", "fn", "oj"}) {
    if (!statement.is_word(i + 1, word)) continue;
    statement.drop(i, i + 2);
    for (std::size_t at = i + 2; at < statement.size(); ++at) {
      if (statement.is_symbol(at, "}")) return statement.drop(at, at + 1);
    }
  }
}

// @x := expression
void drop_assignment(MysqlStatement& statement, std::size_t i) {
  if (i > 0 && statement[i - 1].kind == MysqlTokenKind::variable) statement.drop(i - 1, i + 1);
}

constexpr RewriteRule kMysqlRules[] = {
    {"mod", replace_mod},
    {"straight_join", replace_straight_join},
    {"binary", drop_binary},
    {"limit", swap_limit},
    {"interval", rewrite_interval},
    {"timestampdiff", quote_unit},
    {"timestampadd", quote_unit},
    {"convert", rewrite_convert},
    {"signed", drop_integer},
    {"unsigned", drop_integer},
    {"separator", drop_separator},
    {"as", quote_alias},
    {"into", drop_into},
    {"join", complete_join},
    {"{", drop_escape},
    {":=", drop_assignment},
};

// INSERT INTO user (id): what is in the parentheses are columns.
bool is_table_with_columns(const MysqlStatement& statement, std::size_t i) {
  return i > 0 && is_any(statement, i - 1,
                         {"into", "insert", "replace", "ignore", "table", "exists", "references"});
}

// Names and functions whose meaning depends on a parenthesis after them.
void rewrite_mysql_word(MysqlStatement& statement, std::size_t i) {
  const std::string word = statement[i].word;
  bool is_field = i > 0 && statement.is_symbol(i - 1, ".");
  bool called = statement.is_symbol(i + 1, "(") && !is_table_with_columns(statement, i);
  bool empty_call = called && statement.is_symbol(i + 2, ")");
  if (is_field) return;
  if (empty_call && is_one_of(word, kBareFunctions)) {
    statement.replace(i, word == "user" ? "CURRENT_USER" : word);
    statement.drop(i + 1, i + 3);
  } else if (!called && is_one_of(word, kCalledFunctions)) {
    statement.replace(i, word + "()");
  } else if (called && is_one_of(word, kQuotedFunctionsOfMysql)) {
    bool is_type = i > 0 && statement.is_word(i - 1, "as");
    if (!is_type) statement.replace(i, quote_name(word));
  } else if (!called && is_one_of(word, kNamesOfMysql)) {
    bool is_offset = word == "offset" && i > 1 && statement.is_word(i - 2, "limit");
    bool is_read_only = word == "only" && i > 0 && statement.is_word(i - 1, "read");
    if (!is_offset && !is_read_only && i > 0) statement.replace(i, quote_name(word));
  }
}

}  // namespace

// LIMIT a, b
void swap_limit(MysqlStatement& statement, std::size_t i) {
  if (!statement.is_symbol(i + 2, ",") || i + 3 >= statement.size()) return;
  statement.swap(i + 1, i + 3);
  statement.replace(i + 2, " OFFSET");
}

// AS 'total'
void quote_alias(MysqlStatement& statement, std::size_t i) {
  if (i + 1 >= statement.size() || statement[i + 1].kind != MysqlTokenKind::string) return;
  const std::string& text = statement[i + 1].text;
  if (text.size() < 2 || text[0] != '\'') return;
  std::string name;
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    name += text[at];
    if (text[at] == '\'') ++at;
  }
  statement.replace(i + 1, quote_name(name));
}

// A join without a condition is a cross join in MySQL, and CROSS JOIN may have a condition.
void complete_join(MysqlStatement& statement, std::size_t i) {
  if (i == 0 || statement.follows_word(i, "natural") || statement.follows_word(i, "outer") ||
      statement.follows_word(i, "left") || statement.follows_word(i, "right")) {
    return;
  }
  bool cross = statement.follows_word(i, "cross");
  bool conditional = has_condition(statement, i);
  if (cross == !conditional) return;
  bool named = cross || statement.follows_word(i, "inner");
  if (named) statement.replace(previous_token(statement, i), "");
  statement.replace(i, conditional ? "JOIN" : "CROSS JOIN");
}

void rewrite_expressions(MysqlStatement& statement) {
  // Hints go first, so that other rules see what is left.
  for (std::size_t i = 0; i < statement.size(); ++i) {
    if (is_any(statement, i, {"use", "force", "ignore"})) drop_index_hints(statement, i);
    if (statement.is_word(i, "partition")) drop_partition(statement, i);
  }
  for (std::size_t i = 0; i < statement.size(); ++i) {
    const MysqlToken& token = statement[i];
    if (token.text.empty()) continue;
    bool is_word = token.kind == MysqlTokenKind::word;
    if (!is_word && token.kind != MysqlTokenKind::symbol) continue;
    replace_phrases(statement, i);
    for (const RewriteRule& rule : kMysqlRules) {
      if (statement.is_word(i, rule.word) || statement.is_symbol(i, rule.word)) {
        rule.apply(statement, i);
        break;
      }
    }
    if (is_word && !statement[i].text.empty()) rewrite_mysql_word(statement, i);
  }
}

}  // namespace heddle::sql
