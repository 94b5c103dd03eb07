// Names for variables. In the text of a program a name of a variable hides a column of that name,
// so no variable may have one that a statement uses for anything else.
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/text.h"
#include "frontend/sql/words/lexer.h"
#include "program/resolve.h"
#include "program/simplify.h"
#include "program/text.h"
#include "program/visit.h"

namespace heddle::program {

namespace {

// customerId -> customer_id
std::string in_lower_case(const std::string& name) {
  std::string result;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool is_upper = std::isupper(c) != 0;
    const bool after_lower = i > 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0;
    if (is_upper && after_lower) result += '_';
    result += static_cast<char>(std::tolower(c));
  }
  return result;
}

class Renamer {
 public:
  Renamer(Functionality& functionality, const Schema& schema) : functionality_(functionality) {
    for (const Table& table : schema.tables) {
      taken_.insert(name_in_statements(table.name, schema.dialect));
      for (const TableColumn& column : table.columns) {
        taken_.insert(name_in_statements(column.name, schema.dialect));
      }
    }
  }

  void rename() {
    note_words(functionality_.body);
    for (Variable& parameter : functionality_.parameters) choose(parameter, "p_");
    for (Variable& variable : functionality_.variables) choose(variable, "v_");
    apply(functionality_.body);
  }

 private:
  void note_words(Block& block) {
    for (Action& action : block) {
      if (const auto* run = std::get_if<RunStatement>(&action.what)) note_text(run->statement);
      if (const auto* open = std::get_if<OpenRows>(&action.what)) note_text(open->statement);
      if (const auto* rows = std::get_if<RowLoop>(&action.what)) note_text(rows->statement);
      for_each_block(action, [&](Block& inner) { note_words(inner); });
    }
  }
  void note_text(const ProgramStatement& statement) {
    const sql::Tokens tokens(statement.statement.text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (std::string word = tokens.word(i); !word.empty()) taken_.insert(std::move(word));
    }
  }

  void choose(Variable& variable, const std::string& prefix) {
    const std::string plain = without_number(in_lower_case(variable.name));
    std::string name = is_free(plain) ? plain : prefix + plain;
    const std::string base = name;
    for (std::size_t number = 2; !is_free(name); ++number) {
      name = base + "_" + std::to_string(number);
    }
    taken_.insert(name);
    names_[variable.name] = name;
    variable.name = name;
  }
  bool is_free(const std::string& name) const {
    return !taken_.contains(name) && name != "found" && name != "sqlstate" && name != "sqlerrm";
  }

  void replace(std::string& name) const {
    if (const auto known = names_.find(name); known != names_.end()) name = known->second;
  }
  void replace(Expression& expression) const {
    if (expression.kind == ExpressionKind::variable) replace(expression.text);
    for (Expression& operand : expression.operands) replace(operand);
  }

  void apply(Block& block) const {
    for (Action& action : block) {
      const auto both = [&](Expression& expression) { replace(expression); };
      for_each_expression(action, both, both);
      if (auto* open = std::get_if<OpenRows>(&action.what)) replace(open->cursor);
      if (auto* fetch = std::get_if<FetchRow>(&action.what)) replace(fetch->cursor);
      if (auto* close = std::get_if<CloseRows>(&action.what)) replace(close->cursor);
      if (auto* count = std::get_if<CountLoop>(&action.what)) replace(count->variable);
      if (auto* elements = std::get_if<ElementLoop>(&action.what)) replace(elements->variable);
      for_each_block(action, [&](Block& inner) { apply(inner); });
    }
  }

  Functionality& functionality_;
  std::set<std::string> taken_;
  std::map<std::string, std::string> names_;
};

}  // namespace

void rename_variables(Functionality& functionality, const Schema& schema) {
  Renamer(functionality, schema).rename();
}

}  // namespace heddle::program
