// A RETURN at the end of a way is left out; what follows a branch that always returns becomes the
// other arm of it. Where that is not enough, the body is a loop of one round that RETURN leaves.
#include "frontend/plpgsql/routine_body.h"

#include <algorithm>
#include <utility>

#include "frontend/plpgsql/scope.h"
#include "program/visit.h"

namespace heddle::plpgsql {

namespace {

template <class See>
void for_each_loop_variable(const Block& block, See see) {
  for (const Action& action : block) {
    if (const auto* count = std::get_if<CountLoop>(&action.what)) see(count->variable);
    program::for_each_block(action,
                            [&](const Block& inner) { for_each_loop_variable(inner, see); });
  }
}

bool names_found(const Expression& expression) {
  return (expression.kind == ExpressionKind::variable && expression.text == "found") ||
         std::ranges::any_of(expression.operands, names_found);
}

// Rows and values that nobody takes: what a call reads is in its statements.
void forget_results(Block& block) {
  std::erase_if(
      block, [](const Action& action) { return std::holds_alternative<ReturnRow>(action.what); });
  for (Action& action : block) {
    if (auto* run = std::get_if<RunStatement>(&action.what)) run->returned = false;
    if (auto* end = std::get_if<Return>(&action.what)) end->values.clear();
    program::for_each_block(action, [](Block& inner) { forget_results(inner); });
  }
}

class Instance {
 public:
  Instance(const Functionality& functionality, const Routine& routine, FreeNames& names)
      : functionality_(functionality), routine_(routine) {
    for (const Variable& parameter : functionality.parameters) {
      body_.given.push_back(declare(parameter, names));
    }
    for (const Variable& variable : functionality.variables) declare(variable, names);
    for_each_loop_variable(functionality.body, [&](const std::string& name) {
      renamed_.try_emplace(name, names.take(functionality_.name + "_" + name));
    });
    label_ = names.take("heddle_" + functionality.name);
  }

  RoutineBody make(bool may_commit, bool resets, FreeNames& names) {
    const SourceLocation& source = functionality_.source;
    for (const RoutineParameter& parameter : routine_.parameters) {
      if (parameter.is_result) body_.results.push_back(renamed_.at(parameter.name));
    }
    const std::string& returns = functionality_.returns.value_or("");
    if (body_.results.empty() && !returns.empty() && returns != "void") {
      result_ = names.take(functionality_.name + "_result");
      body_.variables.push_back({result_, returns});
      body_.results.push_back(result_);
    }
    for (std::size_t i = body_.given.size(); resets && i < body_.variables.size(); ++i) {
      const std::string& type = body_.variables[i].type;
      if (type == "refcursor" || type == "cursor") continue;
      body_.block.push_back(
          {.source = source,
           .what = Assign{.target = variable(body_.variables[i].name), .value = {}}});
    }
    if (uses_found(functionality_.body)) {
      body_.block.push_back(
          {.source = source,
           .what = Assign{
               .target = variable("found"),
               .value = {.kind = ExpressionKind::literal, .text = "false", .operands = {}}}});
    }
    Block body = functionality_.body;
    rename(body);
    replace_ends(body, may_commit);
    if (!leave_out_ends(body)) body = in_loop(std::move(body));
    std::ranges::move(body, std::back_inserter(body_.block));
    return std::move(body_);
  }

  RoutineQuery make_query() {
    RoutineQuery query;
    const Block& body = functionality_.body;
    const bool ends = body.size() == 2 && std::holds_alternative<Return>(body[1].what) &&
                      std::get<Return>(body[1].what).values.empty();
    if (body.size() != 1 && !ends) return query;
    const auto* run = std::get_if<RunStatement>(&body[0].what);
    if (run == nullptr || !run->returned) return query;
    query.statement = run->statement;
    for (Expression& argument : query.statement.arguments) rename(argument);
    if (query.statement.made_text) rename(*query.statement.made_text);
    query.variables = std::move(body_.variables);
    query.given = std::move(body_.given);
    return query;
  }

 private:
  std::string declare(const Variable& variable, FreeNames& names) {
    const std::string name = names.take(functionality_.name + "_" + variable.name);
    renamed_[variable.name] = name;
    body_.variables.push_back({name, variable.type});
    return name;
  }

  void rename(std::string& name) const {
    if (const auto known = renamed_.find(name); known != renamed_.end()) name = known->second;
  }
  void rename(Expression& expression) const {
    if (expression.kind == ExpressionKind::variable) rename(expression.text);
    for (Expression& operand : expression.operands) rename(operand);
  }
  void rename(Block& block) const {
    for (Action& action : block) {
      const auto both = [&](Expression& expression) { rename(expression); };
      program::for_each_expression(action, both, both);
      if (auto* open = std::get_if<OpenRows>(&action.what)) rename(open->cursor);
      if (auto* fetch = std::get_if<FetchRow>(&action.what)) rename(fetch->cursor);
      if (auto* close = std::get_if<CloseRows>(&action.what)) rename(close->cursor);
      if (auto* count = std::get_if<CountLoop>(&action.what)) rename(count->variable);
      if (auto* elements = std::get_if<ElementLoop>(&action.what)) rename(elements->variable);
      program::for_each_block(action, [&](Block& inner) { rename(inner); });
    }
  }

