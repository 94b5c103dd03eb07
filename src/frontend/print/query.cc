// SELECT, VALUES and set operations.
#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/print/print.h"

namespace heddle::sql {
namespace {

const std::initializer_list<std::string_view> kSelectFields = {"distinctClause",
                                                               "targetList",
                                                               "fromClause",
                                                               "whereClause",
                                                               "groupClause",
                                                               "groupDistinct",
                                                               "havingClause",
                                                               "windowClause",
                                                               "valuesLists",
                                                               "sortClause",
                                                               "limitOffset",
                                                               "limitCount",
                                                               "limitOption",
                                                               "lockingClause",
                                                               "withClause",
                                                               "op",
                                                               "all",
                                                               "larg",
                                                               "rarg"};

// The bits of PostgreSQL's parse tree (nodes/parsenodes.h).
enum FrameOption : unsigned {
  non_default = 0x1,
  frame_range = 0x2,
  frame_rows = 0x4,
  frame_groups = 0x8,
  frame_between = 0x10,
  exclude_current = 0x8000,
  exclude_group = 0x10000,
  exclude_ties = 0x20000,
};

struct FrameBound {
  unsigned start;
  unsigned end;
  std::string_view words;
  bool has_offset;
};
constexpr FrameBound kFrameBounds[] = {
    {0x20, 0x40, "UNBOUNDED PRECEDING", false}, {0x80, 0x100, "UNBOUNDED FOLLOWING", false},
    {0x200, 0x400, "CURRENT ROW", false},       {0x800, 0x1000, "PRECEDING", true},
    {0x2000, 0x4000, "FOLLOWING", true},
};

struct SetOperation {
  std::string_view op;
  std::string_view words;
};
constexpr SetOperation kSetOperations[] = {
    {"SETOP_UNION", "UNION"}, {"SETOP_INTERSECT", "INTERSECT"}, {"SETOP_EXCEPT", "EXCEPT"}};

struct Locking {
  std::string_view strength;
  std::string_view postgres;
  std::string_view mysql;  // empty: none
};
constexpr Locking kLockings[] = {
    {"LCS_FORUPDATE", "FOR UPDATE", "FOR UPDATE"},
    {"LCS_FORSHARE", "FOR SHARE", "LOCK IN SHARE MODE"},
    {"LCS_FORNOKEYUPDATE", "FOR NO KEY UPDATE", ""},
    {"LCS_FORKEYSHARE", "FOR KEY SHARE", ""},
};

bool is_set_operation(const Node& select) {
  return has(select, "op") && select.text("op") != "SETOP_NONE";
}

bool has_tail(const Node& select) {
  return has(select, "sortClause") || has(select, "limitCount") || has(select, "limitOffset") ||
         has(select, "lockingClause") || has(select, "withClause");
}

bool is_star(const Node& target) {
  const Node& value = target.content()["val"];
  if (value.type() != "ColumnRef") return false;
  for (const Node& field : value.content()["fields"]) {
    if (field.type() == "A_Star") return true;
  }
  return false;
}

// The n-th of the outputs, as ORDER BY 2 means it; null: not known.
const Node* find_output(const Node& targets, std::size_t n) {
  std::size_t at = 0;
  for (const Node& target : targets) {
    if (is_star(target)) return nullptr;
    if (++at == n) return &target;
  }
  return nullptr;
}

bool is_null_constant(const Node& node) {
  return node.type() == "A_Const" && node.content().is_true("isnull");
}

bool is_negative_constant(const Node& node, const std::string& text) {
  return node.type() == "A_Const" && text.starts_with('-');
}

}  // namespace

std::string Printer::print_query(const Node& query, const Names& outputs) {
  const Node& select = bare(query);
  if (!query.type().empty() && query.type() != "SelectStmt") {
    return refuse(query, std::string(query.type()) + " within a statement",
                  "heddle does not know how to print it");
  }
  if (!enter(select) || !has_only(select, kSelectFields)) return "";
  ++depth_;
  const std::string table = std::exchange(conflict_table_, {});
  std::string text = print_with(select["withClause"]);
  const bool wraps =
      is_to(Dialect::mysql) && is_set_operation(select) && sorts_by_expression(select);
  std::string body = print_body(select, outputs);
  text += wraps ? "SELECT * FROM (" + body + ") AS u" : body;
  if (has(select, "sortClause")) {
    text += " ORDER BY " +
            print_order(select["sortClause"], select["targetList"], is_set_operation(select));
  }
  text += print_limit(select);
  text += print_locking(select["lockingClause"]);
  conflict_table_ = table;
  --depth_;
  return text;
}

std::string Printer::print_body(const Node& select, const Names& outputs) {
  if (is_set_operation(select)) return print_set_operation(select, outputs);
  if (has(select, "valuesLists")) return print_values(select, outputs);
  return print_leaf(select, outputs);
}

// MySQL sorts a set operation by its columns only, and needs an expression for NULLs.
bool Printer::sorts_by_expression(const Node& select) const {
  if (!has(select, "sortClause")) return false;
  if (is_from(Dialect::postgres)) return true;
  for (const Node& sort : select["sortClause"]) {
    if (sort.content().text("sortby_nulls") != "SORTBY_NULLS_DEFAULT") return true;
  }
  return false;
}

std::string Printer::print_set_operation(const Node& select, const Names& outputs) {
  const auto* const operation =
      std::find_if(std::begin(kSetOperations), std::end(kSetOperations),
                   [&](const SetOperation& one) { return one.op == select.text("op"); });
  if (operation == std::end(kSetOperations)) return lacks(select, select.text("op"));
  if (is_from(Dialect::sqlite) && is_set_operation(bare(select["rarg"]))) {
    return refuse(select["rarg"], "this set operation",
                  "SQLite takes them from left to right: make the second a query in FROM");
  }
  const bool all = select.is_true("all");
  if (all && is_to(Dialect::sqlite) && operation->words != "UNION") {
    return lacks(select, std::string(operation->words) + " ALL");
  }
  std::string text = print_operand(select["larg"], outputs);
  text += fmt::format(" {}{} ", operation->words, all ? " ALL" : "");
  const Node& right = bare(select["rarg"]);
  if (!is_set_operation(right)) return text + print_operand(right, {});
  const std::string inner = print_query(right);
  return text + (is_to(Dialect::sqlite) ? "SELECT * FROM (" + inner + ") AS q" : "(" + inner + ")");
}

// A left operand is itself a set operation without parentheses when both take their turns.
std::string Printer::print_operand(const Node& operand, const Names& outputs) {
  const Node& select = bare(operand);
  std::string text = print_query(select, outputs);
  if (!has_tail(select) && !is_set_operation(select)) return text;
  if (is_to(Dialect::sqlite)) {
    return has_tail(select) ? "SELECT * FROM (" + text + ") AS q" : text;
  }
  return "(" + text + ")";
}

std::string Printer::print_distinct(const Node& select) {
  if (!has(select, "distinctClause")) return "";
  const Node& list = select["distinctClause"];
  const bool is_plain = list.first != nullptr && list.first->type().empty();
  if (is_plain) return "DISTINCT ";
  if (!is_to(Dialect::postgres)) return lacks(list, "DISTINCT ON");
  return "DISTINCT ON (" + print_values_of(list) + ") ";
}

std::string Printer::print_leaf(const Node& select, const Names& outputs) {
  std::string text = "SELECT " + print_distinct(select);
  if (!has(select, "targetList")) {
    if (!is_to(Dialect::postgres)) return lacks(select, "SELECT without columns");
    text.pop_back();
  }
  text += print_outputs(select["targetList"], outputs);
  if (has(select, "fromClause")) text += " FROM " + print_from(select["fromClause"]);
  const bool needs_from = is_to(Dialect::mysql) && !has(select, "fromClause") &&
                          (has(select, "whereClause") || has(select, "groupClause"));
  if (needs_from) text += " FROM DUAL";
  text += print_where(select["whereClause"]);
  text += print_grouping(select);
  return text + print_windows(select["windowClause"]);
}

// Names for the columns of VALUES are those of the first row of a union.
std::string Printer::print_values(const Node& select, const Names& outputs) {
  std::vector<std::string> rows;
  for (const Node& row : select["valuesLists"]) {
    const Node& items = row.content()["items"];
    if (outputs.empty()) {
      rows.push_back("(" + print_values_of(items) + ")");
      continue;
    }
    if (size_of(items) != outputs.size()) return lacks(row, "fewer names than columns");
    std::vector<std::string> cells;
    std::size_t at = 0;
    for (const Node& item : items) {
      cells.push_back(print_value(item) + (rows.empty() ? " AS " + name(outputs[at]) : ""));
      ++at;
    }
    rows.push_back("SELECT " + join(cells, ", "));
  }
  if (!outputs.empty()) return join(rows, " UNION ALL ");
  return "VALUES " + join(rows, ", ");
}

std::string Printer::print_outputs(const Node& targets, const Names& outputs) {
  if (!outputs.empty() && size_of(targets) != outputs.size()) {
    return lacks(targets, "names for some of the columns of a query in FROM");
  }
  std::vector<std::string> texts;
  for (const Node& target : targets) {
    if (!outputs.empty() && is_star(target)) {
      return lacks(target, "names for the columns of *");
    }
    texts.push_back(print_output(target, outputs.empty() ? "" : outputs[texts.size()]));
  }
  return join(texts, ", ");
}

std::string Printer::print_output(const Node& target, const std::string& output) {
  const Node& content = target.content();
  if (!has_only(content, {"name", "val"})) return "";
  std::string text = print_value(content["val"]);
  const std::string& alias = output.empty() ? content.text("name") : output;
  return alias.empty() ? text : text + " AS " + name(alias);
}

std::string Printer::print_grouping(const Node& select) {
  std::string text;
  if (has(select, "groupClause")) {
    text = " GROUP BY ";
    if (select.is_true("groupDistinct")) {
      if (!is_to(Dialect::postgres)) return lacks(select["groupClause"], "GROUP BY DISTINCT");
      text += "DISTINCT ";
    }
    text += print_values_of(select["groupClause"]);
  }
  if (has(select, "havingClause")) text += " HAVING " + print_value(select["havingClause"]);
  return text;
}

std::string Printer::print_windows(const Node& windows) {
  std::vector<std::string> texts;
  for (const Node& window : windows) {
    const Node& content = window.content();
    texts.push_back(name(content.text("name")) + " AS " + print_window(content));
  }
  return texts.empty() ? "" : " WINDOW " + join(texts, ", ");
}

std::string Printer::print_limit(const Node& select) {
  const Node& count = select["limitCount"];
  const Node& offset = select["limitOffset"];
  if (select.text("limitOption") == "LIMIT_OPTION_WITH_TIES") {
    if (!is_to(Dialect::postgres)) return lacks(count, "WITH TIES");
    const std::string start =
        has(select, "limitOffset") ? " OFFSET " + operand(offset, Binding::whole) : "";
    return start + " FETCH FIRST " + operand(count, Binding::whole) + " ROWS WITH TIES";
  }
  for (const Node* one : {&count, &offset}) {
    const bool is_simple =
        !one->is_present() || one->type() == "A_Const" || one->type() == "ParamRef";
    if (!is_simple && is_to(Dialect::mysql)) return lacks(*one, "an expression as LIMIT");
  }
  std::string limit = count.is_present() ? print_value(count) : "";
  const bool unlimited =
      is_null_constant(count) || (is_from(Dialect::sqlite) && is_negative_constant(count, limit));
  if (unlimited) limit = is_to(Dialect::postgres) ? "ALL" : "";
  if (unlimited && !is_same() && is_to(Dialect::postgres)) limit.clear();
  if (limit.empty() && offset.is_present()) {
    if (is_to(Dialect::mysql)) limit = "18446744073709551615";
    if (is_to(Dialect::sqlite)) limit = "-1";
  }
  std::string text = limit.empty() ? "" : " LIMIT " + limit;
  if (offset.is_present()) text += " OFFSET " + print_value(offset);
  return text;
}

std::string Printer::print_locking(const Node& clauses) {
  std::string text;
  for (const Node& clause : clauses) {
    const Node& content = clause.content();
    if (!has_only(content, {"lockedRels", "strength", "waitPolicy"})) return "";
    const auto* const locking =
        std::find_if(std::begin(kLockings), std::end(kLockings),
                     [&](const Locking& one) { return one.strength == content.text("strength"); });
    if (locking == std::end(kLockings)) return lacks(content, content.text("strength"));
    const std::string words(is_to(Dialect::mysql) ? locking->mysql : locking->postgres);
    if (is_to(Dialect::sqlite) || words.empty()) {
      return lacks(clauses, std::string(locking->postgres));
    }
    const bool is_simple = !has(content, "lockedRels") && text.empty();
    if (is_to(Dialect::mysql) && !is_simple) return lacks(clauses, "locks on some of the tables");
    text += " " + words;
    if (has(content, "lockedRels")) text += " OF " + print_from(content["lockedRels"]);
    if (content.text("waitPolicy") == "LockWaitSkip") text += " SKIP LOCKED";
    if (content.text("waitPolicy") == "LockWaitError") text += " NOWAIT";
  }
  return text;
}

std::string Printer::print_with(const Node& with) {
  if (!with.is_present()) return "";
  if (!has_only(with, {"ctes", "recursive"})) return "";
  std::vector<std::string> tables;
  for (const Node& table : with["ctes"]) tables.push_back(print_common_table(table.content()));
  return (with.is_true("recursive") ? "WITH RECURSIVE " : "WITH ") + join(tables, ", ") + " ";
}

std::string Printer::print_common_table(const Node& table) {
  if (!has_only(table, {"ctename", "aliascolnames", "ctematerialized", "ctequery"})) return "";
  std::string text = spelled_name(table.text("ctename"), table);
  if (has(table, "aliascolnames")) text += "(" + name_list(table["aliascolnames"]) + ")";
  text += " AS ";
  const std::string& kind = table.text("ctematerialized");
  const bool is_said = kind == "CTEMaterializeAlways" || kind == "CTEMaterializeNever";
  if (is_said && is_to(Dialect::mysql)) return lacks(table, "MATERIALIZED of WITH");
  if (is_said) text += kind == "CTEMaterializeAlways" ? "MATERIALIZED " : "NOT MATERIALIZED ";
  const Node& query = table["ctequery"];
  if (query.type() == "SelectStmt") return text + "(" + print_query(query) + ")";
  if (!is_to(Dialect::postgres)) return lacks(query, "WITH that writes rows");
  return text + "(" + print_statement(query) + ")";
}

std::string Printer::print_order(const Node& list, const Node& targets, bool is_set_operation) {
  std::vector<std::string> texts;
  for (const Node& sort : list) {
    texts.push_back(print_sorting(sort.content(), targets, is_set_operation));
  }
  return join(texts, ", ");
}

// NULL sorts as the greatest value in PostgreSQL and as the smallest elsewhere. MySQL has no words
// for it: there `x IS NULL` is sorted by first.
std::string Printer::print_sorting(const Node& sort, const Node& targets, bool is_set_operation) {
  if (!has_only(sort, {"node", "sortby_dir", "sortby_nulls", "useOp"})) return "";
  const std::string& direction = sort.text("sortby_dir");
  std::string key = print_value(sort["node"]);
  if (direction == "SORTBY_USING") {
    if (!is_to(Dialect::postgres)) return lacks(sort, "ORDER BY ... USING");
    return key + " USING " + own_operator_name(sort["useOp"]);
  }
  const bool descending = direction == "SORTBY_DESC";
  const std::string order = descending ? " DESC" : direction == "SORTBY_ASC" ? " ASC" : "";
  const std::string& nulls = sort.text("sortby_nulls");
  const bool default_first = is_from(Dialect::postgres) == descending;
  const bool own_first = is_to(Dialect::postgres) == descending;
  const bool is_said = nulls != "SORTBY_NULLS_DEFAULT";
  const bool first = is_said ? nulls == "SORTBY_NULLS_FIRST" : default_first;
  const std::string tail =
      sort["node"].type() == "A_Const" && !is_integer_constant(sort["node"]) ? "" : order;
  if (!is_to(Dialect::mysql)) {
    const bool says = is_same() ? is_said : first != own_first;
    return key + order + (says ? first ? " NULLS FIRST" : " NULLS LAST" : "");
  }
  if (first == own_first) return key + tail;
  if (is_integer_constant(sort["node"])) {
    const Node* output = is_set_operation ? nullptr : find_output(targets, std::stoul("0" + key));
    if (output == nullptr) return lacks(sort, "ORDER BY of a position with NULLs as there");
    const Node& target = output->content();
    key = has(target, "name") ? name(target.text("name")) : operand(target["val"], Binding::whole);
    return fmt::format("{0} IS NULL{1}, {0}{2}", key, first ? " DESC" : "", order);
  }
  const std::string tested = operand(sort["node"], Binding::other);
  return fmt::format("{} IS NULL{}, {}{}", tested, first ? " DESC" : "", key, order);
}

std::string Printer::print_window(const Node& window) {
  if (!has_only(window, {"name", "refname", "partitionClause", "orderClause", "frameOptions",
                         "startOffset", "endOffset"})) {
    return "";
  }
  std::vector<std::string> parts;
  if (has(window, "refname")) parts.push_back(name(window.text("refname")));
  if (has(window, "partitionClause")) {
    parts.push_back("PARTITION BY " + print_values_of(window["partitionClause"]));
  }
  if (has(window, "orderClause")) {
    parts.push_back("ORDER BY " + print_order(window["orderClause"], Node(), true));
  }
  const unsigned options = has(window, "frameOptions")
                               ? static_cast<unsigned>(std::stoul(window.text("frameOptions")))
                               : 0;
  if ((options & non_default) != 0) parts.push_back(print_frame(window, options));
  return "(" + join(parts, " ") + ")";
}

std::string Printer::print_frame(const Node& window, unsigned options) {
  const bool is_rare =
      (options & (frame_groups | exclude_current | exclude_group | exclude_ties)) != 0;
  if (is_rare && is_to(Dialect::mysql)) return lacks(window, "GROUPS or EXCLUDE of a window");
  std::string start;
  std::string end;
  for (const FrameBound& bound : kFrameBounds) {
    const auto text = [&](std::string_view field) {
      const std::string words(bound.words);
      return bound.has_offset ? operand(window[field], Binding::other) + " " + words : words;
    };
    if ((options & bound.start) != 0) start = text("startOffset");
    if ((options & bound.end) != 0) end = text("endOffset");
  }
  std::string text = (options & frame_rows) != 0     ? "ROWS "
                     : (options & frame_groups) != 0 ? "GROUPS "
                                                     : "RANGE ";
  text += (options & frame_between) != 0 ? "BETWEEN " + start + " AND " + end : start;
  if ((options & exclude_current) != 0) text += " EXCLUDE CURRENT ROW";
  if ((options & exclude_group) != 0) text += " EXCLUDE GROUP";
  if ((options & exclude_ties) != 0) text += " EXCLUDE TIES";
  return text;
}

}  // namespace heddle::sql
