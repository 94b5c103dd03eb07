#include "frontend/views/changed_view.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.h"
#include "frontend/views/text_edits.h"
#include "program/text.h"

namespace heddle::views {
namespace {

using sql::Node;
using sql::Tokens;

// A view that PostgreSQL lets statements change.
struct UpdatableView {
  std::string table;                           // as its query writes it
  std::map<std::string, std::string> columns;  // the table's, by the view's
  std::vector<std::string> in_order;           // the table's
  bool has_all = false;                        // columns of the table, as they are
  bool renames = false;
  std::string condition;  // with `alias`
};

class ViewQuery {
 public:
  ViewQuery(const View& view, const std::string& query)
      : view_(view), parsed_(sql::parse_tree(query)), tokens_(query) {}

  std::optional<UpdatableView> read(const std::string& alias) {
    if (!parsed_.is_ok || parsed_.tree.statements.size() != 1) return std::nullopt;
    const Node& statement = *parsed_.tree.statements[0].node;
    if (statement.type() != "SelectStmt" || !is_plain(statement.content())) return std::nullopt;
    const Node& select = statement.content();
    const std::size_t begin = tokens_.index_at(place_of(base_->content()));
    UpdatableView result;
    result.table = tokens_.text(begin, end_of_name(tokens_, begin));
    if (!read_columns(select, result) || !read_condition(select, alias, result)) {
      return std::nullopt;
    }
    return result;
  }

 private:
  bool is_plain(const Node& select) {
    constexpr std::string_view kClauses[] = {"withClause",     "groupClause", "havingClause",
                                             "limitCount",     "limitOffset", "valuesLists",
                                             "distinctClause", "larg",        "windowClause"};
    for (const std::string_view clause : kClauses) {
      if (select[clause].is_present()) return false;
    }
    for (const Node& item : select["fromClause"]) {
      if (base_ != nullptr || item.type() != "RangeVar") return false;
      base_ = &item;
    }
    return base_ != nullptr;
  }

  bool read_columns(const Node& select, UpdatableView& result) {
    std::size_t count = 0;
    for (const Node& target : select["targetList"]) {
      const Node& value = target.content()["val"];
      if (value.type() != "ColumnRef") return false;
      const std::vector<std::string> path = column_path(value.content());
      if (path.empty()) {
        result.has_all = true;
        continue;
      }
      std::string name = target.content().text("name");
      if (name.empty()) name = path.back();
      if (count < view_.columns.size()) name = view_.columns[count];
      ++count;
      result.renames = result.renames || name != path.back();
      result.columns[name] = path.back();
      result.in_order.push_back(path.back());
    }
    // Which columns the table has is not known here.
    return !result.has_all || (count == 0 && view_.columns.empty());
  }

  bool read_condition(const Node& select, const std::string& alias, UpdatableView& result) {
    const Node& where = select["whereClause"];
    if (!where.is_present()) return true;
    if (has_subquery(where)) return false;
    std::size_t begin = 0;
    while (begin < tokens_.size() && !is_at(tokens_, begin, 0, "where")) ++begin;
    std::size_t end = ++begin;
    while (end < tokens_.size() && !is_at(tokens_, end, 0, "order")) ++end;
    if (begin >= end) return false;
    const std::size_t offset = tokens_[begin].offset;
    std::vector<Edit> edits;
    qualify(where, alias, offset, edits);
    result.condition = edited(std::string(tokens_.text(begin, end)), std::move(edits));
    return true;
  }

  void qualify(const Node& node, const std::string& alias, std::size_t offset,
               std::vector<Edit>& edits) {
    if (node.name == "ColumnRef") {
      const std::size_t at = tokens_.index_at(place_of(node));
      const std::size_t path = column_path(node).size();
      Edit edit{.offset = tokens_[at].offset - offset, .size = 0, .text = alias + "."};
      // What stands in front of the column's name goes.
      if (path > 1) edit.size = tokens_[at + 2 * (path - 1)].offset - tokens_[at].offset;
      edits.push_back(std::move(edit));
    }
    for (const Node& child : node) qualify(child, alias, offset, edits);
  }

  const View& view_;
  sql::ParseOutcome parsed_;
  Tokens tokens_;
  const Node* base_ = nullptr;
};

// One statement that changes a view.
class ViewChange {
 public:
  ViewChange(const Tokens& tokens, const Node& range, const Node& statement, std::string alias)
      : tokens_(tokens),
        range_(range),
        statement_(statement),
        alias_(std::move(alias)),
        begin_(tokens.index_at(place_of(range))),
        depth_(tokens[begin_].depth) {}

  std::optional<std::vector<Edit>> edits(const UpdatableView& view) {
    const bool inserts = statement_.name == "InsertStmt";
    if (statement_.name == "MergeStmt" || statement_["whereClause"].type() == "CurrentOfExpr") {
      return std::nullopt;
    }
    if (view.renames && !rename_columns(view)) return std::nullopt;
    replace_name(view, inserts);
    if (!inserts && !view.condition.empty()) add_condition(view.condition);
    return std::move(edits_);
  }

 private:
  // Where several tables may have the column, whose it is is not known.
  bool rename_columns(const UpdatableView& view) {
    const bool has_others =
        statement_["fromClause"].is_present() || statement_["usingClause"].is_present() ||
        statement_["onConflictClause"].is_present() || statement_["withClause"].is_present() ||
        has_subquery(statement_) || depth_ > 0;
    if (has_others) return false;
    for (const std::string_view list : {"targetList", "cols"}) {
      if (statement_.name == "UpdateStmt" || list == "cols") {
        for (const Node& target : statement_[list]) rename_at(target.content(), "name", view);
      }
    }
    rename_references(statement_, view);
    return true;
  }