  // Values that are returned go to the result, and the last query of an SQL function, too. A
  // function may not end the transaction of who calls it.
  void replace_ends(Block& block, bool may_commit) const {
    Block replaced;
    for (Action& action : block) {
      program::for_each_block(action, [&](Block& inner) { replace_ends(inner, may_commit); });
      const SourceLocation source = action.source;
      if (auto* end = std::get_if<Return>(&action.what)) {
        if (!result_.empty() && !end->values.empty()) {
          replaced.push_back({.source = source,
                              .what = Assign{.target = variable(result_),
                                             .value = std::move(end->values.front())}});
        }
        replaced.push_back({.source = source, .what = Return{}});
        continue;
      }
      auto* run = std::get_if<RunStatement>(&action.what);
      if (run != nullptr && run->returned) {
        run->returned = false;
        for (const std::string& result : body_.results) run->into.push_back(variable(result));
      }
      const bool ends = run != nullptr && !may_commit &&
                        (run->statement.statement.kind == StatementKind::commit ||
                         run->statement.statement.kind == StatementKind::rollback);
      if (ends) {
        replaced.push_back({.source = source,
                            .what = Raise{.condition = "2D000",
                                          .message = "invalid transaction termination",
                                          .values = {}}});
        continue;
      }
      replaced.push_back(std::move(action));
    }
    block = std::move(replaced);
  }

  static bool has_return(const Block& block) {
    return std::ranges::any_of(block, [](const Action& action) {
      bool found = std::holds_alternative<Return>(action.what);
      program::for_each_block(action,
                              [&](const Block& inner) { found = found || has_return(inner); });
      return found;
    });
  }
  // Whether nothing comes out of the end of the block.
  static bool always_ends(const Block& block) {
    return std::ranges::any_of(block, [](const Action& action) {
      if (std::holds_alternative<Return>(action.what)) return true;
      if (std::holds_alternative<Raise>(action.what)) return true;
      const auto* branch = std::get_if<Branch>(&action.what);
      return branch != nullptr && always_ends(branch->then) && always_ends(branch->otherwise);
    });
  }

  // False: there is a RETURN that cannot be left out.
  static bool leave_out_ends(Block& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (std::holds_alternative<Return>(block[i].what)) {
        block.resize(i);
        return true;
      }
      auto* branch = std::get_if<Branch>(&block[i].what);
      if (branch == nullptr) {
        bool has_any = false;
        program::for_each_block(block[i],
                                [&](Block& inner) { has_any = has_any || has_return(inner); });
        if (has_any) return false;
        continue;
      }
      if (!has_return(branch->then) && !has_return(branch->otherwise)) continue;
      if (i + 1 < block.size()) {
        const bool then_ends = always_ends(branch->then);
        if (!then_ends && !always_ends(branch->otherwise)) return false;
        Block& rest = then_ends ? branch->otherwise : branch->then;
        std::move(block.begin() + static_cast<std::ptrdiff_t>(i) + 1, block.end(),
                  std::back_inserter(rest));
        block.resize(i + 1);
        branch = &std::get<Branch>(block[i].what);
      }
      return leave_out_ends(branch->then) && leave_out_ends(branch->otherwise);
    }
    return true;
  }

  // loop <the body> exit; end loop
  Block in_loop(Block body) const {
    const bool ends = std::holds_alternative<Return>(body.back().what);
    leave_at_ends(body);
    const SourceLocation& source = functionality_.source;
    if (!ends) {
      body.push_back({.source = source, .what = LeaveLoop{.next = false, .label = label_}});
    }
    Block block;
    block.push_back({.source = source,
                     .what = Loop{.condition = {}, .body = std::move(body), .label = label_}});
    return block;
  }
  void leave_at_ends(Block& block) const {
    for (Action& action : block) {
      program::for_each_block(action, [&](Block& inner) { leave_at_ends(inner); });
      if (std::holds_alternative<Return>(action.what)) {
        action.what = LeaveLoop{.next = false, .label = label_};
      }
    }
  }

  const Functionality& functionality_;
  const Routine& routine_;
  RoutineBody body_;
  std::map<std::string, std::string> renamed_;
  std::string result_;
  std::string label_;
};

}  // namespace

bool uses_found(const Block& block) {
  return std::ranges::any_of(block, [](const Action& action) {
    bool uses = false;
    Action copy = action;
    program::for_each_expression(
        copy, [&](const Expression& used) { uses = uses || names_found(used); },
        [](const Expression&) {});
    program::for_each_block(action, [&](const Block& inner) { uses = uses || uses_found(inner); });
    return uses;
  });
}

FreeNames::FreeNames(const Functionality& functionality, const Schema& schema) {
  for (const Table& table : schema.tables) {
    taken_.insert(table.name);
    for (const TableColumn& column : table.columns) taken_.insert(column.name);
  }
  for (const Variable& parameter : functionality.parameters) taken_.insert(parameter.name);
  for (const Variable& own : functionality.variables) taken_.insert(own.name);
  for_each_loop_variable(functionality.body, [&](const std::string& name) { taken_.insert(name); });
}

std::string FreeNames::take(const std::string& base) {
  std::string name = base;
  for (std::size_t number = 2; !taken_.insert(name).second; ++number) {
    name = base + "_" + std::to_string(number);
  }
  return name;
}

Functionality without_results(const Functionality& functionality) {
  Functionality silent = functionality;
  silent.returns.reset();
  forget_results(silent.body);
  return silent;
}

RoutineBody body_of_call(const Functionality& functionality, const Routine& routine,
                         bool may_commit, bool resets, FreeNames& names) {
  return Instance(functionality, routine, names).make(may_commit, resets, names);
}

RoutineQuery query_of_call(const Functionality& functionality, const Routine& routine,
                           FreeNames& names) {
  return Instance(functionality, routine, names).make_query();
}

}  // namespace heddle::plpgsql
