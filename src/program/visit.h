// Going through programs.
#pragma once

#include "heddle/program.h"

namespace heddle::program {

// The statement that the action runs, opens or goes through the rows of; null: it has none.
// `AnyAction`: Action, const or not.
template <class AnyAction>
auto* statement_of(AnyAction& action) {
  if (auto* run = std::get_if<RunStatement>(&action.what)) return &run->statement;
  if (auto* open = std::get_if<OpenRows>(&action.what)) return &open->statement;
  auto* rows = std::get_if<RowLoop>(&action.what);
  return rows == nullptr ? nullptr : &rows->statement;
}

// Calls `see` with each block directly inside of the action. `AnyAction` as above.
template <class AnyAction, class See>
void for_each_block(AnyAction& action, See see) {
  if (auto* branch = std::get_if<Branch>(&action.what)) {
    see(branch->then);
    see(branch->otherwise);
  } else if (auto* loop = std::get_if<Loop>(&action.what)) {
    see(loop->body);
  } else if (auto* rows = std::get_if<RowLoop>(&action.what)) {
    see(rows->body);
  } else if (auto* count = std::get_if<CountLoop>(&action.what)) {
    see(count->body);
  } else if (auto* elements = std::get_if<ElementLoop>(&action.what)) {
    see(elements->body);
  } else if (auto* attempt = std::get_if<Attempt>(&action.what)) {
    see(attempt->body);
    for (auto& recovery : attempt->recoveries) see(recovery.body);
  }
}

// Calls `use` with each expression whose value the action itself needs, and `set` with each that it
// gives a value; not those of blocks inside of it.
template <class Use, class Set>
void for_each_expression(Action& action, Use use, Set set) {
  const auto statement = [&](ProgramStatement& one) {
    for (Expression& argument : one.arguments) use(argument);
    if (one.made_text) use(*one.made_text);
  };
  const auto all = [](std::vector<Expression>& list, auto see) {
    for (Expression& one : list) see(one);
  };
  if (auto* run = std::get_if<RunStatement>(&action.what)) {
    statement(run->statement);
    all(run->into, set);
  } else if (auto* open = std::get_if<OpenRows>(&action.what)) {
    statement(open->statement);
  } else if (auto* fetch = std::get_if<FetchRow>(&action.what)) {
    all(fetch->into, set);
  } else if (auto* assign = std::get_if<Assign>(&action.what)) {
    use(assign->value);
    set(assign->target);
  } else if (auto* count = std::get_if<CountRows>(&action.what)) {
    set(count->target);
  } else if (auto* branch = std::get_if<Branch>(&action.what)) {
    use(branch->condition);
  } else if (auto* loop = std::get_if<Loop>(&action.what)) {
    if (loop->condition) use(*loop->condition);
  } else if (auto* rows = std::get_if<RowLoop>(&action.what)) {
    statement(rows->statement);
    all(rows->into, set);
  } else if (auto* counting = std::get_if<CountLoop>(&action.what)) {
    use(counting->first);
    use(counting->last);
    if (counting->step) use(*counting->step);
  } else if (auto* elements = std::get_if<ElementLoop>(&action.what)) {
    use(elements->array);
  } else if (auto* end = std::get_if<Return>(&action.what)) {
    all(end->values, use);
  } else if (auto* next = std::get_if<ReturnRow>(&action.what)) {
    all(next->values, use);
  } else if (auto* raise = std::get_if<Raise>(&action.what)) {
    all(raise->values, use);
  }
}

}  // namespace heddle::program
