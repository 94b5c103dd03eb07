// Two walks through a body. From its end to its beginning it is told what each round of a loop may
// read from before it (live variables); from the beginning of a loop, on which ways its counters
// are asked whether there is another round.
#include "program/retries.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "program/visit.h"

namespace heddle::program {

namespace {

using Names = std::set<std::string>;

// What is read and set beside variables: the number of rows of the last statement, and the query of
// a cursor.
constexpr const char* kCount = "#count";
std::string name_of_cursor(const std::string& cursor) { return "#cursor " + cursor; }

void add_read(const Expression& expression, Names& names) {
  if (expression.kind == ExpressionKind::variable) names.insert(expression.text);
  for (const Expression& operand : expression.operands) add_read(operand, names);
}

void add_all(Names& to, const Names& from) { to.insert(from.begin(), from.end()); }

bool is_boundary(const ProgramStatement& statement) {
  const StatementKind kind = statement.statement.kind;
  return kind == StatementKind::begin || kind == StatementKind::commit ||
         kind == StatementKind::rollback;
}

// Whether it says afterwards if it found something.
bool says_found(const ProgramStatement& statement) {
  const StatementKind kind = statement.statement.kind;
  return !statement.made_text && (kind == StatementKind::select || kind == StatementKind::insert ||
                                  kind == StatementKind::update || kind == StatementKind::delete_);
}

void read_statement(const ProgramStatement& statement, Names& names) {
  for (const Expression& argument : statement.arguments) add_read(argument, names);
  if (statement.made_text) add_read(*statement.made_text, names);
}

// A field or an element is set without the rest.
void set_target(const Expression& target, Names& live) {
  if (target.kind == ExpressionKind::variable) {
    live.erase(target.text);
  } else if (target.kind == ExpressionKind::element && target.operands.size() > 1) {
    add_read(target.operands[1], live);
  }
}

// What rounds may read, by the bodies of their loops.
class RoundReads {
 public:
  static std::map<const Block*, Names> of(const Block& body) {
    RoundReads walk;
    walk.before(body, {});
    return std::move(walk.rounds_);
  }

 private:
  struct Around {
    std::string label;
    Names behind;  // read when the loop is left
    Names next;    // and when another round begins
  };

  // What may be read before the block, if `live` may be behind it.
  Names before(const Block& block, Names live) {
    for (std::size_t i = block.size(); i-- > 0;) {
      std::visit([&](const auto& what) { see(what, live); }, block[i].what);
      if (!handlers_.empty()) add_all(live, handlers_.back());
    }
    return live;
  }

  void see(const RunStatement& run, Names& live) {
    for (const Expression& target : run.into) set_target(target, live);
    if (says_found(run.statement)) live.erase("found");
    if (!is_boundary(run.statement)) live.erase(kCount);
    read_statement(run.statement, live);
  }
  void see(const OpenRows& open, Names& live) {
    live.erase(name_of_cursor(open.cursor));
    read_statement(open.statement, live);
  }
  void see(const FetchRow& fetch, Names& live) {
    for (const Expression& target : fetch.into) set_target(target, live);
    live.erase("found");
    live.erase(kCount);
    live.insert(name_of_cursor(fetch.cursor));
  }
  void see(const CloseRows& close, Names& live) { live.insert(name_of_cursor(close.cursor)); }
  void see(const Assign& assign, Names& live) {
    set_target(assign.target, live);
    add_read(assign.value, live);
  }
  void see(const CountRows& count, Names& live) {
    set_target(count.target, live);
    live.insert(kCount);
  }
  void see(const Branch& branch, Names& live) {
    const Names otherwise = before(branch.otherwise, live);
    live = before(branch.then, std::move(live));
    add_all(live, otherwise);
    add_read(branch.condition, live);
  }

  // `condition`: what is read between two rounds. `set`: what each round begins with.
  void see_rounds(const Block& body, const std::string& label, const Names& condition,
                  const Names& set, Names& live) {
    const Names behind = live;
    add_all(live, condition);
    if (around_.size() == kDeepest) {
      add_everything(body, live);
      return;
    }
    around_.push_back({label, behind, behind});
    Names read = before(body, behind);
    for (const std::string& name : set) read.erase(name);
    rounds_[&body] = read;
    add_all(live, read);
    // Once more for the loops inside, behind which another round of this one may come.
    around_.back().next = live;
    before(body, live);
    around_.pop_back();
  }
  void add_everything(const Block& block, Names& live) {
    for (const Action& action : block) {
      for_each_expression(
          const_cast<Action&>(action), [&](Expression& one) { add_read(one, live); },
          [&](Expression& one) { add_read(one, live); });
      for_each_block(action, [&](const Block& inner) { add_everything(inner, live); });
    }
  }

