#include "program/chance.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "program/text.h"
#include "program/visit.h"

namespace heddle::program {

namespace {

constexpr int kDrawsOfLoop = 4;  // the search knows as many places of an array

Expression number(long long value) {
  return {.kind = ExpressionKind::literal, .text = std::to_string(value), .operands = {}};
}

Expression variable(std::string name) {
  return {.kind = ExpressionKind::variable, .text = std::move(name), .operands = {}};
}

Expression called(std::string name, std::vector<Expression> operands) {
  return {.kind = ExpressionKind::call, .text = std::move(name), .operands = std::move(operands)};
}

bool is_chance(const Expression& expression) {
  return expression.kind == ExpressionKind::call && expression.text == kChanceFunction;
}

bool is_null(const Expression& expression) {
  return expression.kind == ExpressionKind::literal && expression.text == "null";
}

std::optional<long long> whole(const Expression& expression) {
  if (expression.kind != ExpressionKind::literal || expression.text.empty()) return std::nullopt;
  const bool is_number =
      std::ranges::all_of(expression.text, [](char c) { return c >= '0' && c <= '9'; });
  if (!is_number || expression.text.size() > 15) return std::nullopt;
  return std::stoll(expression.text);
}

// Of whole numbers: what is added up, and how often.
struct Sum {
  long long constant = 0;
  std::vector<std::pair<Expression, long long>> parts = {};

  void add(const Expression& expression, long long times) {
    if (const auto known = whole(expression)) {
      constant += *known * times;
      return;
    }
    const auto& operands = expression.operands;
    const bool is_call = expression.kind == ExpressionKind::call && operands.size() == 2;
    if (is_call && (expression.text == "+" || expression.text == "-")) {
      add(operands[0], times);
      add(operands[1], expression.text == "+" ? times : -times);
      return;
    }
    const auto found =
        std::ranges::find(parts, expression, &std::pair<Expression, long long>::first);
    if (found == parts.end()) {
      parts.emplace_back(expression, times);
    } else {
      found->second += times;
    }
  }
};

// With what cancels out left out: lower + (upper - lower + 1) is upper + 1.
Expression total_of(const Expression& a, const Expression& b) {
  Sum all;
  all.add(a, 1);
  all.add(b, 1);
  std::optional<Expression> result;
  for (const auto& [part, times] : all.parts) {
    if (times == 0) continue;
    if (times != 1 && (times != -1 || !result)) return called("+", {a, b});
    if (!result) {
      result = part;
    } else {
      result = called(times == 1 ? "+" : "-", {*result, part});
    }
  }
  if (!result) return number(all.constant);
  if (all.constant == 0) return *result;
  return called(all.constant > 0 ? "+" : "-", {*result, number(std::abs(all.constant))});
}

Expression product(Expression a, Expression b) {
  const auto x = whole(a);
  const auto y = whole(b);
  if (x && y && *x < 1'000'000 && *y < 1'000'000) return number(*x * *y);
  if (x == 0 || y == 0) return number(0);
  if (x == 1) return b;
  if (y == 1) return a;
  return called("*", {std::move(a), std::move(b)});
}

// What a value of chance is between. Of one that is proportional to a factor that is not known the
// second end may be the lower one.
struct Range {
  Expression first;                // it may be this
  std::optional<Expression> last;  // it is not this; none: no end is known
  bool is_ordered = true;
  bool is_positive = false;  // `first` is a constant of 0 or more, and the lower end
};

// A value of chance, where it is made.
struct Draw {
  std::string what;  // "r.nextInt(n)"
  std::string type;
  std::vector<Expression> ends;
  Action* action = nullptr;
  std::size_t place = 0;  // in the order of the program
  bool in_loop = false;
  bool may_be_null = false;
  std::vector<Expression> uses = {};  // largest expressions of chance with it
};

class ChanceChooser {
 public:
  ChanceChooser(Functionality& functionality, const std::map<std::string, std::string>& names)
      : functionality_(functionality), names_(names) {}

