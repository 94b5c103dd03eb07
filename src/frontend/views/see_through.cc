#include "frontend/views/see_through.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "frontend/sql/tree.h"
#include "frontend/sql/words/lexer.h"
#include "frontend/views/changed_view.h"
#include "frontend/views/common_tables.h"
#include "frontend/views/pull_up.h"
#include "frontend/views/text_edits.h"

namespace heddle::views {
namespace {

using sql::Node;
using sql::Tokens;

// Views of views end; a definition that names itself does not.
constexpr std::size_t kDeepest = 16;
constexpr std::size_t kMostText = 200'000;

enum class ViewUse : std::uint8_t { read, changed, locked };

// A name of a view in a statement.
struct ViewName {
  const View* view = nullptr;
  ViewUse use = ViewUse::read;
  const Node* range = nullptr;  // its RangeVar
  const Node* statement = nullptr;
};

std::optional<Statement> read_one(const std::string& text) {
  auto read = parse_statements(text, Dialect::postgres);
  if (!read || read->size() != 1) return std::nullopt;
  return std::move(read->front());
}

class ViewNames {
 public:
  explicit ViewNames(const Schema& schema) : schema_(schema) {}

  std::vector<ViewName> find(const Node& statement) {
    visit(statement, {});
    return std::move(found_);
  }

 private:
  using Hidden = std::set<std::string>;

  // `hidden`: common tables, whose names hide views.
  void visit(const Node& node, Hidden hidden) {
    for (const Node& common : node["withClause"]["ctes"]) {
      hidden.insert(common.content().text("ctename"));
    }
    const std::string_view type = node.name;
    if (type == "RangeVar") add(node, is_lock_ ? ViewUse::locked : ViewUse::read, node, hidden);
    const bool changes =
        type == "InsertStmt" || type == "UpdateStmt" || type == "DeleteStmt" || type == "MergeStmt";
    if (changes) add(node["relation"], ViewUse::changed, node, {});
    is_lock_ = is_lock_ || type == "LockStmt";
    for (const Node& child : node) visit(child, hidden);
  }

  void add(const Node& range, ViewUse use, const Node& statement, const Hidden& hidden) {
    const std::string& in_schema = range.text("schemaname");
    const std::string& name = range.text("relname");
    if (in_schema.empty() && hidden.contains(name)) return;
    const View* view = find_view(schema_, name, in_schema);
    if (view == nullptr) return;
    found_.push_back({.view = view, .use = use, .range = &range, .statement = &statement});
  }