  void see(const Loop& loop, Names& live) {
    Names condition;
    if (loop.condition) add_read(*loop.condition, condition);
    see_rounds(loop.body, loop.label, condition, {}, live);
  }
  void see(const CountLoop& loop, Names& live) {
    live.erase("found");
    see_rounds(loop.body, loop.label, {}, {loop.variable}, live);
    add_read(loop.first, live);
    add_read(loop.last, live);
    if (loop.step) add_read(*loop.step, live);
  }
  void see(const ElementLoop& loop, Names& live) {
    live.erase("found");
    see_rounds(loop.body, loop.label, {}, {loop.variable}, live);
    add_read(loop.array, live);
  }
  void see(const RowLoop& loop, Names& live) {
    live.erase("found");
    Names set;
    for (const Expression& target : loop.into) add_read(target, set);
    see_rounds(loop.body, loop.label, {}, set, live);
    read_statement(loop.statement, live);
  }

  void see(const LeaveLoop& leave, Names& live) {
    live.clear();
    for (std::size_t i = around_.size(); i-- > 0;) {
      if (!leave.label.empty() && around_[i].label != leave.label) continue;
      live = leave.next ? around_[i].next : around_[i].behind;
      return;
    }
  }
  void see(const Return& end, Names& live) {
    live.clear();
    for (const Expression& value : end.values) add_read(value, live);
  }
  void see(const ReturnRow& next, Names& live) {
    for (const Expression& value : next.values) add_read(value, live);
  }
  void see(const Raise& raise, Names& live) {
    live.clear();
    for (const Expression& value : raise.values) add_read(value, live);
  }
  // The body may end anywhere.
  void see(const Attempt& attempt, Names& live) {
    Names handlers = handlers_.empty() ? Names() : handlers_.back();
    for (const Recovery& recovery : attempt.recoveries) {
      Names read = before(recovery.body, live);
      read.erase("sqlstate");
      read.erase("sqlerrm");
      add_all(handlers, read);
    }
    handlers_.push_back(handlers);
    live = before(attempt.body, std::move(live));
    add_all(live, handlers);
    handlers_.pop_back();
  }

  static constexpr std::size_t kDeepest = 6;  // loops in each other: each is gone through twice

  std::map<const Block*, Names> rounds_;
  std::vector<Around> around_;
  std::vector<Names> handlers_;
};

// Labels of the loops between a place and the loop that is meant, the outermost first.
using Labels = std::vector<std::string>;

// Where a jump goes, seen from a loop.
enum class Target : std::uint8_t { inside, next, out };

Target target_of(const LeaveLoop& leave, const std::string& label, const Labels& inside) {
  const bool is_inside = leave.label.empty()
                             ? !inside.empty()
                             : std::ranges::find(inside, leave.label) != inside.end();
  if (is_inside) return Target::inside;
  const bool is_own = leave.label.empty() || leave.label == label;
  return is_own && leave.next ? Target::next : Target::out;
}

// How the variables of one loop are used that may count its rounds.
class CounterUses {
 public:
  CounterUses(const Block& functionality, const Block& body, std::string label)
      : body_(body), label_(std::move(label)) {
    look_outside(functionality);
  }

  // Of these names those that do nothing but decide whether there is another round.
  Names counters(Names names) const {
    std::size_t before = 0;
    do {
      before = names.size();
      std::erase_if(names, [&](const std::string& name) {
        if (used_.contains(name)) return true;
        const auto flows = flows_.find(name);
        return flows != flows_.end() &&
               std::ranges::any_of(flows->second,
                                   [&](const std::string& to) { return !names.contains(to); });
      });
    } while (names.size() != before);
    return names;
  }

  // Where a way out is taken because of these.
  std::set<const Branch*> exits(const Names& counters) const {
    std::set<const Branch*> exits;
    for (const auto& [branch, names] : asked_) {
      const bool asks = std::ranges::any_of(
          names, [&](const std::string& name) { return counters.contains(name); });
      if (asks) exits.insert(branch);
    }
    return exits;
  }