  void run() {
    collect(functionality_.body, false);
    std::erase_if(draws_, [&](const auto& each) { return assigned_.at(each.first) != 1; });
    for (const Variable& parameter : functionality_.parameters) {
      if (!assigned_.contains(parameter.name)) constant_.insert(parameter.name);
    }
    if (!draws_.empty()) {
      note_uses(functionality_.body);
      std::vector<std::string> open;
      for (const auto& [name, draw] : draws_) open.push_back(name);
      std::ranges::sort(open, {}, [&](const std::string& name) { return draws_.at(name).place; });
      for (const std::string& name : open) {
        if (!done_.contains(name)) choose(name);
      }
      replace(functionality_.body);
      functionality_.body.insert(functionality_.body.begin(), checks_.begin(), checks_.end());
    }
    forget(functionality_.body);
  }

 private:
  struct Chosen {
    Expression value;  // what it stands for
    Expression by;
  };

  void collect(Block& block, bool in_loop) {
    for (Action& action : block) {
      ++place_;
      for_each_expression(
          action, [](Expression&) {},
          [&](Expression& target) {
            const bool is_part =
                target.kind != ExpressionKind::variable && !target.operands.empty();
            ++assigned_[is_part ? target.operands[0].text : target.text];
          });
      auto* assign = std::get_if<Assign>(&action.what);
      const bool is_draw = assign != nullptr && is_chance(assign->value) &&
                           assign->target.kind == ExpressionKind::variable;
      if (is_draw) {
        const auto& parts = assign->value.operands;
        Draw draw{.what = parts[0].text,
                  .type = type_of_variable(assign->target.text),
                  .ends = {parts.begin() + 1, parts.end()},
                  .action = &action,
                  .place = place_,
                  .in_loop = in_loop};
        draw.may_be_null = draw.ends.size() == 1 && is_null(draw.ends[0]);
        if (draw.may_be_null) draw.ends.clear();
        draws_[assign->target.text] = std::move(draw);
      }
      const bool is_loop = std::holds_alternative<Loop>(action.what) ||
                           std::holds_alternative<RowLoop>(action.what) ||
                           std::holds_alternative<CountLoop>(action.what) ||
                           std::holds_alternative<ElementLoop>(action.what);
      if (const auto* count = std::get_if<CountLoop>(&action.what)) ++assigned_[count->variable];
      if (const auto* each = std::get_if<ElementLoop>(&action.what)) ++assigned_[each->variable];
      for_each_block(action, [&](Block& inner) { collect(inner, in_loop || is_loop); });
    }
  }

  std::string type_of_variable(const std::string& name) const {
    for (const auto* list : {&functionality_.variables, &functionality_.parameters}) {
      const auto found = std::ranges::find(*list, name, &Variable::name);
      if (found != list->end()) return found->type;
    }
    return "text";
  }

  bool has_draw(const Expression& expression) const {
    if (expression.kind == ExpressionKind::variable) return draws_.contains(expression.text);
    return std::ranges::any_of(expression.operands,
                               [&](const Expression& each) { return has_draw(each); });
  }
  static bool mentions(const Expression& expression, const std::string& name) {
    if (expression.kind == ExpressionKind::variable) return expression.text == name;
    return std::ranges::any_of(expression.operands,
                               [&](const Expression& each) { return mentions(each, name); });
  }

  // Whether it is computed of nothing but chance, constants and parameters.
  bool is_of_chance(const Expression& expression) const {
    static constexpr std::array<std::string_view, 18> kOperators = {
        "+",  "-",     "*",     "/",    "%",     "|",   "&",  "#",    "<<",
        ">>", "trunc", "floor", "ceil", "round", "abs", "||", "array"};
    switch (expression.kind) {
      case ExpressionKind::literal:
        return true;
      case ExpressionKind::variable:
        return draws_.contains(expression.text) || constant_.contains(expression.text);
      case ExpressionKind::cast:
      case ExpressionKind::element:
        break;
      case ExpressionKind::call:
        if (std::ranges::find(kOperators, expression.text) == kOperators.end()) return false;
        break;
      default:
        return false;
    }
    return std::ranges::all_of(expression.operands,
                               [&](const Expression& each) { return is_of_chance(each); });
  }

  void note_uses_in(const Expression& expression) {
    if (!has_draw(expression)) return;
    if (!is_of_chance(expression)) {
      for (const Expression& operand : expression.operands) note_uses_in(operand);
      return;
    }
    for (auto& [name, draw] : draws_) {
      if (!mentions(expression, name)) continue;
      if (std::ranges::find(draw.uses, expression) == draw.uses.end()) {
        draw.uses.push_back(expression);
      }
    }
  }

