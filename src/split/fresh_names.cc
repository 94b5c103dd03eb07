#include "split/fresh_names.h"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "frontend/sql/words/lexer.h"
#include "program/resolve.h"
#include "program/visit.h"

namespace heddle::chopping {

FreshNames::FreshNames(Functionality& functionality, const Schema& schema)
    : functionality_(functionality), taken_({"found", "sqlstate", "sqlerrm"}) {
  for (const Table& table : schema.tables) {
    taken_.insert(program::name_in_statements(table.name, schema.dialect));
    for (const TableColumn& column : table.columns) {
      taken_.insert(program::name_in_statements(column.name, schema.dialect));
    }
  }
  for (const Variable& variable : functionality.parameters) taken_.insert(variable.name);
  for (const Variable& variable : functionality.variables) taken_.insert(variable.name);
  note_words(functionality.body);
}

void FreshNames::note(const std::string& text) {
  const sql::Tokens tokens(text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (std::string word = tokens.word(i); !word.empty()) taken_.insert(std::move(word));
  }
}

void FreshNames::note_words(Block& block) {
  for (Action& action : block) {
    if (const auto* run = std::get_if<RunStatement>(&action.what)) {
      note(run->statement.statement.text);
    } else if (const auto* open = std::get_if<OpenRows>(&action.what)) {
      note(open->statement.statement.text);
      taken_.insert(open->cursor);
    } else if (const auto* rows = std::get_if<RowLoop>(&action.what)) {
      note(rows->statement.statement.text);
      taken_.insert(rows->label);
    } else if (const auto* loop = std::get_if<Loop>(&action.what)) {
      taken_.insert(loop->label);
    } else if (const auto* count = std::get_if<CountLoop>(&action.what)) {
      taken_.insert(count->variable);
      taken_.insert(count->label);
    } else if (const auto* each = std::get_if<ElementLoop>(&action.what)) {
      taken_.insert(each->variable);
      taken_.insert(each->label);
    }
    program::for_each_block(action, [&](Block& inner) { note_words(inner); });
  }
}

std::string FreshNames::choose(const std::string& wish) {
  std::string name = wish;
  for (std::size_t number = 2; !taken_.insert(name).second; ++number) {
    name = fmt::format("{}_{}", wish, number);
  }
  return name;
}

Expression FreshNames::variable(const std::string& wish, const std::string& type) {
  const std::string name = choose(wish);
  functionality_.variables.push_back({.name = name, .type = type});
  return {.kind = ExpressionKind::variable, .text = name, .operands = {}};
}

}  // namespace heddle::chopping
