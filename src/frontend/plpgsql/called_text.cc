#include "frontend/plpgsql/called_text.h"

#include <algorithm>
#include <utility>

#include "program/visit.h"

namespace heddle::plpgsql {

std::optional<CallText> call_at(const sql::Tokens& tokens, std::size_t at) {
  if (!tokens.is_symbol(at + 1, '(')) return std::nullopt;
  CallText call{.name = tokens.word(at), .arguments = {}, .first = at, .end = 0};
  if (call.name.empty()) return std::nullopt;
  std::size_t close = at + 2;
  std::size_t begin = close;
  const std::size_t depth = tokens[at + 1].depth;
  for (; close < tokens.size(); ++close) {
    const bool closes = tokens.is_symbol(close, ')') && tokens[close].depth == depth;
    const bool parts = tokens.is_symbol(close, ',') && tokens[close].depth == depth + 1;
    if (!closes && !parts) continue;
    if (close > begin) call.arguments.emplace_back(tokens.text(begin, close));
    begin = close + 1;
    if (closes) break;
  }
  if (close >= tokens.size()) return std::nullopt;
  call.end = close + 1;
  return call;
}

std::optional<CallText> only_source(const sql::Tokens& tokens) {
  std::size_t from = 0;
  while (from < tokens.size() && (tokens[from].depth > 0 || tokens.word(from) != "from")) ++from;
  const bool is_all = from == 2 && tokens.is_symbol(1, '*');
  if (!is_all) return std::nullopt;
  auto call = call_at(tokens, from + 1);
  if (!call) return std::nullopt;
  // Behind it there may be nothing but a name.
  std::size_t end = call->end;
  if (tokens.word(end) == "as") ++end;
  if (end < tokens.size()) ++end;
  return end >= tokens.size() ? call : std::nullopt;
}

const Routine* find_routine(const std::vector<Routine>& routines,
                            const std::vector<Functionality>& functionalities,
                            const std::string& name, std::size_t arguments) {
  const Routine* found = nullptr;
  for (const Routine& routine : routines) {
    if (functionalities[routine.functionality].name != name) continue;
    const auto given = std::ranges::count_if(routine.parameters, &RoutineParameter::is_given);
    const auto needed = std::ranges::count_if(routine.parameters, [](const auto& parameter) {
      return parameter.is_given && parameter.default_text.empty();
    });
    const auto count = static_cast<std::ptrdiff_t>(arguments);
    // CALL names the parameters that only give a result, too.
    const auto all = static_cast<std::ptrdiff_t>(routine.parameters.size());
    const bool fits = (count >= needed && count <= given) || (routine.is_procedure && count == all);
    if (!fits) continue;
    if (found != nullptr) return nullptr;
    found = &routine;
  }
  return found;
}

std::size_t count_all(const Block& block) {
  std::size_t count = block.size();
  for (const Action& action : block) {
    program::for_each_block(action, [&](const Block& inner) { count += count_all(inner); });
  }
  return count;
}

bool may_write(const Block& block) {
  return std::ranges::any_of(block, [](const Action& action) {
    const ProgramStatement* statement = program::statement_of(action);
    bool found = statement != nullptr && (statement->statement.kind != StatementKind::select ||
                                          statement->statement.calls_unknown_function);
    program::for_each_block(action, [&](const Block& inner) { found = found || may_write(inner); });
    return found;
  });
}

bool is_set(const Functionality& called) {
  return called.returns.value_or("").starts_with("SETOF ");
}

bool returns_rows(const Block& block) {
  return std::ranges::any_of(block, [](const Action& action) {
    const auto* end = std::get_if<Return>(&action.what);
    bool found = std::holds_alternative<ReturnRow>(action.what) ||
                 (end != nullptr && end->values.size() > 1 &&
                  std::ranges::any_of(end->values, [](const Expression& value) {
                    return value.kind != ExpressionKind::variable;
                  }));
    program::for_each_block(action,
                            [&](const Block& inner) { found = found || returns_rows(inner); });
    return found;
  });
}

std::vector<std::string> names_of_results(const Routine& routine, const Functionality& called) {
  std::vector<std::string> names;
  for (const RoutineParameter& parameter : routine.parameters) {
    if (parameter.is_result) names.push_back(parameter.name);
  }
  if (names.empty()) names.push_back(called.name);
  return names;
}

}  // namespace heddle::plpgsql
