#include "frontend/views/pull_up.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/sql/tree.h"
#include "frontend/sql/words/lexer.h"
#include "frontend/views/text_edits.h"

namespace heddle::views {
namespace {

using sql::Node;
using sql::Tokens;

constexpr std::size_t kMostQueries = 16;

// What ends WHERE.
constexpr std::array<std::string_view, 12> kClauses = {
    "group", "having", "order",     "limit", "offset", "fetch",
    "for",   "window", "returning", "union", "except", "intersect"};

// A derived table that may be pulled up, and the query that it is in.
struct Derived {
  const Node* outer = nullptr;  // content of SelectStmt, UpdateStmt, DeleteStmt
  const Node* item = nullptr;   // content of RangeSubselect
  std::size_t items = 0;        // tables, queries and functions in FROM
};

bool is_join_of_all(const Node& join) {
  return join.text("jointype") == "JOIN_INNER" && !join.is_true("isNatural") &&
         !join["usingClause"].is_present() && !join["alias"].is_present();
}

// Finds the first one, innermost ones first.
class DerivedTables {
 public:
  std::vector<Derived> find(const Node& statement) {
    visit(statement);
    return std::move(found_);
  }

 private:
  void visit(const Node& node) {
    for (const Node& child : node) visit(child);
    if (node.name == "SelectStmt" || node.name == "UpdateStmt") look_in(node, "fromClause");
    if (node.name == "DeleteStmt") look_in(node, "usingClause");
  }

  void look_in(const Node& outer, std::string_view clause) {
    std::vector<const Node*> derived;
    std::size_t items = 0;
    for (const Node& item : outer[clause]) look_at(item, true, derived, items);
    for (const Node* one : derived) found_.push_back({&outer, one, items});
  }

  void look_at(const Node& item, bool is_kept, std::vector<const Node*>& derived,
               std::size_t& items) {
    const Node& content = item.content();
    if (item.type() == "JoinExpr") {
      const std::string& type = content.text("jointype");
      const bool is_plain = !content.is_true("isNatural") && !content["usingClause"].is_present() &&
                            !content["alias"].is_present();
      const bool keeps_left = type == "JOIN_INNER" || type == "JOIN_LEFT";
      const bool keeps_right = type == "JOIN_INNER" || type == "JOIN_RIGHT";
      look_at(content["larg"], is_kept && is_plain && keeps_left, derived, items);
      look_at(content["rarg"], is_kept && is_plain && keeps_right, derived, items);
      return;
    }
    ++items;
    if (item.type() == "RangeSubselect" && is_kept) derived.push_back(&content);
  }

  std::vector<Derived> found_;
};

class PullUp {
 public:
  PullUp(const std::string& text, const Derived& derived, const Schema& schema)
      : text_(text),
        tokens_(text),
        outer_(*derived.outer),
        item_(*derived.item),
        items_(derived.items),
        inner_(item_["subquery"].content()),
        schema_(schema),
        name_(item_["alias"].text("aliasname")) {}

  // None: this one has to stay.
  std::optional<std::string> pull() {
    if (!is_simple() || !find_tokens() || !read_tables() || !read_outputs()) return std::nullopt;
    if (!replace_references(outer_) || !read_condition()) return std::nullopt;
    auto from = from_text();
    if (!from) return std::nullopt;
    const std::size_t offset = tokens_[begin_].offset;
    edits_.push_back({offset, end_of(tokens_[end_ - 1]) - offset, *std::move(from)});
    return edited(text_, std::move(edits_));
  }

 private:
  struct InnerTable {
    std::string alias;     // within
    std::string new_name;  // outside
    const Table* table = nullptr;
    const Node* range = nullptr;
  };
  struct Output {
    std::string name;
    std::string text;
    bool is_column = false;
  };

