#include "frontend/views/common_tables.h"

#include <utility>
#include <vector>

#include "frontend/sql/tree.h"
#include "frontend/sql/words/lexer.h"
#include "frontend/views/text_edits.h"

namespace heddle::views {
namespace {

using sql::Node;
using sql::Tokens;

constexpr std::size_t kMostCommonTables = 16;

// Where the table is named; its own definition, which it does not name, included.
void find_uses(const Node& node, const std::string& name, std::vector<const Node*>& uses) {
  const bool is_named =
      node.name == "RangeVar" && node.text("relname") == name && node.text("schemaname").empty();
  if (is_named) uses.push_back(&node);
  for (const Node& child : node) find_uses(child, name, uses);
}

// FOR UPDATE does not reach into common tables, but into derived ones. A name that is given twice
// hides one of the two.
bool may_mean_another(const sql::ParseTree& tree, const std::string& name) {
  std::size_t given = 0;
  for (const Node& node : tree.nodes) {
    if (node.name == "LockingClause") return true;
    given += node.name == "CommonTableExpr" && node.text("ctename") == name ? 1 : 0;
  }
  return given != 1;
}

// One of WITH, in the statement's tokens.
struct Definition {
  std::size_t name = 0;
  std::size_t open = 0;   // the parenthesis in front of its query
  std::size_t close = 0;  // that behind it
};

std::optional<Definition> find_definition(const Tokens& tokens, const Node& common) {
  Definition definition{.name = tokens.index_at(place_of(common))};
  if (definition.name >= tokens.size()) return std::nullopt;
  const std::size_t depth = tokens[definition.name].depth;
  definition.open = definition.name + 1;
  while (definition.open < tokens.size() && !tokens.is_symbol(definition.open, '(')) {
    ++definition.open;
  }
  definition.close = definition.open + 1;
  while (definition.close < tokens.size() && tokens[definition.close].depth > depth) {
    ++definition.close;
  }
  if (definition.close >= tokens.size()) return std::nullopt;
  return definition;
}

// What of WITH goes with the definition: a comma behind it, or in front of it; or all of it.
Edit without(const Tokens& tokens, const Definition& definition, bool is_only) {
  std::size_t first = definition.name;
  std::size_t last = definition.close;
  if (is_only) {
    --first;
  } else if (tokens.is_symbol(last + 1, ',')) {
    ++last;
  } else {
    --first;
  }
  const std::size_t offset = tokens[first].offset;
  return {offset, end_of(tokens[last]) - offset, ""};
}

std::optional<std::string> inline_one(const std::string& text) {
  const sql::ParseOutcome parsed = sql::parse_tree(text);
  if (!parsed.is_ok || parsed.tree.statements.size() != 1) return std::nullopt;
  const Node& statement = parsed.tree.statements[0].node->content();
  const Node& with = statement["withClause"];
  if (!with.is_present() || with.is_true("recursive")) return std::nullopt;
  const Tokens tokens(text);
  std::size_t count = 0;
  for (const Node& one : with["ctes"]) count += one.content().is_present() ? 1 : 0;
  for (const Node& one : with["ctes"]) {
    const Node& common = one.content();
    const bool is_query =
        common["ctequery"].type() == "SelectStmt" && !common["aliascolnames"].is_present();
    std::vector<const Node*> uses;
    find_uses(*parsed.tree.statements[0].node, common.text("ctename"), uses);
    if (!is_query || uses.size() != 1) continue;
    if (may_mean_another(parsed.tree, common.text("ctename"))) continue;
    const auto definition = find_definition(tokens, common);
    if (!definition) continue;
    const std::size_t use = tokens.index_at(place_of(*uses[0]));
    const bool is_inside = use > definition->open && use < definition->close;
    if (use >= tokens.size() || is_inside) continue;
    std::string query(tokens.text(definition->open, definition->close + 1));
    if (!(*uses[0])["alias"].is_present()) query += " AS " + quoted_name(common.text("ctename"));
    return edited(text, {{tokens[use].offset, tokens[use].size, std::move(query)},
                         without(tokens, *definition, count == 1)});
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> with_common_tables_inlined(const std::string& text) {
  std::optional<std::string> result;
  for (std::size_t i = 0; i < kMostCommonTables; ++i) {
    auto inlined = inline_one(result.value_or(text));
    if (!inlined) break;
    result = std::move(inlined);
  }
  return result;
}

}  // namespace heddle::views
