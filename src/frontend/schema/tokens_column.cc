// Columns and constraints of MySQL and SQLite.
#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "frontend/schema/tokens.h"
#include "frontend/schema/tree.h"
#include "frontend/sql/sqlite.h"
#include "frontend/sql/tree.h"
#include "frontend/sql/words/lexer.h"
#include "schema/types.h"

namespace heddle::sql {
namespace {

// Words that start an attribute of a column, behind its type and behind its default.
constexpr std::string_view kAttributes[] = {"constraint",
                                            "not",
                                            "null",
                                            "default",
                                            "primary",
                                            "unique",
                                            "key",
                                            "check",
                                            "references",
                                            "collate",
                                            "generated",
                                            "as",
                                            "auto_increment",
                                            "autoincrement",
                                            "comment",
                                            "on",
                                            "charset",
                                            "invisible",
                                            "visible",
                                            "virtual",
                                            "stored",
                                            "persistent",
                                            "first",
                                            "after",
                                            "with",
                                            "without",
                                            "column_format",
                                            "storage",
                                            "compressed",
                                            "srid",
                                            "engine_attribute",
                                            "secondary_engine_attribute",
                                            "ref_system_id",
                                            "asc",
                                            "desc",
                                            "deferrable",
                                            "initially",
                                            "using"};

// Attributes that constrain nothing, with the number of words behind the first; an equals sign does
// not count.
struct Passed {
  std::string_view words;
  std::size_t behind;
};
constexpr Passed kPassed[] = {
    {"comment", 1},
    {"collate", 1},
    {"charset", 1},
    {"character set", 1},
    {"column_format", 1},
    {"storage", 1},
    {"srid", 1},
    {"engine_attribute", 1},
    {"ref_system_id", 1},
    {"secondary_engine_attribute", 1},
    {"on conflict", 1},
    {"with system versioning", 0},
    {"without system versioning", 0},
    {"invisible", 0},
    {"visible", 0},
    {"compressed", 0},
    {"virtual", 0},
    {"stored", 0},
    {"persistent", 0},
    {"asc", 0},
    {"desc", 0},
    {"not enforced", 0},
    {"enforced", 0},
    {"using", 1},
};

// What stands behind MySQL's types and belongs to them.
constexpr std::string_view kTypeModifiers[] = {"unsigned", "signed",  "zerofill", "binary",
                                               "ascii",    "unicode", "byte"};

// Operators that the rewriter replaces by what is only close to them.
constexpr std::string_view kApproximated[] = {"glob", "match", "regexp", "rlike", "sounds", "div"};

struct ReferentialWords {
  std::string_view words;
  ReferentialAction action;
};
constexpr ReferentialWords kReferentialWords[] = {
    {"no action", ReferentialAction::no_action},     {"restrict", ReferentialAction::restrict},
    {"cascade", ReferentialAction::cascade},         {"set null", ReferentialAction::set_null},
    {"set default", ReferentialAction::set_default},
};

}  // namespace

bool starts_attribute(const MysqlStatement& statement, std::size_t i) {
  if (i >= statement.size() || statement[i].kind != MysqlTokenKind::word) return false;
  return is_one_of(statement[i].word, kAttributes) || statement.are_words(i, "character set") ||
         statement.are_words(i, "enforced");
}

bool TokenDefinitions::read_column(Table& table, std::size_t end) {
  TableColumn column;
  column.position = builder_.position(offset());
  if (at_ >= end || !accept_name(column.name)) {
    return fail("a column of table " + table.name + " cannot be read");
  }
  bool is_unique = false;
  column.type = read_type(end, column, is_unique);
  if (is_unique) {
    table.unique_constraints.push_back({.columns = {column.name}, .position = column.position});
  }
  while (at_ < end) {
    if (!read_attribute(table, column, end)) {
      return fail("column " + column.name + " of table " + table.name + " cannot be read");
    }
  }
  return builder_.add_column(table, std::move(column));
}

ColumnType TokenDefinitions::read_type(std::size_t end, TableColumn& column, bool& is_unique) {
  const std::size_t begin = at_;
  std::vector<std::string> words;
  ColumnType type;
  std::vector<std::string> labels;
  while (at_ < end && statement_.is_name(at_) && !starts_attribute(statement_, at_)) {
    words.push_back(to_lower(fold_name(text_between(at_, at_ + 1), builder_.dialect())));
    ++at_;
  }
  if (!words.empty()) labels = read_type_arguments(end, type);
  while (at_ < end && statement_[at_].kind == MysqlTokenKind::word &&
         is_one_of(statement_[at_].word, kTypeModifiers)) {
    words.push_back(statement_[at_++].word);
  }
  type.text = text_between(begin, at_);
  auto is_modifier = [&](const std::string& word) {
    if (builder_.dialect() == Dialect::sqlite) return false;
    type.is_unsigned = type.is_unsigned || word == "unsigned" || word == "zerofill";
    return is_one_of(word, kTypeModifiers);
  };
  // BINARY and UNSIGNED are types of their own at the start.
  if (!words.empty()) {
    words.erase(std::remove_if(words.begin() + 1, words.end(), is_modifier), words.end());
  }
  const std::string name = join(words, " ");
  type.type = find_type(name, builder_.dialect());
  if (builder_.dialect() == Dialect::sqlite) {
    if (type.type == ValueType::unknown) type.type = type_by_affinity(name);
    if (type.type != ValueType::numeric) type.arguments.clear();
    return type;
  }
  if (name == "tinyint" && type.arguments == std::vector<std::uint32_t>{1}) {
    type.type = ValueType::boolean;
  }
  // Widths of integers are for display only.
  if (is_integer(type.type) || type.type == ValueType::boolean || type.type == ValueType::real64 ||
      type.type == ValueType::real32) {
    type.arguments.clear();
  }
  const bool is_alias = name == "serial";
  if (is_alias) {
    column.generation = Generation::identity;
    column.not_null = true;
    is_unique = true;
    type.is_unsigned = true;
  } else if (type.is_unsigned) {
    if (type.type == ValueType::integer64) type.arguments = {20};
    type.type = to_unsigned(type.type);
  }
  if (is_alias) {
    type.text = "bigint unsigned";
    type.arguments = {20};
  }
  if (type.type == ValueType::enumeration) type.labels = std::move(labels);
  return type;
}

// (10), (10,2), ('a','b'): the labels are returned.
std::vector<std::string> TokenDefinitions::read_type_arguments(std::size_t end, ColumnType& type) {
  std::vector<std::string> labels;
  if (!statement_.is_symbol(at_, "(")) return labels;
  const std::size_t close = std::min(statement_.after_parenthesis(at_), end);
  for (std::size_t i = at_ + 1; i < close; ++i) {
    const MysqlToken& token = statement_[i];
    if (token.kind == MysqlTokenKind::string)
      labels.push_back(fold_name(token.text, Dialect::sqlite));
    if (token.kind != MysqlTokenKind::number) continue;
    std::uint32_t number = 0;
    std::from_chars(token.text.data(), token.text.data() + token.text.size(), number);
    type.arguments.push_back(number);
  }
  at_ = close;
  return labels;
}

// One attribute behind the type; false: there is none.
bool TokenDefinitions::read_attribute(Table& table, TableColumn& column, std::size_t end) {
  for (const Passed& one : kPassed) {
    if (!accept(one.words)) continue;
    accept_symbol("=");
    at_ = std::min(at_ + one.behind, end);
    if (one.words == "compressed" && skip_parenthesis()) return true;
    return true;
  }
  if (accept("not null")) {
    column.not_null = true;
  } else if (accept("null")) {
    column.not_null = false;
  } else if (accept("default")) {
    read_default(table, column, end);
  } else if (accept("auto_increment") || accept("autoincrement")) {
    column.generation = Generation::identity;
  } else if (accept("on update")) {
    // CURRENT_TIMESTAMP, NOW() and their like; no other value can stand here.
    column.written_by_any_update = true;
    ++at_;
    skip_parenthesis();
  } else if (accept("first")) {
    placement_.is_first = true;
  } else if (accept("after")) {
    return accept_name(placement_.after);
  } else if (accept("generated always as row") || accept("as row")) {
    // START or END of a row of a system-versioned table.
    builder_.note(column.position, "the server keeps old rows of table " + table.name +
                                       " by column " + column.name +
                                       ", which is read as the time of the last change");
    column.default_expression = "current_timestamp(6)";
    column.written_by_any_update = true;
    ++at_;
  } else if (accept("generated always as") || accept("as")) {
    return read_generated(column, end);
  } else {
    return read_key_attribute(table, column);
  }
  return true;
}

bool TokenDefinitions::read_generated(TableColumn& column, std::size_t end) {
  const std::size_t begin = at_ + 1;
  if (!skip_parenthesis() || at_ > end) return false;
  if (auto expression = read_expression(begin, at_ - 1, "the value of column " + column.name)) {
    column.generation_expression = expression->text;
  }
  column.generation = Generation::expression;
  column.always_generated = true;
  return true;
}

bool TokenDefinitions::read_key_attribute(Table& table, TableColumn& column) {
  std::string name;
  const std::size_t where = offset();
  if (accept("constraint") && !starts_attribute(statement_, at_)) accept_name(name);
  if (accept("primary key") || accept("key")) {
    builder_.set_primary_key(table, {column.name}, name, where);
    return true;
  }
  if (accept("unique")) {
    accept("key");
    table.unique_constraints.push_back(
        {.name = name, .columns = {column.name}, .position = builder_.position(where)});
    return true;
  }
  if (at_word("check")) return read_check(table, name);
  if (at_word("references")) return read_foreign_key(table, name, {column.name}, where);
  return false;
}

// A literal, a call, or anything in parentheses.
void TokenDefinitions::read_default(Table& table, TableColumn& column, std::size_t end) {
  const std::size_t begin = at_;
  at_ = std::min(at_ + 1, end);
  if (statement_.is_symbol(begin, "(")) at_ = std::min(statement_.after_parenthesis(begin), end);
  while (at_ < end && !starts_attribute(statement_, at_)) {
    at_ =
        statement_.is_symbol(at_, "(") ? std::min(statement_.after_parenthesis(at_), end) : at_ + 1;
  }
  const bool is_whole = statement_.is_symbol(begin, "(") &&
                        statement_.after_parenthesis(begin) == at_ && at_ > begin + 2;
  const std::size_t inset = is_whole ? 1 : 0;
  const std::string of = "the default of " + table.name + "." + column.name;
  const bool is_quoted_name = at_ == begin + 1 && builder_.dialect() == Dialect::sqlite &&
                              statement_[begin].kind == MysqlTokenKind::name;
  if (is_quoted_name) {
    // SQLite takes names that mean no column for strings.
    column.default_expression =
        quote_string(fold_name(text_between(begin, at_), builder_.dialect()));
  } else if (auto expression = read_expression(begin + inset, at_ - inset, of)) {
    column.default_expression = expression->text;
  }
}

bool TokenDefinitions::read_constraint(Table& table, std::size_t end) {
  const std::size_t where = offset();
  std::string name;
  if (accept("constraint")) {
    bool is_named = true;
    for (const std::string_view word : {"primary", "unique", "foreign", "check"}) {
      is_named = is_named && !at_word(word);
    }
    if (is_named) accept_name(name);
  }
  bool is_read = false;
  if (accept("primary key")) {
    is_read = read_key(table, name, true);
  } else if (accept("unique")) {
    is_read = read_key(table, name, false);
  } else if (accept("foreign key")) {
    accept("if not exists");
    std::string index;
    if (!statement_.is_symbol(at_, "(")) accept_name(index);
    if (name.empty()) name = index;
    KeyColumns key;
    is_read = read_key_columns(key) && read_foreign_key(table, name, std::move(key.names), where);
  } else if (at_word("check")) {
    is_read = read_check(table, name);
  }
  if (is_read && at_ <= end) return true;
  return fail("a constraint of table " + table.name + " cannot be read");
}

// PRIMARY KEY (a), UNIQUE KEY name USING BTREE (a, b)
bool TokenDefinitions::read_key(Table& table, std::string name, bool is_primary) {
  const std::size_t where = offset();
  static_cast<void>(accept("key") || accept("index"));
  accept("if not exists");
  std::string index;
  if (!statement_.is_symbol(at_, "(") && !at_word("using")) accept_name(index);
  if (accept("using")) ++at_;
  if (name.empty() && !is_primary) name = index;
  KeyColumns key;
  if (!read_key_columns(key)) return false;
  if (is_primary) {
    builder_.set_primary_key(table, std::move(key.names), std::move(name), where);
    return true;
  }
  if (!key.is_plain) {
    table.unique_known = false;
    builder_.note(builder_.position(where),
                  "a unique key of table " + table.name +
                      " is on expressions or on the start of values, and is not followed");
    return true;
  }
  table.unique_constraints.push_back({.name = std::move(name),
                                      .columns = std::move(key.names),
                                      .position = builder_.position(where)});
  return true;
}

// (a, b(10) DESC, (lower(c)))
bool TokenDefinitions::read_key_columns(KeyColumns& key) {
  if (!statement_.is_symbol(at_, "(")) return false;
  const std::size_t close = statement_.after_parenthesis(at_) - 1;
  ++at_;
  while (at_ < close) {
    const std::size_t part = end_of_part(close);
    std::string name;
    const bool is_call = statement_.is_symbol(at_ + 1, "(") &&
                         !(at_ + 2 < part && statement_[at_ + 2].kind == MysqlTokenKind::number);
    if (is_call || !accept_name(name)) {
      key.is_plain = false;
    } else {
      key.names.push_back(std::move(name));
      // Only the first characters of the value count.
      if (skip_parenthesis()) key.is_plain = false;
      if (accept("collate")) ++at_;
      static_cast<void>(accept("asc") || accept("desc"));
      if (at_ != part) key.is_plain = false;
    }
    at_ = part + 1;
  }
  at_ = close + 1;
  return !key.names.empty() || !key.is_plain;
}

bool TokenDefinitions::read_foreign_key(Table& table, std::string name,
                                        std::vector<std::string> columns, std::size_t where) {
  ForeignKeyConstraint key{
      .name = std::move(name), .columns = std::move(columns), .position = builder_.position(where)};
  ObjectName referenced;
  if (!accept("references") || !accept_object(referenced)) return false;
  key.referenced_schema = referenced.schema;
  key.referenced_table = referenced.name;
  if (statement_.is_symbol(at_, "(")) {
    KeyColumns list;
    if (!read_key_columns(list)) return false;
    key.referenced_columns = std::move(list.names);
  }
  read_references_options(key);
  table.foreign_keys.push_back(std::move(key));
  return true;
}

void TokenDefinitions::read_references_options(ForeignKeyConstraint& key) {
  while (true) {
    if (accept("match")) {
      ++at_;
    } else if (accept("not deferrable initially immediate") ||
               accept("not deferrable initially deferred") || accept("not deferrable")) {
      key.check_time = CheckTime::statement;
    } else if (accept("deferrable initially deferred")) {
      key.check_time = CheckTime::deferred;
    } else if (accept("deferrable initially immediate") || accept("deferrable")) {
      // In SQLite only PRAGMA defer_foreign_keys could ask for the end of the transaction.
      key.check_time = CheckTime::deferrable;
    } else if (at_word("on delete") || at_word("on update")) {
      ReferentialAction& action =
          statement_.is_word(at_ + 1, "delete") ? key.on_delete : key.on_update;
      at_ += 2;
      const std::size_t before = at_;
      for (const ReferentialWords& one : kReferentialWords) {
        if (at_ == before && accept(one.words)) action = one.action;
      }
      if (at_ == before) return;
    } else {
      return;
    }
  }
}

bool TokenDefinitions::read_check(Table& table, std::string name) {
  const std::size_t where = offset();
  if (!accept("check") || !statement_.is_symbol(at_, "(")) return false;
  const std::size_t begin = at_ + 1;
  skip_parenthesis();
  auto expression = read_expression(begin, at_ - 1, "a check of table " + table.name);
  const bool is_enforced = !accept("not enforced");
  accept("enforced");
  if (expression && is_enforced) {
    table.checks.push_back({.name = std::move(name),
                            .expression = std::move(expression->text),
                            .columns = std::move(expression->columns),
                            .position = builder_.position(where)});
  }
  return true;
}

// Tokens [begin, end) as PostgreSQL writes them; a note when it cannot.
std::optional<TokenDefinitions::Expression> TokenDefinitions::read_expression(
    std::size_t begin, std::size_t end, const std::string& of) {
  if (begin >= end) return std::nullopt;
  bool is_exact = true;
  const std::size_t where = statement_[begin].offset;
  std::vector<MysqlToken> tokens{{.kind = MysqlTokenKind::word,
                                  .text = "SELECT",
                                  .word = "select",
                                  .offset = where,
                                  .size = 0}};
  for (std::size_t i = begin; i < end; ++i) {
    tokens.push_back(statement_[i]);
    is_exact = is_exact && !is_one_of(statement_[i].word, kApproximated);
  }
  MysqlStatement query(std::move(tokens));
  query.options.dialect = builder_.dialect();
  builder_.dialect() == Dialect::sqlite ? rewrite_sqlite(query) : rewrite_statement(query);
  const std::string text = render(query, sql_).text;
  ParseOutcome parsed = parse_tree(text);
  const bool is_one = parsed.is_ok && parsed.tree.statements.size() == 1 && text.size() > 6 &&
                      parsed.tree.statements[0].node->type() == "SelectStmt";
  const Node* targets = is_one ? &parsed.tree.statements[0].node->content()["targetList"] : nullptr;
  const bool is_single = is_one && targets->first != nullptr && targets->first == targets->last &&
                         !targets->first->content()["name"].is_present();
  if (!is_single || !is_exact || !query.notes.empty()) {
    builder_.note(builder_.position(where),
                  of + " cannot be read and is left out: " + text_between(begin, end),
                  "write it with operators and functions that PostgreSQL has, too");
    return std::nullopt;
  }
  const Tokens all(text);
  return Expression{.text = plain_text(all, 1, all.size()), .columns = mentioned_columns(*targets)};
}

}  // namespace heddle::sql