  bool is_simple() const {
    constexpr std::string_view kOthers[] = {"withClause",     "groupClause", "havingClause",
                                            "limitCount",     "limitOffset", "valuesLists",
                                            "distinctClause", "larg",        "windowClause",
                                            "lockingClause",  "sortClause"};
    for (const std::string_view clause : kOthers) {
      if (inner_[clause].is_present()) return false;
    }
    if (outer_["larg"].is_present() || item_["alias"]["colnames"].is_present()) return false;
    const bool is_lateral = item_.is_true("lateral");
    return !is_lateral && !name_.empty() && !has_subquery(inner_) && !has_subquery(outer_) &&
           inner_["fromClause"].is_present() && inner_["targetList"].is_present();
  }

  // From its opening parenthesis to behind its alias.
  bool find_tokens() {
    const Node* first = inner_["targetList"].first;
    if (first == nullptr) return false;
    const std::size_t target = tokens_.index_at(place_of(first->content()));
    if (target == 0 || target >= tokens_.size()) return false;
    inner_depth_ = tokens_[target].depth;
    if (inner_depth_ == 0) return false;
    begin_ = target;
    while (begin_ > 0 && tokens_[begin_].depth >= inner_depth_) --begin_;
    close_ = target;
    while (close_ < tokens_.size() && tokens_[close_].depth >= inner_depth_) ++close_;
    // ((SELECT ...)) is left alone.
    if (close_ >= tokens_.size() || !tokens_.is_symbol(begin_, '(')) return false;
    if (tokens_.is_symbol(close_ + 1, ')')) return false;
    end_ = close_ + 1;
    if (tokens_.word(end_) == "as") ++end_;
    ++end_;
    return end_ <= tokens_.size() && find_depth();
  }

  // Of the query around it.
  bool find_depth() {
    const Node* target = outer_["targetList"].first;
    const bool is_query = outer_.name == "SelectStmt";
    if (is_query && target == nullptr) return false;
    const std::size_t place = is_query ? place_of(target->content()) : place_of(outer_["relation"]);
    const std::size_t at = tokens_.index_at(place);
    if (at >= tokens_.size()) return false;
    depth_ = tokens_[at].depth;
    return depth_ < inner_depth_;
  }

  bool read_tables() {
    for (const Node& item : inner_["fromClause"]) {
      if (!read_table(item)) return false;
    }
    const std::set<std::string> known = names_in(outer_);
    for (InnerTable& table : tables_) {
      table.new_name = tables_.size() == 1 ? name_ : table.alias;
      const bool is_taken = tables_.size() > 1 && known.contains(table.new_name);
      if (is_taken) table.new_name = name_ + "_" + table.alias;
      if (is_taken && known.contains(table.new_name)) return false;
    }
    return !tables_.empty();
  }

  bool read_table(const Node& item) {
    const Node& content = item.content();
    if (item.type() == "JoinExpr") {
      return is_join_of_all(content) && read_table(content["larg"]) && read_table(content["rarg"]);
    }
    if (item.type() != "RangeVar" || content["alias"]["colnames"].is_present()) return false;
    InnerTable table{.alias = content["alias"].text("aliasname"),
                     .new_name = "",
                     .table = find_table(schema_, content.text("relname"), schema_.dialect,
                                         content.text("schemaname")),
                     .range = &content};
    if (table.alias.empty()) table.alias = content.text("relname");
    tables_.push_back(std::move(table));
    return true;
  }

  // Those of tables, queries and functions in FROM.
  static std::set<std::string> names_in(const Node& outer) {
    std::set<std::string> names;
    const auto visit = [&](const auto& self, const Node& node) -> void {
      const std::string& alias = node["alias"].text("aliasname");
      if (!alias.empty()) names.insert(alias);
      if (!node.text("relname").empty() && alias.empty()) names.insert(node.text("relname"));
      if (node.name == "RangeSubselect") return;
      for (const Node& child : node) self(self, child);
    };
    visit(visit, outer);
    return names;
  }