  void rename_at(const Node& target, std::string_view field, const UpdatableView& view) {
    const auto column = view.columns.find(target.text(field));
    if (column == view.columns.end()) return;
    const sql::Token& token = tokens_[tokens_.index_at(place_of(target))];
    edits_.push_back({token.offset, token.size, program::name_text(column->second)});
  }

  void rename_references(const Node& node, const UpdatableView& view) {
    if (node.name == "ColumnRef") {
      const std::vector<std::string> path = column_path(node);
      const auto column = path.empty() ? view.columns.end() : view.columns.find(path.back());
      if (column != view.columns.end()) {
        const std::size_t first = tokens_.index_at(place_of(node));
        const sql::Token& token = tokens_[first + 2 * (path.size() - 1)];
        edits_.push_back({token.offset, token.size, program::name_text(column->second)});
      }
    }
    for (const Node& child : node) rename_references(child, view);
  }

  void replace_name(const UpdatableView& view, bool inserts) {
    const std::size_t end = end_of_name(tokens_, begin_);
    const std::size_t offset = tokens_[begin_].offset;
    const std::size_t size = tokens_[end - 1].offset + tokens_[end - 1].size - offset;
    std::string text = view.table;
    const bool has_alias = range_["alias"].is_present();
    // An INSERT knows its table by name in ON CONFLICT alone.
    const bool needs_alias = !inserts || statement_["onConflictClause"].is_present();
    if (!has_alias && needs_alias) text += " AS " + alias_;
    const bool lists_columns = statement_["cols"].is_present();
    if (inserts && !lists_columns && !view.has_all && !has_alias) {
      std::vector<std::string> names;
      for (const std::string& column : view.in_order) names.push_back(program::name_text(column));
      text += " (" + join(names, ", ") + ")";
    }
    edits_.push_back({offset, size, std::move(text)});
  }

  void add_condition(const std::string& condition) {
    std::size_t where = begin_;
    while (is_inside(where) && !is_at(tokens_, where, depth_, "where")) ++where;
    const bool has_where = is_inside(where);
    std::size_t end = begin_;
    while (is_inside(end) && !is_at(tokens_, end, depth_, "returning")) ++end;
    const std::size_t behind = tokens_[end - 1].offset + tokens_[end - 1].size;
    if (!has_where) {
      edits_.push_back({behind, 0, " WHERE " + condition});
      return;
    }
    edits_.push_back({tokens_[where + 1].offset, 0, "(" + condition + ") AND ("});
    edits_.push_back({behind, 0, ")"});
  }

  bool is_inside(std::size_t at) const {
    return at < tokens_.size() && tokens_[at].depth >= depth_ &&
           !(tokens_[at].depth == depth_ && tokens_.is_symbol(at, ';'));
  }

  const Tokens& tokens_;
  const Node& range_;
  const Node& statement_;
  std::string alias_;
  std::size_t begin_;
  std::size_t depth_;
  std::vector<Edit> edits_;
};

}  // namespace

std::optional<std::string> with_output_names(const std::string& query,
                                             const std::vector<std::string>& names) {
  const sql::ParseOutcome parsed = sql::parse_tree(query);
  if (!parsed.is_ok || parsed.tree.statements.size() != 1) return std::nullopt;
  const Node& select = parsed.tree.statements[0].node->content();
  if (select["larg"].is_present()) return std::nullopt;
  const Tokens tokens(query);
  std::size_t at = 0;
  while (at < tokens.size() && !is_at(tokens, at, 0, "select")) ++at;
  // ((SELECT ...)), VALUES and TABLE have none.
  if (at >= tokens.size()) return std::nullopt;
  ++at;
  if (is_at(tokens, at, 0, "all")) ++at;
  if (is_at(tokens, at, 0, "distinct")) return std::nullopt;
  std::vector<Edit> edits;
  std::size_t entry = 0;
  for (const Node& target : select["targetList"]) {
    if (entry == names.size()) break;
    const Node& value = target.content()["val"];
    if (value.type() == "ColumnRef" && column_path(value.content()).empty()) return std::nullopt;
    std::size_t end = at;
    const auto ends = [&] {
      const bool is_from = is_at(tokens, end, 0, "from") && tokens.word(end - 1) != "distinct";
      return is_from || (tokens[end].depth == 0 && tokens.is_symbol(end, ','));
    };
    while (end < tokens.size() && !ends()) ++end;
    const sql::Token& last = tokens[end - 1];
    std::size_t offset = last.offset + last.size;
    std::size_t size = 0;
    if (!target.content().text("name").empty()) {
      const std::size_t first = tokens.word(end - 2) == "as" ? end - 2 : end - 1;
      size = offset - tokens[first].offset;
      offset = tokens[first].offset;
    }
    edits.push_back({offset, size, (size == 0 ? " AS " : "AS ") + quoted_name(names[entry])});
    ++entry;
    at = end + 1;
  }
  if (entry != names.size()) return std::nullopt;
  return edited(query, std::move(edits));
}

std::optional<std::string> change_behind(const std::string& text, const Node& range,
                                         const Node& statement, const View& view,
                                         const std::string& query) {
  const Node& alias = range["alias"];
  const std::string name = quoted_name(alias.is_present() ? alias.text("aliasname") : view.name);
  const std::optional<UpdatableView> updatable = ViewQuery(view, query).read(name);
  if (!updatable) return std::nullopt;
  const Tokens tokens(text);
  auto edits = ViewChange(tokens, range, statement, name).edits(*updatable);
  if (!edits) return std::nullopt;
  return edited(text, *std::move(edits));
}

}  // namespace heddle::views
