#include "frontend/schema/tokens.h"

#include <algorithm>
#include <utility>

namespace heddle::sql {

bool TokenDefinitions::accept(std::string_view words) {
  if (!at_word(words)) return false;
  at_ += static_cast<std::size_t>(std::count(words.begin(), words.end(), ' ')) + 1;
  return true;
}

bool TokenDefinitions::accept_symbol(std::string_view symbol) {
  if (!statement_.is_symbol(at_, symbol)) return false;
  ++at_;
  return true;
}

bool TokenDefinitions::accept_name(std::string& name) {
  const bool is_string = builder_.dialect() == Dialect::sqlite && at_ < statement_.size() &&
                         statement_[at_].kind == MysqlTokenKind::string;
  if (!statement_.is_name(at_) && !is_string) return false;
  name = fold_name(text_between(at_, at_ + 1), builder_.dialect());
  ++at_;
  return true;
}

// name, database.name
bool TokenDefinitions::accept_object(ObjectName& name) {
  name.offset = offset();
  if (!accept_name(name.name)) return false;
  while (accept_symbol(".")) {
    name.schema = std::exchange(name.name, {});
    if (!accept_name(name.name)) return false;
  }
  // SQLite's name of the file that was opened.
  const bool is_main = builder_.dialect() == Dialect::sqlite && name.schema == "main";
  if (is_main) name.schema.clear();
  return true;
}

bool TokenDefinitions::skip_parenthesis() {
  if (!statement_.is_symbol(at_, "(")) return false;
  at_ = statement_.after_parenthesis(at_);
  return true;
}

std::size_t TokenDefinitions::offset() const {
  if (at_ < statement_.size()) return statement_[at_].offset;
  if (statement_.size() == 0) return 0;
  const MysqlToken& last = statement_[statement_.size() - 1];
  return last.offset + last.size;
}

// The next comma outside parentheses, or `end`.
std::size_t TokenDefinitions::end_of_part(std::size_t end) const {
  return std::min(statement_.find_symbol(at_, ","), end);
}

std::string TokenDefinitions::text_between(std::size_t begin, std::size_t end) const {
  if (begin >= end) return {};
  const std::size_t first = statement_[begin].offset;
  const MysqlToken& last = statement_[end - 1];
  return std::string(sql_.substr(first, last.offset + last.size - first));
}

bool TokenDefinitions::fail(const std::string& what) {
  const std::string near = at_ < statement_.size() ? " at " + text_between(at_, at_ + 1) : "";
  builder_.error(builder_.position(offset()), what + near, "check the statement's syntax");
  return false;
}

void TokenDefinitions::read() {
  if (accept("create")) return read_create();
  if (accept("alter")) return read_alter();
  if (accept("drop")) return read_drop();
  if (accept("rename table") || accept("rename tables")) read_rename();
}

void TokenDefinitions::read_create() {
  const bool replaces = accept("or replace");
  static_cast<void>(accept("temporary") || accept("temp"));
  if (accept("table")) return read_create_table(replaces);
  if (accept("unique index")) return read_unique_index();
  if (accept("virtual table")) return read_virtual_table();
  if (find_view_word()) return read_view();
  ObjectName name;
  if (!accept("sequence")) return;
  accept("if not exists");
  if (!accept_object(name)) return static_cast<void>(fail("CREATE SEQUENCE cannot be read"));
  builder_.sequences().push_back(
      {.schema = name.schema, .name = name.name, .position = builder_.position(name.offset)});
}

// Behind MySQL's ALGORITHM, DEFINER and SQL SECURITY.
bool TokenDefinitions::find_view_word() {
  constexpr std::size_t kMostWords = 16;
  static constexpr std::string_view kBefore[] = {"algorithm", "definer", "sql", "view"};
  if (std::ranges::none_of(kBefore, [&](std::string_view word) { return at_word(word); })) {
    return false;
  }
  for (std::size_t at = at_; at < std::min(statement_.size(), at_ + kMostWords); ++at) {
    if (statement_.is_word(at, "procedure") || statement_.is_word(at, "function") ||
        statement_.is_word(at, "trigger") || statement_.is_word(at, "event")) {
      return false;
    }
    if (!statement_.is_word(at, "view")) continue;
    at_ = at + 1;
    return true;
  }
  return false;
}

void TokenDefinitions::read_view() {
  accept("if not exists");
  ObjectName name;
  if (!accept_object(name)) return static_cast<void>(fail("CREATE VIEW cannot be read"));
  View view;
  if (statement_.is_symbol(at_, "(")) {
    const std::size_t close = statement_.after_parenthesis(at_);
    for (++at_; at_ + 1 < close; ++at_) {
      if (!statement_.is_symbol(at_, ",")) {
        view.columns.push_back(fold_name(text_between(at_, at_ + 1), builder_.dialect()));
      }
    }
    at_ = close;
  }
  if (!accept("as")) return static_cast<void>(fail("CREATE VIEW cannot be read"));
  std::size_t end = statement_.size();
  while (end > at_ && statement_.is_symbol(end - 1, ";")) --end;
  const bool has_option = end > at_ + 2 && statement_.is_word(end - 1, "option") &&
                          statement_.is_word(end - 2, "check");
  if (has_option) {
    while (end > at_ && !statement_.is_word(end, "with")) --end;
  }
  view.query = text_between(at_, end);
  if (!view.query.empty()) builder_.create_view(std::move(view), name);
}

// SQLite's, whose module tells the columns.
void TokenDefinitions::read_virtual_table() {
  const bool if_not_exists = accept("if not exists");
  ObjectName name;
  if (!accept_object(name)) {
    return static_cast<void>(fail("CREATE VIRTUAL TABLE cannot be read"));
  }
  Table table;
  table.columns_known = false;
  builder_.note(builder_.position(name.offset),
                "the columns of table " + name.name + " are those of a module, and are not read");
  builder_.create_table(std::move(table), name, if_not_exists);
}

void TokenDefinitions::read_create_table(bool replaces) {
  const bool if_not_exists = accept("if not exists");
  ObjectName name;
  if (!accept_object(name)) return static_cast<void>(fail("CREATE TABLE cannot be read"));
  Table table;
  table.schema = name.schema;
  table.name = name.name;
  const bool in_parenthesis = statement_.is_symbol(at_, "(");
  const std::size_t close = statement_.after_parenthesis(at_);
  const bool is_closed = !in_parenthesis || statement_.is_symbol(close - 1, ")");
  if (!is_closed) {
    at_ = statement_.size();
    return static_cast<void>(fail("a parenthesis of CREATE TABLE is not closed"));
  }
  const bool is_list = in_parenthesis && !statement_.is_word(at_ + 1, "select") &&
                       !statement_.is_word(at_ + 1, "with");
  const bool is_copy = at_word("like") || (is_list && builder_.dialect() == Dialect::mysql &&
                                           statement_.is_word(at_ + 1, "like"));
  if (is_copy) {
    at_ += in_parenthesis ? 2 : 1;
    ObjectName from;
    if (!accept_object(from)) return static_cast<void>(fail("CREATE TABLE cannot be read"));
    const Table* copied = builder_.source_table(from);
    if (copied == nullptr) return;
    builder_.copy_table(Table(*copied), table, {});
  } else if (is_list) {
    ++at_;
    read_elements(table, close - 1);
    at_ = close;
    read_rest_of_table(table);
  } else {
    read_rest_of_table(table);
  }
  if (replaces) builder_.drop_table(name, true, false);
  builder_.create_table(std::move(table), name, if_not_exists);
}

// Options, and a query: its columns come on top of those that are listed.
void TokenDefinitions::read_rest_of_table(Table& table) {
  const bool is_bare = table.columns.empty();
  const std::size_t query = statement_.find_word(at_, {"select", "with", "values"});
  // WITH SYSTEM VERSIONING is none.
  const bool has_query = query < statement_.size() && !statement_.is_word(query + 1, "system") &&
                         (is_bare || builder_.dialect() == Dialect::mysql);
  if (has_query || is_bare) {
    table.columns_known = false;
    builder_.note(builder_.position(offset()),
                  "the columns of table " + table.name + " are those of a query",
                  "list them in CREATE TABLE and fill it with INSERT");
  }
  const bool has_rowid = builder_.dialect() == Dialect::sqlite &&
                         statement_.find_word(at_, {"without"}) == statement_.size();
  const bool is_without_rowid = builder_.dialect() == Dialect::sqlite && !has_rowid;
  for (const std::string& name : table.primary_key) {
    TableColumn* column = builder_.find_column(table, name);
    if (column == nullptr) continue;
    if (is_without_rowid) column->not_null = true;
    const bool is_integer_key =
        has_rowid && table.primary_key.size() == 1 &&
        heddle::fold_name(column->type.text, Dialect::postgres) == "integer";
    if (!is_integer_key) continue;
    column->generation = Generation::identity;
    column->not_null = true;
    column->default_expression.clear();  // the rowid's own number comes first
  }
}

void TokenDefinitions::read_elements(Table& table, std::size_t end) {
  while (at_ < end) {
    const std::size_t part = end_of_part(end);
    read_element(table, part);
    at_ = part + 1;
  }
}

// A column or a constraint; true: it was read.
bool TokenDefinitions::read_element(Table& table, std::size_t end) {
  for (const std::string_view word : {"constraint", "primary", "unique", "foreign", "check"}) {
    if (at_word(word)) return read_constraint(table, end);
  }
  if (builder_.dialect() == Dialect::mysql) {
    // Plain indices constrain nothing.
    for (const std::string_view word : {"key", "index", "fulltext", "spatial", "period"}) {
      if (at_word(word)) return true;
    }
  }
  return read_column(table, end);
}

void TokenDefinitions::read_unique_index() {
  accept("if not exists");
  ObjectName index;
  ObjectName name;
  bool is_read = accept_object(index);
  if (is_read && accept("using")) ++at_;
  is_read = is_read && accept("on") && accept_object(name);
  if (is_read && accept("using")) ++at_;
  KeyColumns key;
  if (!is_read || !read_key_columns(key)) {
    return static_cast<void>(fail("CREATE UNIQUE INDEX cannot be read"));
  }
  Table* table = builder_.change_table(name);
  if (table == nullptr) return;
  const SourcePosition position = builder_.position(name.offset);
  if (!key.is_plain || accept("where")) {
    table->unique_known = false;
    return builder_.note(position, "the unique index on table " + table->name +
                                       " is on some rows or on expressions, and is not followed");
  }
  table->unique_constraints.push_back(
      {.name = index.name, .columns = std::move(key.names), .position = position});
}

void TokenDefinitions::read_drop() {
  accept("temporary");
  const bool is_index = accept("index");
  const bool is_sequence = !is_index && accept("sequence");
  const bool is_view = !is_index && !is_sequence && accept("view");
  const bool is_table = !is_index && !is_sequence && !is_view;
  if (is_table && !accept("table") && !accept("tables")) return;
  const bool if_exists = accept("if exists");
  ObjectName name;
  do {
    if (!accept_object(name)) return static_cast<void>(fail("DROP cannot be read"));
    if (is_table) builder_.drop_table(name, if_exists, false);
    if (is_view) builder_.drop_view(name);
  } while (accept_symbol(","));
  if (is_sequence) {
    auto& all = builder_.sequences();
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const Sequence& one) { return one.name == name.name; }),
              all.end());
  }
  if (!is_index) return;
  ObjectName owner;
  const bool names_table = accept("on") && accept_object(owner);
  for (Table& table : builder_.tables()) {
    const bool is_owner = !names_table || is_same_name(table.name, owner.name, builder_.dialect());
    if (is_owner) builder_.drop_constraint(table, name.name, name.offset, true);
  }
}

// RENAME TABLE a TO b, c TO d
void TokenDefinitions::read_rename() {
  do {
    ObjectName from;
    ObjectName to;
    if (!accept_object(from) || !accept("to") || !accept_object(to)) {
      return static_cast<void>(fail("RENAME TABLE cannot be read"));
    }
    builder_.rename_table(from, to.name);
  } while (accept_symbol(","));
}

}  // namespace heddle::sql