  const Schema& schema_;
  std::vector<ViewName> found_;
  bool is_lock_ = false;
};

// The query in PostgreSQL's syntax; none: it cannot be said so.
std::optional<std::string> query_of(const View& view, const Schema& schema) {
  if (schema.dialect == Dialect::postgres) return view.query;
  Result<PrintedStatement> printed =
      print_statement(view.query, schema.dialect, Dialect::postgres, &schema);
  if (!printed) return std::nullopt;
  return std::move(printed->text);
}

// The tables that a query names, for LOCK TABLE.
std::string tables_of(const std::string& query) {
  const sql::ParseOutcome parsed = sql::parse_tree(query);
  if (!parsed.is_ok) return "";
  std::set<std::string> common;
  for (const Node& node : parsed.tree.nodes) {
    if (node.name == "CommonTableExpr") common.insert(node.text("ctename"));
  }
  std::vector<std::string> names;
  for (const Node& node : parsed.tree.nodes) {
    if (node.name != "RangeVar" || common.contains(node.text("relname"))) continue;
    const std::string& in_schema = node.text("schemaname");
    const std::string name =
        (in_schema.empty() ? "" : quoted_name(in_schema) + ".") + quoted_name(node.text("relname"));
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return join(names, ", ");
}

class ViewFollower {
 public:
  explicit ViewFollower(const Schema& schema) : schema_(schema) {}

  // The text with queries in the place of views; none: it names no view that can be followed.
  std::optional<std::string> follow(const std::string& text) {
    std::string followed = text;
    for (std::size_t depth = 0; depth < kDeepest && followed.size() < kMostText; ++depth) {
      std::optional<std::string> next = follow_once(followed);
      if (!next) break;
      followed = *std::move(next);
    }
    if (followed == text) return std::nullopt;
    return followed;
  }

  std::vector<std::string> take_problems() { return std::move(problems_); }

 private:
  std::optional<std::string> follow_once(const std::string& text) {
    problems_.clear();
    const sql::ParseOutcome parsed = sql::parse_tree(text);
    if (!parsed.is_ok || parsed.tree.statements.size() != 1) return std::nullopt;
    std::vector<ViewName> names = ViewNames(schema_).find(*parsed.tree.statements[0].node);
    // From the last one on, so that the places of the others stay.
    std::ranges::sort(names, std::ranges::greater(),
                      [](const ViewName& name) { return place_of(*name.range); });
    std::string followed = text;
    for (const ViewName& name : names) {
      if (auto with_query = follow_name(name, followed)) followed = *std::move(with_query);
    }
    if (followed == text) return std::nullopt;
    return followed;
  }

  std::optional<std::string> follow_name(const ViewName& name, const std::string& text) {
    const std::optional<std::string> query = query_of(*name.view, schema_);
    if (!query) {
      problems_.push_back(fmt::format("the view {}", name.view->name));
      return std::nullopt;
    }
    if (name.use == ViewUse::changed) {
      auto changed = change_behind(text, *name.range, *name.statement, *name.view, *query);
      if (!changed) problems_.push_back(fmt::format("a change of the view {}", name.view->name));
      return changed;
    }
    const Tokens tokens(text);
    const std::size_t begin = tokens.index_at(place_of(*name.range));
    const std::size_t end = end_of_name(tokens, begin);
    std::string instead;
    if (name.use == ViewUse::locked) {
      instead = tables_of(*query);
    } else {
      const bool has_alias = (*name.range)["alias"].is_present();
      instead = "(" + with_names(*query, name.view->columns) + ")";
      if (!has_alias) instead += " AS " + quoted_name(name.view->name);
    }
    if (instead.empty()) return std::nullopt;
    return text.substr(0, tokens[begin].offset) + instead +
           text.substr(tokens[end - 1].offset + tokens[end - 1].size);
  }

  static std::string with_names(const std::string& query, const std::vector<std::string>& columns) {
    if (columns.empty()) return query;
    if (auto named = with_output_names(query, columns)) return *std::move(named);
    std::vector<std::string> names;
    for (const std::string& column : columns) names.push_back(quoted_name(column));
    return "SELECT * FROM (" + query + ") AS named(" + join(names, ", ") + ")";
  }

  const Schema& schema_;
  std::vector<std::string> problems_;
};

bool may_name_view(const std::string& text, const Schema& schema) {
  const Tokens tokens(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool is_name =
        tokens[i].kind == sql::TokenKind::word || tokens[i].kind == sql::TokenKind::quoted_name;
    if (!is_name) continue;
    const std::string name = fold_name(tokens.text(i), Dialect::postgres);
    const bool is_view = std::ranges::any_of(
        schema.views, [&](const View& view) { return to_lower(view.name) == to_lower(name); });
    if (is_view) return true;
  }
  return false;
}

}  // namespace

namespace {

// What could not be followed.
std::vector<std::string> replace_views(Statement& statement, const Schema& schema) {
  if (schema.views.empty() || !may_name_view(statement.text, schema)) return {};
  ViewFollower follower(schema);
  const std::optional<std::string> text = follower.follow(statement.text);
  std::vector<std::string> problems = follower.take_problems();
  if (!text) return problems;
  auto read = read_one(*text);
  if (!read) {
    problems.emplace_back("a view");
    return problems;
  }
  read->position = statement.position;
  statement = *std::move(read);
  return problems;
}

void pull_up(Statement& statement, const Schema& schema) {
  const auto inlined = with_common_tables_inlined(statement.text);
  const auto text = with_queries_pulled_up(inlined.value_or(statement.text), schema);
  auto read = text ? read_one(*text) : std::nullopt;
  if (!read || read->kind != statement.kind) return;
  read->text = std::move(statement.text);
  read->position = statement.position;
  statement = *std::move(read);
}

bool may_have_derived_table(const std::string& text) {
  const Tokens tokens(text);
  if (tokens.word(0) == "with") return true;
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!tokens.is_symbol(i, '(') || tokens.word(i + 1) != "select") continue;
    const std::string before = tokens.word(i - 1);
    if (before == "from" || before == "join" || before == "using" || tokens.is_symbol(i - 1, ',')) {
      return true;
    }
  }
  return false;
}

}  // namespace

void see_through(Statement& statement, const Schema& schema) {
  std::vector<std::string> problems = replace_views(statement, schema);
  // MySQL's FOR UPDATE does not reach into derived tables.
  const bool locks = std::ranges::any_of(
      statement.tables, [](const TableUse& use) { return use.locking != LockingClause::none; });
  const bool may_lock_less = locks && schema.dialect == Dialect::mysql;
  if (!may_lock_less && may_have_derived_table(statement.text)) pull_up(statement, schema);
  for (std::string& problem : problems) {
    std::vector<std::string>& known = statement.over_approximated;
    if (std::ranges::find(known, problem) == known.end()) known.push_back(std::move(problem));
  }
}

}  // namespace heddle::views
