#include "split/statement_writer.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "program/resolve.h"
#include "program/text.h"
#include "split/subqueries.h"

namespace heddle::chopping {

StatementWriter::StatementWriter(const JoinQuery& query, const JoinPlan& plan, const Schema& schema,
                                 std::vector<std::size_t> own)
    : query_(query), plan_(plan), schema_(schema), own_(std::move(own)) {}

std::string StatementWriter::column_text(const std::pair<std::size_t, std::string>& column) const {
  return print_expression(own_column(column));
}

std::string StatementWriter::text(const Expression& expression) {
  return print_expression(placed(expression));
}

std::string StatementWriter::where(const std::vector<Expression>& conditions) {
  if (conditions.empty()) return "";
  Expression all{.kind = ExpressionKind::call, .text = "and", .operands = {}};
  for (const Expression& one : conditions) all.operands.push_back(placed(one));
  return " WHERE " + print_expression(all.operands.size() == 1 ? all.operands[0] : all);
}

std::string StatementWriter::tables() const {
  std::vector<std::string> texts;
  for (const std::size_t source : own_) {
    const JoinSource& one = query_.sources[source];
    std::string text = program::name_text(one.name);
    if (own_.size() > 1 && one.alias != one.name) text += " AS " + program::name_text(one.alias);
    texts.push_back(std::move(text));
  }
  return join(texts, ", ");
}

std::optional<ProgramStatement> StatementWriter::statement(const std::string& text,
                                                           const ProgramStatement& like) const {
  return statement_with(text, arguments_, like, schema_);
}

Expression StatementWriter::own_column(const std::pair<std::size_t, std::string>& column) const {
  const std::string name = program::name_in_statements(column.second, schema_.dialect);
  Expression plain{.kind = ExpressionKind::variable, .text = name, .operands = {}};
  if (own_.size() < 2) return plain;
  plain.text = query_.sources[column.first].alias;
  return {.kind = ExpressionKind::field, .text = name, .operands = {std::move(plain)}};
}

Expression StatementWriter::placed(const Expression& expression) {
  if (const auto source = find::source_of(expression)) {
    const std::pair column{*source, expression.text};
    if (std::ranges::find(own_, *source) != own_.end()) return own_column(column);
    return value(plan_.columns.at(column));
  }
  if (const auto number = placeholder_of(expression)) return value(query_.arguments[*number - 1]);
  Expression copy = expression;
  for (Expression& operand : copy.operands) operand = placed(operand);
  return copy;
}

Expression StatementWriter::value(const Expression& argument) {
  auto at = std::ranges::find(arguments_, argument);
  if (at == arguments_.end()) at = arguments_.insert(at, argument);
  return {.kind = ExpressionKind::literal,
          .text = fmt::format("${}", at - arguments_.begin() + 1),
          .operands = {}};
}

}  // namespace heddle::chopping