  // Whether of what the condition asks, if it has that value, the counters are asked apart from all
  // that a round sets: one of several reasons to leave, never a part of one.
  bool asks_apart(const Expression& condition, bool value, const Names& counters) const {
    const bool is_call = condition.kind == ExpressionKind::call;
    if (is_call && condition.text == "not" && condition.operands.size() == 1) {
      return asks_apart(condition.operands[0], !value, counters);
    }
    if (is_call && condition.text == (value ? "or" : "and")) {
      return std::ranges::all_of(condition.operands, [&](const Expression& operand) {
        return asks_apart(operand, value, counters);
      });
    }
    Names names;
    add_read(condition, names);
    const auto is_counter = [&](const std::string& name) { return counters.contains(name); };
    return std::ranges::none_of(names, is_counter) ||
           std::ranges::all_of(names, [&](const std::string& name) {
             return is_counter(name) || !set_.contains(name);
           });
  }

  // Whether all ways through the block leave the loop for good.
  bool leaves(const Block& block, const Labels& inside, bool may_be_caught) const {
    return std::ranges::any_of(block, [&](const Action& action) {
      if (std::holds_alternative<Return>(action.what)) return true;
      if (std::holds_alternative<Raise>(action.what)) return !may_be_caught;
      if (const auto* leave = std::get_if<LeaveLoop>(&action.what)) {
        return target_of(*leave, label_, inside) == Target::out;
      }
      const auto* branch = std::get_if<Branch>(&action.what);
      return branch != nullptr && leaves(branch->then, inside, may_be_caught) &&
             leaves(branch->otherwise, inside, may_be_caught);
    });
  }

 private:
  void add_set(const Expression& target) {
    if (is_inside_) add_read(target, set_);
  }

  void use(const Expression& expression) { add_read(expression, used_); }

  void use_all(const Action& action) {
    for_each_expression(
        const_cast<Action&>(action), [](Expression& /*use*/) {},
        [&](Expression& one) { add_set(one); });
    if (const auto* assign = std::get_if<Assign>(&action.what)) {
      Names read;
      add_read(assign->value, read);
      if (assign->target.kind != ExpressionKind::variable) add_all(used_, read);
      for (const std::string& name : read) flows_[name].insert(assign->target.text);
      return;
    }
    for_each_expression(
        const_cast<Action&>(action), [&](Expression& one) { use(one); },
        [](Expression& /*set*/) {});
  }

  void look_outside(const Block& block) {
    for (const Action& action : block) {
      const auto* loop = std::get_if<Loop>(&action.what);
      const auto* counting = std::get_if<CountLoop>(&action.what);
      const bool is_meant = (loop != nullptr && &loop->body == &body_) ||
                            (counting != nullptr && &counting->body == &body_);
      if (!is_meant || counting != nullptr) use_all(action);
      if (is_meant) {
        is_inside_ = true;
        look_inside(body_, {}, false);
        is_inside_ = false;
      } else {
        for_each_block(action, [&](const Block& inner) { look_outside(inner); });
      }
    }
  }

  void look_inside(const Block& block, const Labels& inside, bool may_be_caught) {
    for (const Action& action : block) {
      const auto* branch = std::get_if<Branch>(&action.what);
      const bool gives_up = branch != nullptr && (leaves(branch->then, inside, may_be_caught) ||
                                                  leaves(branch->otherwise, inside, may_be_caught));
      if (gives_up) {
        add_read(branch->condition, asked_[branch]);
      } else {
        use_all(action);
      }
      look_into(action, inside, may_be_caught);
    }
  }

  void look_into(const Action& action, Labels inside, bool may_be_caught) {
    if (const auto* attempt = std::get_if<Attempt>(&action.what)) {
      look_inside(attempt->body, inside, may_be_caught || !attempt->by_client);
      for (const Recovery& recovery : attempt->recoveries) {
        look_inside(recovery.body, inside, may_be_caught);
      }
      return;
    }
    if (const auto* loop = std::get_if<Loop>(&action.what)) inside.push_back(loop->label);
    if (const auto* loop = std::get_if<RowLoop>(&action.what)) inside.push_back(loop->label);
    if (const auto* loop = std::get_if<CountLoop>(&action.what)) {
      inside.push_back(loop->label);
      set_.insert(loop->variable);
    }
    if (const auto* loop = std::get_if<ElementLoop>(&action.what)) {
      inside.push_back(loop->label);
      set_.insert(loop->variable);
    }
    for_each_block(action, [&](const Block& inner) { look_inside(inner, inside, may_be_caught); });
  }

