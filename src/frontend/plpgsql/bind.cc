// Statements in a body: which of their names are variables. As in PostgreSQL a name is looked up
// where an expression has a column; names of tables, of the columns of INSERT and of the targets of
// SET are none. Where ORDER BY or GROUP BY name an output column, that is meant.
#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "frontend/plpgsql/expression.h"
#include "frontend/sql/reader.h"
#include "frontend/sql/tree.h"
#include "frontend/sql/words/lexer.h"

namespace heddle::plpgsql {

namespace {

using sql::Node;
using sql::Tokens;

// A piece of the text that stands for a value of the client.
struct Use {
  std::size_t first = 0;  // token
  std::size_t end = 0;
  Expression meaning;
};

class UseFinder {
 public:
  UseFinder(const Tokens& tokens, const Names& names, const std::vector<std::string>& parameters)
      : tokens_(tokens), names_(names), parameters_(parameters) {}

  // Not by recursion: a list of values may be long, and a chain deep.
  void find(const Node& root) {
    open_.push_back(&root);
    while (!open_.empty()) {
      const Node& node = *open_.back();
      open_.pop_back();
      if (node.name == "SelectStmt") note_outputs(node);
      if (node.name == "TypeCast") refuse_typed_parameter(node);
      if (node.name == "ColumnRef") {
        see_name(node);
      } else if (node.name == "ParamRef") {
        see_parameter(node);
      } else {
        for (const Node& child : node) open_.push_back(&child);
      }
    }
    std::ranges::sort(uses, {}, &Use::first);
    // SET (a, b) = (x, y) has its values once for each column.
    const auto again = std::ranges::unique(uses, {}, &Use::first);
    uses.erase(again.begin(), again.end());
  }

  std::vector<Use> uses;
  std::optional<ReadTrouble> trouble;

 private:
  // What ORDER BY and GROUP BY name although a variable may be called so.
  void note_outputs(const Node& select) {
    std::set<std::string> outputs;
    for (const Node& target : select["targetList"]) {
      if (const std::string& name = target.content().text("name"); !name.empty()) {
        outputs.insert(name);
      }
    }
    for (const Node& item : select["sortClause"]) skip_output(item.content()["node"], outputs);
    for (const Node& item : select["groupClause"]) skip_output(item, outputs);
  }
  void skip_output(const Node& node, const std::set<std::string>& outputs) {
    if (node.type() != "ColumnRef") return;
    const std::vector<std::string> path = sql::string_list(node.content()["fields"]);
    if (path.size() == 1 && outputs.contains(path[0])) meant_as_columns_.insert(&node.content());
  }

  // libpg_query takes `date $1` for `date '...'`; PostgreSQL does not.
  void refuse_typed_parameter(const Node& cast) {
    if (cast["arg"].type() != "ParamRef") return;
    const std::size_t parameter = token_of(cast["arg"].content());
    if (!cast["typeName"].text("location").empty() && token_of(cast["typeName"]) < parameter) {
      trouble = ReadTrouble{.what = "a parameter cannot stand there",
                            .offset = tokens_[parameter].offset};
    }
  }

  std::size_t token_of(const Node& node) const {
    const std::string& location = node.text("location");
    return tokens_.index_at(location.empty() ? 0 : std::stoul(location));
  }

  void see_name(const Node& reference) {
    if (meant_as_columns_.contains(&reference)) return;
    std::vector<std::string> path;
    bool all = false;
    for (const Node& part : reference["fields"]) {
      all = all || part.type() == "A_Star";
      path.push_back(part.content().text("sval"));
    }
    if (all) {
      path.pop_back();
      if (path.empty() || !names_.resolve(path)) return;
      trouble = ReadTrouble{.what = "all columns of a row variable at once",
                            .offset = tokens_[token_of(reference)].offset};
      return;
    }
    auto meaning = names_.resolve(path);
    if (!meaning) return;
    const std::size_t first = token_of(reference);
    uses.push_back({first, first + 2 * path.size() - 1, std::move(*meaning)});
  }

  void see_parameter(const Node& parameter) {
    const std::size_t number = std::stoul("0" + parameter.text("number"));
    const std::size_t first = token_of(parameter);
    if (number == 0 || number > parameters_.size()) {
      trouble = ReadTrouble{.what = "there is no parameter $" + parameter.text("number"),
                            .offset = tokens_[first].offset};
      return;
    }
    if (auto meaning = names_.resolve({parameters_[number - 1]})) {
      uses.push_back({first, first + 1, std::move(*meaning)});
    }
  }

  const Tokens& tokens_;
  const Names& names_;
  const std::vector<std::string>& parameters_;
  std::vector<const Node*> open_;
  std::set<const Node*> meant_as_columns_;
};

// One blank for any blanks and comments.
void append_token(std::string& text, const Tokens& tokens, std::size_t index,
                  std::string_view shown) {
  if (index > 0) {
    const sql::Token& before = tokens[index - 1];
    if (before.offset + before.size < tokens[index].offset) text += ' ';
  }
  text += shown;
}

}  // namespace

Read<BoundText> bind_text(std::string_view text, const Names& names,
                          const std::vector<std::string>& parameters) {
  Read<BoundText> result;
  const sql::ParseOutcome parsed = sql::parse_tree(text);
  const Tokens tokens(text);
  UseFinder finder(tokens, names, parameters);
  if (!parsed.is_ok) {
    finder.trouble = {parsed.trouble.message, parsed.trouble.offset, parsed.trouble.trouble};
  } else if (parsed.tree.statements.size() != 1) {
    finder.trouble = {"not one statement"};
  } else {
    finder.find(*parsed.tree.statements[0].node);
  }
  if (finder.trouble) {
    result.is_ok = false;
    result.trouble = std::move(*finder.trouble);
    return result;
  }
  auto next = finder.uses.begin();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (next == finder.uses.end() || next->first != i) {
      append_token(result.value.text, tokens, i, tokens.text(i));
      continue;
    }
    result.value.arguments.push_back(next->meaning);
    append_token(result.value.text, tokens, i, "$" + std::to_string(result.value.arguments.size()));
    i = next->end - 1;
    ++next;
  }
  // There are more places where libpg_query takes a parameter and no name.
  const bool has_parameters = text.find('$') != std::string_view::npos;
  if (has_parameters &&
      !sql::parse_tree(named_text(result.value.text, result.value.arguments)).is_ok) {
    result.is_ok = false;
    result.trouble = {.what = "a parameter cannot stand there"};
  }
  return result;
}

}  // namespace heddle::plpgsql