  // The place of an element that is given a value.
  void note_uses_in_place(const Expression& target) {
    if (target.kind == ExpressionKind::element) note_uses_in(target.operands[1]);
  }

  // Not those of messages of errors.
  void note_uses(Block& block) {
    for (Action& action : block) {
      if (!std::holds_alternative<Raise>(action.what)) {
        for_each_expression(
            action, [&](Expression& value) { note_uses_in(value); },
            [&](Expression& target) { note_uses_in_place(target); });
      }
      for_each_block(action, [&](Block& inner) { note_uses(inner); });
    }
  }

  // Whether the draw is used in `expression` within `part` alone.
  static bool covers(const Expression& part, const Expression& expression,
                     const std::string& draw) {
    if (expression == part) return true;
    if (expression.kind == ExpressionKind::variable) return expression.text != draw;
    return std::ranges::all_of(expression.operands,
                               [&](const Expression& each) { return covers(part, each, draw); });
  }
  bool covers_all(const Expression& part) const {
    return std::ranges::all_of(draws_, [&](const auto& each) {
      const auto& [name, draw] = each;
      if (!mentions(part, name)) return true;
      return !done_.contains(name) && std::ranges::all_of(draw.uses, [&](const Expression& use) {
        return covers(part, use, name);
      });
    });
  }

  // The largest first.
  static void add_parts(const Expression& expression, const std::string& draw,
                        std::vector<const Expression*>& parts) {
    std::vector<const Expression*> open = {&expression};
    while (!open.empty()) {
      std::vector<const Expression*> inner;
      for (const Expression* one : open) {
        if (!mentions(*one, draw)) continue;
        parts.push_back(one);
        for (const Expression& operand : one->operands) inner.push_back(&operand);
      }
      open = std::move(inner);
    }
  }

  void choose(const std::string& name) {
    const Draw& draw = draws_.at(name);
    if (draw.uses.empty()) {
      done_.insert(name);
      return;
    }
    std::vector<const Expression*> parts;
    add_parts(draw.uses.front(), name, parts);
    for (const Expression* part : parts) {
      const std::string type = type_of(*part);
      if (type.empty() || type.ends_with("[]") || !covers_all(*part)) continue;
      add_parameter(*part, type, name);
      return;
    }
  }

  // Of what is computed; empty: not known.
  std::string type_of(const Expression& expression) const {
    static constexpr std::array<std::string_view, 5> kWidest = {"double precision", "real",
                                                                "numeric", "bigint", "integer"};
    switch (expression.kind) {
      case ExpressionKind::literal:
        if (whole(expression)) return "integer";
        return expression.text.starts_with('\'') ? "text" : "numeric";
      case ExpressionKind::variable:
        return type_of_variable(expression.text);
      case ExpressionKind::cast:
        return expression.text;
      case ExpressionKind::element: {
        const std::string array = type_of(expression.operands[0]);
        return array.ends_with("[]") ? array.substr(0, array.size() - 2) : "";
      }
      case ExpressionKind::call:
        break;
      default:
        return "";
    }
    if (expression.operands.empty()) return "";
    if (expression.text == "||") return "text";
    if (expression.text == "array") return type_of(expression.operands[0]) + "[]";
    for (const std::string_view wide : kWidest) {
      const bool has = std::ranges::any_of(
          expression.operands, [&](const Expression& each) { return type_of(each) == wide; });
      if (has) return std::string(wide);
    }
    return "";
  }