  const Block& body_;
  std::string label_;
  bool is_inside_ = false;
  Names set_ = {"found", "sqlstate", "sqlerrm"};  // by a round
  Names used_;                                    // elsewhere
  std::map<std::string, Names> flows_;            // into which variables each is assigned
  std::map<const Branch*, Names> asked_;          // by those of which a side leaves the loop
};

// The ways from the beginning of a round to the next one: which questions after the counters, and
// which changes of them, lie on all of these, and behind which questions there is a way out.
class RoundWays {
 public:
  RoundWays(const CounterUses& uses, const Names& counters, std::set<const Branch*> exits,
            const std::string& label)
      : uses_(uses), counters_(counters), exits_(std::move(exits)), label_(label) {}

  // `asks`: whether the loop itself asks the counters.
  bool are_alike(const Block& body, bool asks) {
    meet(walk(body, Way()));
    if (!again_) return true;
    if (!are_apart_) return false;
    const auto is_always = [&](const void* place) { return again_->passed.contains(place); };
    const bool is_told = std::ranges::all_of(
        exits_, [&](const Branch* exit) { return is_always(exit) || !behind_.contains(exit); });
    const bool is_one = exits_.size() + (asks ? 1 : 0) <= 1;
    return is_told && (is_one || (std::ranges::all_of(exits_, is_always) &&
                                  std::ranges::all_of(changes_, is_always)));
  }

 private:
  struct Way {
    std::set<const void*> passed;   // by all ways here
    std::set<const Branch*> maybe;  // questions that some way here has passed
  };
  using Ways = std::optional<Way>;  // none: nothing gets there

  static Ways both(Ways a, const Ways& b) {
    if (!a) return b;
    if (!b) return a;
    std::erase_if(a->passed, [&](const void* place) { return !b->passed.contains(place); });
    a->maybe.insert(b->maybe.begin(), b->maybe.end());
    return a;
  }
  void meet(const Ways& ways) { again_ = both(std::move(again_), ways); }
  void leave(const Way& way) { behind_.insert(way.maybe.begin(), way.maybe.end()); }

  Ways walk(const Block& block, Ways way) {
    for (const Action& action : block) {
      if (!way) return way;
      way = std::visit([&](const auto& what) { return see(what, std::move(*way)); }, action.what);
    }
    return way;
  }

  // What may fail leads out, too.
  template <class Plain>
  Ways see(const Plain& what, Way way) {
    if constexpr (std::is_same_v<Plain, RunStatement>) {
      if (!is_boundary(what.statement)) leave(way);
    }
    if constexpr (std::is_same_v<Plain, OpenRows>) leave(way);
    if constexpr (std::is_same_v<Plain, Assign>) {
      if (counters_.contains(what.target.text)) {
        changes_.insert(&what);
        way.passed.insert(&what);
      }
    }
    return way;
  }
  Ways see(const Branch& branch, Way way) {
    if (!exits_.contains(&branch)) return both(walk(branch.then, way), walk(branch.otherwise, way));
    all_.insert(&branch);
    way.passed.insert(&branch);
    way.maybe.insert(&branch);
    const bool first = uses_.leaves(branch.then, inside_, may_be_caught_);
    const bool second = uses_.leaves(branch.otherwise, inside_, may_be_caught_);
    if (first && second) return std::nullopt;
    are_apart_ = are_apart_ && uses_.asks_apart(branch.condition, first, counters_);
    return walk(first ? branch.otherwise : branch.then, std::move(way));
  }
  Ways see(const LeaveLoop& to, const Way& way) {
    const Target target = target_of(to, label_, inside_);
    if (target == Target::next) meet(way);
    if (target == Target::out) leave(way);
    return std::nullopt;
  }
  Ways see(const Return& /*end*/, const Way& way) {
    leave(way);
    return std::nullopt;
  }
  Ways see(const Raise& /*raise*/, const Way& way) {
    leave(way);
    return std::nullopt;
  }
  Ways see(const Attempt& attempt, const Way& way) {
    const bool outside = std::exchange(may_be_caught_, may_be_caught_ || !attempt.by_client);
    Ways after = walk(attempt.body, way);
    may_be_caught_ = outside;
    for (const Recovery& recovery : attempt.recoveries) {
      Way caught = way;
      caught.maybe.insert(all_.begin(), all_.end());
      after = both(std::move(after), walk(recovery.body, caught));
    }
    return after;
  }
  Ways see(const Loop& loop, Way way) { return see_loop(loop.body, loop.label, std::move(way)); }
  Ways see(const CountLoop& loop, Way way) {
    return see_loop(loop.body, loop.label, std::move(way));
  }
  Ways see(const RowLoop& loop, Way way) {
    leave(way);
    return see_loop(loop.body, loop.label, std::move(way));
  }
  Ways see(const ElementLoop& loop, Way way) {
    return see_loop(loop.body, loop.label, std::move(way));
  }
  // However often it is gone through.
  Ways see_loop(const Block& body, const std::string& label, Way way) {
    inside_.push_back(label);
    walk(body, way);
    inside_.pop_back();
    way.maybe.insert(all_.begin(), all_.end());
    return way;
  }

