#include "frontend/parts/take_apart.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "frontend/parts/locked_query.h"
#include "frontend/sql/parts.h"
#include "program/visit.h"

namespace heddle::parts {

namespace {

// The statement with what is left of it.
ProgramStatement with_rest(const ProgramStatement& whole, Statement rest) {
  ProgramStatement made = whole;
  rest.text = whole.statement.text;
  rest.position = whole.statement.position;
  made.statement = std::move(rest);
  return made;
}

// Only such a text is taken apart into tokens.
bool mentions_query(const std::string& text) {
  return to_lower(text).find("select") != std::string::npos;
}

// A query for one row, as a statement in front of the one that it is of.
std::vector<ProgramStatement> with_locked_query(const ProgramStatement& whole) {
  const bool changes_rows = std::ranges::any_of(whole.statement.tables, &TableUse::written);
  if (!changes_rows || !mentions_query(whole.statement.text)) return {};
  auto read = locked_query_in(whole.statement.text, whole.arguments.size());
  if (!read) return {};
  ProgramStatement query{.source = whole.source,
                         .statement = std::move(read->query),
                         .arguments = whole.arguments,
                         .store = whole.store,
                         .connection = whole.connection,
                         .approximated = {}};
  query.statement.position = whole.statement.position;
  query.is_part = true;
  ProgramStatement rest = with_rest(whole, std::move(read->rest));
  for (const std::size_t column : read->columns) {
    rest.part_values.push_back({.back = 1, .column = column});
  }
  if (read->needs_row) rest.needs.push_back({.back = 1, .has_rows = true});
  return {std::move(query), std::move(rest)};
}

// Only such a statement is read once more.
bool may_have_parts(const Statement& statement) {
  const bool changes_rows = std::ranges::any_of(statement.tables, &TableUse::written);
  return changes_rows && to_lower(statement.text).find("with") != std::string::npos;
}

// The column that RETURNING calls so; none: it has none, or this is no name.
std::optional<OutputColumn> returned_column(const Statement& part, const std::string& name) {
  const auto given = std::ranges::find(part.output, name, &OutputColumn::name);
  if (given != part.output.end() && !name.empty()) return *given;
  const bool is_name = std::ranges::all_of(
      name, [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; });
  const bool has_all = part.output.size() == 1 && part.output[0].expression == "*";
  if (!has_all || (!is_name && name != "*")) return std::nullopt;
  return OutputColumn{.name = name, .expression = name, .columns_read = {name}};
}

// Where the rest gives the rows of a part as they are, the columns of these; none: it does
// something else with them.
std::optional<std::vector<OutputColumn>> given_rows(const Statement& part, const Statement& rest) {
  const bool is_plain = rest.kind == StatementKind::select && rest.tables.empty() &&
                        rest.predicate.empty() && rest.result_rows == ResultRows::each &&
                        !rest.limited && !rest.calls_unknown_function;
  if (!is_plain) return std::nullopt;
  std::vector<OutputColumn> columns;
  for (const OutputColumn& output : rest.output) {
    auto column = returned_column(part, output.expression);
    if (!column) return std::nullopt;
    column->name = output.name;
    columns.push_back(*std::move(column));
  }
  return columns;
}

// Empty: the statement is one. Else the last one takes its place.
std::vector<ProgramStatement> parts_of(const ProgramStatement& whole) {
  if (whole.is_part || whole.made_text) return {};
  if (auto both = with_locked_query(whole); !both.empty()) return both;
  if (!may_have_parts(whole.statement)) return {};
  std::vector<sql::StatementPart> read = sql::parts_of(whole.statement.text);
  if (read.empty()) return {};
  if (read.size() == 2) {
    if (const auto columns = given_rows(read[0].statement, read[1].statement)) {
      read[0].statement.output = *columns;
      return {with_rest(whole, std::move(read[0].statement))};
    }
  }
  std::vector<ProgramStatement> all;
  for (std::size_t i = 0; i < read.size(); ++i) {
    const bool is_part = i + 1 < read.size();
    Statement& statement = read[i].statement;
    if (is_part) {
      statement.position = whole.statement.position;
      all.push_back({.source = whole.source,
                     .statement = std::move(statement),
                     .arguments = whole.arguments,
                     .store = whole.store,
                     .connection = whole.connection,
                     .approximated = {}});
    } else {
      all.push_back(with_rest(whole, std::move(statement)));
    }
    all.back().is_part = is_part;
    for (const sql::PartNeed& need : read[i].needs) {
      all.back().needs.push_back({.back = i - need.part, .has_rows = need.has_rows});
    }
  }
  return all;
}

void take_apart(Block& block) {
  Block taken;
  for (Action& action : block) {
    program::for_each_block(action, [](Block& inner) { take_apart(inner); });
    if (ProgramStatement* statement = program::statement_of(action)) {
      std::vector<ProgramStatement> all = parts_of(*statement);
      for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        taken.push_back(
            {.source = action.source, .what = RunStatement{.statement = all[i], .into = {}}});
      }
      if (!all.empty()) *statement = std::move(all.back());
    }
    taken.push_back(std::move(action));
  }
  block = std::move(taken);
}

}  // namespace

void take_apart(Functionality& functionality) { take_apart(functionality.body); }

}  // namespace heddle::parts