  bool read_outputs() {
    std::size_t at = tokens_.index_at(place_of(inner_["targetList"].first->content()));
    for (const Node& target : inner_["targetList"]) {
      const Node& value = target.content()["val"];
      std::size_t end = at;
      const auto ends = [&] {
        const bool is_from =
            is_at(tokens_, end, inner_depth_, "from") && tokens_.word(end - 1) != "distinct";
        return is_from || (tokens_[end].depth == inner_depth_ && tokens_.is_symbol(end, ','));
      };
      while (end < close_ && !ends()) ++end;
      if (value.type() == "ColumnRef" && column_path(value.content()).empty()) {
        if (!read_all_columns(value.content())) return false;
      } else if (!read_output(target.content(), at, end)) {
        return false;
      }
      at = end + 1;
    }
    return true;
  }

  // * and a.*
  bool read_all_columns(const Node& reference) {
    const std::vector<std::string> path = qualifier_of(reference);
    for (const InnerTable& table : tables_) {
      if (!path.empty() && table.alias != path.back()) continue;
      if (table.table == nullptr || !table.table->columns_known) return false;
      for (const TableColumn& column : table.table->columns) {
        const std::string name = in_statements(column.name);
        outputs_.push_back({.name = name, .text = column_text(table, name), .is_column = true});
      }
    }
    return true;
  }

  // Of a.*: a.
  static std::vector<std::string> qualifier_of(const Node& reference) {
    std::vector<std::string> path;
    for (const Node& field : reference["fields"]) {
      if (field.type() == "String") path.push_back(field.content().text("sval"));
    }
    return path;
  }

  std::string in_statements(const std::string& column) const {
    return schema_.dialect == Dialect::postgres ? column : to_lower(column);
  }

  static std::string column_text(const InnerTable& table, const std::string& column) {
    return quoted_name(table.new_name) + "." + quoted_name(column);
  }

  bool read_output(const Node& target, std::size_t begin, std::size_t end) {
    const Node& value = target["val"];
    Output output{
        .name = target.text("name"), .text = "", .is_column = value.type() == "ColumnRef"};
    if (has_call(value)) return false;
    if (!output.name.empty()) end -= tokens_.word(end - 2) == "as" ? 2 : 1;
    if (output.name.empty() && output.is_column) output.name = column_path(value.content()).back();
    auto text = qualified(value, begin, end);
    if (!text || output.name.empty()) return false;
    output.text = output.is_column ? *std::move(text) : "(" + *text + ")";
    outputs_.push_back(std::move(output));
    return true;
  }

  // It may be an aggregate, return several rows, or another value each time.
  static bool has_call(const Node& node) {
    if (node.name == "FuncCall") return true;
    for (const Node& child : node) {
      if (has_call(child)) return true;
    }
    return false;
  }

  // The text of some tokens with the new names of the tables in front of columns.
  std::optional<std::string> qualified(const Node& node, std::size_t begin, std::size_t end) {
    std::vector<Edit> edits;
    if (begin >= end || !qualify(node, tokens_[begin].offset, edits)) return std::nullopt;
    return edited(std::string(tokens_.text(begin, end)), std::move(edits));
  }

  bool qualify(const Node& node, std::size_t offset, std::vector<Edit>& edits) {
    if (node.name == "ColumnRef") {
      const std::vector<std::string> path = column_path(node);
      const InnerTable* table = path.empty() ? nullptr : table_of(path);
      if (table == nullptr) return false;
      const std::size_t at = tokens_.index_at(place_of(node));
      const std::size_t last = at + 2 * (path.size() - 1);
      edits.push_back({tokens_[at].offset - offset, tokens_[last].offset - tokens_[at].offset,
                       quoted_name(table->new_name) + "."});
    }
    for (const Node& child : node) {
      if (!qualify(child, offset, edits)) return false;
    }
    return true;
  }