  const CounterUses& uses_;
  const Names& counters_;
  std::set<const Branch*> exits_;
  const std::string& label_;
  Labels inside_;
  bool may_be_caught_ = false;
  bool are_apart_ = true;
  std::set<const Branch*> all_;     // that were met so far
  std::set<const Branch*> behind_;  // from where there is another way out
  std::set<const void*> changes_;
  Ways again_;
};

// Whether rows go to the caller, which has them whatever comes next.
bool returns_rows(const Block& block) {
  return std::ranges::any_of(block, [](const Action& action) {
    const auto* run = std::get_if<RunStatement>(&action.what);
    bool returns =
        std::holds_alternative<ReturnRow>(action.what) || (run != nullptr && run->returned);
    for_each_block(action, [&](const Block& inner) { returns = returns || returns_rows(inner); });
    return returns;
  });
}

class RetryFinder {
 public:
  explicit RetryFinder(const Functionality& functionality)
      : functionality_(functionality), reads_(RoundReads::of(functionality.body)) {}

  Retries find() {
    look(functionality_.body);
    return std::move(retries_);
  }

 private:
  void look(const Block& block) {
    for (const Action& action : block) {
      if (const auto* loop = std::get_if<Loop>(&action.what)) {
        add(loop->body, loop->label, loop->condition, std::nullopt);
      } else if (const auto* counting = std::get_if<CountLoop>(&action.what)) {
        add(counting->body, counting->label, std::nullopt, counting->variable);
      }
      for_each_block(action, [&](const Block& inner) { look(inner); });
    }
  }

  // `condition`: of the loop; `own`: the variable that it sets.
  void add(const Block& body, const std::string& label, const std::optional<Expression>& condition,
           const std::optional<std::string>& own) {
    const auto read = reads_.find(&body);
    if (read == reads_.end() || returns_rows(body)) return;
    if (std::ranges::any_of(read->second,
                            [](const std::string& name) { return name.starts_with('#'); })) {
      return;
    }
    const CounterUses uses(functionality_.body, body, label);
    Names names = read->second;
    if (own) names.insert(*own);
    Retry retry;
    retry.counters = uses.counters(names);
    if (own && !retry.counters.contains(*own)) return;
    for (const std::string& name : read->second) {
      if (!retry.counters.contains(name)) retry.kept.insert(name);
    }
    Names asked;
    if (condition) add_read(*condition, asked);
    const bool asks = own || std::ranges::any_of(asked, [&](const std::string& name) {
                        return retry.counters.contains(name);
                      });
    if (condition && !uses.asks_apart(*condition, false, retry.counters)) return;
    const std::set<const Branch*> exits = uses.exits(retry.counters);
    if (!RoundWays(uses, retry.counters, exits, label).are_alike(body, asks)) return;
    retry.gives_up_inside = !exits.empty();
    retries_.emplace(&body, std::move(retry));
  }

  const Functionality& functionality_;
  std::map<const Block*, Names> reads_;
  Retries retries_;
};

}  // namespace

Retries retries(const Functionality& functionality) { return RetryFinder(functionality).find(); }

}  // namespace heddle::program