  void add_parameter(const Expression& part, const std::string& type, const std::string& draw) {
    const Draw* last = nullptr;
    bool may_be_null = false;
    std::string base = draw;
    for (const auto& [name, each] : draws_) {
      if (!mentions(part, name)) continue;
      may_be_null = may_be_null || each.may_be_null;
      done_.insert(name);
      std::erase_if(functionality_.variables,
                    [&](const Variable& variable) { return variable.name == name; });
      if (last == nullptr || last->place < each.place) last = &each;
      const auto known = names_.find(name);
      if (known != names_.end() && !known->second.empty()) base = known->second;
    }
    const std::string name = free_name(without_number(base));
    const std::optional<Range> range = range_of(part);
    chosen_.push_back({.value = part, .by = variable(name)});
    if (!last->in_loop) {
      functionality_.parameters.push_back({name, type});
      if (!may_be_null) add_check(name_check(variable(name), range));
      dropped_.insert(last->action);
    } else {
      const std::string array = free_name(name + "_draws");
      const std::string count = free_name(name + "_drawn");
      functionality_.parameters.push_back({array, type + "[]"});
      functionality_.variables.push_back({name, type});
      functionality_.variables.push_back({count, "integer"});
      Expression all =
          called("=", {called("cardinality", {variable(array)}), number(kDrawsOfLoop)});
      for (int i = 1; i <= kDrawsOfLoop; ++i) {
        if (may_be_null) break;
        all = called("and", {std::move(all), name_check(element(array, number(i)), range)});
      }
      add_check(std::move(all));
      checks_.push_back(
          at(functionality_.source, Assign{.target = variable(count), .value = number(0)}));
      const Expression next{.kind = ExpressionKind::choice,
                            .text = "",
                            .operands = {called("<", {variable(count), number(kDrawsOfLoop)}),
                                         total_of(variable(count), number(1)), number(1)}};
      drawn_[last->action] = {
          at(last->action->source, Assign{.target = variable(count), .value = next}),
          at(last->action->source,
             Assign{.target = variable(name), .value = element(array, variable(count))})};
    }
    for (const auto& [other, each] : draws_) {
      if (mentions(part, other)) dropped_.insert(each.action);
    }
  }

  static Expression element(const std::string& array, Expression place) {
    return {.kind = ExpressionKind::element,
            .text = "",
            .operands = {variable(array), std::move(place)}};
  }

  template <class What>
  static Action at(const SourceLocation& source, What what) {
    Action action;
    action.source = source;
    action.what = std::move(what);
    return action;
  }

  // That it is there, and in its range.
  static Expression name_check(const Expression& value, const std::optional<Range>& range) {
    Expression check = called("is not null", {value});
    if (!range) return check;
    check = called(
        "and", {std::move(check), between(value, range->first, range->last, range->is_positive)});
    if (range->is_ordered || !range->last) return check;
    return called("or", {std::move(check), between(value, *range->last, range->first, false)});
  }
  static Expression between(const Expression& value, const Expression& first,
                            const std::optional<Expression>& last, bool is_positive) {
    Expression check = called(">=", {value, first});
    if (!last) return check;
    // Towards zero: what is less than 0 may become what it is less than.
    const bool is_open = is_positive;
    if (is_open) return called("and", {std::move(check), called("<", {value, *last})});
    return called("and",
                  {std::move(check), called("or", {called("<", {value, *last}),
                                                   called("and", {called("<=", {*last, number(0)}),
                                                                  called("=", {value, *last})})})});
  }

  void add_check(Expression holds) {
    Branch branch;
    branch.condition = called("not", {std::move(holds)});
    branch.then.push_back(at(functionality_.source, Raise{.condition = "serialization_failure",
                                                          .message = "chance gives no such value",
                                                          .values = {}}));
    checks_.push_back(at(functionality_.source, std::move(branch)));
  }