  const InnerTable* table_of(const std::vector<std::string>& path) const {
    const InnerTable* found = nullptr;
    for (const InnerTable& table : tables_) {
      const bool is_named = path.size() > 1 && path[path.size() - 2] == table.alias;
      const bool has_column = table.table != nullptr &&
                              find_column(*table.table, path.back(), schema_.dialect) != nullptr;
      const bool may_be = path.size() > 1 ? is_named : tables_.size() == 1 || has_column;
      if (!may_be) continue;
      if (found != nullptr) return nullptr;
      found = &table;
    }
    return found;
  }

  const Output* find_output(const std::string& name) const {
    const auto found = std::ranges::find(outputs_, name, &Output::name);
    return found == outputs_.end() ? nullptr : &*found;
  }

  // Of the columns of the derived table in the query around it.
  bool replace_references(const Node& node) {
    if (&node == &item_) return true;
    if (node.name == "RangeSubselect") return !node.is_true("lateral");
    if (node.name == "RangeVar" && node.text("relname") == name_) return false;  // FOR UPDATE OF
    if (node.name == "ResTarget" && node["val"].type() == "ColumnRef") {
      return replace_reference(node["val"].content(), node.text("name").empty());
    }
    if (node.name == "ColumnRef") return replace_reference(node, false);
    if (node.name == "sortClause" && names_output(node)) return false;
    for (const Node& child : node) {
      if (!replace_references(child)) return false;
    }
    return true;
  }

  // ORDER BY a name that the query around it gives.
  bool names_output(const Node& sorting) const {
    for (const Node& by : sorting) {
      const Node& value = by.content()["node"];
      if (value.type() != "ColumnRef") continue;
      const std::vector<std::string> path = column_path(value.content());
      for (const Node& target : outer_["targetList"]) {
        if (path.size() == 1 && target.content().text("name") == path[0]) return true;
      }
    }
    return false;
  }

  bool replace_reference(const Node& reference, bool needs_name) {
    const std::vector<std::string> path = column_path(reference);
    if (path.empty()) return replace_star(reference);
    if (path.size() > 2 || (path.size() == 2 && path[0] != name_)) return true;
    const Output* output = find_output(path.back());
    if (output == nullptr) return path.size() == 1 && path[0] != name_;
    const std::size_t at = tokens_.index_at(place_of(reference));
    const std::size_t last = at + 2 * (path.size() - 1);
    std::string text = output->text;
    if (needs_name && !text.ends_with("." + quoted_name(output->name))) {
      text += " AS " + quoted_name(output->name);
    }
    edits_.push_back(
        {tokens_[at].offset, end_of(tokens_[last]) - tokens_[at].offset, std::move(text)});
    return true;
  }

  bool replace_star(const Node& reference) {
    const std::vector<std::string> path = qualifier_of(reference);
    if (!path.empty() && path.back() != name_) return true;
    if (path.empty() && items_ > 1) return false;
    std::vector<std::string> columns;
    for (const Output& output : outputs_) {
      const bool has_name = output.text.ends_with("." + quoted_name(output.name));
      columns.push_back(output.text + (has_name ? "" : " AS " + quoted_name(output.name)));
    }
    const std::size_t at = tokens_.index_at(place_of(reference));
    const std::size_t last = at + 2 * path.size();
    edits_.push_back(
        {tokens_[at].offset, end_of(tokens_[last]) - tokens_[at].offset, join(columns, ", ")});
    return true;
  }

  bool read_condition() {
    const Node& where = inner_["whereClause"];
    if (!where.is_present()) return true;
    std::size_t begin = begin_;
    while (begin < close_ && !is_at(tokens_, begin, inner_depth_, "where")) ++begin;
    auto condition = qualified(where, begin + 1, close_);
    if (!condition) return false;
    add_condition(*condition);
    return true;
  }

