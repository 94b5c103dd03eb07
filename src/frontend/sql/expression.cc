// What an expression reads and calls. Expressions are walked with an explicit list of pending
// nodes, since chains of operators nest as deep as they are long; only subqueries recurse, up to a
// bound.
#include <algorithm>

#include "base/text.h"
#include "frontend/sql/reader.h"
#include "frontend/sql/words/functions.h"

namespace heddle::sql {
namespace {

const OutputColumn* find_output(const Source& source, const std::string& column) {
  auto found = std::find_if(source.outputs.begin(), source.outputs.end(),
                            [&](const OutputColumn& output) { return output.name == column; });
  return found == source.outputs.end() ? nullptr : &*found;
}

void mention_output(const OutputColumn& output, Mentions& mentions) {
  mentions.columns.insert(output.columns_read.begin(), output.columns_read.end());
  mentions.generated = mentions.generated || output.generated;
}

void mention_column(const std::string& column, Mentions& mentions) {
  mentions.columns.insert(column);
  if (is_system_column(column)) mentions.generated = true;
}

void push_children(const Node& node, std::vector<const Node*>& pending) {
  std::size_t begin = pending.size();
  for (const Node& child : node) pending.push_back(&child);
  std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(begin), pending.end());
}

// Node types at which the walk does something; below the others it just goes on.
bool is_special(std::string_view type) {
  constexpr std::string_view kSpecial[] = {"ColumnRef",    "FuncCall",         "SubLink",
                                           "TypeCast",     "SQLValueFunction", "SelectStmt",
                                           "CurrentOfExpr"};
  return std::find(std::begin(kSpecial), std::end(kSpecial), type) != std::end(kSpecial);
}

// The part of PostgreSQL's name of a value function that users write: SVFOP_CURRENT_TIME_N.
std::string value_function_name(std::string_view operation) {
  std::string name = to_lower(operation);
  if (name.starts_with("svfop_")) name.erase(0, 6);
  if (name.ends_with("_n")) name.resize(name.size() - 2);
  return name;
}

}  // namespace

std::vector<std::string> string_list(const Node& list) {
  std::vector<std::string> texts;
  for (const Node& item : list) {
    if (item.type() == "String") texts.push_back(item.content().text("sval"));
  }
  return texts;
}

Mentions StatementReader::read_expression(const Node& expression, const Scope& scope,
                                          const Place& place) {
  Mentions mentions;
  std::vector<const Node*> pending{&expression};
  while (!pending.empty()) {
    const Node& node = *pending.back();
    pending.pop_back();
    std::string_view type = node.type();
    if (is_special(type)) read_special(node, scope, place, mentions);
    if (type == "ColumnRef" || type == "SelectStmt") continue;
    if (type == "SubLink") {
      pending.push_back(&node.content()["testexpr"]);
    } else {
      push_children(node, pending);
    }
  }
  return mentions;
}

void StatementReader::read_special(const Node& node, const Scope& scope, const Place& place,
                                   Mentions& mentions) {
  std::string_view type = node.type();
  if (type == "ColumnRef") {
    read_column(node.content(), scope, mentions);
  } else if (type == "FuncCall") {
    read_call(node.content(), mentions);
  } else if (type == "TypeCast") {
    read_cast(node.content(), mentions);
  } else if (type == "SQLValueFunction") {
    note_function(value_function_name(node.content().text("op")), mentions);
  } else if (type == "CurrentOfExpr") {
    mentions.subquery = true;  // the row is the cursor's: no predicate on rows tells it
    note("WHERE CURRENT OF");
  } else {
    const Node& query = type == "SubLink" ? node.content()["subselect"] : node;
    Mentions inner;
    read_any(query, {.scope = &scope, .outermost = false, .depth = place.depth + 1}, inner);
    inner.subquery = true;
    inner.set_returning = false;
    inner.aggregate = false;
    mentions.add(inner);
  }
}

void StatementReader::read_column(const Node& reference, const Scope& scope, Mentions& mentions) {
  const Node& fields = reference["fields"];
  std::vector<std::string> path = string_list(fields);
  bool star = fields.last != nullptr && fields.last->type() == "A_Star";
  if (star) {
    read_star(path, scope, mentions);
  } else if (path.size() == 1) {
    read_unqualified(path[0], scope, mentions);
  } else if (!path.empty()) {
    read_qualified(path, scope, mentions);
  }
}

void StatementReader::read_star(const std::vector<std::string>& path, const Scope& scope,
                                Mentions& mentions) {
  std::vector<std::string> whole = path;
  whole.emplace_back("*");
  if (!path.empty()) return read_qualified(whole, scope, mentions);
  for (const Source& source : scope.sources) read_of_source(source, "*", mentions);
  mentions.columns.insert("*");
}