  std::optional<Range> range_of(const Expression& expression) const {
    if (!has_draw(expression)) return std::nullopt;
    if (expression.kind == ExpressionKind::variable) {
      const auto& ends = draws_.at(expression.text).ends;
      if (ends.size() != 2) return std::nullopt;
      const auto least = whole(ends[0]);
      const bool are_known = is_of_chance(ends[0]) && is_of_chance(ends[1]) && !has_draw(ends[0]) &&
                             !has_draw(ends[1]);
      if (!are_known) return std::nullopt;
      return Range{.first = ends[0], .last = ends[1], .is_positive = least.has_value()};
    }
    if (expression.kind == ExpressionKind::cast) return range_of(expression.operands[0]);
    if (expression.kind != ExpressionKind::call) return std::nullopt;
    const std::string& name = expression.text;
    const auto& parts = expression.operands;
    if (name == "trunc" && parts.size() == 1) return range_of(parts[0]);
    if (parts.size() != 2) return std::nullopt;
    return range_of(name, parts[0], parts[1]);
  }
  std::optional<Range> range_of(const std::string& name, const Expression& a,
                                const Expression& b) const {
    if (has_draw(a) && has_draw(b)) {
      const auto x = range_of(a);
      const auto y = range_of(b);
      if (!x || !y || !x->is_positive || !y->is_positive) return std::nullopt;
      const bool stays_positive = name == "+" || name == "*" || name == "|" || name == "/";
      if (!stays_positive) return std::nullopt;
      return Range{.first = number(0), .last = std::nullopt, .is_positive = true};
    }
    const bool is_left = has_draw(a);
    const Expression& other = is_left ? b : a;
    std::optional<Range> range = range_of(is_left ? a : b);
    const bool divides =
        name == "/" && is_left && range && range->is_positive &&
        other.kind == ExpressionKind::literal &&
        std::ranges::any_of(other.text, [](char c) { return c >= '1' && c <= '9'; });
    if (divides && !(is_whole_type(type_of(a)) && is_whole_type(type_of(other)))) {
      range->first = called("/", {range->first, other});
      if (range->last) range->last = called("/", {*range->last, other});
      return range;
    }
    if (!range || !is_whole_type(type_of(other))) return std::nullopt;
    const bool is_known = whole(other).has_value();
    if (name == "+") {
      range->first = total_of(range->first, other);
      if (range->last) range->last = total_of(*range->last, other);
      range->is_positive = range->is_positive && is_known;
      return range;
    }
    if (name == "*" && range->is_ordered && range->last) {
      range->first = product(range->first, other);
      range->last = product(*range->last, other);
      range->is_ordered = is_known;
      range->is_positive = range->is_positive && is_known;
      return range;
    }
    if (name == "%" && is_left && is_known && whole(other) != 0 && range->is_positive) {
      return Range{.first = number(0), .last = other, .is_positive = true};
    }
    return std::nullopt;
  }
  static bool is_whole_type(const std::string& type) {
    return type == "integer" || type == "bigint" || type == "smallint";
  }

  std::string free_name(const std::string& base) const {
    const auto is_taken = [&](const std::string& name) {
      const auto has = [&](const std::vector<Variable>& list) {
        return std::ranges::find(list, name, &Variable::name) != list.end();
      };
      return has(functionality_.parameters) || has(functionality_.variables);
    };
    std::string name = base;
    for (int i = 2; is_taken(name); ++i) name = base + "_" + std::to_string(i);
    return name;
  }

  void replace_in(Expression& expression, bool is_message) const {
    for (const Chosen& each : chosen_) {
      if (expression == each.value) {
        expression = each.by;
        return;
      }
    }
    // A message may have it in other parts.
    if (is_message && expression.kind == ExpressionKind::variable &&
        draws_.contains(expression.text)) {
      expression = number(0);
      return;
    }
    for (Expression& operand : expression.operands) replace_in(operand, is_message);
  }

  void replace(Block& block) {
    Block kept;
    for (Action& action : block) {
      if (const auto drawn = drawn_.find(&action); drawn != drawn_.end()) {
        for (const Action& each : drawn->second) kept.push_back(each);
        continue;
      }
      if (dropped_.contains(&action)) continue;
      const bool is_message = std::holds_alternative<Raise>(action.what);
      for_each_expression(
          action, [&](Expression& value) { replace_in(value, is_message); },
          [&](Expression& target) {
            if (target.kind == ExpressionKind::element) replace_in(target.operands[1], false);
          });
      for_each_block(action, [&](Block& inner) { replace(inner); });
      kept.push_back(std::move(action));
    }
    block = std::move(kept);
  }

  // What is left is a value that is not known.
  static void forget_in(Expression& expression) {
    if (is_chance(expression)) {
      expression = {
          .kind = ExpressionKind::unknown, .text = expression.operands[0].text, .operands = {}};
      return;
    }
    for (Expression& operand : expression.operands) forget_in(operand);
  }
  static void forget(Block& block) {
    for (Action& action : block) {
      for_each_expression(action, [](Expression& value) { forget_in(value); }, [](Expression&) {});
      for_each_block(action, [](Block& inner) { forget(inner); });
    }
  }

  Functionality& functionality_;
  const std::map<std::string, std::string>& names_;
  std::map<std::string, Draw> draws_;
  std::map<std::string, std::size_t> assigned_;
  std::set<std::string> constant_;  // parameters that nobody assigns
  std::set<std::string> done_;
  std::vector<Chosen> chosen_;
  std::set<const Action*> dropped_;
  std::map<const Action*, Block> drawn_;
  Block checks_;
  std::size_t place_ = 0;
};

}  // namespace

void choose_chance(Functionality& functionality, const std::map<std::string, std::string>& names) {
  ChanceChooser(functionality, names).run();
}

}  // namespace heddle::program