  void add_condition(const std::string& condition) {
    const auto ends = [&](std::size_t at) {
      if (at >= tokens_.size() || tokens_[at].depth < depth_) return true;
      if (tokens_[at].depth > depth_) return false;
      const bool is_field = tokens_.is_symbol(at - 1, '.');
      return tokens_.is_symbol(at, ';') ||
             (!is_field && std::ranges::find(kClauses, tokens_.word(at)) != kClauses.end());
    };
    std::size_t at = end_;
    while (!ends(at) && !is_at(tokens_, at, depth_, "where")) ++at;
    if (ends(at)) {
      edits_.push_back({end_of(tokens_[at - 1]), 0, " WHERE " + condition});
      return;
    }
    edits_.push_back({tokens_[at + 1].offset, 0, "(" + condition + ") AND ("});
    while (!ends(at)) ++at;
    edits_.push_back({end_of(tokens_[at - 1]), 0, ")"});
  }

  // What stands behind FROM in it, with the new names.
  std::optional<std::string> from_text() {
    std::size_t begin = begin_;
    const auto is_from = [&](std::size_t at) {
      return is_at(tokens_, at, inner_depth_, "from") && tokens_.word(at - 1) != "distinct";
    };
    while (begin < close_ && !is_from(begin)) ++begin;
    std::size_t end = ++begin;
    while (end < close_ && !is_at(tokens_, end, inner_depth_, "where")) ++end;
    if (begin >= end) return std::nullopt;
    const std::size_t offset = tokens_[begin].offset;
    std::vector<Edit> edits;
    for (const InnerTable& table : tables_) {
      const std::size_t first = tokens_.index_at(place_of(*table.range));
      const std::size_t behind = end_of_name(tokens_, first);
      const bool has_alias = (*table.range)["alias"].is_present();
      const std::size_t last =
          has_alias ? behind + (tokens_.word(behind) == "as" ? 1 : 0) : behind - 1;
      const std::size_t from = end_of(tokens_[behind - 1]);
      edits.push_back(
          {from - offset, end_of(tokens_[last]) - from, " AS " + quoted_name(table.new_name)});
    }
    for (std::size_t at = begin; at < end; ++at) {
      const bool is_comma = tokens_[at].depth == inner_depth_ && tokens_.is_symbol(at, ',');
      if (is_comma) edits.push_back({tokens_[at].offset - offset, 1, " CROSS JOIN"});
    }
    if (!qualify(inner_["fromClause"], offset, edits)) return std::nullopt;
    std::string text = edited(std::string(tokens_.text(begin, end)), std::move(edits));
    return tables_.size() == 1 ? text : "(" + text + ")";
  }

  const std::string& text_;
  Tokens tokens_;
  const Node& outer_;
  const Node& item_;
  std::size_t items_;
  const Node& inner_;
  const Schema& schema_;
  std::string name_;
  std::size_t begin_ = 0;  // of the derived table: its opening parenthesis
  std::size_t close_ = 0;  // its closing one
  std::size_t end_ = 0;    // behind its alias
  std::size_t inner_depth_ = 0;
  std::size_t depth_ = 0;  // of the query around it
  std::vector<InnerTable> tables_;
  std::vector<Output> outputs_;
  std::vector<Edit> edits_;
};

std::optional<std::string> pull_up_one(const std::string& text, const Schema& schema) {
  const sql::ParseOutcome parsed = sql::parse_tree(text);
  if (!parsed.is_ok || parsed.tree.statements.size() != 1) return std::nullopt;
  for (const Derived& derived : DerivedTables().find(*parsed.tree.statements[0].node)) {
    if (auto pulled = PullUp(text, derived, schema).pull()) return pulled;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> with_queries_pulled_up(const std::string& text, const Schema& schema) {
  std::optional<std::string> result;
  for (std::size_t i = 0; i < kMostQueries; ++i) {
    auto pulled = pull_up_one(result.value_or(text), schema);
    if (!pulled) break;
    result = std::move(pulled);
  }
  return result;
}

}  // namespace heddle::views
