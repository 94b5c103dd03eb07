#include "program/simplify.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "program/visit.h"

namespace heddle::program {

namespace {

// Only what asks the store, and ways out, keep variables and branches alive.
bool is_variable(const Expression& expression, const std::string& name) {
  return expression.kind == ExpressionKind::variable && expression.text == name;
}

template <class See>
void for_each_variable(Expression& expression, See see) {
  if (expression.kind == ExpressionKind::variable) see(expression);
  for (Expression& operand : expression.operands) for_each_variable(operand, see);
}

template <class See>
void for_each_action(Block& block, See see) {
  for (Action& action : block) {
    see(action);
    for_each_block(action, [&](Block& inner) { for_each_action(inner, see); });
  }
}

std::size_t count_uses(Block& block, const std::string& name) {
  std::size_t uses = 0;
  const auto count = [&](Expression& expression) {
    for_each_variable(expression, [&](Expression& variable) { uses += variable.text == name; });
  };
  for_each_action(block, [&](Action& action) { for_each_expression(action, count, count); });
  return uses;
}

bool asks_store(const Action& action) {
  return std::holds_alternative<RunStatement>(action.what) ||
         std::holds_alternative<OpenRows>(action.what) ||
         std::holds_alternative<FetchRow>(action.what) ||
         std::holds_alternative<RowLoop>(action.what);
}

class Simplifier {
 public:
  explicit Simplifier(Functionality& functionality) : functionality_(functionality) {}

  void simplify() {
    Block& body = functionality_.body;
    drop_after_ends(body);
    drop_unused(body);
    join_branches(body);
    join_fetches(body);
    drop_closes(body);
    use_found(body);
    for (bool again = true; again;) {
      again = drop_unused(body);
      again = drop_idle(body) || again;
    }
    drop_last_return(body);
    drop_variables();
  }

 private:
  static bool ends(const Action& action) {
    return std::holds_alternative<Return>(action.what) ||
           std::holds_alternative<Raise>(action.what) ||
           std::holds_alternative<LeaveLoop>(action.what);
  }

  static void drop_after_ends(Block& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      for_each_block(block[i], drop_after_ends);
      if (ends(block[i])) block.resize(i + 1);
    }
  }

  // IF c THEN a END IF; IF NOT c THEN b END IF, where a does not change c.
  static void join_branches(Block& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      while (i + 1 < block.size() && join_two(block[i], block[i + 1])) {
        block.erase(block.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      }
      for_each_block(block[i], join_branches);
    }
  }
  static bool join_two(Action& first, Action& second) {
    auto* one = std::get_if<Branch>(&first.what);
    auto* other = std::get_if<Branch>(&second.what);
    if (one == nullptr || other == nullptr) return false;
    const bool is_same = one->condition == other->condition;
    const bool is_opposite = is_negation(one->condition, other->condition) ||
                             is_negation(other->condition, one->condition);
    if (!is_same && !is_opposite) return false;
    if (changes(*one, one->condition)) return false;
    const auto add = [](Block& to, Block& from) {
      for (Action& action : from) to.push_back(std::move(action));
    };
    add(one->then, is_same ? other->then : other->otherwise);
    add(one->otherwise, is_same ? other->otherwise : other->then);
    drop_after_ends(one->then);
    drop_after_ends(one->otherwise);
    return true;
  }
  static bool is_negation(const Expression& negated, const Expression& plain) {
    if (negated.kind != ExpressionKind::call || plain.kind != ExpressionKind::call) {
      return negated.kind == ExpressionKind::call && negated.text == "not" &&
             negated.operands[0] == plain;
    }
    if (negated.text == "not") return negated.operands[0] == plain;
    return negated.operands == plain.operands &&
           ((negated.text == "is null" && plain.text == "is not null") ||
            (negated.text == "is distinct from" && plain.text == "is not distinct from") ||
            (negated.text == "=" && plain.text == "<>") ||
            (negated.text == "<" && plain.text == ">=") ||
            (negated.text == "<=" && plain.text == ">"));
  }
  static bool changes(Branch& branch, const Expression& condition) {
    std::set<std::string> used = {"found"};
    Expression copy = condition;
    bool uses_found = false;
    for_each_variable(copy, [&](Expression& variable) {
      used.insert(variable.text);
      uses_found = uses_found || variable.text == "found";
    });
    bool changed = false;
    const auto look = [&](Action& action) {
      changed = changed || (uses_found && asks_store(action));
      for_each_expression(
          action, [](Expression&) {},
          [&](Expression& target) {
            for_each_variable(target, [&](Expression& variable) {
              changed = changed || used.contains(variable.text);
            });
          });
    };
    for_each_action(branch.then, look);
    for_each_action(branch.otherwise, look);
    return changed;
  }