void StatementReader::read_qualified(const std::vector<std::string>& path, const Scope& scope,
                                     Mentions& mentions) {
  const std::string& column = path.back();
  const std::string& name = path[path.size() - 2];
  std::string schema = path.size() > 2 ? path[path.size() - 3] : std::string();
  if (const Source* source = find_source(scope, schema, name)) {
    read_of_source(*source, column, mentions);
    return;
  }
  note("column of unknown table " + name + "." + column);
  read_unqualified(column, scope, mentions);
}

// A derived table that has the column settles it: the same name in a table beside it would be
// ambiguous. Otherwise any visible table may have it.
void StatementReader::read_unqualified(const std::string& column, const Scope& scope,
                                       Mentions& mentions) {
  for (const Scope* current = &scope; current != nullptr; current = current->outer) {
    for (const Source& source : current->sources) {
      if (const OutputColumn* output = find_output(source, column)) {
        mention_output(*output, mentions);
        return;
      }
    }
    for (const Source& source : current->sources) {
      bool whole_row = source.name == column;
      read_of_source(source, whole_row ? "*" : column, mentions);
    }
  }
  mention_column(column, mentions);
}

void StatementReader::read_of_source(const Source& source, const std::string& column,
                                     Mentions& mentions) {
  for (const OutputColumn& output : source.outputs) {
    bool meant = column == "*" || output.name == column || is_star(output);
    if (meant) mention_output(output, mentions);
  }
  if (source.tables.empty()) return;
  mark_read(source, column);
  mention_column(source.renamed ? "*" : column, mentions);
}

void StatementReader::mark_read(const Source& source, const std::string& column) {
  if (source.own_row) return;
  for (std::size_t index : source.tables) {
    insert_name(table(index).columns_read, source.renamed ? "*" : column);
  }
}

void StatementReader::read_call(const Node& call, Mentions& mentions) {
  std::vector<std::string> path = string_list(call["funcname"]);
  if (path.empty()) return;
  bool is_built_in = path.size() == 1 || path[path.size() - 2] == "pg_catalog";
  std::string name = to_lower(path.back());
  Mentions called;
  note_function(is_built_in ? name : path[path.size() - 2] + "." + name, called);
  constexpr std::string_view kAggregateMarks[] = {"agg_star",   "agg_distinct", "agg_within_group",
                                                  "agg_filter", "agg_order",    "over"};
  for (std::string_view mark : kAggregateMarks) {
    if (!call[mark].is_present()) continue;
    statement_.aggregate = called.aggregate = true;
  }
  // Over a window there is a row for each.
  if (call["over"].is_present()) called.aggregate = false;
  mentions.add(called);
}

// 'now'::timestamp and its like read the clock.
void StatementReader::read_cast(const Node& cast, Mentions& mentions) {
  constexpr std::string_view kClockWords[] = {"now", "today", "tomorrow", "yesterday"};
  constexpr std::string_view kTimeTypes[] = {"date", "time", "timetz", "timestamp", "timestamptz"};
  const Node& constant = cast["arg"].content();
  std::string word = to_lower(trim(constant["sval"].text("sval")));
  std::vector<std::string> type = string_list(cast["typeName"]["names"]);
  if (type.empty()) return;
  bool is_clock =
      std::find(std::begin(kClockWords), std::end(kClockWords), word) != std::end(kClockWords);
  bool is_time =
      std::find(std::begin(kTimeTypes), std::end(kTimeTypes), type.back()) != std::end(kTimeTypes);
  if (is_clock && is_time) mentions.generated = true;
}

void StatementReader::note_function(const std::string& name, Mentions& mentions) {
  FunctionTraits traits = find_function(name, options_.dialect);
  insert_name(statement_.functions, name);
  if (!traits.known) {
    statement_.calls_unknown_function = true;
    mentions.unknown_function = true;
  }
  if (traits.aggregate) statement_.aggregate = mentions.aggregate = true;
  mentions.generated = mentions.generated || traits.generated;
  mentions.set_returning = mentions.set_returning || traits.set_returning;
}

void StatementReader::note(const std::string& construct) {
  insert_name(statement_.over_approximated, construct);
}

// Refuses queries nested deeper than the reader may recurse.
bool StatementReader::enter(const Place& place) {
  constexpr std::size_t kMaximumDepth = 200;
  if (place.depth > kMaximumDepth) too_deep_ = true;
  return !too_deep_;
}

}  // namespace heddle::sql