  // How often a cursor is named, but for its closing.
  std::size_t count_cursor(Block& block, const std::string& cursor) const {
    std::size_t uses = 0;
    for_each_action(block, [&](Action& action) {
      if (const auto* open = std::get_if<OpenRows>(&action.what)) uses += open->cursor == cursor;
      if (const auto* fetch = std::get_if<FetchRow>(&action.what)) uses += fetch->cursor == cursor;
    });
    return uses;
  }

  static bool is_pure(const Action& action) { return std::holds_alternative<Assign>(action.what); }

  void join_fetches(Block& block) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (const auto* open = std::get_if<OpenRows>(&block[i].what)) {
        const std::string cursor = open->cursor;
        std::size_t next = i + 1;
        bool is_ended = false;  // held_cursors()
        while (next < block.size() &&
               (is_pure(block[next]) || (next == i + 1 && is_commit(block[next])))) {
          is_ended = is_ended || !is_pure(block[next]);
          ++next;
        }
        const std::size_t uses = count_cursor(functionality_.body, cursor);
        if (uses == 1) {
          block[i].what = RunStatement{.statement = open->statement, .into = {}};
        } else if (uses == 2 && next < block.size()) {
          join_with(block, i, next, is_ended, cursor);
        }
      }
      for_each_block(block[i], [&](Block& inner) { join_fetches(inner); });
    }
  }

  static bool is_commit(const Action& action) {
    const auto* run = std::get_if<RunStatement>(&action.what);
    return run != nullptr && run->statement.statement.kind == StatementKind::commit;
  }

  // `is_ended`: a COMMIT stands between the two.
  static void join_with(Block& block, std::size_t open_at, std::size_t next, bool is_ended,
                        const std::string& cursor) {
    auto& open = std::get<OpenRows>(block[open_at].what);
    if (auto* fetch = std::get_if<FetchRow>(&block[next].what)) {
      // EXECUTE does not say whether there was a row.
      if (fetch->cursor != cursor || open.statement.made_text) return;
      RunStatement run{.statement = std::move(open.statement), .into = std::move(fetch->into)};
      const std::size_t place = is_ended ? open_at : next;
      block[place] = {.source = block[open_at].source, .what = std::move(run)};
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(is_ended ? next : open_at));
      return;
    }
    if (is_ended) return;
    auto* loop = std::get_if<Loop>(&block[next].what);
    if (loop == nullptr || loop->condition || loop->body.size() < 2) return;
    auto* fetch = std::get_if<FetchRow>(&loop->body[0].what);
    const auto* kept = std::get_if<Assign>(&loop->body[1].what);
    if (fetch == nullptr || fetch->cursor != cursor || kept == nullptr ||
        !is_variable(kept->value, "found") || loop->body.size() < 3) {
      return;
    }
    const auto* leave = std::get_if<Branch>(&loop->body[2].what);
    if (leave == nullptr || !is_variable(leave->condition, kept->target.text) ||
        !leave->then.empty() || leave->otherwise.size() != 1 ||
        !std::holds_alternative<LeaveLoop>(leave->otherwise[0].what)) {
      return;
    }
    RowLoop rows{.into = std::move(fetch->into),
                 .statement = std::move(open.statement),
                 .body = {},
                 .label = std::move(loop->label)};
    rows.body.assign(std::make_move_iterator(loop->body.begin() + 3),
                     std::make_move_iterator(loop->body.end()));
    block[next] = {.source = block[open_at].source, .what = std::move(rows)};
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(open_at));
  }

  void drop_closes(Block& block) {
    std::erase_if(block, [&](const Action& action) {
      const auto* close = std::get_if<CloseRows>(&action.what);
      return close != nullptr && count_cursor(functionality_.body, close->cursor) < 2;
    });
    for (Action& action : block) {
      for_each_block(action, [&](Block& inner) { drop_closes(inner); });
    }
  }

  // x := found; IF x ... becomes IF found ..., where nothing else uses x.
  void use_found(Block& block) {
    for (std::size_t i = 0; i + 1 < block.size(); ++i) {
      const auto* kept = std::get_if<Assign>(&block[i].what);
      if (kept == nullptr || !is_variable(kept->value, "found")) continue;
      auto* branch = std::get_if<Branch>(&block[i + 1].what);
      const std::string name = kept->target.text;
      if (branch == nullptr) continue;
      std::size_t here = 0;
      for_each_variable(branch->condition,
                        [&](Expression& variable) { here += variable.text == name; });
      if (here == 0 || count_uses(functionality_.body, name) != here + 1) continue;
      for_each_variable(branch->condition, [&](Expression& variable) {
        if (variable.text == name) variable.text = "found";
      });
      block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
    }
    for (Action& action : block) {
      for_each_block(action, [&](Block& inner) { use_found(inner); });
    }
  }

  // Variables that reach a statement, a branch or the caller, through whatever others.
  std::set<std::string> live_variables() {
    std::set<std::string> live;
    std::multimap<std::string, std::string> made_from;
    for_each_action(functionality_.body, [&](Action& action) {
      auto* assign = std::get_if<Assign>(&action.what);
      if (assign != nullptr && assign->target.kind == ExpressionKind::variable) {
        for_each_variable(assign->value, [&](Expression& variable) {
          made_from.emplace(assign->target.text, variable.text);
        });
        return;
      }
      const auto use = [&](Expression& expression) {
        for_each_variable(expression, [&](Expression& variable) { live.insert(variable.text); });
      };
      for_each_expression(action, use, [](Expression&) {});
      if (assign == nullptr) return;
      // An element's array matters only if something reads it.
      for_each_variable(assign->target.operands[0], [&](Expression& array) {
        for_each_variable(assign->value, [&](Expression& variable) {
          made_from.emplace(array.text, variable.text);
        });
        for (std::size_t i = 1; i < assign->target.operands.size(); ++i) {
          for_each_variable(assign->target.operands[i], [&](Expression& variable) {
            made_from.emplace(array.text, variable.text);
          });
        }
      });
    });
    std::vector<std::string> open(live.begin(), live.end());
    while (!open.empty()) {
      const std::string name = std::move(open.back());
      open.pop_back();
      const auto [begin, end] = made_from.equal_range(name);
      for (auto from = begin; from != end; ++from) {
        if (live.insert(from->second).second) open.push_back(from->second);
      }
    }
    return live;
  }

  bool drop_unused(Block& body) {
    const std::set<std::string> live = live_variables();
    // `x.id = x.id` of element assignments keeps its array; found is the store's.
    return drop_unused_in(body, live);
  }
  static const Expression& base_of(const Expression& target) {
    const Expression* base = &target;
    while (base->kind != ExpressionKind::variable && !base->operands.empty()) {
      base = &base->operands[0];
    }
    return *base;
  }
  static bool drop_unused_in(Block& block, const std::set<std::string>& live) {
    bool dropped = std::erase_if(block, [&](const Action& action) {
                     if (const auto* assign = std::get_if<Assign>(&action.what)) {
                       return !live.contains(base_of(assign->target).text);
                     }
                     const auto* count = std::get_if<CountRows>(&action.what);
                     return count != nullptr && !live.contains(base_of(count->target).text);
                   }) > 0;
    for (Action& action : block) {
      for_each_block(action,
                     [&](Block& inner) { dropped = drop_unused_in(inner, live) || dropped; });
      if (auto* run = std::get_if<RunStatement>(&action.what)) {
        const bool is_used = std::ranges::any_of(run->into, [&](const Expression& target) {
          return live.contains(base_of(target).text);
        });
        if (!is_used && !run->into.empty()) {
          run->into.clear();
          dropped = true;
        }
      }
    }
    return dropped;
  }

  // Branches and loops that do nothing, and attempts without recoveries.
  static bool drop_idle(Block& block) {
    bool dropped = false;
    for (Action& action : block) {
      for_each_block(action, [&](Block& inner) { dropped = drop_idle(inner) || dropped; });
    }
    dropped = std::erase_if(block,
                            [](const Action& action) {
                              if (const auto* branch = std::get_if<Branch>(&action.what)) {
                                return branch->then.empty() && branch->otherwise.empty();
                              }
                              if (const auto* count = std::get_if<CountLoop>(&action.what)) {
                                return count->body.empty();
                              }
                              if (const auto* elements = std::get_if<ElementLoop>(&action.what)) {
                                return elements->body.empty();
                              }
                              return false;
                            }) > 0 ||
              dropped;
    for (Action& action : block) {
      auto* branch = std::get_if<Branch>(&action.what);
      if (branch == nullptr || !branch->then.empty()) continue;
      branch->then = std::move(branch->otherwise);
      branch->otherwise.clear();
      Expression& condition = branch->condition;
      if (condition.kind == ExpressionKind::call && condition.text == "not") {
        Expression plain = std::move(condition.operands[0]);
        condition = std::move(plain);
      } else {
        condition = {.kind = ExpressionKind::call, .text = "not", .operands = {condition}};
      }
    }
    return dropped;
  }

  static void drop_last_return(Block& block) {
    const auto* end = block.empty() ? nullptr : std::get_if<Return>(&block.back().what);
    if (end != nullptr && end->values.empty()) block.pop_back();
  }

  void drop_variables() {
    std::set<std::string> used;
    const auto use = [&](Expression& expression) {
      for_each_variable(expression, [&](Expression& variable) { used.insert(variable.text); });
    };
    for_each_action(functionality_.body, [&](Action& action) {
      for_each_expression(action, use, use);
      if (const auto* open = std::get_if<OpenRows>(&action.what)) used.insert(open->cursor);
      // FOREACH wants one that is declared, also where its body has no use for it.
      if (const auto* all = std::get_if<ElementLoop>(&action.what)) used.insert(all->variable);
    });
    std::erase_if(functionality_.variables,
                  [&](const Variable& variable) { return !used.contains(variable.name); });
  }

  Functionality& functionality_;
};

}  // namespace

void simplify(Functionality& functionality) { Simplifier(functionality).simplify(); }

}  // namespace heddle::program
